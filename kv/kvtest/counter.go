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
	server bool
	mu     sync.Mutex // guards the fields below
	n      Reads
}

// Reads are counts of reads.
type Reads struct {
	// Calls are calls that read: a MultiGet and a scan are one each.
	Calls int
	// Keys are the keys that were asked for, and those that scans came to.
	Keys int
	// Tags has the keys by their first byte.
	Tags map[byte]int
	// Trips are the calls that the reads would be on a store behind a server, as
	// package tablekv makes them: a Get, a MultiGet of any number of keys and a Snapshot
	// are one each, and a scan is one for each window of its rows.
	Trips int
	// Snapshots are the snapshots that were taken.
	Snapshots int
}

// NewCounter counts what is read of a store.
func NewCounter(s kv.Store) *Counter { return &Counter{Store: s, n: Reads{Tags: map[byte]int{}}} }

// NewRemote counts what is read of a store that is used as one behind a server: its
// snapshots are [kv.Gatherer]s.
func NewRemote(s kv.Store) *Counter {
	c := NewCounter(s)
	c.server = true
	return c
}

// Take returns what was read since the last call.
func (c *Counter) Take() Reads {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = Reads{Tags: map[byte]int{}}
	return n
}

func (c *Counter) trip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n.Trips++
}

// noteCall notes a call that asks for keys: one round trip, unless there are none.
func (c *Counter) noteCall(keys ...[]byte) {
	c.note(1, keys...)
	if len(keys) > 0 {
		c.trip()
	}
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
	c.trip()
	c.mu.Lock()
	c.n.Snapshots++
	c.mu.Unlock()
	out := &countedSnapshot{snap, c}
	if c.server {
		return &gatheringSnapshot{out}, err
	}
	return out, err
}

// Get implements [kv.Reader].
func (c *Counter) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	c.noteCall(key)
	return c.Store.Get(ctx, key, dst)
}

// MultiGet implements [kv.Reader].
func (c *Counter) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	c.noteCall(keys...)
	return c.Store.MultiGet(ctx, keys, fn)
}

// Iter implements [kv.Reader].
func (c *Counter) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	c.trip() // the state that the scan is of
	return c.iter(ctx, c.Store, lo, hi)
}

type countedSnapshot struct {
	kv.Snapshot
	c *Counter
}

func (r *countedSnapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	r.c.noteCall(key)
	return r.Snapshot.Get(ctx, key, dst)
}

func (r *countedSnapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	r.c.noteCall(keys...)
	return r.Snapshot.MultiGet(ctx, keys, fn)
}

func (r *countedSnapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	return r.c.iter(ctx, r.Snapshot, lo, hi)
}
