package engine_test

import (
	"context"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// onStores runs a test on every storage engine: that nothing above kv assumes
// one of them is what this proves.
func onStores(t *testing.T, test func(t *testing.T, o *engine.Options)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, &engine.Options{OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) {
			return memkv.New(layout.Schema()), nil
		}})
	})
	t.Run("pebble", func(t *testing.T) {
		t.Parallel()
		test(t, &engine.Options{})
	})
}

// open returns a new database that is closed with the test.
func open(t testing.TB, o *engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// graph returns a graph of a new namespace.
func graph(t testing.TB, db *engine.DB, name string) *engine.Graph {
	t.Helper()
	ns, err := db.Namespace(context.Background(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func update(t testing.TB, g *engine.Graph, fn func(v *engine.TxView)) {
	t.Helper()
	err := g.DB().Update(context.Background(), func(tx *engine.Tx) error {
		fn(tx.Graph(g))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, g *engine.Graph, fn func(v *engine.View)) {
	t.Helper()
	err := g.DB().View(context.Background(), func(s *engine.Snapshot) error {
		fn(s.Graph(g))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// must returns v, or fails the test.
func must[T any](t testing.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
