package cypher

import "github.com/ragdb/ragdb/engine"

// foundEdge binds an edge, and its ends, that was found without following it from a node.
type foundEdge struct {
	from, to, edge   int // places; edge is -1 if it is not used
	dir              direction
	fromTest, toTest nodeTest
	m                *matched
	place            int
	weighed          bool // the weight of the edge may be read
}

// edgeFound returns what binds an edge of the patterns.
func (g *patternGraph) edgeFound(at int) foundEdge {
	e := g.edges[at]
	from, to := g.nodes[e.from], g.nodes[e.to]
	return foundEdge{
		from: from.slot, to: to.slot, edge: e.slot, dir: e.Dir, m: g.m, place: at,
		fromTest: nodeTest{labels: from.labels}, toTest: nodeTest{labels: to.labels},
	}
}

// open makes room for the edge.
func (s *foundEdge) open() {
	if s.m.edges[s.place] == nil {
		s.m.edges[s.place] = make([]engine.Edge, 1)
	}
}

// eachWay calls fn with the ends of an edge in each direction that the pattern allows.
func (s *foundEdge) eachWay(x *exec, e engine.Edge, fn func(from, to engine.NodeID) error) error {
	either := s.dir == dirBoth || !e.Type.Directed()
	for _, turned := range [2]bool{false, true} {
		if !either && turned != (s.dir == dirIn) || either && turned && e.From == e.To {
			continue
		}
		if err := x.tick(); err != nil {
			return err
		}
		from, to := e.From, e.To
		if turned {
			from, to = to, from
		}
		if ok, err := s.fromTest.has(x, from); err != nil {
			return err
		} else if !ok {
			continue
		}
		if ok, err := s.toTest.has(x, to); err != nil {
			return err
		} else if !ok {
			continue
		}
		if err := fn(from, to); err != nil {
			return err
		}
	}
	return nil
}

// push binds an edge in the directions that the pattern allows. value is its value, null
// if it is not used.
func (s *foundEdge) push(x *exec, e engine.Edge, value Value, r row, next sink) error {
	return s.eachWay(x, e, func(from, to engine.NodeID) error {
		s.m.edges[s.place][0] = identity(e)
		r[s.from], r[s.to] = node(x.graph, from), node(x.graph, to)
		if s.edge >= 0 {
			r[s.edge] = value
		}
		return next.push(r)
	})
}
