package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// edgeEnds binds the ends of an edge that is bound already.
type edgeEnds struct {
	planned
	edge             int
	from, to         int
	fromSet, toSet   bool // bound before
	dir              direction
	test             edgeTest
	fromTest, toTest nodeTest
	m                *matched
	place            int
	others           []int
}

// ends returns the step for an edge that is bound before the MATCH.
func (g *patternGraph) ends(at int, before matchState) step {
	e := g.edges[at]
	s := &edgeEnds{
		edge: e.slot, from: g.nodes[e.from].slot, to: g.nodes[e.to].slot, dir: e.Dir,
		fromSet: before.nodes&(1<<e.from) != 0, toSet: before.nodes&(1<<e.to) != 0,
		test: edgeTest{names: e.Types, dir: engine.Both}, m: g.m, place: at,
	}
	if !s.fromSet {
		s.fromTest.labels = g.nodes[e.from].labels
	}
	if !s.toSet {
		s.toTest.labels = g.nodes[e.to].labels
	}
	for i := range g.edges {
		if before.edges&(1<<i) != 0 {
			s.others = append(s.others, i)
		}
	}
	s.describe("Ends", g.hopText(e.from, e, e.to))
	return s
}

func (s *edgeEnds) open(x *exec, next sink) sink {
	s.m.edges[s.place] = make([]engine.Edge, 1)
	return stream(next, func(r row) error {
		have := r[s.edge].AsEdge()
		if have == nil {
			return nil
		}
		f, ok := s.test.filter(x)
		e := identity(have.Edge)
		if !ok || f.Types != nil && !slices.Contains(f.Types, e.Type) || !s.m.free(e, s.others) {
			return nil
		}
		s.m.edges[s.place][0] = e
		free := s.dir == dirBoth || !e.Type.Directed()
		if free || s.dir == dirOut {
			if err := s.bind(x, e.From, e.To, r, next); err != nil {
				return err
			}
		}
		if s.dir == dirIn && !free || free && e.From != e.To {
			return s.bind(x, e.To, e.From, r, next)
		}
		return nil
	})
}

// bind binds those ends that are free, if they have the labels.
func (s *edgeEnds) bind(x *exec, from, to engine.NodeID, r row, next sink) error {
	if s.fromSet && r[s.from].AsNode() != from || s.toSet && r[s.to].AsNode() != to || s.from == s.to && from != to {
		return nil
	}
	for _, end := range []struct {
		test *nodeTest
		id   engine.NodeID
	}{{&s.fromTest, from}, {&s.toTest, to}} {
		ok, err := end.test.has(x, end.id)
		if err != nil || !ok {
			return err
		}
	}
	if !s.fromSet {
		r[s.from] = node(x.graph, from)
	}
	if !s.toSet {
		r[s.to] = node(x.graph, to)
	}
	return next.push(r)
}
