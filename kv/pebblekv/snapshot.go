package pebblekv

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

// source is a Pebble DB or snapshot.
type source interface {
	Get(key []byte) ([]byte, io.Closer, error)
	NewIter(o *pebble.IterOptions) (*pebble.Iterator, error)
}

// Get appends the value of key to dst.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return dst, s.wrapRead("get", err)
	}
	defer s.life.Leave()
	return s.get(s.db, key, dst)
}

// MultiGet calls fn for the keys in their order as keys.
func (s *Store) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	if err := s.enter(ctx); err != nil {
		return s.wrapRead("multiget", err)
	}
	defer s.life.Leave()
	rd, err := newReader(s.db)
	if err != nil {
		return s.wrapRead("multiget", err)
	}
	err = s.multiGet(ctx, rd, keys, fn)
	if cerr := rd.it.Close(); err == nil {
		err = s.wrapRead("multiget", cerr)
	}
	return err
}

// Iter returns an iterator over the state of this moment.
func (s *Store) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if err := s.enter(ctx); err != nil {
		return nil, s.wrapRead("iter", err)
	}
	defer s.life.Leave()
	return s.iter(ctx, s.db, nil, lo, hi)
}

func (s *Store) get(src source, key, dst []byte) ([]byte, error) {
	v, closer, err := src.Get(key)
	if err != nil {
		return dst, s.wrapRead("get", err)
	}
	dst = append(dst, v...)
	return dst, s.wrapRead("get", closer.Close())
}

// multiGet reads the keys in their order.
func (s *Store) multiGet(ctx context.Context, rd *reader, keys [][]byte, fn func(i int, v []byte) error) error {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
	for _, i := range order {
		if err := ctx.Err(); err != nil {
			return s.wrapRead("multiget", err)
		}
		v, err := rd.get(keys[i])
		if err != nil {
			return s.wrapRead("multiget", err)
		}
		if err := fn(i, v); err != nil {
			return err
		}
	}
	return nil
}

// seekPrefix seeks in Pebble, whose assertions do not take an empty key.
func seekPrefix(it *pebble.Iterator, k []byte) bool {
	if len(k) == 0 {
		return it.First()
	}
	return it.SeekPrefixGE(k)
}

// snapshot implements kv.Snapshot.
type snapshot struct {
	store   *Store
	sn      *pebble.Snapshot
	life    lifetime.Lifetime
	readers readers
}

// Snapshot returns the state of this moment.
func (s *Store) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if err := s.enter(ctx); err != nil {
		return nil, s.wrap("snapshot", err)
	}
	defer s.life.Leave()
	s.handles.Snapshots.Add(1)
	return &snapshot{store: s, sn: s.db.NewSnapshot()}, nil
}

func (sn *snapshot) enter(ctx context.Context) error {
	if !sn.life.Enter() {
		return kv.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		sn.life.Leave()
		return err
	}
	return nil
}

func (sn *snapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	if err := sn.enter(ctx); err != nil {
		return dst, sn.store.wrapRead("get", err)
	}
	defer sn.life.Leave()
	if sn.readers.single() {
		return sn.store.get(sn.sn, key, dst)
	}
	rd, err := sn.readers.take(sn.sn)
	if err != nil {
		return dst, sn.store.wrapRead("get", err)
	}
	v, err := rd.get(key)
	found := err == nil && v != nil
	if found {
		dst = append(dst, v...)
	}
	if cerr := sn.readers.put(rd, err); err == nil {
		err = cerr
	}
	if err == nil && !found {
		err = kv.ErrNotFound
	}
	return dst, sn.store.wrapRead("get", err)
}

func (sn *snapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	if err := sn.enter(ctx); err != nil {
		return sn.store.wrapRead("multiget", err)
	}
	defer sn.life.Leave()
	rd, err := sn.readers.take(sn.sn)
	if err != nil {
		return sn.store.wrapRead("multiget", err)
	}
	err = sn.store.multiGet(ctx, rd, keys, fn)
	if cerr := sn.readers.put(rd, err); err == nil {
		err = sn.store.wrapRead("multiget", cerr)
	}
	return err
}

func (sn *snapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if err := sn.enter(ctx); err != nil {
		return nil, sn.store.wrapRead("iter", err)
	}
	defer sn.life.Leave()
	return sn.store.iter(ctx, sn.sn, &sn.readers, lo, hi)
}

func (sn *snapshot) Close() error {
	if !sn.life.Close() {
		return nil
	}
	err := sn.readers.close()
	if cerr := sn.sn.Close(); err == nil {
		err = cerr
	}
	sn.store.handles.Snapshots.Add(-1)
	return sn.store.wrap("close snapshot of", err)
}
