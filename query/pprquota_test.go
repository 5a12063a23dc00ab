package query_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// topPerType keeps for each quota the first nodes that are of its types.
func (w *world) topPerType(items []query.Item, quotas []query.TypeQuota) []row {
	out, taken := []row{}, make([]int, len(quotas))
	for _, it := range items {
		i := slices.IndexFunc(quotas, func(q query.TypeQuota) bool { return slices.Contains(q.Types, w.kind[it.ID]) })
		if i >= 0 && taken[i] < quotas[i].Most {
			taken[i]++
			out = append(out, row{graph: w.g.ID(), id: it.ID, score: it.Score})
		}
	}
	return out
}

// TestPPRQuotas says that quotas keep of a walk the first of each type of its
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
		want := w.topPerType(run(t, e, &query.Minus{In: all, Of: out}).Items, quotas)
		same(t, seed, run(t, e, &some), want)
	}
}
