package tablekv

import (
	"context"

	"github.com/ragdb/ragdb/kv"
)

// batch implements kv.Batch: an overlay without a base keeps the operations.
type batch struct {
	*kv.Overlay
	store *Store
	err   error // the first key that the schema refuses
	used  bool
}

// NewBatch returns an empty batch for Apply.
func (s *Store) NewBatch() kv.Batch {
	return &batch{Overlay: kv.NewOverlay(nil, s.schema), store: s}
}

func (b *batch) valid(k []byte) bool {
	if err := b.store.validate(k); err != nil && b.err == nil {
		b.err = err
	}
	return b.err == nil
}

// Set gives k the value v.
func (b *batch) Set(k, v []byte) {
	if b.valid(k) {
		b.Overlay.Set(k, v)
	}
}

// Delete removes k.
func (b *batch) Delete(k []byte) {
	if b.valid(k) {
		b.Overlay.Delete(k)
	}
}

// Merge adds the operand op to k.
func (b *batch) Merge(k, op []byte) {
	if b.valid(k) {
		b.Overlay.Merge(k, op)
	}
}

// validate refuses the keys that the schema refuses, and those of this package.
func (s *Store) validate(k []byte) error {
	if err := s.schema.ValidateKey(k); err != nil {
		return err
	}
	if k[0] == own {
		return phase.Errorf("invalid key %x: its first byte is reserved", k)
	}
	return nil
}

// Apply commits b. It is durable when Apply returns, whatever d is. It takes a round trip
// for the values that are merged, if any, and one for the commit, if the table takes
// the batch at once.
func (s *Store) Apply(ctx context.Context, b kv.Batch, _ kv.Durability) error {
	own, ok := b.(*batch)
	if !ok || own.store != s || own.used {
		return phase.Errorf("apply: the batch is not an unused one of this store")
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	if own.err != nil {
		return phase.Errorf("apply: %w", own.err)
	}
	own.used = true
	if own.Len() == 0 {
		return nil
	}
	err := s.ordered(ctx, func(w *writer) error { return own.WriteSorted(ctx, w) })
	if err != nil {
		return phase.Errorf("apply: %w", err)
	}
	return nil
}

// Ingest commits what fill writes. It keeps no more of it in memory than the table takes
// at once.
func (s *Store) Ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	if err := s.ordered(ctx, func(w *writer) error { return fill(w) }); err != nil {
		return phase.Errorf("ingest: %w", err)
	}
	return nil
}

// ordered commits what fill writes, in its turn.
func (s *Store) ordered(ctx context.Context, fill func(w *writer) error) error {
	if s.opts.ReadOnly {
		return kv.ErrReadOnly
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if err := s.finish(ctx); err != nil {
		return err
	}
	w := &writer{s: s, ctx: ctx, large: map[string]uint32{}}
	err := fill(w)
	if w.err != nil {
		err = w.err
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = w.commit()
	}
	return err
}
