package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// TestDegrees compares the degrees of all nodes with the edges that each one has, in
// graphs with loops, parallel edges, undirected types and lists in containers.
func TestDegrees(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 9))
			g := graph(t, open(t, &engine.Options{PromoteAt: 10, OpenStore: memory}), "g")
			const nodes = 40
			var types []engine.EdgeType
			update(t, g, func(v *engine.TxView) {
				typ := must(t, must2of(v.MakeNodeType("n")), nil)
				for i := range nodes {
					if _, _, err := v.PutNode(typ, fmt.Sprint(i), nil); err != nil {
						t.Fatal(err)
					}
				}
				for i := range 3 {
					types = append(types, must(t, must2of(v.MakeEdgeType(fmt.Sprint(i), i > 0)), nil))
				}
				for range r.IntN(800) {
					from, to := 1+r.IntN(nodes), 1+r.IntN(1+r.IntN(nodes))
					e := engine.Edge{From: engine.NodeID(from), To: engine.NodeID(to), Type: types[r.IntN(3)], Weight: 1}
					var err error
					if seed%2 == 0 {
						_, err = v.AddParallel(e.From, e.To, e.Type, 1)
					} else {
						err = v.AddEdge(e.From, e.To, e.Type, 1)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			})
			view(t, g, func(v *engine.View) {
				for _, dir := range []engine.Direction{engine.Out, engine.In, engine.Both} {
					for _, some := range [][]engine.EdgeType{nil, types[:1], types[1:2], types[:2], types[1:], {}} {
						for _, others := range []*roaring.Bitmap{nil, roaring.BitmapOf(1, 2, 5, 9, 30, 77)} {
							compareDegrees(t, v, engine.EdgeFilter{Types: some, Direction: dir}, others, nodes)
						}
					}
				}
			})
		})
	}
}

func compareDegrees(t *testing.T, v *engine.View, f engine.EdgeFilter, others *roaring.Bitmap, nodes engine.NodeID) {
	t.Helper()
	have, err := v.Degrees(f, others)
	if err != nil {
		t.Fatal(err)
	}
	for id := engine.NodeID(1); id <= nodes; id++ {
		edges, err := v.Neighbors(id, f, 0, make([]engine.Edge, 0, 10_000))
		if err == nil {
			edges, err = v.Parallel(id, edges)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := map[engine.Edge]bool{}
		for _, e := range edges {
			if others == nil || others.Contains(uint32(e.Other(id))) {
				e.Weight = 0
				want[e] = true
			}
		}
		if got := have[id]; int(got) != len(want) {
			t.Fatalf("%v others %v: node %d has %d edges, want %d", f, others, id, got, len(want))
		}
	}
}
