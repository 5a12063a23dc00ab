package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// noTag is the tag of no family.
const noTag layout.Tag = 0xff

// failingStore fails to get the keys of a family.
type failingStore struct {
	kv.Store
	bad layout.Tag
}

// Snapshot implements [kv.Store].
func (s *failingStore) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	snap, err := s.Store.Snapshot(ctx)
	return failingSnapshot{snap, s}, err
}

type failingSnapshot struct {
	kv.Snapshot
	store *failingStore
}

// Get implements [kv.Reader].
func (s failingSnapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	if len(key) > 0 && layout.Tag(key[0]) == s.store.bad {
		return dst, kv.ErrIO
	}
	return s.Snapshot.Get(ctx, key, dst)
}

// TestReadErrorIsNotAbsence deletes a node while the entries of vector spaces
// cannot be read: the call fails. It once took the spaces for dropped ones and
// left the node's vectors.
func TestReadErrorIsNotAbsence(t *testing.T) {
	t.Parallel()
	store := &failingStore{Store: memkv.New(layout.Schema()), bad: noTag}
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	g := graph(t, db, "g")
	var id engine.NodeID
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		kind, err := v.MakeNodeType("t")
		if err != nil {
			return err
		}
		if err := v.MakeSpace("s", engine.SpaceOptions{Dim: 2, Model: "m"}); err != nil {
			return err
		}
		if id, _, err = v.PutNode(kind, "a", nil); err != nil {
			return err
		}
		return v.PutVector("s", id, []float32{1, 2})
	})
	if err != nil {
		t.Fatal(err)
	}
	remove := func() error {
		return db.Update(t.Context(), func(tx *engine.Tx) error {
			_, err := tx.Graph(g).DeleteNode(id)
			return err
		})
	}
	store.bad = layout.TagSpace
	if err := remove(); !errors.Is(err, kv.ErrIO) {
		t.Errorf("delete: %v, want the error of the read", err)
	}
	store.bad = noTag
	if err := remove(); err != nil && !errors.Is(err, engine.ErrNotFound) {
		t.Error(err)
	}
	for _, f := range check(t, db, engine.CheckOptions{Full: true}) {
		t.Errorf("check: %v", f)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
