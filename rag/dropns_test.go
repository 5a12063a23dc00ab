package rag_test

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// dump returns all pairs of a store, but for what no namespace has to itself:
// settings of the database and the records of commits.
func dump(t *testing.T, s kv.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	it, err := s.Iter(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		tag, _, err := layout.KeyTag(it.Key())
		if err != nil {
			t.Fatal(err)
		}
		if tag != layout.TagMeta {
			out[string(it.Key())] = string(it.Value())
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDropNamespace drops a namespace with all that indexing and asking leave:
// the store then holds exactly what it held before the namespace was made, also
// after it is opened again.
func TestDropNamespace(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, llmtest.Options{})
	dir := filepath.Join(t.TempDir(), "db")
	var store kv.Store
	open := func() *engine.DB {
		t.Helper()
		db, err := engine.Open(t.Context(), dir, &engine.Options{Encodings: methods.Encodings(), OpenStore: func(ctx context.Context, path string, schema *kv.Schema) (_ kv.Store, err error) {
			store, err = pebblekv.Open(ctx, path, schema, nil)
			return store, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	all := methods.All()
	docs := ragtest.Docs(81, 30)
	fill := func(ns string, models func(context.Context, *rag.Corpus) (*rag.Models, error), docs ...ragtest.Doc) {
		t.Helper()
		c, err := rag.OpenCorpus(t.Context(), db, ns, nil)
		if err != nil {
			t.Fatal(err)
		}
		c = c.With(rag.Options{Models: models})
		specs := []string{methods.Default, "ketrag:beta=0.4", "naive"}
		indexRemote(t, c, all, specs, docs...)
		systems, err := openSystems(t.Context(), c, all, specs...)
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Options().Models(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(t.Context(), systems[0], m, method.Question{Text: "Who knew " + docs[0].Hero + "?"}); err != nil {
			t.Fatal(err)
		}
	}
	local := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{})
	}
	fill("main", endpoint{URL: s.URL}.open, docs[:12]...)
	fill("legal archive", local, docs[6:18]...)
	settleSpaces(t, db)
	want := dump(t, store)
	for _, x := range []struct {
		name   string
		models func(context.Context, *rag.Corpus) (*rag.Models, error)
	}{{"paid", endpoint{URL: s.URL}.open}, {"local", local}} {
		t.Run(x.name, func(t *testing.T) {
			fill("gone", x.models, docs[10:]...)
			if now := dump(t, store); len(now) < len(want)*3/2 {
				t.Fatalf("%d keys, and %d with the namespace", len(want), len(now))
			}
			if err := db.DropNamespace(t.Context(), "gone"); err != nil {
				t.Fatal(err)
			}
			same := func(when string) {
				t.Helper()
				got := dump(t, store)
				for _, k := range slices.Sorted(maps.Keys(got)) {
					if old, ok := want[k]; !ok {
						t.Fatalf("%s: %s is left", when, layout.Schema().Format([]byte(k)))
					} else if old != got[k] {
						t.Fatalf("%s: %s has changed", when, layout.Schema().Format([]byte(k)))
					}
				}
				if len(got) != len(want) {
					t.Fatalf("%s: %d keys, want %d", when, len(got), len(want))
				}
				if names, err := db.Namespaces(t.Context()); err != nil || !slices.Equal(names, []string{"legal archive", "main"}) {
					t.Errorf("%s: namespaces %q %v", when, names, err)
				}
			}
			same("at once")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = open()
			same("opened again")
			ragtest.Check(t, db)
		})
	}
	for k, v := range dump(t, store) {
		if low := []byte(docs[25].Code); bytes.Contains(bytes.ToLower([]byte(k)), low) || bytes.Contains(bytes.ToLower([]byte(v)), low) {
			t.Errorf("%s tells of a document of the dropped namespace", layout.Schema().Format([]byte(k)))
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// settleSpaces lets no vector be linked later.
func settleSpaces(t *testing.T, db *engine.DB) {
	t.Helper()
	names, err := db.Namespaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		c, err := rag.OpenCorpus(t.Context(), db, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		graphs, err := c.Namespace().Graphs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, graph := range graphs {
			g, err := c.Graph(t.Context(), graph)
			if err != nil {
				t.Fatal(err)
			}
			var spaces []string
			if err := db.View(t.Context(), func(s *engine.Snapshot) error { spaces = s.Graph(g).Spaces(); return nil }); err != nil {
				t.Fatal(err)
			}
			for _, sp := range spaces {
				if err := db.SettleSpace(t.Context(), g, sp); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
