package engine_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestNeighborsOfManyLists reads the edges of one node that has lists of 1 to 12 types in
// both directions, inline and in containers, in pages of every size.
func TestNeighborsOfManyLists(t *testing.T) {
	for _, types := range []int{1, 2, 4, 5, 12} { // 4 types are 8 lists, which are merged
		t.Run(fmt.Sprint(types), func(t *testing.T) {
			t.Parallel()
			g := graph(t, open(t, &engine.Options{PromoteAt: 20, OpenStore: memory}), "g")
			r := rand.New(rand.NewPCG(uint64(types), 1))
			const nodes = 60
			var all []engine.Edge // of node 1
			update(t, g, func(v *engine.TxView) {
				typ := must(t, must2of(v.MakeNodeType("n")), nil)
				for i := range nodes {
					if _, _, err := v.PutNode(typ, fmt.Sprint(i), nil); err != nil {
						t.Fatal(err)
					}
				}
				for i := range types {
					et := must(t, must2of(v.MakeEdgeType(fmt.Sprint(i), i%3 > 0)), nil)
					for other := engine.NodeID(2); other <= nodes; other++ {
						for _, e := range [][2]engine.NodeID{{1, other}, {other, 1}} {
							if r.IntN(3) == 0 || i%3 == 0 && e[0] > e[1] {
								continue
							}
							if err := v.AddEdge(e[0], e[1], et, 1); err != nil {
								t.Fatal(err)
							}
							all = append(all, engine.Edge{From: e[0], To: e[1], Type: et, Weight: 1})
						}
					}
				}
			})
			slices.SortFunc(all, func(a, b engine.Edge) int {
				return cmp.Or(cmp.Compare(a.Other(1), b.Other(1)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.From^1, b.From^1))
			})
			view(t, g, func(v *engine.View) {
				for page := 1; page < 80; page += 1 + page/4 {
					var got []engine.Edge
					for after := engine.NodeID(0); ; after = got[len(got)-1].Other(1) {
						edges, err := v.Neighbors(1, engine.EdgeFilter{Direction: engine.Both}, after, make([]engine.Edge, 0, page))
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, edges...)
						if len(edges) < page {
							break
						}
					}
					if !slices.Equal(got, all) {
						t.Fatalf("pages of %d: %v, want %v", page, got, all)
					}
				}
			})
		})
	}
}
