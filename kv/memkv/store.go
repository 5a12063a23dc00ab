package memkv

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

// Store is a kv.Store in memory. It is safe for concurrent use.
type Store struct {
	schema  *kv.Schema
	seed    maphash.Seed
	life    lifetime.Lifetime
	handles lifetime.Handles
	state   atomic.Pointer[state]

	write sync.Mutex // held by the one writer that makes the next state
	edits uint64     // the last edit's id; guarded by write
}

// state is one published version of the store.
type state struct {
	root        *node
	keys, bytes int
}

var (
	_ kv.Store      = (*Store)(nil)
	_ kv.Ingester   = (*Store)(nil)
	_ kv.Maintainer = (*Store)(nil)
)

// New returns an empty store with the schema s.
func New(s *kv.Schema) *Store {
	st := &Store{schema: s, seed: maphash.MakeSeed()}
	st.state.Store(&state{})
	return st
}

// enter begins a call. The returned error is nil, kv.ErrClosed or ctx's; only
// after nil the caller must call s.life.Leave.
func (s *Store) enter(ctx context.Context) error {
	if !s.life.Enter() {
		return kv.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		s.life.Leave()
		return err
	}
	return nil
}

// Get appends the value of key to dst.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return dst, err
	}
	defer s.life.Leave()
	return get(s.state.Load().root, key, dst)
}

// MultiGet calls fn for each key in the order of keys.
func (s *Store) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	return multiGet(ctx, s.state.Load().root, keys, fn)
}

// Iter returns an iterator over the state of this moment.
func (s *Store) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.life.Leave()
	return s.iter(ctx, s.state.Load().root, lo, hi), nil
}

func (s *Store) iter(ctx context.Context, root *node, lo, hi []byte) *iterator {
	s.handles.Iterators.Add(1)
	it := &iterator{ctx: ctx, schema: s.schema, handles: &s.handles, cursor: cursor{root: root}}
	it.lo = append(it.lo, lo...)
	if hi != nil {
		it.hi = append([]byte{}, hi...)
	}
	return it
}

func get(root *node, key, dst []byte) ([]byte, error) {
	n := find(root, key)
	if n == nil {
		return dst, kv.ErrNotFound
	}
	return append(dst, n.val...), nil
}

func multiGet(ctx context.Context, root *node, keys [][]byte, fn func(i int, v []byte) error) error {
	for i, k := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		var v []byte
		if n := find(root, k); n != nil {
			v = n.val
		}
		if err := fn(i, v); err != nil {
			return err
		}
	}
	return nil
}

// NewBatch returns an empty batch for Apply.
func (s *Store) NewBatch() kv.Batch { return &batch{store: s} }

// Apply commits b. The durability makes no difference.
func (s *Store) Apply(ctx context.Context, b kv.Batch, _ kv.Durability) error {
	mb, ok := b.(*batch)
	if !ok || mb.store != s || mb.used {
		return phase.Errorf("apply: the batch is not an unused one of this store")
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	if mb.err != nil {
		return phase.Errorf("apply: %w", mb.err)
	}
	mb.used = true
	s.write.Lock()
	defer s.write.Unlock()
	s.edits++
	old := s.state.Load()
	a := &applier{edit: edit{id: s.edits, prio: s.priority}, schema: s.schema, root: old.root}
	for i := range mb.ops {
		a.apply(&mb.ops[i])
	}
	a.settle()
	s.state.Store(&state{a.root, old.keys + a.edit.keys, old.bytes + a.edit.bytes})
	return nil
}

func (s *Store) priority(key []byte) uint64 { return maphash.Bytes(s.seed, key) }

// Snapshot returns the state of this moment. It costs O(1).
func (s *Store) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.life.Leave()
	s.handles.Snapshots.Add(1)
	sn := &snapshot{store: s}
	sn.root.Store(s.state.Load())
	return sn, nil
}

// Close releases the store's memory. It returns an error and leaves the store
// open while snapshots or iterators are, and kv.ErrClosed the second time.
func (s *Store) Close() error {
	ok, err := lifetime.Shut(&s.life, &s.handles)
	switch {
	case err != nil:
		return phase.Errorf("close: %w", err)
	case !ok:
		return kv.ErrClosed
	}
	s.state.Store(&state{})
	return nil
}

// snapshot implements kv.Snapshot; a nil state is a closed one.
type snapshot struct {
	store *Store
	root  atomic.Pointer[state]
}

func (sn *snapshot) enter(ctx context.Context) (*node, error) {
	st := sn.root.Load()
	if st == nil {
		return nil, kv.ErrClosed
	}
	return st.root, ctx.Err()
}

func (sn *snapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	root, err := sn.enter(ctx)
	if err != nil {
		return dst, err
	}
	return get(root, key, dst)
}

func (sn *snapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	root, err := sn.enter(ctx)
	if err != nil {
		return err
	}
	return multiGet(ctx, root, keys, fn)
}

func (sn *snapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	root, err := sn.enter(ctx)
	if err != nil {
		return nil, err
	}
	return sn.store.iter(ctx, root, lo, hi), nil
}

func (sn *snapshot) Close() error {
	if sn.root.Swap(nil) != nil {
		sn.store.handles.Snapshots.Add(-1)
	}
	return nil
}
