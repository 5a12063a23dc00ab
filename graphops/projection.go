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
// the direction leads to. There are no parallel edges, and loops stand apart
// ([Projection.Loop]). It takes 4
// bytes for each node and entry of a row, 4 more an entry if it has
// weights, and about 8 a node to convert to node ids and back unless ids are
// consecutive; an undirected edge has two entries.
//
// If that does not fit ([Spec].MaxBytes), rows are kept in bytes, 1 to 3 an entry.
// Everything has the same results then. KCore, Components, PageRank of a symmetric
// projection and what asks for rows one by one read them so; other algorithms make
// numbers of them first, or return a [*MemoryError] if these would take more than
// was allowed for the projection.
type Projection struct {
	csr
	packed    *packed  // the rows, if csr is not
	ids       []uint32 // node id of each dense id; nil if index has them, or they are equal
	index     nodeIndex
	types     []typeRange
	symmetric bool
	loops     []nodeLoop // by node
	loopEdges int        // of the store
	version   uint64
	limit     int64      // what it may take
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

// Len returns the number of nodes.
func (p *Projection) Len() int {
	if p.packed != nil {
		return len(p.packed.at)
	}
	return len(p.off) - 1
}

// Degree returns the number of neighbours in the row of u, 0 if u is not
// a node.
func (p *Projection) Degree(u uint32) int {
	if p.packed == nil {
		return p.csr.Degree(u)
	}
	if int(u) >= p.Len() {
		return 0
	}
	return p.packedDegree(u)
}

// Row returns the neighbours of u, ascending, and their weights, nil if the
// projection has none and every edge counts 1. The slices are the
// projection's and must not be changed. u must be below Len. If rows are kept in bytes
// each call makes new slices; [Projection.Neighbors] does not.
func (p *Projection) Row(u uint32) (to []uint32, w []float32) {
	if p.packed != nil {
		return p.appendPacked(u, nil, nil)
	}
	return p.csr.Row(u)
}

// Neighbors implements [Adjacency].
func (p *Projection) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	switch {
	case p.packed == nil:
		return p.csr.Neighbors(u, ids, w)
	case int(u) >= p.Len():
		return ids, w
	}
	return p.appendPacked(u, ids, w)
}

// Weighted reports whether edges have weights; else every edge counts 1.
func (p *Projection) Weighted() bool {
	if p.packed != nil {
		return p.packed.weighted
	}
	return p.w != nil
}

// entries returns the number of entries of all rows.
func (p *Projection) entries() int {
	if p.packed != nil {
		return int(p.packed.entries)
	}
	return len(p.to)
}

// Symmetric reports whether every edge is in the rows of both its ends, as it
// is if no edge has a direction.
func (p *Projection) Symmetric() bool { return p.symmetric }

// Edges returns the number of edges, parallel ones merged: entries of rows, or
// half as many if the projection is symmetric. An edge without direction
// among others with one thus counts twice.
func (p *Projection) Edges() int {
	if p.symmetric {
		return p.entries() / 2
	}
	return p.entries()
}

// Loops returns how many edges of the store lead from a node to itself. They are
// not in rows, and [Projection.Edges] does not count them.
func (p *Projection) Loops() int { return p.loopEdges }

// Version returns the version of the graph that was projected, 0 for the
// result of [FromEdges].
func (p *Projection) Version() uint64 { return p.version }

// NodeOf returns the node that u stands for; u must be below Len.
func (p *Projection) NodeOf(u uint32) engine.NodeID {
	if p.ids == nil {
		return engine.NodeID(u) + engine.NodeID(p.index.first)
	}
	return engine.NodeID(p.ids[u])
}

// Index returns the number of a node; ok is false if the projection does
// not have it.
func (p *Projection) Index(id engine.NodeID) (u uint32, ok bool) {
	if p.ids == nil && p.index.n == 0 {
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
	if p.packed != nil {
		return p.packed.bytes() + p.nodeBytes() + loopBytes*int64(p.loopEdges)
	}
	return 4*int64(cap(p.off)+cap(p.to)+cap(p.w)) + p.nodeBytes() + loopBytes*int64(p.loopEdges)
}

// nodeBytes returns how much of that is for node ids.
func (p *Projection) nodeBytes() int64 { return 4*int64(cap(p.ids)) + p.index.bytes() }
