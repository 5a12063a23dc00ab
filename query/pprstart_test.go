package query_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// TestPPRStartRanks: a node that a walk started at has its rank among the starts of its type,
// or among all if there are no quotas, on the store and on a projection; no other step has
// one.
func TestPPRStartRanks(t *testing.T) {
	t.Parallel()
	started := 0
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 46))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in := w.randomInput(r, "in")
		o := &query.PPR{In: in, Graph: w.g, Direction: engine.Both, Uniform: r.IntN(3) == 0, InMemory: r.IntN(2) == 0}
		typed := r.IntN(2) == 0
		if typed {
			o.Quotas = []query.TypeQuota{{Types: []string{"thing", "person"}, Most: 50}, {Types: []string{"place"}, Most: 50}}
		}
		place := map[engine.NodeID]int{} // of each start in the input
		for i, it := range in.items {
			place[it.ID] = i
		}
		score := func(id engine.NodeID) float64 {
			if o.Uniform {
				return 1
			}
			return in.items[place[id]].Score
		}
		rank := func(id engine.NodeID) int {
			n := 1
			for _, other := range in.items {
				x := score(other.ID)
				if x <= 0 || other.ID == id || typed && w.kind[other.ID] != w.kind[id] {
					continue
				}
				if x > score(id) || x == score(id) && place[other.ID] < place[id] {
					n++
				}
			}
			return n
		}
		e := w.env()
		e.Graphs = graphops.NewCache(1 << 20)
		for _, it := range run(t, e, o).Items {
			for _, s := range it.Why {
				want := 0
				if s.Note == "start" {
					want = rank(it.ID)
					started++
				}
				if s.Rank != want {
					t.Fatalf("seed %d: node %d, step %+v: want rank %d", seed, it.ID, s, want)
				}
			}
		}
	}
	if started < 100 {
		t.Errorf("%d starts", started)
	}
}
