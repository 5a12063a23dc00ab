package cypher

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// access is a way to find the nodes that a MATCH begins with.
type access struct {
	node int
	rows float64 // expected
	// cond is the condition that the access makes use of, nil for a scan.
	cond  *conjunct
	value expr // what the property is compared with
	key   bool
	id    bool
	op    engine.Op
	list  bool        // value is a list of alternatives
	prop  string      // of an index
	rule  *ruleAccess // nil for other ways
	scan  *edgeAccess // nil for other ways
	table float64     // nodes that are put in a table by the property, 0 for other ways
}

// unique reports whether the access finds one node at most, or one for each key
// or id.
func (a *access) unique() bool { return a.key || a.id || a.rule != nil && a.rule.unique() }

// edge returns the place of the edge that the access finds, -1 for none.
func (a *access) edge() int {
	switch {
	case a.rule != nil:
		return a.rule.edge
	case a.scan != nil:
		return a.scan.edge
	}
	return -1
}

// uses reports whether a condition is one that the access makes use of.
func (a *access) uses(c *conjunct) bool {
	return a.cond == c || a.rule != nil && slices.Contains(a.rule.conds, c) || a.scan != nil && slices.Contains(a.scan.conds, c)
}

// propID stands for id(n) among the names of properties, which never contain a
// zero byte.
const propID = "\x00id"

// accesses returns the ways to find a node when some others are bound, the
// best first.
func (g *patternGraph) accesses(at int, bound uint64, edges uint64) ([]*access, error) {
	n := g.nodes[at]
	all, err := g.pl.stats.count(g.pl.graph, n.labels)
	if err != nil {
		return nil, err
	}
	out := []*access{{node: at, rows: all}}
	for _, c := range g.conds {
		if c.done || c.nodes&^(bound|1<<at) != 0 || c.edges&^edges != 0 || c.paths != 0 {
			continue
		}
		a, err := g.accessBy(c, at, all)
		if err != nil {
			return nil, err
		}
		if a != nil {
			out = append(out, a)
		}
	}
	if out, err = g.ruleAccesses(out, at, bound, edges, all); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b *access) int {
		switch {
		case a.rows < b.rows:
			return -1
		case a.rows > b.rows:
			return 1
		}
		return 0
	})
	return out, nil
}

// accessBy returns the access that a condition gives to a node, nil for none.
func (g *patternGraph) accessBy(c *conjunct, at int, all float64) (*access, error) {
	b, ok := c.expr.(*binaryExpr)
	if !ok || c.volatile {
		return nil, nil
	}
	name, value, op := g.comparedProperty(b, at)
	if name == "" {
		return nil, nil
	}
	a := &access{node: at, cond: c, value: value, prop: name}
	share := 1.0
	switch op {
	case opEqual:
		a.op, a.rows = engine.OpEqual, 10
	case opIn:
		a.op, a.list, a.rows = engine.OpEqual, true, 30
	case opStartsWith:
		a.op, share = engine.OpPrefix, 0.05
	case opLess:
		a.op, share = engine.OpLess, 0.3
	case opLessEqual:
		a.op, share = engine.OpLessEqual, 0.3
	case opGreater:
		a.op, share = engine.OpGreater, 0.3
	case opGreaterEqual:
		a.op, share = engine.OpGreaterEqual, 0.3
	default:
		return nil, nil
	}
	if name == propKey || name == propID {
		if op != opEqual && op != opIn {
			return nil, nil
		}
		a.key, a.id, a.rows = name == propKey, name == propID, 1
		if a.list {
			a.rows = min(10, all)
		}
		return a, nil
	}
	if share < 1 {
		a.rows = all * share
	}
	a.rows = min(a.rows, all*0.9)
	usable, err := g.indexed(name, g.nodes[at].labels)
	if err != nil {
		return nil, err
	}
	if !usable {
		if op != opEqual || len(freeNames(value)) == 0 {
			return nil, nil // the step of the scan tests it
		}
		a.table = all
	}
	return a, nil
}

