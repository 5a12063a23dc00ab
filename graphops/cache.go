package graphops

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
)

// Cache keeps projections for as long as the graph they show is unchanged and
// there is room. A projection is found again by graph, version and what its
// [Spec] keeps; one that is dropped stays good for those who hold it. A Cache
// is safe for concurrent use.
type Cache struct {
	limit  int64
	locals sync.Pool // *localScratch, for Local
	evicts sync.Map  // the budgets of memory that know of the cache

	// mu guards the fields below it.
	mu      sync.Mutex
	entries map[cacheKey]*list.Element // of *cacheEntry
	recent  *list.List                 // most recently used first
	flights map[cacheKey]chan struct{} // being built; closed when done
	stats   cacheStats
}

// cacheKey identifies a projection.
type cacheKey struct {
	db      *engine.DB
	graph   engine.GraphID
	version uint64
	spec    [sha256.Size]byte
}

type cacheEntry struct {
	key cacheKey
	p   *Projection
}

// cacheStats count calls of Project that found a projection and that built one,
// and projections that were dropped.
type cacheStats struct {
	bytes                   int64
	hits, misses, evictions int64
}

// NewCache returns a cache of at most maxBytes bytes of projections. One that
// is larger by itself is built and returned but not kept.
func NewCache(maxBytes int64) *Cache {
	return &Cache{
		limit:   maxBytes,
		entries: map[cacheKey]*list.Element{},
		recent:  list.New(),
		flights: map[cacheKey]chan struct{}{},
	}
}

// Project returns the projection of s, building it as the function [Project]
// does if the cache has none for the graph's version. Concurrent calls for
// one projection build it once: the first builds it in its own goroutine and
// with its own context, workers and memory limit, and the others wait; if
// it fails, the next of them tries with its own. A projection whose building
// needs more than s.MaxBytes is refused, whether it is in the cache or not.
// The least recently used ones make room for it, and those of the same spec
// and older versions of the graph are dropped.
func (c *Cache) Project(ctx context.Context, v *engine.View, s Spec) (*Projection, error) {
	key, err := keyOf(ctx, v, &s)
	if err != nil {
		return nil, phase.Errorf("project %s: %w", v.Graph().Name(), err)
	}
	for {
		p, wait, build := c.begin(key)
		switch {
		case p != nil && p.need > s.limit(v):
			return nil, phase.Errorf("project %s: %w", v.Graph().Name(),
				&MemoryError{Op: "project", Need: p.need, Limit: s.limit(v)})
		case p != nil:
			return p, nil
		case build:
			return c.build(ctx, v, s, key)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, phase.Errorf("project %s: %w", v.Graph().Name(), ctx.Err())
		}
	}
}

func keyOf(ctx context.Context, v *engine.View, s *Spec) (k cacheKey, err error) {
	if err := s.validate(); err != nil {
		return k, err
	}
	k.db, k.graph = v.Graph().DB(), v.Graph().ID()
	if k.version, err = v.WithContext(ctx).Version(); err != nil {
		return k, err
	}
	k.spec, err = s.digest()
	return k, err
}

// begin returns the projection of a key, or else the end of the flight that
// builds it, or else that the caller is to build it.
func (c *Cache) begin(key cacheKey) (p *Projection, wait <-chan struct{}, build bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.stats.hits++
		c.recent.MoveToFront(e)
		return e.Value.(*cacheEntry).p, nil, false
	}
	if done := c.flights[key]; done != nil {
		return nil, done, false
	}
	c.stats.misses++
	c.flights[key] = make(chan struct{})
	return nil, nil, true
}

// build builds a projection and ends the flight of its key.
func (c *Cache) build(ctx context.Context, v *engine.View, s Spec, key cacheKey) (p *Projection, err error) {
	if b := v.Graph().DB().Memory(); b != nil {
		if _, known := c.evicts.LoadOrStore(b, true); !known {
			memory.Evicts(b, c, (*Cache).clear)
		}
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if p != nil {
			c.add(key, p)
		}
		close(c.flights[key])
		delete(c.flights, key)
	}()
	return Project(ctx, v, s)
}

// add keeps p if there is room for it at all. The caller holds mu.
func (c *Cache) add(key cacheKey, p *Projection) {
	for k, e := range c.entries {
		if k.db == key.db && k.graph == key.graph && k.spec == key.spec && k.version < key.version {
			c.drop(e)
		}
	}
	if p.Bytes() > c.limit {
		return
	}
	c.shrink(c.limit - p.Bytes())
	c.entries[key] = c.recent.PushFront(&cacheEntry{key, p})
	c.stats.bytes += p.Bytes()
}

// shrink drops what was used longest ago until at most limit bytes are left.
// The caller holds mu.
func (c *Cache) shrink(limit int64) {
	for c.stats.bytes > limit && c.recent.Len() > 0 {
		c.drop(c.recent.Back())
	}
}

// clear drops all projections.
func (c *Cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(0)
}

func (c *Cache) drop(e *list.Element) {
	entry := c.recent.Remove(e).(*cacheEntry)
	delete(c.entries, entry.key)
	c.stats.bytes -= entry.p.Bytes()
	c.stats.evictions++
}

// Counts returns how many calls of Project found a projection, and how many
// built one.
func (c *Cache) Counts() (hits, misses int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats.hits, c.stats.misses
}
