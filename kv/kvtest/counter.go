package kvtest

import (
	"context"
	"sync"

	"github.com/ragdb/ragdb/kv"
)

// Counter is a store that counts what is read of it, also by its snapshots. It is safe
// for concurrent use.
type Counter struct {
	kv.Store
	mu sync.Mutex // guards the fields below
	n  Reads
}

// Reads are counts of reads.
type Reads struct {
	// Calls are calls that read: a MultiGet and a scan are one each.
	Calls int
	// Keys are the keys that were asked for, and those that scans came to.
	Keys int
	// Tags has the keys by their first byte.
	Tags map[byte]int
}

// NewCounter counts what is read of a store.
func NewCounter(s kv.Store) *Counter { return &Counter{Store: s, n: Reads{Tags: map[byte]int{}}} }

// Take returns what was read since the last call.
func (c *Counter) Take() Reads {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = Reads{Tags: map[byte]int{}}
	return n
}

func (c *Counter) note(calls int, keys ...[]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n.Calls += calls
	c.n.Keys += len(keys)
	for _, k := range keys {
		c.n.Tags[k[0]]++
	}
}

// Snapshot implements [kv.Store].
func (c *Counter) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	snap, err := c.Store.Snapshot(ctx)
	return &countedSnapshot{snap, c}, err
}

// Get implements [kv.Reader].
func (c *Counter) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	c.note(1, key)
	return c.Store.Get(ctx, key, dst)
}

// MultiGet implements [kv.Reader].
func (c *Counter) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	c.note(1, keys...)
	return c.Store.MultiGet(ctx, keys, fn)
}

// Iter implements [kv.Reader].
func (c *Counter) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := c.Store.Iter(ctx, lo, hi)
	c.note(1)
	return &countedIterator{it, c}, err
}

type countedSnapshot struct {
	kv.Snapshot
	c *Counter
}

func (r *countedSnapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	r.c.note(1, key)
	return r.Snapshot.Get(ctx, key, dst)
}

func (r *countedSnapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	r.c.note(1, keys...)
	return r.Snapshot.MultiGet(ctx, keys, fn)
}

func (r *countedSnapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := r.Snapshot.Iter(ctx, lo, hi)
	r.c.note(1)
	return &countedIterator{it, r.c}, err
}

type countedIterator struct {
	kv.Iterator
	c *Counter
}

func (it *countedIterator) at(ok bool) bool {
	if ok {
		it.c.note(0, it.Key())
	}
	return ok
}

func (it *countedIterator) First() bool              { return it.at(it.Iterator.First()) }
func (it *countedIterator) Last() bool               { return it.at(it.Iterator.Last()) }
func (it *countedIterator) Next() bool               { return it.at(it.Iterator.Next()) }
func (it *countedIterator) Prev() bool               { return it.at(it.Iterator.Prev()) }
func (it *countedIterator) SeekGE(k []byte) bool     { return it.at(it.Iterator.SeekGE(k)) }
func (it *countedIterator) SeekPrefix(k []byte) bool { return it.at(it.Iterator.SeekPrefix(k)) }