// comparedProperty returns the property of a node that an expression compares
// with a value which does not depend on the node, and the operator with the
// property on its left. The name is "" for other expressions.
func (g *patternGraph) comparedProperty(b *binaryExpr, at int) (name string, value expr, op binaryOp) {
	if name := g.propertyOf(b.L, at); name != "" && !g.names(b.R, at) {
		return name, b.R, b.Op
	}
	turned, ok := map[binaryOp]binaryOp{opEqual: opEqual, opLess: opGreater, opLessEqual: opGreaterEqual,
		opGreater: opLess, opGreaterEqual: opLessEqual}[b.Op]
	if name := g.propertyOf(b.R, at); ok && name != "" && !g.names(b.L, at) {
		return name, b.L, turned
	}
	return "", nil, 0
}

// propertyOf returns the name of the node's property that an expression reads,
// propID for its id, "" for other expressions.
func (g *patternGraph) propertyOf(e expr, at int) string {
	if f, ok := e.(*funcCall); ok && strings.EqualFold(f.Name, "id") && len(f.Args) == 1 {
		if v, ok := f.Args[0].(*variable); ok && v.Name == g.nodes[at].name {
			return propID
		}
	}
	if p, ok := e.(*property); ok {
		if v, ok := p.X.(*variable); ok && v.Name == g.nodes[at].name {
			return p.Name
		}
	}
	return ""
}

// names reports whether an expression names a node.
func (g *patternGraph) names(e expr, at int) bool {
	names := map[string]bool{}
	variablesOf(e, names)
	return names[g.nodes[at].name]
}

// indexed reports whether a property has an index that holds all nodes with some
// labels for which it has a value. That of a computed property has not.
func (g *patternGraph) indexed(name string, labels *labelExpr) (bool, error) {
	if !slices.Contains(g.pl.graph.r.Indexes(), name) || g.pl.computes {
		return false, nil
	}
	if !isTotal(name) {
		return true, nil
	}
	derived, err := g.pl.stats.hasDerived(g.pl.graph, labels)
	return !derived, err
}

// step returns the step of an access.
func (a *access) step(g *patternGraph) (step, error) {
	n := g.nodes[a.node]
	shown := shownName(n.name) + n.labels.String()
	switch {
	case a.rule != nil:
		return a.rule.step(g, a.node, a.rows)
	case a.scan != nil:
		return a.scan.step(g)
	}
	if a.cond == nil {
		s := &scan{slot: n.slot, test: nodeTest{labels: n.labels}}
		s.show(n.name)
		s.Estimate = a.rows
		return s, nil
	}
	value, err := g.pl.expr(a.value)
	if err != nil {
		return nil, err
	}
	text := shownExpr(a.cond.expr)
	if a.table > 0 {
		s := &hashScan{slot: n.slot, labels: n.labels, property: a.prop, value: value}
		s.describe("HashScan", "("+shown+")", text)
		s.Estimate = math.Round(a.rows)
		return s, nil
	}
	if a.key {
		a.cond.done = true
		s := &keyLookup{slot: n.slot, labels: n.labels, key: value, list: a.list}
		s.describe("KeyLookup", "("+shown+")", text)
		s.Estimate = a.rows
		return s, nil
	}
	if a.id {
		a.cond.done = true
		s := &idLookup{slot: n.slot, labels: n.labels, id: value, list: a.list}
		s.describe("IDLookup", "("+shown+")", text)
		s.Estimate = a.rows
		return s, nil
	}
	s := &indexScan{slot: n.slot, labels: n.labels, property: a.prop, op: a.op, value: value, list: a.list}
	s.describe("IndexScan", "("+shown+")", fmt.Sprintf("index=%s", a.prop), text)
	s.Estimate = math.Round(a.rows)
	return s, nil
}
