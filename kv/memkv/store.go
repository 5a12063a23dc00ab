package memkv

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

// Store is a kv.Store in memory. It is safe for concurrent use.
type Store struct {
	schema  *kv.Schema
	life    lifetime.Lifetime
	handles lifetime.Handles
	state   atomic.Pointer[state]

	write sync.Mutex // held by the one writer that makes the next state
}

// state is one published version of the store.
type state struct {
	tree  *tree
	bytes int // of all keys and values
}

var (
	_ kv.Store      = (*Store)(nil)
	_ kv.Ingester   = (*Store)(nil)
	_ kv.Maintainer = (*Store)(nil)
)

// New returns an empty store with the schema s.
func New(s *kv.Schema) *Store {
	st := &Store{schema: s}
	st.state.Store(&state{tree: newTree()})
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
	return get(s.state.Load().tree, key, dst)
}

// MultiGet calls fn for each key in the order of keys.
func (s *Store) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	return multiGet(ctx, s.state.Load().tree, keys, fn)
}

// Iter returns an iterator over the state of this moment.
func (s *Store) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.life.Leave()
	return s.iter(ctx, s.state.Load().tree, lo, hi), nil
}

func (s *Store) iter(ctx context.Context, tr *tree, lo, hi []byte) *iterator {
	s.handles.Iterators.Add(1)
	it := &iterator{ctx: ctx, schema: s.schema, handles: &s.handles, at: tr.Iter()}
	it.lo = append(it.lo, lo...)
	if hi != nil {
		it.hi = append([]byte{}, hi...)
	}
	return it
}

func get(tr *tree, key, dst []byte) ([]byte, error) {
	it, ok := tr.Get(&item{key: key})
	if !ok {
		return dst, kv.ErrNotFound
	}
	return append(dst, it.val...), nil
}

func multiGet(ctx context.Context, tr *tree, keys [][]byte, fn func(i int, v []byte) error) error {
	for i, k := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		var v []byte
		if it, ok := tr.Get(&item{key: k}); ok {
			v = it.val
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
	old := s.state.Load()
	a := &applier{edit: edit{old.tree.Copy(), old.bytes}, schema: s.schema}
	for i := range mb.ops {
		a.apply(&mb.ops[i])
	}
	a.settle()
	s.state.Store(&state{a.tree, a.bytes})
	return nil
}

// Snapshot returns the state of this moment. It costs O(1).
func (s *Store) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.life.Leave()
	s.handles.Snapshots.Add(1)
	sn := &snapshot{store: s}
	sn.state.Store(s.state.Load())
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
	s.state.Store(&state{tree: newTree()})
	return nil
}

// snapshot implements kv.Snapshot; a nil state is a closed one.
type snapshot struct {
	store *Store
	state atomic.Pointer[state]
}

func (sn *snapshot) enter(ctx context.Context) (*tree, error) {
	st := sn.state.Load()
	if st == nil {
		return nil, kv.ErrClosed
	}
	return st.tree, ctx.Err()
}

func (sn *snapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	tr, err := sn.enter(ctx)
	if err != nil {
		return dst, err
	}
	return get(tr, key, dst)
}

func (sn *snapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	tr, err := sn.enter(ctx)
	if err != nil {
		return err
	}
	return multiGet(ctx, tr, keys, fn)
}

func (sn *snapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	tr, err := sn.enter(ctx)
	if err != nil {
		return nil, err
	}
	return sn.store.iter(ctx, tr, lo, hi), nil
}

func (sn *snapshot) Close() error {
	if sn.state.Swap(nil) != nil {
		sn.store.handles.Snapshots.Add(-1)
	}
	return nil
}
