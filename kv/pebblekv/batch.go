package pebblekv

import (
	"bytes"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ragdb/ragdb/kv"
)

// batch implements kv.Batch on a Pebble batch. After its first error it takes
// no more operations.
type batch struct {
	store *Store
	b     *pebble.Batch // nil once applied
	err   error
}

// NewBatch returns an empty batch for Apply.
func (s *Store) NewBatch() kv.Batch { return &batch{store: s, b: s.db.NewBatch()} }

// Reserve makes room for operations of so many bytes. Without it Pebble doubles a batch that
// grows, and holds the old and the new bytes at once.
func (b *batch) Reserve(bytes int) {
	if b.b != nil && b.b.Empty() {
		b.b = b.store.db.NewBatchWithSize(min(bytes, b.store.maxBatch))
	}
}

// Bytes is the size of the operations so far in the log's encoding.
func (b *batch) Bytes() int {
	if b.b == nil {
		return 0
	}
	return b.b.Len()
}

// room reports whether the batch takes an operation on k with n more bytes.
func (b *batch) room(k []byte, n int) bool {
	if b.err == nil {
		b.err = b.store.schema.ValidateKey(k)
	}
	return b.fits(len(k) + n)
}

func (b *batch) fits(n int) bool {
	switch {
	case b.err != nil:
	case b.b == nil:
		b.err = errUsed
	case b.b.Len()+n > b.store.maxBatch:
		b.err = kv.ErrTooLarge
	}
	return b.err == nil
}

var errUsed = errors.New("the batch is not an unused one of this store")

// The methods of an unindexed Pebble batch return no errors.

func (b *batch) Set(k, v []byte) {
	if b.room(k, len(v)) {
		_ = b.b.Set(k, v, nil)
	}
}

func (b *batch) Delete(k []byte) {
	if b.room(k, 0) {
		_ = b.b.Delete(k, nil)
	}
}

// firstKey is the first key there can be. A range that starts at the empty
// key, which is none, breaks Pebble's assertions and, with them compiled in,
// its results.
var firstKey = []byte{0}

func (b *batch) DeleteRange(lo, hi []byte) {
	if len(lo) == 0 {
		lo = firstKey
	}
	if bytes.Compare(lo, hi) < 0 && b.fits(len(lo)+len(hi)) {
		_ = b.b.DeleteRange(lo, hi, nil)
	}
}

func (b *batch) Merge(k, op []byte) {
	if b.room(k, len(op)) {
		_ = b.b.Merge(k, op, nil)
	}
}

// Apply commits b, which must be an unused batch of s; an empty one has no
// effect. ctx is looked at before the commit only: a commit that has begun,
// and may wait for flushes while memory is full, goes on to its end.
func (s *Store) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	pb, ok := b.(*batch)
	if !ok || pb.store != s {
		return s.wrap("apply", errUsed)
	}
	if err := s.enter(ctx); err != nil {
		return s.wrap("apply", err)
	}
	defer s.life.Leave()
	return s.wrap("apply", s.apply(pb, d))
}

func (s *Store) apply(b *batch, d kv.Durability) error {
	switch {
	case s.readOnly:
		return kv.ErrReadOnly
	case b.b == nil:
		return errUsed
	case b.err != nil:
		return b.err
	}
	done, err := s.guard.began()
	if err != nil {
		return err
	}
	defer done()
	pb := b.b
	b.b = nil
	if pb.Empty() {
		return pb.Close()
	}
	opts := pebble.Sync
	if d == kv.NoSync {
		opts = pebble.NoSync
	}
	s.order.RLock()
	err = s.db.Apply(pb, opts)
	s.order.RUnlock()
	if failure := s.guard.failure(); failure != nil {
		return failure
	}
	return errors.Join(err, pb.Close())
}
