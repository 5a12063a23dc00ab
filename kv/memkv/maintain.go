package memkv

import (
	"bytes"
	"context"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

// Ingest applies what fill writes as one batch.
func (s *Store) Ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	b := &batch{store: s}
	if err := fill(&writer{batch: b}); err != nil {
		return phase.Errorf("ingest: %w", err)
	}
	return s.Apply(ctx, b, kv.Sync)
}

// Flush does nothing: every batch is in memory already.
func (s *Store) Flush(ctx context.Context) error {
	err := s.enter(ctx)
	if err == nil {
		s.life.Leave()
	}
	return err
}

// HoldCache does nothing: there is no cache.
func (s *Store) HoldCache() (release func()) { return func() {} }

// Compact does nothing: a deleted key leaves nothing behind.
func (s *Store) Compact(ctx context.Context, _, _ []byte) error { return s.Flush(ctx) }

// Check verifies the order of the keys and their sizes.
func (s *Store) Check(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	st := s.state.Load()
	var last []byte
	keys, size := 0, 0
	for it := st.tree.Iter(); it.Next(); keys++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := it.Item().key
		if keys > 0 && bytes.Compare(last, key) >= 0 {
			return phase.Errorf("check: %w", &kv.CorruptError{Key: s.format(key), Why: "key out of order"})
		}
		last = key
		size += len(key) + len(it.Item().val)
	}
	if keys != st.tree.Len() || size != st.bytes {
		return phase.Errorf("check: %w", &kv.CorruptError{
			Why: fmt.Sprintf("%d keys of %d bytes counted as %d of %d", keys, size, st.tree.Len(), st.bytes)})
	}
	return nil
}

func (s *Store) format(key []byte) string {
	if s.schema.Format == nil {
		return fmt.Sprintf("%x", key)
	}
	return s.schema.Format(key)
}

// Metrics returns the bytes of keys and values and the open snapshots.
func (s *Store) Metrics() kv.Metrics {
	return kv.Metrics{
		MemtableBytes: uint64(s.state.Load().bytes),
		OpenSnapshots: int(s.handles.Snapshots.Load()),
	}
}
