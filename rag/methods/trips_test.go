package methods_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/tablekv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// tripLimits are the round trips that an ask of each method may take, which are to be 30,
// and 12 for bridge and naive.
var tripLimits = map[string]int{
	"archrag":         31,
	"bm25":            6,
	"bridge":          12,
	"cot":             3,
	"dense":           7,
	"erarag":          12,
	"fastgraphrag":    22,
	"graphrag-global": 3,
	"graphrag-local":  16,
	"hipporag":        13,
	"hipporag2":       10,
	"hirag":           23,
	"hybrid":          17,
	"hyde":            5,
	"ketrag":          17,
	"keyword":         9,
	"knngraph":        9,
	"lightrag-high":   15,
	"lightrag-hybrid": 18,
	"lightrag-low":    17,
	"linearrag":       13,
	"naive":           5,
	"noderag":         17,
	"raptor":          7,
	"skeleton":        13,
	"zeroshot":        3,
}

// maxViews are the states of the table that an ask may look at: one of which the method is
// opened and the question answered, and that of the transaction that keeps the trace.
const maxViews = 2

// TestRoundTrips counts the round trips that an ask of each method takes on a table of a server
// in memory.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	checkRoundTrips(t, kvtest.NewServer(1).Table(kv.Bounds{}))
}

// checkRoundTrips counts the round trips that an ask of each method takes on a table: of a
// corpus that was asked another question before, the commit of the trace included. The
// answers are those of a store in memory.
func checkRoundTrips(t *testing.T, table kv.Table) {
	size := 100
	if *long {
		size = 400
	}
	docs, names := ragtest.Docs(47, size), methods.All().Names()
	store := memkv.New(layout.Schema())
	want := answersOf(t, openStore{store}, names, docs, true, func(string) {})
	counted, take := kvtest.CountTable(table)
	open := func() kv.Store {
		s, err := tablekv.Open(t.Context(), counted, layout.Schema(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	server := open()
	copyStore(t, store, server)
	n := 0
	got := answersOf(t, openStore{server}, names, docs, false, func(spec string) {
		views, reads, writes := take()
		if n++; n%3 != 0 {
			return
		}
		trips := views + reads + writes
		t.Logf("%-16s %3d round trips: %d views, %d reads, %d writes", spec, trips, views, reads, writes)
		if limit, ok := tripLimits[spec]; !*long && (!ok || trips > limit) || views > maxViews {
			t.Errorf("%s took %d round trips and %d views, at most %d and %d", spec, trips, views, limit, maxViews)
		}
	})
	for i := range want {
		ragtest.Same(t, "answers", got[i], want[i])
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// openStore is a store that stays open when a database is closed.
type openStore struct{ kv.Store }

func (openStore) Close() error { return nil }

// copyStore fills an empty store with what another one has.
func copyStore(t *testing.T, from, to kv.Store) {
	t.Helper()
	b := to.NewBatch()
	it, err := from.Iter(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		b.Set(it.Key(), it.Value())
	}
	if err := errors.Join(it.Err(), it.Close(), to.Apply(t.Context(), b, kv.Sync)); err != nil {
		t.Fatal(err)
	}
}

// answersOf asks each method two questions, which no other one is asked. It calls asked before the first, after the
// first and after the second.
func answersOf(t *testing.T, store kv.Store, names []string, docs []ragtest.Doc, index bool, asked func(spec string)) (out []string) {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
	if index {
		c.Index(t, names[0], docs...)
		for _, spec := range names[1:] {
			c.Index(t, spec)
		}
	}
	m, err := c.Corpus.OpenModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, spec := range names {
		for _, d := range docs[2*i : 2*i+2] {
			asked(spec)
			q := fmt.Sprintf("Who knew the %sium of %s, and what did %s do?", d.Code, d.Place, d.Hero)
			var a *rag.Answer
			err := c.AtLatest(t.Context(), func(now *rag.Corpus) error {
				sys, err := c.Methods.OpenIndexed(t.Context(), now.Docs(), method.Spec{Name: spec})
				if err == nil {
					a, err = now.Ask(t.Context(), sys, m, method.Question{Text: q})
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(asJSON([]any{spec, a.Text, a.Sources, a.Nearest, a.Refusal, a.Evidence.Sections})))
		}
		asked(spec)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
