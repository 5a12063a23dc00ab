package cypher

import (
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// ruleAccess is the part of an access that the index of a rule serves: values that
// its first properties equal, and bounds on the next.
type ruleAccess struct {
	rule   *engine.Rule
	equal  []expr
	bounds []ruleBound
	list   bool // the last of equal is a list of alternatives
	conds  []*conjunct
	shown  []string
	edge   int // place of an edge that it finds, -1 for a node
}

// ruleBound is a condition on a property of an index.
type ruleBound struct {
	op    engine.Op
	value expr // nil for OpExists
}

// rules returns the rules with an index of values.
func (g *graph) rules() ([]engine.Rule, error) {
	g.mu.Lock()
	known, have := g.rulesKnown, g.ruleList
	g.mu.Unlock()
	if known {
		return have, nil
	}
	all, err := g.r.Rules()
	if err != nil {
		return nil, err
	}
	have = slices.DeleteFunc(all, func(r engine.Rule) bool { return !r.Indexed() })
	g.mu.Lock()
	g.rulesKnown, g.ruleList = true, have
	g.mu.Unlock()
	return have, nil
}

// ruleAccesses appends the ways to find a node by the indexes of its labels.
func (g *patternGraph) ruleAccesses(dst []*access, at int, bound, edges uint64, all float64) ([]*access, error) {
	n := g.nodes[at]
	rules, err := g.pl.graph.rules()
	if err != nil || len(rules) == 0 || n.labels == nil || g.pl.computes {
		return dst, err
	}
	labels, ok := n.labels.names()
	if !ok {
		return dst, nil
	}
	for i := range rules {
		r := &rules[i]
		if r.Edges || !slices.ContainsFunc(labels, func(l string) bool { return g.onlyType(l, r.Types[0]) }) {
			continue
		}
		if slices.ContainsFunc(r.Properties, isTotal) {
			derived, err := g.pl.stats.hasDerived(g.pl.graph, n.labels)
			if err != nil {
				return nil, err
			}
			if derived {
				continue
			}
		}
		free := func(c *conjunct) bool {
			return !c.done && c.nodes&^(bound|1<<at) == 0 && c.edges&^edges == 0 && c.paths == 0
		}
		ra := g.served(r, n.name, free)
		if ra == nil {
			continue
		}
		ra.edge = -1
		a := &access{node: at, rule: ra}
		if a.rows, err = g.pl.ruleRows(ra, all); err != nil {
			return nil, err
		}
		dst = append(dst, a)
	}
	return dst, nil
}

// onlyType reports whether a label stands for a node type, and for no other.
func (g *patternGraph) onlyType(label, name string) bool {
	types := typesOf(g.pl.graph.r, label)
	return len(types) == 1 && g.pl.graph.r.NodeTypeName(types[0]) == name
}

// edgeAccesses returns the ways to begin with an edge that an index or a scan finds.
func (g *patternGraph) edgeAccesses(s matchState) ([]*access, error) {
	rules, err := g.pl.graph.rules()
	if err != nil || s.edges != 0 {
		return nil, err
	}
	var out []*access
	for i, e := range g.edges {
		ends := uint64(1)<<e.from | uint64(1)<<e.to
		if s.edges&(1<<i) != 0 || s.nodes&ends != 0 || e.bound || e.Var || e.shortest != notShortest || e.from == e.to ||
			e.name == "" {
			continue
		}
		a, err := g.edgeScanAccess(i)
		if err != nil {
			return nil, err
		}
		if a != nil {
			out = append(out, a)
		}
		if len(e.Types) != 1 {
			continue
		}
		for j := range rules {
			r := &rules[j]
			if types := g.pl.graph.edgeTypesOf(e.Types[0]); !r.Edges || len(types) != 1 || g.pl.graph.r.EdgeTypeName(types[0]) != r.Types[0] {
				continue
			}
			if slices.ContainsFunc(r.Properties, isTotal) {
				if derived, err := g.pl.stats.hasDerived(g.pl.graph, nil); err != nil || derived {
					return out, err
				}
			}
			ra := g.served(r, e.name, func(c *conjunct) bool {
				return !c.done && c.nodes&^s.nodes == 0 && c.edges&^(s.edges|1<<i) == 0 && c.paths == 0
			})
			if ra == nil {
				continue
			}
			ra.edge = i
			a := &access{node: e.from, rule: ra}
			if a.rows, err = g.pl.ruleRows(ra, math.Inf(1)); err != nil {
				return nil, err
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// served returns what the index of a rule can answer of the conditions on a variable,
// nil for nothing.
func (g *patternGraph) served(r *engine.Rule, name string, free func(c *conjunct) bool) *ruleAccess {
	out := &ruleAccess{rule: r}
	for i, property := range r.Properties {
		var bounds []ruleBound
		var with []*conjunct
		found := false
		for _, c := range g.conds {
			if !free(c) || c.volatile {
				continue
			}
			op, value := comparedTo(c.expr, name, property)
			switch bound, ok := boundOps[op]; {
			case value == nil:
			case op == opEqual || op == opIn && i == len(r.Properties)-1:
				out.equal = append(out.equal, value)
				out.list = op == opIn
				out.conds = append(out.conds, c)
				found = true
			case ok:
				bounds, with = append(bounds, ruleBound{bound, value}), append(with, c)
			}
			if found {
				break
			}
		}
		if !found {
			out.bounds, out.conds = bounds, append(out.conds, with...)
			break
		}
	}
	if len(out.conds) == 0 {
		return nil
	}
	for _, c := range out.conds {
		out.shown = append(out.shown, shownExpr(c.expr))
	}
	return out
}

// boundOps are the operators of bounds.
var boundOps = map[binaryOp]engine.Op{
	opLess: engine.OpLess, opLessEqual: engine.OpLessEqual, opGreater: engine.OpGreater, opGreaterEqual: engine.OpGreaterEqual,
	opStartsWith: engine.OpPrefix,
}

// comparedTo returns the operator and the value that an expression compares a
// property of a variable with, with the property on the left; nil for other expressions.
func comparedTo(e expr, name, key string) (binaryOp, expr) {
	b, ok := e.(*binaryExpr)
	if !ok {
		return 0, nil
	}
	is := func(e expr) bool {
		p, ok := e.(*property)
		if !ok || p.Name != key {
			return false
		}
		v, ok := p.X.(*variable)
		return ok && v.Name == name
	}
	without := func(e expr) bool {
		names := map[string]bool{}
		variablesOf(e, names)
		return !names[name]
	}
	if is(b.L) && without(b.R) {
		return b.Op, b.R
	}
	turned, ok := map[binaryOp]binaryOp{opEqual: opEqual, opLess: opGreater, opLessEqual: opGreaterEqual,
		opGreater: opLess, opGreaterEqual: opLessEqual}[b.Op]
	if ok && is(b.R) && without(b.L) {
		return turned, b.L
	}
	return 0, nil
}

// countLimit is how many nodes or edges within constant bounds the planner counts.
const countLimit = 256

// ruleRows estimates how many nodes or edges an access finds, of all there may be.
func (pl *planner) ruleRows(a *ruleAccess, all float64) (float64, error) {
	if span, ok, err := pl.constantSpan(a); err != nil || ok {
		if err != nil {
			return 0, err
		}
		n, err := pl.graph.r.IndexedCount(a.rule.Name, span, countLimit)
		if err != nil || n < countLimit {
			return float64(n), err
		}
	}
	rows := all
	if len(a.equal) > 0 {
		share, err := pl.stats.share(pl.graph, a.rule.Name, len(a.equal))
		if err != nil {
			return 0, err
		}
		if a.list {
			share *= 3
		}
		rows = min(rows, share)
	} else if math.IsInf(all, 1) {
		set, err := pl.stats.nodes(pl.graph, nil)
		if err != nil {
			return 0, err
		}
		rows = float64(set.GetCardinality()) * 8 // about as many edges
	}
	for _, b := range a.bounds {
		if b.op == engine.OpPrefix {
			rows *= 0.05
		} else {
			rows *= 0.3
		}
	}
	return min(rows, all*0.9), nil
}

// constantSpan returns the span of an access with bounds if all its values are literals
// or parameters.
func (pl *planner) constantSpan(a *ruleAccess) (span engine.Span, ok bool, err error) {
	if len(a.bounds) == 0 || a.list {
		return span, false, nil
	}
	constant := func(e expr) (engine.Value, bool) {
		v := Null
		switch e := e.(type) {
		case *literal:
			v = e.Value
		case *param:
			v = pl.params[e.Name]
		}
		stored, err := toStored(0, v)
		return stored, err == nil && !stored.IsNull()
	}
	for _, e := range a.equal {
		v, ok := constant(e)
		if !ok {
			return span, false, nil
		}
		span.Equal = append(span.Equal, v)
	}
	for _, b := range a.bounds {
		v, ok := constant(b.value)
		if !ok || !boundable(b.op, v) {
			return span, false, nil
		}
		span.Bounds = append(span.Bounds, engine.Bound{Op: b.op, Value: v})
	}
	return span, true, nil
}

// boundable reports whether an index takes a value as a bound.
func boundable(op engine.Op, v engine.Value) bool {
	switch v.Kind() {
	case engine.KindBool, engine.KindInt, engine.KindFloat, engine.KindTemporal:
		return op != engine.OpPrefix
	case engine.KindString:
		return true
	}
	return false
}

// unique reports whether the access finds one node or edge at most.
func (a *ruleAccess) unique() bool {
	return a.rule.Kind != engine.RangeIndex && len(a.equal) == len(a.rule.Properties) && !a.list
}

// step returns the step that finds what the access says.
func (a *ruleAccess) step(g *patternGraph, node int, rows float64) (step, error) {
	scan := ruleScan{rule: a.rule.Name, list: a.list}
	for _, e := range a.equal {
		ev, err := g.pl.expr(e)
		if err != nil {
			return nil, err
		}
		scan.equal = append(scan.equal, ev)
	}
	for _, b := range a.bounds {
		ev, err := g.pl.expr(b.value)
		if err != nil {
			return nil, err
		}
		scan.bounds = append(scan.bounds, evaluatedBound{b.op, ev})
	}
	if a.edge < 0 {
		n := g.nodes[node]
		s := &nodeIndexScan{ruleScan: scan, slot: n.slot, labels: n.labels}
		s.describe("IndexScan", "("+shownName(n.name)+n.labels.String()+")", "index="+a.rule.Name, strings.Join(a.shown, " AND "))
		s.Estimate = math.Round(rows)
		return s, nil
	}
	e := g.edges[a.edge]
	s := &edgeIndexScan{ruleScan: scan, foundEdge: g.edgeFound(a.edge)}
	s.describe("EdgeIndexScan", g.hopText(e.from, e, e.to), "index="+a.rule.Name, strings.Join(a.shown, " AND "))
	s.Estimate = math.Round(rows)
	return s, nil
}
