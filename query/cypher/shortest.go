package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// shortest binds the paths of the fewest edges between two nodes that are
// bound: one of them or, with all, each. It searches breadth first from both
// ends, of which the one goes on that has fewer nodes before it.
type shortest struct {
	planned
	hop
	min, max int // of edges; max is -1 if there is no bound
	all      bool
	tests    *edgeTests
	page     []engine.Edge
}

// side is the search from one end of a path.
type side struct {
	dir      engine.Direction
	depth    int
	frontier []engine.NodeID
	reached  map[engine.NodeID]reached
}

// reached is the distance of a node from an end, and the edges that lead to it
// from nodes nearer to that end.
type reached struct {
	depth int
	by    []engine.Edge
}

// reachedBytes estimates the memory of a reached node.
const reachedBytes = 128

func newSide(id engine.NodeID, dir engine.Direction) *side {
	return &side{dir: dir, frontier: []engine.NodeID{id}, reached: map[engine.NodeID]reached{id: {}}}
}

func (s *shortest) open(x *exec, next sink) sink {
	s.page = x.page()
	return stream(next, func(r row) error {
		from, to := r[s.from], r[s.to]
		s.tests.begin(r)
		f, ok := s.test.filter(x)
		if from.kind != KindNode || to.kind != KindNode || !ok && s.min > 0 {
			return nil
		}
		emit := func(edges []engine.Edge) error {
			s.m.edges[s.place] = append(s.m.edges[s.place][:0], edges...)
			if s.edge >= 0 {
				r[s.edge] = edgeList(x.graph, edges, false)
			}
			return next.push(r)
		}
		if from.AsNode() == to.AsNode() {
			if s.min > 0 {
				return nil
			}
			return emit(nil)
		}
		held := x.held
		err := s.search(x, from.AsNode(), to.AsNode(), f, emit)
		x.held = held
		return err
	})
}

// search calls emit with the edges of the shortest paths between two different
// nodes.
func (s *shortest) search(x *exec, from, to engine.NodeID, f engine.EdgeFilter, emit func([]engine.Edge) error) error {
	a, b := newSide(from, f.Direction), newSide(to, against(f.Direction))
	for s.max < 0 || a.depth+b.depth < s.max {
		near, far := a, b
		if len(b.frontier) < len(a.frontier) {
			near, far = b, a
		}
		if err := s.advance(x, near, f); err != nil {
			return err
		}
		var meet []engine.NodeID
		for _, id := range near.frontier {
			if _, ok := far.reached[id]; ok {
				meet = append(meet, id)
			}
		}
		if meet == nil {
			if len(near.frontier) == 0 {
				return nil
			}
			continue
		}
		// Every shortest path leads through one of these nodes.
		slices.Sort(meet)
		path := make([]engine.Edge, a.depth+b.depth)
		for _, id := range meet {
			err := s.chains(x, a, id, a.depth, func(depth int, e engine.Edge) { path[depth] = e }, func() error {
				return s.chains(x, b, id, b.depth, func(depth int, e engine.Edge) { path[len(path)-1-depth] = e }, func() error {
					return emit(path)
				})
			})
			if err != nil || !s.all {
				return err
			}
		}
		return nil
	}
	return nil
}

// against returns the direction from the edges' other ends.
func against(d engine.Direction) engine.Direction {
	switch d {
	case engine.Out:
		return engine.In
	case engine.In:
		return engine.Out
	}
	return d
}

// advance reaches the nodes that are one edge further from an end.
func (s *shortest) advance(x *exec, d *side, f engine.EdgeFilter) error {
	f.Direction = d.dir
	var next []engine.NodeID
	for _, id := range d.frontier {
		err := x.eachEdge(id, f, s.page, func(edge engine.Edge) error {
			if ok, err := s.tests.fit(x, identity(edge)); err != nil || !ok {
				return err
			}
			other := edge.Other(id)
			have, known := d.reached[other]
			switch {
			case !known:
				if err := x.hold(reachedBytes); err != nil {
					return err
				}
				d.reached[other] = reached{d.depth + 1, []engine.Edge{identity(edge)}}
				next = append(next, other)
			case s.all && have.depth == d.depth+1:
				if err := x.hold(32); err != nil {
					return err
				}
				have.by = append(have.by, identity(edge))
				d.reached[other] = have
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.frontier = next
	d.depth++
	return nil
}

// chains calls done for each path from an end to a node that is depth edges
// away, after calling put with its edges; the edge at depth 0 is next to the
// end. If one path is wanted, it takes only the first.
func (s *shortest) chains(x *exec, d *side, id engine.NodeID, depth int, put func(int, engine.Edge), done func() error) error {
	if depth == 0 {
		return done()
	}
	for _, e := range d.reached[id].by {
		if err := x.tick(); err != nil {
			return err
		}
		put(depth-1, e)
		if err := s.chains(x, d, e.Other(id), depth-1, put, done); err != nil || !s.all {
			return err
		}
	}
	return nil
}
