package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// edgeTest selects the edges that match a pattern.
type edgeTest struct {
	names []string // of types; none is any
	dir   engine.Direction

	stamp uint32
	types []engine.EdgeType
	any   bool
}

// filter returns the engine's filter, and false if no edge can match.
func (t *edgeTest) filter(x *exec) (engine.EdgeFilter, bool) {
	if t.stamp != x.graph.stamp+1 {
		t.types, t.any = x.graph.edgeTypes(t.names)
		t.stamp = x.graph.stamp + 1
	}
	if t.any {
		return engine.EdgeFilter{Direction: t.dir}, true
	}
	return engine.EdgeFilter{Types: t.types, Direction: t.dir}, len(t.types) > 0
}

// edgeTypes returns the edge types of names. Without names any is true.
func (g *graph) edgeTypes(names []string) (types []engine.EdgeType, any bool) {
	for _, name := range names {
		types = append(types, g.edgeTypesOf(name)...)
	}
	slices.Sort(types)
	return slices.Compact(types), len(names) == 0
}

// identity returns the stored form of an edge: an edge without direction begins
// at the node with the smaller id.
func identity(e engine.Edge) engine.Edge {
	if !e.Type.Directed() && e.From > e.To {
		e.From, e.To = e.To, e.From
	}
	return e
}

// sameEdge reports whether the stored forms of two edges are equal.
func sameEdge(a, b engine.Edge) bool {
	return a.From == b.From && a.To == b.To && a.Type == b.Type && a.N == b.N
}

// matched holds the edges that the steps of one MATCH have bound for the row at
// hand: no edge is matched twice. A step of variable length binds several.
type matched struct {
	edges [][]engine.Edge // by the place of the step's pattern
}

// free reports whether none of some places holds an edge.
func (m *matched) free(e engine.Edge, places []int) bool {
	for _, p := range places {
		for _, have := range m.edges[p] {
			if sameEdge(e, have) {
				return false
			}
		}
	}
	return true
}

// hop is an edge pattern of a MATCH as steps follow it.
type hop struct {
	from, to int // places of the nodes, from being bound
	edge     int // place of the edge, -1 if it is not used
	test     edgeTest
	label    nodeTest // of the node that is bound
	into     bool     // to is bound too
	m        *matched
	pattern  *patternGraph
	place    int   // of the edge in pattern and m
	others   []int // places in m that may hold the same edge
}

// expand binds the edges between a node and its neighbours, and the neighbours.
type expand struct {
	planned
	hop
	page  []engine.Edge
	edges float64 // expected
}

// edgePage is how many neighbours are read at once.
const edgePage = 256

// page returns a buffer for a page of neighbours, which is reused after the
// statement ends.
func (x *exec) page() []engine.Edge {
	var page []engine.Edge
	if free := x.session.pages; len(free) > 0 {
		page = free[len(free)-1]
		x.session.pages = free[:len(free)-1]
	} else {
		page = make([]engine.Edge, 0, edgePage)
	}
	x.result.pages = append(x.result.pages, page)
	return page
}

func (e *expand) open(x *exec, next sink) sink {
	if e.page == nil {
		e.page = x.page()
		e.m.edges[e.place] = make([]engine.Edge, 1)
	}
	return stream(next, func(r row) error {
		from := r[e.from]
		if from.kind != KindNode {
			return nil
		}
		if e.into {
			return e.between(x, from.AsNode(), r, next)
		}
		return e.around(x, from.AsNode(), r, next)
	})
}

// around follows all edges of a node.
func (e *expand) around(x *exec, id engine.NodeID, r row, next sink) error {
	f, ok := e.test.filter(x)
	if !ok {
		return nil
	}
	return x.eachEdge(id, f, e.page, func(edge engine.Edge) error {
		other := edge.Other(id)
		if ok, err := e.label.has(x, other); err != nil || !ok {
			return err
		}
		return e.found(x, edge, other, r, next)
	})
}

// eachEdge calls fn with each edge of a node that a filter lets pass, a loop and each
// of parallel edges once. room is memory for a page of edges.
func (x *exec) eachEdge(id engine.NodeID, f engine.EdgeFilter, room []engine.Edge, fn func(engine.Edge) error) error {
	size := cap(room)
	for after := engine.NodeID(0); ; {
		page, err := x.graph.r.Neighbors(id, f, after, room[:0])
		if err != nil || len(page) == 0 {
			return err
		}
		more := len(page) >= size
		after = page[len(page)-1].Other(id)
		// A directed loop stands in both directions.
		page = slices.CompactFunc(page, func(a, b engine.Edge) bool { return a.From == a.To && a == b })
		if page, err = x.graph.r.Parallel(id, page); err != nil {
			return err
		}
		for _, edge := range page {
			if err := x.tick(); err != nil {
				return err
			}
			if err := fn(edge); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// between follows the edges that join two nodes which are both bound.
func (e *expand) between(x *exec, id engine.NodeID, r row, next sink) error {
	to := r[e.to]
	f, ok := e.test.filter(x)
	if !ok || to.kind != KindNode {
		return nil
	}
	return edgesBetween(x, id, to.AsNode(), f, func(edge engine.Edge) error {
		return e.found(x, edge, to.AsNode(), r, next)
	})
}

// edgesBetween calls fn with the edges from one node to another that a filter
// lets pass.
func edgesBetween(x *exec, from, to engine.NodeID, f engine.EdgeFilter, fn func(engine.Edge) error) error {
	if err := x.tick(); err != nil {
		return err
	}
	var room [8]engine.Edge
	edges := room[:0:1]
	if len(f.Types) == 1 && f.Direction != engine.Both {
		e := engine.Edge{From: from, To: to, Type: f.Types[0]}
		if f.Direction == engine.In && e.Type.Directed() {
			e.From, e.To = to, from
		}
		w, ok, err := x.graph.r.HasEdge(e.From, e.To, e.Type)
		if err != nil || !ok {
			return err
		}
		e.Weight = w
		edges = append(edges, e)
	} else {
		page, err := x.graph.r.Neighbors(from, f, to-1, edges)
		if err != nil {
			return err
		}
		edges = page[:0]
		for _, e := range page {
			if e.Other(from) == to && !(from == to && len(edges) > 0 && e == edges[len(edges)-1]) {
				edges = append(edges, e)
			}
		}
	}
	edges, err := x.graph.r.Parallel(from, edges)
	if err != nil {
		return err
	}
	for _, e := range edges {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// found binds an edge and the node behind it.
func (e *expand) found(x *exec, edge engine.Edge, other engine.NodeID, r row, next sink) error {
	edge = identity(edge)
	if len(e.others) > 0 && !e.m.free(edge, e.others) {
		return nil
	}
	e.m.edges[e.place][0] = edge
	if !e.into {
		r[e.to] = node(x.graph, other)
	}
	if e.edge >= 0 {
		r[e.edge] = newEdge(x.graph, edge)
	}
	return next.push(r)
}

// newEdge returns an edge as a value.
func newEdge(g *graph, e engine.Edge) Value { return edge(&Edge{Edge: e, graph: g}) }
