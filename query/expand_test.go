package query_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	typeSets := [][]string{nil, {"link"}, {"cites", "said"}, {"unknown"}}
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 33))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in := w.randomInput(r, "in")
		if len(in.items) > 3 {
			in.items = in.items[:3]
		}
		allow := w.someNodes(r)
		start := map[engine.NodeID]float64{}
		for _, it := range in.items {
			if allow == nil || allow[it.ID] {
				start[it.ID] = 1
			}
		}
		in.items = append(in.items, query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9})
		o := &query.Expand{
			In: in, Graph: w.g, Types: typeSets[r.IntN(len(typeSets))], Direction: engine.Direction(r.IntN(3)), Hops: r.IntN(4),
		}
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		e.Trace = &query.Trace{}
		if allow != nil {
			allowing(e, allow)
		}
		g := w.walkable(o.Types, o.Direction, allow, e.AllowAny)
		want := []row{}
		for id, h := range g.hops(start) {
			if h <= max(1, o.Hops) {
				want = append(want, row{graph: w.g.ID(), id: id, score: 1 / float64(1+h)})
			}
		}
		slices.SortFunc(want, byScore)
		got := run(t, e, o)
		same(t, seed, got, want)
		for _, it := range got.Items {
			checkWay(t, it, "expand", start, g)
		}
		if e.Trace.Ops[0].Notes != nil {
			t.Fatalf("seed %d: %q", seed, e.Trace.Ops[0].Notes)
		}
		if o.MaxNodes = len(want) - 1; o.MaxNodes > 0 {
			got := run(t, e, o)
			if len(got.Items) != o.MaxNodes || len(e.Trace.Ops[0].Notes) != 1 || !strings.HasPrefix(e.Trace.Ops[0].Notes[0], "only ") {
				t.Fatalf("seed %d: %d nodes of %d, notes %q", seed, len(got.Items), len(want), e.Trace.Ops[0].Notes)
			}
		}
	}
	w := makeWorld(t, 1, 3)
	in := &input{items: []query.Item{w.item(w.nodes[0], 1)}}
	if _, err := query.Run(t.Context(), w.env(), &query.Expand{In: in, Graph: w.g, Hops: -1}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("hops below 0: %v", err)
	}
}

// TestExpandHeaviest follows only the heaviest edge of each node.
func TestExpandHeaviest(t *testing.T) {
	t.Parallel()
	for seed := range seeds(30) {
		w := makeWorld(t, seed, 20)
		g := w.walkable(nil, engine.Both, nil, false)
		in := &input{items: []query.Item{w.item(w.nodes[0], 1)}}
		want := []row{{graph: w.g.ID(), id: w.nodes[0], score: 1}}
		best := engine.NodeID(0)
		for v, x := range g[w.nodes[0]] {
			if old := g[w.nodes[0]][best]; best == 0 || x > old || x == old && v < best {
				best = v
			}
		}
		if best != 0 {
			want = append(want, row{graph: w.g.ID(), id: best, score: 0.5})
		}
		same(t, seed, run(t, w.env(), &query.Expand{In: in, Graph: w.g, Direction: engine.Both, MaxNeighbors: 1}), want)
	}
}
