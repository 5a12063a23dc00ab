package methods_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// tripLimits are the round trips that an ask of each method may take, which are to be 30,
// and 12 for bridge and naive.
var tripLimits = map[string]int{
	"archrag":         1049,
	"bm25":            399,
	"bridge":          640,
	"cot":             30,
	"dense":           357,
	"erarag":          477,
	"fastgraphrag":    1415,
	"graphrag-global": 201,
	"graphrag-local":  1642,
	"hipporag":        3070,
	"hipporag2":       1236,
	"hirag":           1694,
	"hybrid":          1773,
	"hyde":            357,
	"ketrag":          2933,
	"keyword":         3319,
	"knngraph":        1099,
	"lightrag-high":   1573,
	"lightrag-hybrid": 4956,
	"lightrag-low":    4291,
	"linearrag":       1277,
	"naive":           369,
	"noderag":         2897,
	"raptor":          833,
	"skeleton":        2119,
	"zeroshot":        30,
}

// maxSnapshots are the snapshots that an ask may take: one to read, one to keep the
// trace.
const maxSnapshots = 4

// TestRoundTrips counts the round trips that an ask of each method would take on a store
// behind a server: of a corpus that was asked another question before.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	size := 100
	if *long {
		size = 400
	}
	docs := ragtest.Docs(47, size)
	c, store := openCounted(t)
	names := methods.All().Names()
	c.Index(t, names[0], docs...)
	for _, spec := range names[1:] {
		c.Index(t, spec)
	}
	m, err := c.Corpus.OpenModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(spec string, d ragtest.Doc) kvtest.Reads {
		t.Helper()
		store.Take()
		sys, err := c.Methods.OpenIndexed(t.Context(), c.Docs(), method.Spec{Name: spec})
		if err != nil {
			t.Fatal(err)
		}
		q := fmt.Sprintf("Who knew the %sium of %s, and what did %s do?", d.Code, d.Place, d.Hero)
		if _, err := c.Ask(t.Context(), sys, m, method.Question{Text: q}); err != nil {
			t.Fatal(err)
		}
		return store.Take()
	}
	for _, spec := range names {
		ask(spec, docs[20])
		n := ask(spec, docs[60])
		t.Logf("%-16s %5d round trips, %d snapshots, %6d keys", spec, n.Trips, n.Snapshots, n.Keys)
		if limit, ok := tripLimits[spec]; !*long && (!ok || n.Trips > limit) || n.Snapshots > maxSnapshots {
			t.Errorf("%s took %d round trips and %d snapshots, at most %d and %d", spec, n.Trips, n.Snapshots, limit, maxSnapshots)
		}
	}
}
