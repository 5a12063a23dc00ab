package cypher

import (
	"cmp"
	"math"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// truth is a value of three-valued logic.
type truth uint8

const (
	isFalse truth = iota
	isTrue
	isUnknown // null
)

// truthOf returns a Go boolean as a truth.
func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// value returns the truth as a value of the language.
func (t truth) value() Value {
	if t == isUnknown {
		return Null
	}
	return Bool(t == isTrue)
}

// not returns the negation.
func (t truth) not() truth {
	switch t {
	case isFalse:
		return isTrue
	case isTrue:
		return isFalse
	}
	return isUnknown
}

// equal is openCypher's =. If an operand is null, the result is null. Values of
// two types differ, except that integers and floats are compared exactly. NaN
// differs from all values. Lists and maps are equal if their parts are: if a
// part differs, they differ; otherwise, if the comparison of a part is null,
// the result is null.
func equal(a, b Value) truth {
	if a.kind == KindNull || b.kind == KindNull {
		return isUnknown
	}
	if a.kind != b.kind {
		if a.isNumber() && b.isNumber() {
			c, ordered := compareNumbers(a, b)
			return truthOf(ordered && c == 0)
		}
		return isFalse
	}
	switch a.kind {
	case KindFloat:
		return truthOf(a.AsFloat() == b.AsFloat())
	case KindTemporal:
		return truthOf(a.AsTemporal() == b.AsTemporal())
	case KindPoint:
		return truthOf(a.AsPoint() == b.AsPoint())
	case KindString:
		return truthOf(a.AsString() == b.AsString())
	case KindList:
		return equalLists(a.AsList(), b.AsList())
	case KindMap:
		return equalMaps(a.AsMap(), b.AsMap())
	case KindNode, KindEdge, KindPath:
		return truthOf(compareOrder(a, b) == 0)
	}
	return truthOf(a.num == b.num)
}

func equalLists(a, b []Value) truth {
	if len(a) != len(b) {
		return isFalse
	}
	result := isTrue
	for i := range a {
		switch equal(a[i], b[i]) {
		case isFalse:
			return isFalse
		case isUnknown:
			result = isUnknown
		}
	}
	return result
}

func equalMaps(a, b map[string]Value) truth {
	if len(a) != len(b) {
		return isFalse
	}
	result := isTrue
	for k, x := range a {
		y, ok := b[k]
		if !ok {
			return isFalse
		}
		switch equal(x, y) {
		case isFalse:
			return isFalse
		case isUnknown:
			result = isUnknown
		}
	}
	return result
}

// relation is the result of comparing two values.
type relation uint8

const (
	incomparable relation = iota // all of < <= > >= are null
	unordered                    // all are false: NaN beside a number
	before
	same
	after
)

// compare is openCypher's comparability, for < <= > >=. Values of two types are
// incomparable, except integers and floats. Lists are compared element by
// element; they are incomparable if the result depends on null. Maps, points and
// durations have no order, nor have temporal values of two types.
func compare(a, b Value) relation {
	if a.isNumber() && b.isNumber() {
		c, ordered := compareNumbers(a, b)
		if !ordered {
			return unordered
		}
		return relationOf(c)
	}
	if a.kind != b.kind {
		return incomparable
	}
	switch a.kind {
	case KindNull, KindMap, KindPoint:
		return incomparable
	case KindTemporal:
		if k := a.AsTemporal().Kind(); k != b.AsTemporal().Kind() || k == temporal.KindDuration {
			return incomparable
		}
	case KindList:
		return compareLists(a.AsList(), b.AsList())
	}
	return relationOf(compareOrder(a, b))
}

// relationOf returns the relation that a number below, at or above zero means.
func relationOf(c int) relation { return relation(int(same) + c) }

func compareLists(a, b []Value) relation {
	for i := range min(len(a), len(b)) {
		// Elements that are equal need no order among their kind.
		switch equal(a[i], b[i]) {
		case isTrue:
			continue
		case isUnknown:
			return incomparable
		}
		return compare(a[i], b[i])
	}
	return relationOf(cmp.Compare(len(a), len(b)))
}

// compareNumbers compares integers and floats exactly: -1, 0 or 1, and false if
// one is NaN.
func compareNumbers(a, b Value) (c int, ordered bool) {
	switch {
	case a.kind == KindInt && b.kind == KindInt:
		return cmp.Compare(int64(a.num), int64(b.num)), true
	case a.kind == KindInt:
		c, ordered = compareIntFloat(int64(a.num), b.AsFloat())
		return c, ordered
	case b.kind == KindInt:
		c, ordered = compareIntFloat(int64(b.num), a.AsFloat())
		return -c, ordered
	}
	x, y := a.AsFloat(), b.AsFloat()
	switch {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, x == y
}

// compareIntFloat compares without turning the integer into a float, which
// would round it.
func compareIntFloat(n int64, x float64) (c int, ordered bool) {
	switch {
	case math.IsNaN(x):
		return 0, false
	case x >= 1<<63:
		return -1, true
	case x < -1<<63:
		return 1, true
	}
	whole := math.Trunc(x)
	if c := cmp.Compare(n, int64(whole)); c != 0 {
		return c, true
	}
	return cmp.Compare(whole, x), true
}

// compareOrder is openCypher's orderability, for ORDER BY, min and max: a total
// order of all values. Maps come first, then nodes, edges, lists, paths, points,
// temporal values, strings, booleans, numbers, NaN, and null last. It is zero exactly
// for values that are equivalent: equal, or both null, or both NaN, in lists and maps too.
//
// Nodes and edges are in the order of their ids, strings in that of their
// bytes, lists by their first difference, a list before those it begins; maps
// are compared as lists of keys and values by key.
//
// Source: CIP2016-06-14, 3.3 Orderability and equivalence; points and temporal values,
// which it leaves to implementations, stand where Neo4j has them.
func compareOrder(a, b Value) int {
	if a.kind != b.kind || a.kind == KindFloat {
		if a.isNumber() && b.isNumber() {
			return orderNumbers(a, b)
		}
		return cmp.Compare(typeOrder[a.kind], typeOrder[b.kind])
	}
	switch a.kind {
	case KindInt:
		return cmp.Compare(int64(a.num), int64(b.num))
	case KindTemporal:
		return a.AsTemporal().Compare(b.AsTemporal())
	case KindPoint:
		p, q := a.AsPoint(), b.AsPoint()
		return cmp.Or(cmp.Compare(p.SRID, q.SRID), cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z))
	case KindBool:
		return cmp.Compare(a.num, b.num)
	case KindString:
		return strings.Compare(a.AsString(), b.AsString())
	case KindList:
		return orderLists(a.AsList(), b.AsList())
	case KindMap:
		return orderMaps(a.AsMap(), b.AsMap())
	case KindNode:
		return cmp.Or(cmp.Compare(graphID(a.graph()), graphID(b.graph())), cmp.Compare(a.num, b.num))
	case KindEdge:
		return orderEdges(a.AsEdge(), b.AsEdge())
	case KindPath:
		return orderPaths(a.AsPath(), b.AsPath())
	}
	return 0
}

// Equal reports whether two values are equivalent: equal, or both null, or both
// NaN. DISTINCT and grouping put such values together.
func (v Value) Equal(o Value) bool { return compareOrder(v, o) == 0 }

// typeOrder has the place of each type in the order of all values.
var typeOrder = [...]int{
	KindMap: 0, KindNode: 1, KindEdge: 2, KindList: 3, KindPath: 4, KindPoint: 5, KindTemporal: 6,
	KindString: 7, KindBool: 8, KindInt: 9, KindFloat: 9, KindNull: 10,
}

// orderNumbers puts NaN after all numbers.
func orderNumbers(a, b Value) int {
	if c, ordered := compareNumbers(a, b); ordered {
		return c
	}
	nan := func(v Value) int {
		if v.kind == KindFloat && math.IsNaN(v.AsFloat()) {
			return 1
		}
		return 0
	}
	return nan(a) - nan(b)
}

func orderLists(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		if c := compareOrder(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func orderMaps(a, b map[string]Value) int {
	ka, kb := sortedKeys(a), sortedKeys(b)
	for i := range min(len(ka), len(kb)) {
		if c := strings.Compare(ka[i], kb[i]); c != 0 {
			return c
		}
		if c := compareOrder(a[ka[i]], b[kb[i]]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(ka), len(kb))
}

// identity returns the stored edge, which is the same from whichever end it was
// found: undirected edges begin at the smaller id.
func (e *Edge) identity() engine.Edge {
	id := engine.Edge{From: e.From, To: e.To, Type: e.Type, N: e.N}
	if !e.Type.Directed() && id.From > id.To {
		id.From, id.To = id.To, id.From
	}
	return id
}

func orderEdges(a, b *Edge) int {
	x, y := a.identity(), b.identity()
	return cmp.Or(
		cmp.Compare(graphID(a.graph), graphID(b.graph)),
		cmp.Compare(x.From, y.From),
		cmp.Compare(x.To, y.To),
		cmp.Compare(x.Type, y.Type),
		cmp.Compare(x.N, y.N))
}

// orderPaths compares paths as lists of nodes and edges in turn. The direction
// in which an edge is walked does not count.
func orderPaths(a, b *Path) int {
	if c := cmp.Compare(graphID(a.graph), graphID(b.graph)); c != 0 {
		return c
	}
	for i := range min(len(a.Nodes), len(b.Nodes)) {
		if c := cmp.Compare(a.Nodes[i], b.Nodes[i]); c != 0 {
			return c
		}
		if i < min(len(a.Edges), len(b.Edges)) {
			if c := orderEdges(a.Edges[i], b.Edges[i]); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(len(a.Nodes), len(b.Nodes))
}

// graphID returns the id of a graph, 0 for nil.
func graphID(g *graph) engine.GraphID {
	if g == nil || g.g == nil {
		return 0
	}
	return g.g.ID()
}
