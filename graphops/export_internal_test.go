package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// ProjectPacked returns the projection of s with its rows in bytes. What makes numbers
// of them may take limit bytes.
func ProjectPacked(ctx context.Context, v *engine.View, s Spec, limit int64) (*Projection, error) {
	sel, err := selectNodes(v, &s)
	if err != nil {
		return nil, err
	}
	p := &Projection{types: sel.types, limit: math.MaxInt64}
	if err := p.setNodes(&sel, &s); err != nil {
		return nil, err
	}
	err = newPackScan(v.WithContext(ctx), &s, &sel, p, math.MaxInt64).run(ctx)
	p.limit = limit
	return p, err
}

// CPM returns the score of a partition in the constant Potts model, which
// Leiden reports as its quality.
func CPM(p *Projection, part *Partition, resolution float64) (float64, error) {
	return quality(p, part, true, resolution)
}

// RandomProjection returns what Reduce does with more than MaxPCA vectors.
func RandomProjection(ctx context.Context, m Matrix, o ReduceOptions) (Matrix, error) {
	return randomProjection(ctx, m, &o)
}

// CacheStats are a cache's figures at one moment.
type CacheStats struct {
	Entries                 int
	Bytes                   int64
	Hits, Misses, Evictions int64
}

// Stats returns the cache's figures.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	return CacheStats{len(c.entries), s.bytes, s.hits, s.misses, s.evictions}
}

// LeidenMade returns how many levels of the last iteration of Leiden have rows that are
// made as they are read.
func LeidenMade(ctx context.Context, p *Projection, o LeidenOptions) (int, error) {
	o.ensureDefaults()
	run, err := newLeidenRun(ctx, p, &o, &leidenSource{})
	if err != nil {
		return 0, err
	}
	err = run.iterate(nil, nil)
	return len(run.base.made.groups), err
}

// SetCombine says how g combines parallel edges.
func (g *LocalGraph) SetCombine(c Combine) { g.combine = c }
