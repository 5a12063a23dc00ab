package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// varExpand binds the paths of min to max different edges that begin at a node,
// and their last nodes. If there is no upper bound, max is -1.
type varExpand struct {
	planned
	hop
	min, max int
	tests    *edgeTests
	reversed bool // steps lead from the pattern's right end to its left
	pages    [][]engine.Edge
}

func (v *varExpand) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		from, to := r[v.from], r[v.to]
		if from.kind != KindNode || v.into && to.kind != KindNode {
			return nil
		}
		v.tests.begin(r)
		f, ok := v.test.filter(x)
		if !ok {
			f.Types = []engine.EdgeType{} // paths of no edge may be meant
		}
		v.m.edges[v.place] = v.m.edges[v.place][:0]
		return v.walk(x, from.AsNode(), to.AsNode(), f, r, next)
	})
}

// walk follows the path at hand from its end.
func (v *varExpand) walk(x *exec, id, to engine.NodeID, f engine.EdgeFilter, r row, next sink) error {
	depth := len(v.m.edges[v.place])
	if depth >= v.min {
		if err := v.arrive(x, id, to, r, next); err != nil {
			return err
		}
	}
	if depth == v.max || f.Types != nil && len(f.Types) == 0 {
		return nil
	}
	page, err := v.page(x, depth)
	if err != nil {
		return err
	}
	return x.eachEdge(id, f, page, func(edge engine.Edge) error {
		other := edge.Other(id)
		edge = identity(edge)
		if slices.ContainsFunc(v.m.edges[v.place], func(e engine.Edge) bool { return sameEdge(e, edge) }) ||
			!v.m.free(edge, v.others) {
			return nil
		}
		if ok, err := v.tests.fit(x, edge); err != nil || !ok {
			return err
		}
		v.m.edges[v.place] = append(v.m.edges[v.place], edge)
		err := v.walk(x, other, to, f, r, next)
		v.m.edges[v.place] = v.m.edges[v.place][:depth]
		return err
	})
}

// page returns room for the neighbours at a depth.
func (v *varExpand) page(x *exec, depth int) ([]engine.Edge, error) {
	if depth < len(v.pages) {
		return v.pages[depth], nil
	}
	size := edgePage
	if depth > 3 {
		size = edgePage / 16
	}
	if err := x.hold(int64(size) * 32); err != nil {
		return nil, err
	}
	v.pages = append(v.pages, make([]engine.Edge, 0, size))
	return v.pages[depth], nil
}

// arrive binds the path at hand, which ends at a node.
func (v *varExpand) arrive(x *exec, id, to engine.NodeID, r row, next sink) error {
	if v.into && id != to {
		return nil
	}
	if ok, err := v.label.has(x, id); err != nil || !ok {
		return err
	}
	if !v.into {
		r[v.to] = node(x.graph, id)
	}
	if v.edge >= 0 {
		r[v.edge] = edgeList(x.graph, v.m.edges[v.place], v.reversed)
	}
	return next.push(r)
}

// edgeList returns a list of edges, optionally reversed.
func edgeList(g *graph, edges []engine.Edge, reversed bool) Value {
	list := make([]Value, len(edges))
	for i, e := range edges {
		list[i] = newEdge(g, e)
	}
	if reversed {
		slices.Reverse(list)
	}
	return ListOf(list)
}

// bindPath binds the path of a pattern whose nodes and edges are bound.
type bindPath struct {
	planned
	slot  int
	first int // place of the pattern's first node
	m     *matched
	hops  []pathHop
}

// pathHop holds the place of the edges of a path's pattern.
type pathHop struct {
	place    int
	reversed bool
}

func (b *bindPath) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		p := &Path{Nodes: []engine.NodeID{r[b.first].AsNode()}, graph: x.graph}
		for _, h := range b.hops {
			edges := b.m.edges[h.place]
			for i := range edges {
				e := edges[i]
				if h.reversed {
					e = edges[len(edges)-1-i]
				}
				p.Nodes = append(p.Nodes, e.Other(p.Nodes[len(p.Nodes)-1]))
				p.Edges = append(p.Edges, &Edge{Edge: e, graph: x.graph})
			}
		}
		r[b.slot] = path(p)
		return next.push(r)
	})
}
