package graphops

import "context"

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
