package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// edgeScan binds the edges of some types, and their ends, whose properties satisfy
// conditions that edges without properties do not. It reads columns.
type edgeScan struct {
	planned
	foundEdge
	types []string // names; none is any
	tests []*valueTest
	rows  *int64 // if rows are counted and not made, how many the one at hand stands for
}

// edgeAccess is the part of an access that finds edges by their properties.
type edgeAccess struct {
	edge  int
	all   float64 // edges that are looked at
	conds []*conjunct
}

// edgesPerStep is how many edges of columns are looked at in the time of a row of another
// step.
const edgesPerStep = 16

// edgeScanAccess returns the way to begin with the edges of a pattern whose properties
// satisfy conditions, nil if there is none.
func (g *patternGraph) edgeScanAccess(i int) (*access, error) {
	e := g.edges[i]
	if g.pl.graph.shared == nil {
		return nil, nil
	}
	a := &edgeAccess{edge: i}
	never := false
	for _, c := range g.conds {
		if c.done || c.volatile || c.nodes|c.paths != 0 || c.edges != 1<<i {
			continue
		}
		v, err := g.pl.valueTest(c.expr, e.name)
		if err != nil {
			return nil, err
		}
		if v == nil || !storedOnEdges(v.name) {
			continue
		}
		a.conds = append(a.conds, c)
		never = never || neverNull(c.expr, e.name)
	}
	if !never {
		return nil, nil
	}
	f := engine.EdgeFilter{}
	if types, any := g.pl.graph.edgeTypes(e.Types); !any {
		f.Types = append([]engine.EdgeType{}, types...)
	}
	degree, err := g.pl.stats.degree(g.pl.graph, nil, f)
	if err != nil {
		return nil, err
	}
	nodes, err := g.pl.stats.count(g.pl.graph, nil)
	if err != nil {
		return nil, err
	}
	a.all = degree * nodes
	return &access{node: e.from, rows: a.all * 0.3, scan: a}, nil
}

// storedOnEdges reports whether a property of edges is in their records alone.
func storedOnEdges(name string) bool { return !isTotal(name) }

// step returns the step that finds the edges.
func (a *edgeAccess) step(g *patternGraph) (step, error) {
	e := g.edges[a.edge]
	s := &edgeScan{foundEdge: g.edgeFound(a.edge), types: e.Types}
	s.describe("EdgeScan", g.hopText(e.from, e, e.to))
	for _, c := range a.conds {
		v, err := g.pl.valueTest(c.expr, e.name)
		if err != nil {
			return nil, err
		}
		c.done = true
		s.tests = append(s.tests, v)
		s.Args = append(s.Args, shownExpr(c.expr))
	}
	s.weighed = len(g.paths) > 0 || g.pl.uses.whole(e.name)
	return s, nil
}

func (s *edgeScan) open(x *exec, next sink) sink {
	s.foundEdge.open()
	return stream(next, func(r row) error {
		if s.rows != nil {
			*s.rows = 0
		}
		types, any := x.graph.edgeTypes(s.types)
		if any {
			types = x.graph.r.EdgeTypes()
		}
		for _, t := range types {
			if err := s.scan(x, t, r, next); err != nil {
				return err
			}
		}
		if s.rows != nil && *s.rows > 0 {
			return next.push(r)
		}
		return nil
	})
}

// scan finds the edges of a type.
func (s *edgeScan) scan(x *exec, t engine.EdgeType, r row, next sink) error {
	var names []string
	for _, v := range s.tests {
		names = append(names, v.name)
	}
	if s.edge >= 0 && s.rows == nil {
		for _, c := range x.graph.columns.list {
			if storedOnEdges(c.name) && !slices.Contains(names, c.name) {
				names = append(names, c.name)
			}
		}
	}
	var rows []int
	for b, err := range x.view.EdgeColumns(t, names) {
		if err == nil {
			err = x.interrupted()
		}
		if err != nil {
			return err
		}
		rows = slices.Grow(rows[:0], b.Rows())
		for i := range b.Rows() {
			rows = append(rows, i)
		}
		for i, v := range s.tests {
			c := b.Column(i)
			passing := rows[:0]
			err := v.eachPassing(x, c, rows, true, func(row int) (Value, error) { return fromStored(c.At(row)), nil }, func(row int) {
				passing = append(passing, row)
			})
			if err != nil {
				return err
			}
			rows = passing
		}
		for _, i := range rows {
			if err := s.found(x, b, i, names, r, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// found binds an edge that passes, or counts it.
func (s *edgeScan) found(x *exec, b *engine.EdgeBlock, i int, names []string, r row, next sink) (err error) {
	e := b.Edge(i)
	if s.rows != nil {
		return s.eachWay(x, e, func(from, to engine.NodeID) error { *s.rows++; return nil })
	}
	value := Null
	if s.edge >= 0 {
		if s.weighed {
			if e, err = weighed(x, e); err != nil {
				return err
			}
		}
		props := make([]knownProperty, len(names))
		for j, name := range names {
			props[j] = knownProperty{name, fromStored(b.Column(j).At(i))}
		}
		value = edge(&Edge{Edge: identity(e), graph: x.graph, known: props})
	}
	return s.push(x, e, value, r, next)
}
