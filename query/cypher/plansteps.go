package cypher

import (
	"fmt"
	"strings"
)

// planMatch returns the steps of patterns and a WHERE, adding the variables of
// the patterns to the scope.
func (pl *planner) planMatch(patterns []*pattern, where expr) ([]step, error) {
	g, err := pl.newPatternGraph(patterns, where)
	if err != nil {
		return nil, err
	}
	s := matchState{rows: 1}
	var steps []step
	for i, n := range g.nodes {
		if !n.bound {
			continue
		}
		s.nodes |= 1 << i
		b := &bound{slot: n.slot, test: nodeTest{labels: n.labels}}
		b.describe("Bound", "("+shownName(n.name)+n.labels.String()+")")
		steps = append(steps, b)
	}
	if steps, err = g.filters(steps, s, false); err != nil {
		return nil, err
	}
	moves, err := g.search(s)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		before := s
		s = g.apply(s, m)
		var next step
		if m.access == nil {
			next = g.follow(m, before)
		} else if next, err = m.access.step(g); err != nil {
			return nil, err
		}
		next.plan().Estimate = before.rows * m.rows
		if e, ok := next.(*expand); ok {
			e.edges = e.Estimate
		}
		if err := g.tests(next); err != nil {
			return nil, err
		}
		steps = append(steps, next)
		if steps, err = g.filters(steps, s, false); err != nil {
			return nil, err
		}
		if last := steps[len(steps)-1]; last != next {
			last.plan().Estimate = s.rows
		}
	}
	for _, p := range g.paths {
		b := &bindPath{slot: p.slot, first: g.nodes[p.first].slot, m: g.m}
		for _, e := range p.edges {
			b.hops = append(b.hops, pathHop{e, g.edges[e].reversed})
		}
		b.describe("Path", p.name)
		steps = append(steps, b)
	}
	if steps, err = g.filters(steps, s, true); err != nil {
		return nil, err
	}
	return steps, nil
}

// filters appends the conditions that can be decided now.
func (g *patternGraph) filters(steps []step, s matchState, paths bool) ([]step, error) {
	for _, c := range g.conds {
		if c.done || c.nodes&^s.nodes != 0 || c.edges&^s.edges != 0 || c.paths != 0 && !paths {
			continue
		}
		if c.paths|c.edges != 0 {
			for i, e := range g.edges {
				if e.shortest != notShortest && (c.edges&(1<<i) != 0 || g.ofPath(c.paths, i)) {
					return nil, refuse(g.pl.text, c.expr.At(), "a condition on a shortest path in its own MATCH; write it after WITH *")
				}
			}
		}
		f, err := g.pl.filter(c.expr)
		if err != nil {
			return nil, err
		}
		c.done = true
		steps = append(steps, f)
	}
	return steps, nil
}

// ofPath reports whether an edge is part of one of some paths.
func (g *patternGraph) ofPath(paths uint64, edge int) bool {
	for i, p := range g.paths {
		if paths&(1<<i) == 0 {
			continue
		}
		for _, e := range p.edges {
			if e == edge {
				return true
			}
		}
	}
	return false
}

// filter returns the step of a condition.
func (pl *planner) filter(cond expr) (*filter, error) {
	holds, err := pl.compiler().condition(cond)
	if err != nil {
		return nil, err
	}
	f := &filter{holds: holds, names: map[string]bool{}, volatile: isVolatile(cond)}
	variablesOf(cond, f.names)
	f.describe("Filter", shownExpr(cond))
	pl.show(f)
	return f, nil
}

// follow returns the step that binds an edge and its ends.
func (g *patternGraph) follow(m move, before matchState) step {
	e := g.edges[m.edge]
	to := e.from + e.to - m.from
	if e.bound && !e.Var {
		return g.ends(m.edge, before)
	}
	e.reversed = m.from != e.from
	into := before.nodes&(1<<to) != 0
	h := hop{
		from: g.nodes[m.from].slot, to: g.nodes[to].slot, edge: e.slot,
		test: edgeTest{names: e.Types, dir: e.direction(m.from)},
		into: into, m: g.m, place: m.edge, pattern: g,
	}
	if !into {
		h.label.labels = g.nodes[to].labels
	}
	for i, other := range g.edges {
		if before.edges&(1<<i) != 0 && other.shortest == notShortest && g.mayMeet(e, other) {
			h.others = append(h.others, i)
		}
	}
	text := g.hopText(m.from, e, to)
	switch {
	case e.shortest != notShortest:
		s := &shortest{hop: h, tests: e.tests, min: 1, max: 1, all: e.shortest == shortestAll}
		if e.Var {
			s.min, s.max = e.Min, e.Max
		}
		s.describe("ShortestPath", text)
		return s
	case e.bound:
		s := &boundEdges{hop: h, min: e.Min, max: e.Max, tests: e.tests, reversed: e.reversed}
		s.describe(intoName("BoundEdges", into), text)
		return s
	case e.Var:
		s := &varExpand{hop: h, min: e.Min, max: e.Max, tests: e.tests, reversed: e.reversed}
		s.describe(intoName("VarExpand", into), text)
		return s
	}
	s := &expand{hop: h}
	s.describe(intoName("Expand", into), text)
	return s
}

func intoName(name string, into bool) string {
	if into {
		return name + "Into"
	}
	return name
}

// mayMeet reports whether one edge could be matched by both of two patterns.
func (g *patternGraph) mayMeet(a, b *patEdge) bool {
	if len(a.Types) == 0 || len(b.Types) == 0 {
		return true
	}
	for _, x := range a.Types {
		for _, y := range b.Types {
			if strings.EqualFold(labelOf(x), labelOf(y)) {
				return true
			}
		}
	}
	return false
}

// hopText writes an edge's pattern in the direction that it is followed.
func (g *patternGraph) hopText(from int, e *patEdge, to int) string {
	a, b := g.nodes[from], g.nodes[to]
	name := e.Variable
	if len(e.Types) > 0 {
		name += ":" + strings.Join(e.Types, "|")
	}
	if e.Var {
		name += fmt.Sprintf("*%d..", e.Min)
		if e.Max >= 0 {
			name += fmt.Sprint(e.Max)
		}
	}
	left, right := "-", "-"
	switch e.direction(from) {
	case 0:
		right = "->"
	case 1:
		left = "<-"
	}
	if name != "" {
		name = "[" + name + "]"
	}
	return fmt.Sprintf("(%s)%s%s%s(%s%s)", shownName(a.name), left, name, right, shownName(b.name), b.labels)
}
