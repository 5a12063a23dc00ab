package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// refusingStore refuses the next batch, if it is told to, and does not look at contexts.
type refusingStore struct {
	kv.Store
	refuse error
}

// Apply implements [kv.Store].
func (s *refusingStore) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	if err := s.refuse; err != nil {
		s.refuse = nil
		return err
	}
	return s.Store.Apply(context.WithoutCancel(ctx), b, d)
}

func refusing(t *testing.T) (*engine.DB, *refusingStore) {
	store := &refusingStore{Store: memkv.New(layout.Schema())}
	return open(t, &engine.Options{OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil }}), store
}

// TestFailedCommit drops an index in a transaction whose write fails: the index is there
// before and after the next commit, which has the number that the failed one would have.
func TestFailedCommit(t *testing.T) {
	for _, why := range []error{kv.ErrTooLarge, kv.ErrIO} {
		db, store := refusing(t)
		g := graph(t, db, "g")
		put := func(key string) {
			t.Helper()
			update(t, g, func(v *engine.TxView) {
				typ, err := v.MakeNodeType("t")
				if err == nil {
					err = v.MakeIndex("n")
				}
				if err == nil {
					_, _, err = v.PutNode(typ, key, engine.Props{"n": engine.Int(1)})
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		put("a")
		epoch := db.Epoch()
		store.refuse = why
		err := db.Update(t.Context(), func(tx *engine.Tx) error { return tx.Graph(g).DropIndex("n") })
		if !errors.Is(err, why) && !errors.Is(err, engine.ErrTxTooLarge) {
			t.Fatal(err)
		}
		indexed := func(nodes int) {
			t.Helper()
			view(t, g, func(v *engine.View) {
				if !slices.Contains(v.Indexes(), "n") {
					t.Fatalf("after %v: no index of %v", why, v.Indexes())
				}
				found, err := v.Where(engine.Comparison{Property: "n", Values: []engine.Value{engine.Int(1)}})
				if err != nil || found.GetCardinality() != uint64(nodes) {
					t.Errorf("after %v: %v found by the index, want %d, %v", why, found, nodes, err)
				}
			})
		}
		if db.Epoch() != epoch {
			t.Errorf("epoch %d after a failed commit, before it %d", db.Epoch(), epoch)
		}
		indexed(1)
		put("b")
		indexed(2)
		sound(t, db, why.Error())
	}
}

// TestCancelledLast cancels the context of a transaction by its last act: nothing is
// committed, also by a store that does not look.
func TestCancelledLast(t *testing.T) {
	db, _ := refusing(t)
	g := graph(t, db, "g")
	ctx, cancel := context.WithCancel(t.Context())
	epoch := db.Epoch()
	err := db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		typ, err := v.MakeNodeType("t")
		if err == nil {
			_, _, err = v.PutNode(typ, "a", nil)
		}
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) || db.Epoch() != epoch {
		t.Errorf("%v, epoch %d, before it %d", err, db.Epoch(), epoch)
	}
	view(t, g, func(v *engine.View) {
		if types := v.NodeTypes(); len(types) > 0 {
			t.Errorf("types %v of a transaction that was cancelled", types)
		}
	})
}
