package graphops

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/engine"
)

// Size is the size of a projection before it is built.
type Size struct {
	// Nodes is exact. Edges counts those of the store between kept nodes, each
	// once and without loops, before parallel ones are combined.
	Nodes, Edges int
	// Bytes is what the projection keeps, BuildBytes what building it holds at
	// once, the figure that Spec.MaxBytes bounds. If rows as numbers would take more than
	// that, both are of rows in bytes, as [Project] then makes them.
	Bytes, BuildBytes int64
	// Sampled says that edges were counted at some of the nodes only, and that
	// all but Nodes is therefore an estimate.
	Sampled bool
}

// Up to sampleAll nodes are all looked at; of more, sampleRuns runs of
// sampleRun nodes, evenly spread over their ids.
const (
	sampleAll  = 4096
	sampleRuns = 64
	sampleRun  = 32
)

// Estimate returns about how large the projection of s would be, from the
// node sets and the lists of at most 4096 nodes. If hubs are few and large
// the sample may miss them, and the estimate is then too low; the build itself
// counts before it allocates.
func Estimate(ctx context.Context, v *engine.View, s Spec) (Size, error) {
	size, err := estimate(ctx, v.WithContext(ctx), &s)
	if err != nil {
		return Size{}, phase.Errorf("estimate %s: %w", v.Graph().Name(), err)
	}
	return size, nil
}

func estimate(ctx context.Context, v *engine.View, s *Spec) (Size, error) {
	if err := s.validate(); err != nil {
		return Size{}, err
	}
	sel, err := selectNodes(v, s)
	if err != nil {
		return Size{}, err
	}
	size, err := plainSize(ctx, v, s, &sel)
	if limit := s.limit(v); err == nil && size.BuildBytes > limit {
		err = size.pack(ctx, v, s, &sel, limit)
	}
	return size, err
}

// sample calls run with the rank of the first and the number of nodes to look at.
func (sel *selection) sample(ctx context.Context, run func(rank, k int) error) error {
	n := sel.len()
	if n <= sampleAll {
		return run(0, n)
	}
	for i := range sampleRuns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := run(i*n/sampleRuns, sampleRun); err != nil {
			return err
		}
	}
	return nil
}

// pack makes of the size of rows as numbers that of rows in bytes. It packs the rows
// of the sample.
func (size *Size) pack(ctx context.Context, v *engine.View, s *Spec, sel *selection, limit int64) error {
	p := &Projection{limit: limit}
	if err := p.setNodes(sel, s); errors.Is(err, engine.ErrMemory) {
		return nil // nor does that fit
	} else if err != nil {
		return err
	}
	sc := newPackScan(v, s, sel, p, limit)
	var k packer
	nodes, bytes := 0, 0
	err := sel.sample(ctx, func(rank, most int) error {
		for at := 0; at < most; at += windowSize {
			n := min(windowSize, most-at)
			from, err := sel.all.Select(uint32(rank + at))
			if err != nil {
				return err
			}
			if err := sc.nodes(from, 1<<32, n, &k, func(uint32, int) {}); err != nil {
				return err
			}
			nodes += min(n, sel.len()-rank-at)
			bytes += len(k.block)
		}
		return nil
	})
	if err == nil && nodes > 0 {
		all := float64(size.Nodes) / float64(nodes)
		loops := int64(float64(sc.loops.n.Load()) * all)
		size.Bytes = sc.fixed + int64(float64(bytes)*all) + loopBytes*loops
		size.BuildBytes = size.Bytes
	}
	return err
}

// plainSize returns the size with rows as numbers.
func plainSize(ctx context.Context, v *engine.View, s *Spec, sel *selection) (Size, error) {
	n := sel.len()
	size := Size{Nodes: n, Sampled: n > sampleAll}
	c := counter{v: v, s: s, sel: sel}
	if err := sel.sample(ctx, c.run); err != nil {
		return Size{}, err
	}
	scale := 1.0
	if c.nodes > 0 {
		scale = float64(n) / float64(c.nodes)
	}
	size.Edges = int(float64(c.edges) * scale)
	entries := int64(float64(c.entries) * scale)
	runs := int64(float64(c.runs) * scale)
	loops := int64(float64(c.loops) * scale)
	size.Bytes = rowBytes(n, entries, s.Weighted) + sel.indexBytes() + loopBytes*loops
	size.BuildBytes = size.Bytes + runBytes*runs + int64(float64(c.edges)*scale)*entryBytes(s.Weighted) + sortBytes(entries, s.Weighted)
	return size, nil
}

// indexBytes returns the size of what leads from nodes to dense ids and back.
func (sel *selection) indexBytes() int64 {
	if sel.consecutive() {
		return 0
	}
	pages := int64(1)
	for it := sel.all.Iterator(); it.HasNext(); pages++ {
		p := it.Next() >> pageBits
		if p == none>>pageBits {
			pages++
			break
		}
		it.AdvanceIfNeeded((p + 1) << pageBits)
	}
	return 4*int64(sel.len()) + pageTableBytes(sel.last()) + 4*pageSize*pages
}

// counter counts edges of selected nodes.
type counter struct {
	v   *engine.View
	s   *Spec
	sel *selection

	nodes, edges, entries, runs, loops int
}

// run counts the edges of k selected nodes from the one of a rank on.
func (c *counter) run(rank, k int) error {
	if k == 0 {
		return nil
	}
	from, err := c.sel.all.Select(uint32(rank))
	if err != nil {
		return err
	}
	c.nodes += min(k, c.sel.len()-rank)
	var node engine.NodeID
	var last ways
	for lo, hi := range c.sel.spans(from, 1<<32, k) {
		for l, err := range c.v.Lists(engine.Out, lo, hi, c.s.filter()) {
			if err != nil {
				return err
			}
			if !c.sel.all.Contains(uint32(l.Node)) {
				continue
			}
			ways, n := c.s.ways(l.Type), 0
			for _, other := range l.Others {
				switch {
				case other == uint64(l.Node):
					c.loops++
				case c.sel.all.Contains(uint32(other)):
					n++
				}
			}
			c.edges += n
			c.entries += n * ways.entries()
			if n > 0 && (l.Node != node || ways != last) {
				c.runs++
				node, last = l.Node, ways
			}
		}
	}
	return nil
}
