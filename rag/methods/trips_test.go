package methods_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// tripLimits are the round trips that an ask of each method may take, which are to be 30,
// and 12 for bridge and naive.
var tripLimits = map[string]int{
	"archrag":         93,
	"bm25":            15,
	"bridge":          27,
	"cot":             10,
	"dense":           20,
	"erarag":          34,
	"fastgraphrag":    50,
	"graphrag-global": 27,
	"graphrag-local":  70,
	"hipporag":        66,
	"hipporag2":       35,
	"hirag":           67,
	"hybrid":          76,
	"hyde":            20,
	"ketrag":          84,
	"keyword":         63,
	"knngraph":        30,
	"lightrag-high":   44,
	"lightrag-hybrid": 72,
	"lightrag-low":    53,
	"linearrag":       47,
	"naive":           19,
	"noderag":         86,
	"raptor":          32,
	"skeleton":        71,
	"zeroshot":        10,
}

// maxSnapshots are the snapshots that an ask may take, which are to be two: one opens the
// method, one answers, and one keeps the trace; some methods open another one's graph.
const maxSnapshots = 4

// openStore is a store that stays open when a database is closed.
type openStore struct{ kv.Store }

func (openStore) Close() error { return nil }

// TestRoundTrips counts the round trips that an ask of each method takes on a store
// behind a server: of a corpus that was asked another question before. The answers are
// those of a store without a server.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	size := 100
	if *long {
		size = 400
	}
	docs, names := ragtest.Docs(47, size), methods.All().Names()
	store := memkv.New(layout.Schema())
	answers := func(store kv.Store, index bool, asked func(spec string)) (out []string) {
		t.Helper()
		db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
			OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return openStore{store}, nil },
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
		for _, spec := range names {
			for _, d := range []ragtest.Doc{docs[20], docs[60]} {
				asked(spec)
				sys, err := c.Methods.OpenIndexed(t.Context(), c.Docs(), method.Spec{Name: spec})
				if err != nil {
					t.Fatal(err)
				}
				q := fmt.Sprintf("Who knew the %sium of %s, and what did %s do?", d.Code, d.Place, d.Hero)
				a, err := c.Ask(t.Context(), sys, m, method.Question{Text: q})
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
	want := answers(store, true, func(string) {})
	remote := kvtest.NewRemote(store)
	n := 0
	got := answers(remote, false, func(spec string) {
		read := remote.Take()
		if n++; n%3 != 0 {
			return
		}
		t.Logf("%-16s %5d round trips, %d snapshots, %6d keys", spec, read.Trips, read.Snapshots, read.Keys)
		if limit, ok := tripLimits[spec]; !*long && (!ok || read.Trips > limit) || read.Snapshots > maxSnapshots {
			t.Errorf("%s took %d round trips and %d snapshots, at most %d and %d", spec, read.Trips, read.Snapshots, limit, maxSnapshots)
		}
	})
	for i := range want {
		ragtest.Same(t, "answers", got[i], want[i])
	}
}
