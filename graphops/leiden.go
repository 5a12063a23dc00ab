package graphops

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// LeidenOptions tune [Leiden]. The zero value is right for most.
type LeidenOptions struct {
	// CPM maximises the constant Potts model instead of [Modularity]: the sum
	// over clusters of e - Resolution s(s-1)/2, where e is the weight of the
	// edges inside and s the number of nodes (Traag, Van Dooren and Nesterov,
	// 2011).
	CPM bool
	// Resolution makes clusters smaller the higher it is. The default, 0, is 1,
	// which is usual for modularity; for CPM it is how dense clusters are at
	// least, in weight for each pair of nodes, and should be set.
	Resolution float64
	// Iterations is how often the whole algorithm is run, each time from the
	// result of the last. The default, 0, is 2; a negative number goes on until
	// an iteration changes nothing.
	Iterations int
	// Theta is how random the refinement is. With 0, the default, a node joins
	// the cluster that it gains most by; else one that it does not lose by is
	// drawn with probability in proportion to exp(gain/Theta); the gain
	// is in units of edge weight, as in the paper. It makes results differ
	// between processor architectures, since math.Exp does.
	Theta float64
	// Seed decides the order in which nodes are refined.
	Seed uint64
	// Nodes restricts the graph to these nodes and the edges between them; the
	// others are in no cluster. nil is all.
	Nodes []uint32
	// DropIsolated leaves nodes without edges in no cluster. Else each has one
	// of its own.
	DropIsolated bool
	// Initial is a partition to start from, in which nodes in no cluster stand
	// alone. nil is each node alone. Communities are connected in the result
	// even where those of Initial are not.
	Initial *Partition
	// Dendrogram asks for [LeidenResult.Dendrogram].
	Dendrogram bool
	// MaxSize is for [HierarchicalLeiden]: how many nodes a cluster must have to
	// be divided. The final ones have fewer, unless they cannot be divided. The
	// default, 0, is 1000.
	MaxSize int
	// MaxBytes bounds the working memory; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (o *LeidenOptions) ensureDefaults() {
	o.Resolution = cmp.Or(o.Resolution, 1)
	o.Iterations = cmp.Or(o.Iterations, 2)
}

func (o *LeidenOptions) validate(p *Projection) error {
	switch {
	case !(o.Resolution > 0) || math.IsInf(o.Resolution, 0):
		return phase.Mark(engine.ErrInvalid, "Resolution %v", o.Resolution)
	case !(o.Theta >= 0) || math.IsInf(o.Theta, 0):
		return phase.Mark(engine.ErrInvalid, "Theta %v", o.Theta)
	case !p.symmetric:
		return phase.Mark(engine.ErrInvalid, "the projection is directed")
	}
	for _, u := range o.Nodes {
		if int64(u) >= int64(p.Len()) {
			return phase.Mark(engine.ErrInvalid, "node %d of %d in Nodes", u, p.Len())
		}
	}
	if o.Initial != nil {
		return o.Initial.validate(p.Len())
	}
	return nil
}

// LeidenResult is what [Leiden] returns.
type LeidenResult struct {
	// Partition has the community of each node. Communities are numbered in
	// order of their first node.
	Partition
	// Quality is the objective of the partition.
	Quality float64
	// Iterations is how many were made.
	Iterations int
	// Dendrogram has how the last iteration put the communities together: the
	// coarsest level has the communities of Partition, the finest those that
	// were first made of nodes. nil if not asked for. A level takes 4 bytes a
	// node, which MaxBytes does not count.
	Dendrogram *Hierarchy
}

// Leiden returns communities: clusters of nodes with many edges inside and few
// between them. Each community is connected, by edges of positive weight; an
// edge of weight 0 is as if it were not there.
//
// The projection must be symmetric, and no weight negative; else the
// error is [engine.ErrInvalid]. One without weights counts every edge 1. A loop counts
// twice in the strength of its node, as in [Modularity]: a node that is much by itself
// joins others later.
//
// Source: Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing
// well-connected communities", 2019, algorithm A.2. Differences: the
// refinement is greedy unless Theta is set. Nodes are first visited in order
// of their numbers; only the order of refinement is random. If no community
// can be refined, the connected parts of the communities are aggregated. For
// modularity of a resolution up to 1, a node of degree 1 joins its only neighbour,
// which is always best.
//
// An iteration is about O(m log n), and most of the time is the first one's.
// Working memory is at most 140 bytes a node and 24 for each entry of a row, 12
// more a node for each worker; it is seldom more than two thirds of that. If the
// projection keeps its rows in bytes and has no weights, it is 3 for each entry,
// and isolated nodes take none: a level whose rows would take more than is left of
// what the projection may take, or of MaxBytes, makes them of the projection's
// whenever it reads them, which takes three to five times the time. The result
// depends neither on that nor on the number of workers. Moving nodes, about half of
// the work, is done by one goroutine. If ctx ends, its error is returned,
// and no result.
func Leiden(ctx context.Context, p *Projection, o LeidenOptions) (*LeidenResult, error) {
	o.ensureDefaults()
	r, err := leiden(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("leiden: %w", err)
	}
	return r, nil
}

func leiden(ctx context.Context, p *Projection, o *LeidenOptions) (*LeidenResult, error) {
	if err := o.validate(p); err != nil {
		return nil, err
	}
	entries := p.entries()
	if p.packed != nil && !p.Weighted() && o.Nodes == nil {
		entries /= leidenKept
	}
	if need := leidenNeed(p.Len(), entries, leidenWorkers(p, o)); o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "leiden", Need: need, Limit: o.MaxBytes}
	}
	run, err := newLeidenRun(ctx, p, o, &leidenSource{})
	if err != nil {
		return nil, err
	}
	res := &LeidenResult{}
	err = run.iterate(o.Initial, func(done int) { res.Iterations = done })
	if err != nil {
		return nil, fmt.Errorf("after %d iterations: %w", res.Iterations, err)
	}
	res.Of = make([]uint32, p.Len())
	res.Count = run.result(run.comm[0], res.Of, o.DropIsolated)
	if o.Dendrogram {
		res.Dendrogram = run.dendrogram(&res.Partition, o.DropIsolated)
	}
	if res.Quality, err = quality(p, &res.Partition, o.CPM, o.Resolution); err != nil {
		return nil, err
	}
	return res, nil
}

// leidenWorkers returns how many goroutines are worth their start.
func leidenWorkers(p *Projection, o *LeidenOptions) int {
	if p.entries() < 1<<16 {
		return 1
	}
	return workersOf(o.Workers)
}

// leidenNeed returns how much memory a run on n nodes with so many entries
// holds at most.
func leidenNeed(n, entries, workers int) int64 {
	return (leidenNodeBytes+12*int64(workers))*int64(n) + 24*int64(entries)
}

// leidenNodeBytes is what a run holds at most for each node, beside what each worker does.
const leidenNodeBytes = 140

// leidenMembers returns the nodes of a restriction, ascending, and a label of
// each node: 0 if it is among them, None if not. Both are nil if
// nothing is restricted.
func leidenMembers(n int, nodes []uint32) (members, label []uint32) {
	if nodes == nil {
		return nil, nil
	}
	label = make([]uint32, n)
	for u := range label {
		label[u] = None
	}
	for _, u := range nodes {
		label[u] = 0
	}
	members = make([]uint32, 0, min(n, len(nodes)))
	for u, l := range label {
		if l == 0 {
			members = append(members, uint32(u))
		}
	}
	return members, label
}
