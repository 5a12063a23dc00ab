package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Predicate chooses nodes by their properties: a [Comparison], a [Test],
// a [OneOf], or an [And], [Or] or [Not] of predicates. String writes it as a condition of the
// query language, as far as that can express it.
type Predicate interface {
	String() string
	predicate()
}

// Op is the relation that a [Comparison] wants.
type Op uint8

// The relations. OpPrefix is for strings only. OpExists takes no values.
const (
	OpEqual Op = iota
	OpNotEqual
	OpLess
	OpLessEqual
	OpGreater
	OpGreaterEqual
	OpPrefix
	OpExists
)

// String returns the operator of the query language.
func (o Op) String() string {
	switch o {
	case OpEqual:
		return "="
	case OpNotEqual:
		return "<>"
	case OpLess:
		return "<"
	case OpLessEqual:
		return "<="
	case OpGreater:
		return ">"
	case OpGreaterEqual:
		return ">="
	case OpPrefix:
		return "STARTS WITH"
	case OpExists:
		return "IS NOT NULL"
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// Comparison compares a property with values.
//
// Several values are alternatives: the comparison holds if it holds for any of
// them, so that OpEqual with several is IN. OpNotEqual holds for nodes that
// have the property and for which OpEqual does not hold.
//
// Only values of one kind compare: numbers with numbers (integers and floats
// by their exact value), strings with strings (byte by byte), temporal values
// with those of their kind, booleans with booleans, false being the smaller.
// Durations and points are equal or not and have no order. Bytes compare with
// nothing and are only found by OpExists and OpNotEqual.
type Comparison struct {
	Property string
	Op       Op
	// Values are booleans, numbers, strings, temporal values or points.
	Values []Value
	// Whole compares a list as a whole, which equals none of Values
	// and has no order among them. Otherwise the comparison holds for a list if
	// it holds for one of its elements. With Whole a string costs a read of each
	// node whose value or element it finds.
	Whole bool
}

// Test chooses nodes by a function of their key and some of their properties.
// It costs a read of each node that the predicates beside it leave: all others
// of an [And] have found it, those before it in an [Or] have not.
type Test struct {
	// Properties must have an index, as those of a [Comparison], unless their
	// names begin with "_".
	Properties []string
	// Holds gets the values of Properties in their order, null for those that a
	// node lacks; the slice is used again. An error ends the
	// evaluation.
	Holds func(ctx context.Context, key string, values []Value) (bool, error)
	// Text is what String returns.
	Text string
}

// OneOf chooses the nodes of a set, which is only read.
type OneOf struct{ Nodes *roaring.Bitmap }

// And holds for the nodes for which all of its predicates hold. An empty And
// holds for every node.
type And []Predicate

// Or holds for the nodes for which one of its predicates holds. An empty Or
// holds for no node.
type Or []Predicate

// Not holds for all nodes of the graph for which its predicate does not.
type Not struct{ Predicate Predicate }

func (Comparison) predicate() {}
func (Test) predicate()       {}
func (OneOf) predicate()      {}
func (And) predicate()        {}
func (Or) predicate()         {}
func (Not) predicate()        {}

// String implements [Predicate].
func (c Comparison) String() string {
	name := quoteName(c.Property)
	if c.Op == OpExists {
		return name + " IS NOT NULL"
	}
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		values[i] = quoteValue(v)
	}
	if len(values) == 1 && !c.Whole && (c.Op == OpEqual || c.Op == OpNotEqual) && c.Values[0].kind == KindString {
		in := values[0] + " IN " + name
		if c.Op == OpNotEqual {
			return "NOT " + in
		}
		return in
	}
	switch {
	case len(values) == 1:
		return name + " " + c.Op.String() + " " + values[0]
	case c.Op == OpEqual:
		return name + " IN [" + strings.Join(values, ", ") + "]"
	case c.Op == OpNotEqual:
		return "NOT " + name + " IN [" + strings.Join(values, ", ") + "]"
	}
	for i, v := range values {
		values[i] = name + " " + c.Op.String() + " " + v
	}
	return "(" + strings.Join(values, " OR ") + ")"
}

// String implements [Predicate].
func (t Test) String() string { return t.Text }

// String implements [Predicate]. The query language has no name for the set.
func (o OneOf) String() string {
	n := uint64(0)
	if o.Nodes != nil {
		n = o.Nodes.GetCardinality()
	}
	return fmt.Sprintf("<one of %d nodes>", n)
}

// String implements [Predicate].
func (a And) String() string { return join(a, " AND ", "true") }

// String implements [Predicate].
func (o Or) String() string { return join(o, " OR ", "false") }

// String implements [Predicate].
func (n Not) String() string { return "NOT " + operand(n.Predicate) }

func join(ps []Predicate, word, none string) string {
	if len(ps) == 0 {
		return none
	}
	parts := make([]string, len(ps))
	for i, p := range ps {
		parts[i] = operand(p)
	}
	return strings.Join(parts, word)
}

// operand writes a predicate inside another one.
func operand(p Predicate) string {
	switch p.(type) {
	case nil:
		return "null"
	case And, Or, Test:
		return "(" + p.String() + ")"
	}
	return p.String()
}

// Holds reports whether the comparison holds for a node whose property has the
// value v, null for none. A [KindText] is compared by its text, which v lacks: it
// holds for OpExists and OpNotEqual alone.
func (c Comparison) Holds(v Value) bool {
	switch {
	case v.IsNull():
		return false
	case c.Op == OpExists:
		return true
	case c.Op == OpNotEqual:
		c.Op = OpEqual
		return !c.Holds(v)
	case v.isList():
		return !c.Whole && slices.ContainsFunc(v.AsList(), c.Holds)
	}
	return slices.ContainsFunc(c.Values, func(lit Value) bool { return c.Op.holds(v, lit) })
}

// holds reports whether two scalars are in the relation o, one of order or
// OpPrefix.
func (o Op) holds(v, lit Value) bool {
	c := 0
	switch {
	case isNumber(v) && isNumber(lit):
		c = compareNumbers(v, lit)
	case v.kind != lit.kind:
		return false
	case v.kind == KindString:
		if o == OpPrefix {
			return strings.HasPrefix(v.str, lit.str)
		}
		c = strings.Compare(v.str, lit.str)
	case v.kind == KindBool:
		c = cmp.Compare(v.num, lit.num)
	case v.kind == KindTemporal || v.kind == KindPoint:
		if v.str == "" || lit.str == "" || v.str[0] != lit.str[0] || o != OpEqual && v.onlyEqual() {
			return false
		}
		c = strings.Compare(v.str, lit.str) // the bytes are ordered
	default:
		return false
	}
	switch o {
	case OpEqual:
		return c == 0
	case OpLess:
		return c < 0
	case OpLessEqual:
		return c <= 0
	case OpGreater:
		return c > 0
	case OpGreaterEqual:
		return c >= 0
	}
	return false
}

func isNumber(v Value) bool { return v.kind == KindInt || v.kind == KindFloat }

// compareNumbers orders numbers by their exact values: the order of their floats
// would make neighbouring integers beyond 2^53 equal.
func compareNumbers(a, b Value) int {
	switch {
	case a.kind == KindInt && b.kind == KindInt:
		return cmp.Compare(a.num, b.num)
	case a.kind == KindInt:
		return compareIntFloat(a.num, b.flt)
	case b.kind == KindInt:
		return -compareIntFloat(b.num, a.flt)
	}
	return cmp.Compare(a.flt, b.flt)
}

func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	return cmp.Or(cmp.Compare(i, int64(whole)), cmp.Compare(whole, f))
}

// quoteName writes a property name, in backticks unless it is a plain word.
func quoteName(s string) string {
	for i := range len(s) {
		c := s[i] | 0x20
		if s[i] != '_' && (c < 'a' || c > 'z') && (i == 0 || s[i] < '0' || s[i] > '9') {
			return "`" + strings.ReplaceAll(s, "`", "``") + "`"
		}
	}
	return s
}

// quoteValue writes a value as a literal of the query language.
func quoteValue(v Value) string {
	switch v.kind {
	case KindString:
		return quoteText(v.str)
	case KindFloat:
		s := strconv.FormatFloat(v.flt, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eE") {
			s += ".0"
		}
		return s
	case KindTemporal:
		t := v.AsTemporal()
		return t.Kind().String() + "('" + t.String() + "')"
	}
	return v.String()
}

// quoteText writes a string as a literal of the query language.
func quoteText(s string) string {
	b := append(make([]byte, 0, len(s)+2), '\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == 0x7F:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '\''))
}
