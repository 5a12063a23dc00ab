package query_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

func TestScore(t *testing.T) {
	t.Parallel()
	for seed := range seeds(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		w := makeWorld(t, seed, r.IntN(20))
		in := w.randomInput(r, "in")
		if len(w.nodes) > 0 { // what is no node of the graph has no vector in it
			in.items = append(in.items,
				query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9},
				query.Item{Graph: w.g.ID(), Edge: engine.Edge{From: 1, To: 1, Type: w.types["link"]}})
		}
		q := fmt.Sprint(r.IntN(3), r.IntN(3), 1)
		want := []row{}
		for _, it := range in.items {
			if s, ok := w.dot(vectorOf(q), it.ID); ok && it.Graph == w.g.ID() {
				want = append(want, row{graph: w.g.ID(), id: it.ID, score: s})
			}
		}
		got := run(t, w.env(), &query.Score{In: in, Graph: w.g, Space: space, Text: q})
		same(t, seed, got, want)
		for _, it := range got.Items {
			if len(it.Why) != 2 || it.Why[1].Op != "score" || it.Why[1].Note != space || it.Why[1].Score != it.Score {
				t.Fatalf("seed %d: steps %+v", seed, it.Why)
			}
		}
		before := map[engine.NodeID]float64{}
		for _, it := range in.items {
			if it.Graph == w.g.ID() && it.ID != 0 {
				before[it.ID] = it.Score
			}
		}
		for i := range want {
			want[i].score *= before[want[i].id]
		}
		same(t, seed, run(t, w.env(), &query.Score{In: in, Graph: w.g, Space: space, Text: q, Times: true}), want)
	}
}
