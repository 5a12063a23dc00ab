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

// Flush does nothing: every batch is where it can be.
func (s *Store) Flush(ctx context.Context) error {
	err := s.enter(ctx)
	if err == nil {
		s.life.Leave()
	}
	return err
}

// Compact does nothing: a deleted key leaves nothing behind.
func (s *Store) Compact(ctx context.Context, _, _ []byte) error { return s.Flush(ctx) }

// Check verifies the order of the keys, the heap order of the tree and the
// counts.
func (s *Store) Check(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	st := s.state.Load()
	var (
		c           = cursor{root: st.root}
		last        *node
		keys, bytes int
	)
	for n := c.seekGE(nil); n != nil; n = c.next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if why := s.fault(last, n); why != "" {
			return phase.Errorf("check: %w", &kv.CorruptError{Key: s.format(n.key), Why: why})
		}
		keys++
		bytes += len(n.key) + len(n.val)
		last = n
	}
	if keys != st.keys || bytes != st.bytes {
		return phase.Errorf("check: %w", &kv.CorruptError{
			Why: fmt.Sprintf("%d keys of %d bytes counted as %d of %d", keys, bytes, st.keys, st.bytes)})
	}
	return nil
}

// fault says what is wrong with n after last, or "".
func (s *Store) fault(last, n *node) string {
	switch {
	case last != nil && bytes.Compare(last.key, n.key) >= 0:
		return "key out of order"
	case n.left != nil && n.left.prio > n.prio, n.right != nil && n.right.prio > n.prio:
		return "priority out of order"
	}
	return ""
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
