package graphops

import (
	"sync"

	"github.com/ragdb/ragdb/engine"
)

// LocalGraph is a graph that is read from the store, for algorithms that visit
// few nodes. Node numbers are node ids. Edges always have weights; the weights of parallel edges are
// added, but for [WeightedPath], to which they are lengths. Each call reads the store once for each direction.
//
// Since the methods of [Adjacency] return no errors, a LocalGraph keeps the
// first error. After it, nodes have no neighbours, and the caller must check
// Err when the algorithm is done. A
// LocalGraph is not safe for concurrent use, but cheap to make.
type LocalGraph struct {
	v     *engine.View
	f     engine.EdgeFilter
	edges []engine.Edge // scratch
	n     int           // Len, once known
	err   error

	combine Combine  // how parallel edges are combined
	loop    nodeLoop // of the node whose row was read last

	scratch *localScratch // of the last query
	pool    *sync.Pool    // where it is kept instead, if not nil
}

// localPage is how many edges are read at a time.
const localPage = 256

// Local returns the graph of the edges of f that v reads. f.Direction is what
// [Spec].Direction is to a projection.
func Local(v *engine.View, f engine.EdgeFilter) *LocalGraph {
	return &LocalGraph{v: v, f: f, edges: make([]engine.Edge, 0, localPage)}
}

// Local returns what the function [Local] does, for queries that come one after
// the other at different views: they work in memory that c keeps.
func (c *Cache) Local(v *engine.View, f engine.EdgeFilter) *LocalGraph {
	g := Local(v, f)
	g.pool = &c.locals
	return g
}

// Err returns the first error of reading, nil if there was none.
func (g *LocalGraph) Err() error { return g.err }

// Len returns the greatest node id plus 1. The first call reads the node
// sets.
func (g *LocalGraph) Len() int {
	if g.n > 0 || g.err != nil {
		return g.n
	}
	set, err := g.v.Nodes(engine.AnyType)
	if err != nil {
		g.err = err
		return 0
	}
	g.n = 1
	if !set.IsEmpty() {
		g.n = int(set.Maximum()) + 1
	}
	return g.n
}

// Degree implements [Adjacency]. It reads the node's lists, of long ones the counts alone.
func (g *LocalGraph) Degree(u uint32) int {
	if g.err != nil {
		return 0
	}
	set, err := g.v.NeighborSet(engine.NodeID(u), g.f)
	if err != nil {
		g.err = err
		return 0
	}
	n := int(set.GetCardinality())
	if set.Contains(u) {
		n-- // a loop
	}
	return n
}

// Neighbors implements [Adjacency]. A node of many neighbours is read in
// pages.
func (g *LocalGraph) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	from, wFrom := len(ids), len(w)
	g.loop = nodeLoop{node: u}
	g.eachPage(u, func(page []engine.Edge) {
		ids, w = appendCombined(ids, w, page, g.combine, g.f.Direction, &g.loop)
	})
	if g.err != nil {
		return ids[:from], w[:wFrom]
	}
	return ids, w
}

// page is Neighbors of the first page of edges, and reports whether others may follow.
func (g *LocalGraph) page(u uint32, ids []uint32, w []float32) (_ []uint32, _ []float32, more bool) {
	if g.err != nil {
		return ids, w, false
	}
	edges, err := g.v.Neighbors(engine.NodeID(u), g.f, 0, g.edges[:0:localPage])
	if err != nil {
		g.err = err
		return ids, w, false
	}
	g.loop = nodeLoop{node: u}
	ids, w = appendCombined(ids, w, edges, g.combine, g.f.Direction, &g.loop)
	return ids, w, len(edges) >= localPage
}

// eachPage calls fn with the edges of u, ordered by their other end, a page at
// a time; no page ends between two edges to one neighbour.
func (g *LocalGraph) eachPage(u uint32, fn func(page []engine.Edge)) {
	id := engine.NodeID(u)
	for after := engine.NodeID(0); g.err == nil; {
		room := cap(g.edges)
		page, err := g.v.Neighbors(id, g.f, after, g.edges[:0])
		if err != nil {
			g.err = err
			return
		}
		g.edges = page[:0]
		fn(page)
		if len(page) < room {
			return
		}
		after = page[len(page)-1].Other(id)
	}
}

// Loop returns what [Projection.Loop] does. It reads the row of u, unless that was the last
// to be read.
func (g *LocalGraph) Loop(u uint32) (ends uint32, weight float64) {
	if g.loop.node != u {
		g.Neighbors(u, nil, nil)
	}
	return g.loop.ends, g.loop.weight
}

// Row returns the row and the loop that a node of g would have if its edges were some, which are
// ordered by their other end as [engine.View.Neighbors] has them.
func (g *LocalGraph) Row(id engine.NodeID, edges []engine.Edge) (ids []uint32, w []float32, ends uint32, weight float64) {
	loop := nodeLoop{node: uint32(id)}
	ids, w = appendCombined(nil, nil, edges, g.combine, g.f.Direction, &loop)
	return ids, w, loop.ends, loop.weight
}

// appendCombined appends the ends of a page of edges of loop.node, which are ordered
// by their other end, with the combined weight of each. A loop is written to loop.
func appendCombined(ids []uint32, w []float32, page []engine.Edge, how Combine, d engine.Direction, loop *nodeLoop) ([]uint32, []float32) {
	id := engine.NodeID(loop.node)
	for i := 0; i < len(page); {
		other := page[i].Other(id)
		t := total{how: how}
		for ; i < len(page) && page[i].Other(id) == other; i++ {
			t.add(page[i].Weight)
			if other != id {
				continue
			}
			// Of the ends of a loop with a direction each is an edge of the page, if it counts.
			loop.ends = max(loop.ends, 1)
			if !page[i].Type.Directed() {
				t.add(page[i].Weight)
				loop.ends = 2
			}
		}
		if other != id {
			ids, w = append(ids, uint32(other)), append(w, t.weight())
			continue
		}
		if d == engine.Both {
			loop.ends = 2
		}
		loop.weight = float64(t.weight())
	}
	return ids, w
}
