package query_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// TestPPRQuotas says that quotas keep of a walk what TopPerType keeps of its
// ranking, on the store, on a projection and under a filter.
func TestPPRQuotas(t *testing.T) {
	t.Parallel()
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 45))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in, out := w.randomInput(r, "in"), w.randomInput(r, "out")
		all := &query.PPR{In: in, Graph: w.g, Direction: engine.Both, Uniform: true, InMemory: r.IntN(2) == 0}
		quotas := []query.TypeQuota{{Types: []string{"thing"}, Most: r.IntN(5)}}
		for _, name := range []string{"person", "place", "unknown", "thing"} {
			if r.IntN(2) == 0 {
				quotas = append(quotas, query.TypeQuota{Types: []string{name}, Most: r.IntN(4)})
			}
		}
		some := *all
		some.Quotas, some.Without = quotas, []query.Op{out}
		env := func() *query.Env {
			e := w.env()
			if r.IntN(2) == 0 {
				e.Graphs = graphops.NewCache(1 << 20)
			}
			return e
		}
		e := env()
		if allow := w.someNodes(r); allow != nil {
			allowing(e, allow)
		}
		want := rows(run(t, e, &query.TopPerType{In: &query.Minus{In: all, Of: out}, Graph: w.g, Quotas: quotas}))
		same(t, seed, run(t, e, &some), want)
	}
}
