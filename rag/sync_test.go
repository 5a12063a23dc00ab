package rag_test

import (
	"maps"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestSyncToNothing: a sync with a folder that has become empty leaves in the buckets
// of all graphs what a sync of a new corpus with an empty folder does.
func TestSyncToNothing(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(93, 10)
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "ketrag"), c.System(t, "hirag")}}
	if _, err := x.Sync(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}); err != nil {
		t.Fatal(err)
	}
	entries := func(c *ragtest.Corpus) map[string]int {
		out := map[string]int{}
		names, err := c.Namespace().Graphs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			g, err := c.Namespace().Graph(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
				v := s.Graph(g)
				for _, bucket := range v.Buckets() {
					for _, err := range v.Bucket(bucket).Scan(nil, nil) {
						if err != nil {
							return err
						}
						if bucket != "runs" { // records stay
							out[name+"/"+bucket]++
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	if have := entries(c); have["base/words"] == 0 || len(have) < 4 {
		t.Fatalf("the corpus has no words or too few buckets: %v", have)
	}
	r, err := x.Sync(t.Context(), []rag.Input{{FS: ragtest.Files(), Root: "."}})
	if err != nil || r.Removed != len(docs) || r.Documents != 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	never := ragtest.Open(t, methods.All(), methods.Encodings()...)
	y := rag.Indexer{Corpus: never.Corpus, Methods: c.Methods, Systems: []*method.System{never.System(t, "ketrag"), never.System(t, "hirag")}}
	if _, err := y.Sync(t.Context(), []rag.Input{{FS: ragtest.Files(), Root: "."}}); err != nil {
		t.Fatal(err)
	}
	if left, want := entries(c), entries(never); !maps.Equal(left, want) {
		t.Errorf("a corpus that was emptied keeps %v, and one that never had documents %v", left, want)
	}
	ragtest.Check(t, c.DB())
}
