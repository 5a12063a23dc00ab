package graphops

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
)

// HierarchicalLeiden returns communities of communities: the first level is
// the result of [Leiden], and every cluster of o.MaxSize nodes or more is
// clustered again, on the graph that is induced by its nodes, which gives
// clusters of the next level; and so on. A cluster that comes back as one is
// final. Initial and Nodes are for the first level; Dendrogram must not be set.
// On levels after the first, clusters are numbered in order of the one
// that they are a part of, then of their first node.
//
// It does what hierarchical_leiden of graspologic does, on which GraphRAG and
// others build: its max_cluster_size is MaxSize, its rows of a node are the
// levels that have it, its is_final_cluster is Final, and its cluster numbers
// go on from level to level. Like there, a cluster is divided as a graph of
// its own, by its own total weight and strengths; nodes without edges, which
// graspologic's list of edges cannot name, are in clusters of their own unless
// DropIsolated is set. [Hierarchy.Finest] has the final clusters as one
// partition.
//
// Errors and source are as for [Leiden]. Each level costs about a clustering
// of the nodes that are divided on it, and 5 bytes a node for the result.
// Clusters of a level are divided at the same time as far as Workers and
// MaxBytes allow; the result does not depend on it. Working memory for one
// goroutine is that of Leiden and 40 bytes a node, and for each further one,
// that of Leiden for the largest cluster.
func HierarchicalLeiden(ctx context.Context, p *Projection, o LeidenOptions) (*Hierarchy, error) {
	o.ensureDefaults()
	o.MaxSize = cmp.Or(o.MaxSize, 1000)
	h, err := hierarchicalLeiden(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("hierarchical leiden: %w", err)
	}
	return h, nil
}

func hierarchicalLeiden(ctx context.Context, p *Projection, o *LeidenOptions) (*Hierarchy, error) {
	if o.MaxSize < 2 || o.Dendrogram {
		return nil, phase.Mark(engine.ErrInvalid, "MaxSize %d, Dendrogram %t", o.MaxSize, o.Dendrogram)
	}
	if err := o.validate(p); err != nil {
		return nil, err
	}
	p, err := p.plain("hierarchical leiden")
	if err != nil {
		return nil, err
	}
	n := p.Len()
	if need := leidenNeed(n, len(p.to), 1) + 40*int64(n); o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "hierarchical leiden", Need: need, Limit: o.MaxBytes}
	}
	d := &leidenDivider{p: p, o: o}
	first, err := d.first(ctx)
	if err != nil {
		return nil, err
	}
	h := &Hierarchy{Levels: []HierarchyLevel{{Partition: first}}}
	ids := 0
	for {
		last := &h.Levels[len(h.Levels)-1]
		next, err := d.divide(ctx, last, ids)
		if err != nil {
			return nil, fmt.Errorf("level %d: %w", len(h.Levels), err)
		}
		if next == nil {
			return h, nil
		}
		ids += last.Count
		h.Levels = append(h.Levels, *next)
	}
}

// leidenDivider divides clusters.
type leidenDivider struct {
	p    *Projection
	o    *LeidenOptions
	src  leidenSource
	runs []*leidenRun // a worker
}

// first returns the partition of the whole graph.
func (d *leidenDivider) first(ctx context.Context) (Partition, error) {
	run, err := newLeidenRun(ctx, d.p, d.o, &d.src)
	if err != nil {
		return Partition{}, err
	}
	if err := run.iterate(d.o.Initial, nil); err != nil {
		return Partition{}, err
	}
	part := Partition{Of: make([]uint32, d.p.Len())}
	part.Count = run.result(run.comm[0], part.Of, d.o.DropIsolated)
	run.workers = 1
	d.runs = []*leidenRun{run}
	if d.src.position == nil {
		d.src.position = make([]uint32, d.p.Len())
	}
	return part, nil
}

// divide returns the next level, nil if no cluster is divided, and says of
// each cluster of the last one whether it is final. ids is how many clusters
// there are on the levels before.
func (d *leidenDivider) divide(ctx context.Context, last *HierarchyLevel, ids int) (*HierarchyLevel, error) {
	last.Final = make([]bool, last.Count)
	off, nodes := last.Members()
	var large []uint32
	for c := range uint32(last.Count) {
		if int(off[c+1]-off[c]) >= d.o.MaxSize {
			large = append(large, c)
		}
	}
	// Of each node at its place in nodes, the cluster that it comes to be in,
	// as one of those that its own is divided into; and how many these are.
	part := make([]uint32, len(nodes))
	counts := make([]int, last.Count)
	d.src.label = last.Of
	workers := d.workers(large, off, nodes)
	for len(d.runs) < workers {
		d.runs = append(d.runs, &leidenRun{leidenWatch: leidenWatch{ctx: ctx}, o: d.o, workers: 1})
	}
	err := parallel(ctx, workers, len(large), func(worker, i int) error {
		c, run := large[i], d.runs[worker]
		run.piece = uint64(ids) + uint64(c) + 1
		if err := run.load(&d.src, nodes[off[c]:off[c+1]], c); err != nil {
			return err
		}
		if err := run.iterate(nil, nil); err != nil {
			return err
		}
		run.members = nil
		counts[c] = run.result(run.comm[0], part[off[c]:off[c+1]], false)
		return nil
	})
	if err != nil {
		return nil, err
	}

	next := &HierarchyLevel{}
	for c, count := range counts {
		if count <= 1 {
			last.Final[c] = true
			continue
		}
		if next.Of == nil {
			next.Of = make([]uint32, d.p.Len())
			for u := range next.Of {
				next.Of[u] = None
			}
		}
		for i := off[c]; i < off[c+1]; i++ {
			next.Of[nodes[i]] = uint32(next.Count) + part[i]
		}
		for range count {
			next.Parent = append(next.Parent, uint32(c))
		}
		next.Count += count
	}
	if next.Of == nil {
		return nil, nil
	}
	return next, nil
}

// workers returns how many goroutines divide clusters: no more than there is
// memory for.
func (d *leidenDivider) workers(large, off, nodes []uint32) int {
	workers := min(leidenWorkers(d.p, d.o), max(1, len(large)))
	if d.o.MaxBytes == 0 || workers == 1 {
		return workers
	}
	most := int64(1)
	for _, c := range large {
		members := nodes[off[c]:off[c+1]]
		m := 0
		for _, u := range members {
			m += d.p.Degree(u)
		}
		most = max(most, leidenNeed(len(members), m, 1))
	}
	spare := d.o.MaxBytes - leidenNeed(d.p.Len(), len(d.p.to), 1) - 40*int64(d.p.Len())
	return int(min(int64(workers), 1+spare/most))
}
