package rag_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestLargeSpaces indexes until vectors are searched by lists, changes documents, and asks:
// the trace tells it, the best are those that comparing all finds, and two corpora
// of the same history answer alike, with work in the background or without.
func TestLargeSpaces(t *testing.T) {
	t.Parallel()
	open := func(elements int64, quiet bool) (*ragtest.Corpus, func(docs ...ragtest.Doc)) {
		store := memkv.New(layout.Schema())
		db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
			ExactElements: elements, NoBackground: quiet, Encodings: methods.Encodings(),
			OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
		c.Use(ragtest.Fixed)
		return c, func(docs ...ragtest.Doc) {
			for _, spec := range []string{"naive", "linearrag"} {
				c.Index(t, spec, docs...)
			}
		}
	}
	docs := ragtest.Docs(71, 240)
	one, indexOne := open(10_000, false)
	other, indexOther := open(10_000, true)
	all, indexAll := open(0, false)
	for _, part := range [][]ragtest.Doc{docs[:200], docs[200:]} {
		indexOne(part...)
		indexOther(part...)
		indexAll(part...)
	}
	byLists := func(c *ragtest.Corpus, spec, question string) (items []string, lists bool) {
		ev := c.Evidence(t, spec, method.Question{Text: question, Budget: 1000})
		for _, it := range ev.Items() {
			items = append(items, fmt.Sprintf("%v %.6g", it.Chunks, it.Score)) // sums are in the order of ids, which workers give
		}
		for _, op := range ev.Trace.Ops {
			lists = lists || op.Op == "VectorSearch" && slices.ContainsFunc(op.Notes, func(s string) bool { return strings.HasPrefix(s, "by lists") })
		}
		return items, lists
	}
	for _, spec := range []string{"naive", "linearrag"} {
		same := 0
		for i := range 10 {
			q := "Who knew " + docs[i*20].Hero + " of " + docs[i*20].Place + "?"
			got, lists := byLists(one, spec, q)
			again, _ := byLists(other, spec, q)
			exact, flat := byLists(all, spec, q)
			if !lists || flat {
				t.Fatalf("%s: by lists %t, and %t of few vectors", spec, lists, flat)
			}
			if !slices.Equal(got, again) {
				t.Errorf("%s: %q has evidence\n%q and\n%q", spec, q, got, again)
			}
			if len(got) > 0 && len(exact) > 0 && got[0] == exact[0] {
				same++
			}
		}
		if same < 9 {
			t.Errorf("%s: the best item is that of an exact search in %d of 10 questions", spec, same)
		}
	}
	ragtest.Check(t, one.DB())
}
