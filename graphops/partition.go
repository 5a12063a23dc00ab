package graphops

import (
	"github.com/ragdb/ragdb/engine"
)

// Partition assigns every node of a projection, or every row of a [Matrix], to
// one cluster, or to none.
type Partition struct {
	// Of has the cluster of each node, below Count, or [None].
	Of []uint32
	// Count is the number of clusters.
	Count int
}

// None is the cluster of a node that is in none.
const None = ^uint32(0)

// Largest returns the cluster with the most nodes, of several the first, or
// [None] if there are no nodes.
func (p *Partition) Largest() uint32 {
	largest, most := None, 0
	for c, size := range p.Sizes() {
		if size > most {
			most, largest = size, uint32(c)
		}
	}
	return largest
}

// Members returns the nodes grouped by cluster: those of cluster c are
// nodes[off[c]:off[c+1]], ascending. Nodes in no cluster are left out. The
// caller owns both slices. It is O(n + Count).
func (p *Partition) Members() (off, nodes []uint32) {
	off = make([]uint32, p.Count+1)
	for _, c := range p.Of {
		if c != None {
			off[c+1]++
		}
	}
	for c := range p.Count {
		off[c+1] += off[c]
	}
	nodes = make([]uint32, off[p.Count])
	next := append([]uint32(nil), off[:p.Count]...)
	for u, c := range p.Of {
		if c != None {
			nodes[next[c]] = uint32(u)
			next[c]++
		}
	}
	return off, nodes
}

// Sizes returns the number of nodes of each cluster.
func (p *Partition) Sizes() []int {
	sizes := make([]int, p.Count)
	for _, c := range p.Of {
		if c != None {
			sizes[c]++
		}
	}
	return sizes
}

// validate says what is wrong with a partition of n nodes, marked as
// [engine.ErrInvalid].
func (p *Partition) validate(n int) error {
	if len(p.Of) != n {
		return phase.Mark(engine.ErrInvalid, "partition of %d nodes for %d", len(p.Of), n)
	}
	for u, c := range p.Of {
		if c != None && int64(c) >= int64(p.Count) {
			return phase.Mark(engine.ErrInvalid, "cluster %d of %d for node %d", c, p.Count, u)
		}
	}
	return nil
}

// renumber gives the clusters the numbers 0, 1, ... in order of their first
// node, drops the empty ones, and returns how many there are. Clusters are
// below bound.
func renumber(cluster []uint32, bound int) int {
	number := make([]uint32, bound)
	for i := range number {
		number[i] = None
	}
	n := uint32(0)
	for u, c := range cluster {
		if c == None {
			continue
		}
		if number[c] == None {
			number[c] = n
			n++
		}
		cluster[u] = number[c]
	}
	return int(n)
}
