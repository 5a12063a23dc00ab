package graphops

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// ContractOptions tune [Contract]. The zero value adds weights up.
type ContractOptions struct {
	// Combine says what weight the edges between two clusters have together.
	Combine Combine
	// Count makes the weight of an edge the number of edges between the
	// clusters instead.
	Count bool
	// MaxBytes bounds the working memory and the result; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

// contractPiece is how many nodes and row entries one task contracts, about.
const contractPiece = 1 << 16

// Contract returns the graph of the clusters of a partition. Its nodes are the
// clusters, also the empty ones, and have their numbers; the edges between two
// clusters become one. It is weighted, and symmetric if p is. Nodes in no
// cluster are left out with their edges, and so are edges within a cluster.
// Edges without weights count 1. Weights are added in float64 and kept as
// float32. ArchRAG contracts the knowledge graph of each level, with Count.
//
// It is O(n + m log m'), m' being the degree of a cluster. Working memory is 8
// bytes a node, 24 bytes a cluster and 32 more for each worker, and for the
// edges 16 bytes for each row entry, or for each pair of clusters where those
// are fewer.
func Contract(ctx context.Context, p *Projection, part *Partition, o ContractOptions) (*Projection, error) {
	r, err := contract(ctx, p, part, &o)
	if err != nil {
		return nil, phase.Errorf("contract: %w", err)
	}
	return r, nil
}

func contract(ctx context.Context, p *Projection, partition *Partition, o *ContractOptions) (*Projection, error) {
	if o.Combine > Min {
		return nil, phase.Mark(engine.ErrInvalid, "unknown Combine %d", o.Combine)
	}
	if partition.Count < 0 || int64(partition.Count) >= none {
		return nil, phase.Mark(engine.ErrInvalid, "%d clusters", partition.Count)
	}
	if err := partition.validate(p.Len()); err != nil {
		return nil, err
	}
	k, workers := int64(partition.Count), workersOf(o.Workers)
	entries := int64(p.entries())
	if k < 1<<31 {
		entries = min(entries, k*(k-1))
	}
	if need := 8*int64(p.Len()) + (24+32*int64(workers))*k + 16*entries; o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "contract", Need: need, Limit: o.MaxBytes}
	}
	c := &contractor{p: p, cluster: partition.Of, combine: o.Combine, count: o.Count}
	c.off, c.nodes = partition.Members()
	cuts := c.cuts()
	parts := make([]part, len(cuts)-1)
	sums := make([]contractSums, max(1, min(workers, len(parts))))
	err := parallel(ctx, len(sums), len(parts), func(worker, i int) error {
		s := &sums[worker]
		s.ensure(int(k))
		for a := cuts[i]; a < cuts[i+1]; a++ {
			if err := c.edges(ctx, uint32(a), s, &parts[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &Projection{symmetric: p.symmetric}
	if r.csr, err = buildRows(ctx, int(k), parts, true, Sum, workers); err != nil {
		return nil, err
	}
	return r, nil
}

// contractor makes edges of clusters.
type contractor struct {
	p          *Projection
	cluster    []uint32
	off, nodes []uint32 // members of each cluster
	combine    Combine
	count      bool
}

// contractSums are the edges of one cluster to others.
type contractSums struct {
	sum     []float64 // by the other cluster
	count   []uint32  // 0: not touched
	touched []uint32
}

func (s *contractSums) ensure(k int) {
	if s.sum == nil {
		s.sum, s.count = make([]float64, k), make([]uint32, k)
	}
}

// cuts returns the bounds of ranges of clusters with about contractPiece nodes
// and row entries each.
func (c *contractor) cuts() []int {
	out, size := []int{0}, 0
	k := len(c.off) - 1
	for a := range k {
		for _, u := range c.nodes[c.off[a]:c.off[a+1]] {
			size += 1 + c.p.Degree(u)
		}
		if size >= contractPiece || a == k-1 {
			out = append(out, a+1)
			size = 0
		}
	}
	return out
}

// edges appends the edges of cluster a to out: all that leave it, or if
// edges have no direction those to clusters of higher numbers, so that both
// rows get one sum.
func (c *contractor) edges(ctx context.Context, a uint32, s *contractSums, out *part) error {
	visited := 0
	for _, u := range c.nodes[c.off[a]:c.off[a+1]] {
		to, w := c.p.Row(u)
		if visited += len(to); visited >= contractPiece {
			visited = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for i, v := range to {
			b := c.cluster[v]
			x := float64(weightAt(w, i))
			switch {
			case b == None || b == a:
			case !c.p.symmetric || a < b:
				s.add(b, x, c.combine)
			}
		}
	}
	slices.Sort(s.touched)
	for _, b := range s.touched {
		out.to = append(out.to, b)
		x := s.sum[b]
		if c.count {
			x = float64(s.count[b])
		}
		out.w = append(out.w, float32(max(-math.MaxFloat32, min(x, math.MaxFloat32))))
		s.count[b] = 0
	}
	ways := forward
	if c.p.symmetric {
		ways |= backward
	}
	out.pushRun(a, len(s.touched), ways)
	s.touched = s.touched[:0]
	return nil
}

// add adds an edge of weight x to cluster b.
func (s *contractSums) add(b uint32, x float64, how Combine) {
	if s.count[b]++; s.count[b] == 1 {
		s.sum[b] = x
		s.touched = append(s.touched, b)
		return
	}
	switch how {
	case Max:
		s.sum[b] = max(s.sum[b], x)
	case Min:
		s.sum[b] = min(s.sum[b], x)
	default:
		s.sum[b] += x
	}
}
