package graphops

import (
	"slices"
	"sync"

	"github.com/ragdb/ragdb/engine"
)

// Projection is a part of a graph in memory, in compressed sparse rows: what
// global algorithms run on. It is immutable and safe for concurrent use.
//
// Its nodes are numbered 0 to Len-1 in order of node type and node id, so that
// a type is a contiguous range. The row of a node holds its neighbours,
// ascending: for undirected types all of them, for directed ones those that
// the direction leads to. There are no loops and no parallel edges. It takes 4
// bytes for each node and entry of a row, 4 more an entry if it has
// weights, and about 8 a node to convert to node ids and back; an undirected
// edge has two entries.
type Projection struct {
	csr
	ids       []uint32 // node id of each dense id; nil if they are equal
	index     nodeIndex
	types     []typeRange
	symmetric bool
	loops     int
	version   uint64
	need      int64      // what building it took at the peak
	scratch   *sync.Pool // *localScratch; nil: it is not kept
}

// typeRange says that the nodes of t are those with lo <= u < hi.
type typeRange struct {
	t      engine.TypeID
	lo, hi uint32
}

// csr are rows of neighbours: those of u are to[off[u]:off[u+1]].
type csr struct {
	off []uint32
	to  []uint32
	w   []float32 // in step with to; nil if all are 1
}

// Len returns the number of nodes.
func (c *csr) Len() int { return len(c.off) - 1 }

// Degree returns the number of neighbours in the row of u, 0 if u is not
// a node.
func (c *csr) Degree(u uint32) int {
	if int(u) >= c.Len() {
		return 0
	}
	return int(c.off[u+1] - c.off[u])
}

// Row returns the neighbours of u, ascending, and their weights, nil if the
// projection has none and every edge counts 1. The slices are the
// projection's and must not be changed. u must be below Len.
func (c *csr) Row(u uint32) (to []uint32, w []float32) {
	lo, hi := c.off[u], c.off[u+1]
	if c.w != nil {
		w = c.w[lo:hi:hi]
	}
	return c.to[lo:hi:hi], w
}

// Neighbors implements [Adjacency].
func (c *csr) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	if int(u) >= c.Len() {
		return ids, w
	}
	row, weights := c.Row(u)
	return append(ids, row...), append(w, weights...)
}

// Weighted reports whether edges have weights; else every edge counts 1.
func (c *csr) Weighted() bool { return c.w != nil }

// Symmetric reports whether every edge is in the rows of both its ends, as it
// is if no edge has a direction.
func (p *Projection) Symmetric() bool { return p.symmetric }

// Edges returns the number of edges, parallel ones merged: entries of rows, or
// half as many if the projection is symmetric. An edge without direction
// among others with one thus counts twice.
func (p *Projection) Edges() int {
	if p.symmetric {
		return len(p.to) / 2
	}
	return len(p.to)
}

// Loops returns how many edges of the store were left out because they lead
// from a node to itself.
func (p *Projection) Loops() int { return p.loops }

// Version returns the version of the graph that was projected, 0 for the
// result of [FromEdges].
func (p *Projection) Version() uint64 { return p.version }

// NodeOf returns the node that u stands for; u must be below Len.
func (p *Projection) NodeOf(u uint32) engine.NodeID {
	if p.ids == nil {
		return engine.NodeID(u)
	}
	return engine.NodeID(p.ids[u])
}

// Index returns the number of a node; ok is false if the projection does
// not have it.
func (p *Projection) Index(id engine.NodeID) (u uint32, ok bool) {
	if p.ids == nil {
		return uint32(id), id < engine.NodeID(p.Len())
	}
	u = p.index.find(uint64(id))
	return u, u != none
}

// TypeRange returns the numbers lo <= u < hi of the nodes of a type, an empty
// range if there are none.
func (p *Projection) TypeRange(t engine.TypeID) (lo, hi uint32) {
	i, ok := slices.BinarySearchFunc(p.types, t, func(r typeRange, t engine.TypeID) int {
		return int(int64(r.t) - int64(t))
	})
	if !ok {
		return 0, 0
	}
	return p.types[i].lo, p.types[i].hi
}

// TypeOf returns the type of a node, 0 if u is not a node. It is O(log t) for
// t types.
func (p *Projection) TypeOf(u uint32) engine.TypeID {
	i, _ := slices.BinarySearchFunc(p.types, u, func(r typeRange, u uint32) int {
		if r.hi <= u {
			return -1
		}
		return 1
	})
	if i == len(p.types) {
		return 0
	}
	return p.types[i].t
}

// Bytes returns how much memory the projection keeps.
func (p *Projection) Bytes() int64 {
	return 4*int64(cap(p.off)+cap(p.to)+cap(p.w)+cap(p.ids)) + p.index.bytes()
}
