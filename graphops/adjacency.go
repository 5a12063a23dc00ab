package graphops

// Adjacency is a graph as algorithms that look around some nodes need it. A
// [Projection] is one in memory, a [LocalGraph] one that reads the store.
//
// Nodes are numbers below Len; which node of the store a number stands for is
// the implementation's to say. There are no loops, and at most one edge leads
// from a node to another. If edges have no direction, each is seen from
// both its ends.
type Adjacency interface {
	// Len returns an exclusive upper bound of the node numbers.
	Len() int
	// Degree returns the number of distinct neighbours of u.
	Degree(u uint32) int
	// Neighbors appends the neighbours of u to ids, ascending, and returns the
	// extended slice. A weighted graph appends their weights to w in step; one
	// without weights returns w as it is, and every edge counts 1. If u is
	// not a node it has no neighbours. The caller owns the slices.
	Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32)
}

var (
	_ Adjacency = (*Projection)(nil)
	_ Adjacency = (*LocalGraph)(nil)
)
