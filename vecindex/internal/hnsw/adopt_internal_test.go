package hnsw

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// TestAdopt scrambles the parents, or the links to children, and expects all
// nodes to lead to the root again.
func TestAdopt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(rng *rand.Rand, v *Version, slot uint32)
	}{
		{"none", func(_ *rand.Rand, v *Version, slot uint32) { v.setParent(slot, none) }},
		{"any", func(rng *rand.Rand, v *Version, slot uint32) { v.setParent(slot, rng.Uint32N(v.n)) }},
		{"self", func(_ *rand.Rand, v *Version, slot uint32) { v.setParent(slot, slot) }},
		{"circles", func(_ *rand.Rand, v *Version, slot uint32) { v.setParent(slot, slot^1) }},
		{"links", func(_ *rand.Rand, v *Version, slot uint32) {
			list := v.list(slot, 0)
			for i := len(list) / 3; i < len(list); i++ {
				list[i] = none
			}
		}},
		{"no links", func(_ *rand.Rand, v *Version, slot uint32) {
			list := v.list(slot, 0)
			for i := range list {
				list[i] = none
			}
		}},
	} {
		for _, m := range []int{2, 6} {
			for _, share := range []float64{0.02, 0.5, 1} {
				rng := rand.New(rand.NewPCG(uint64(m), 3))
				codec := quant.New(6, false)
				g := New(codec, Params{M: m, EfConstruction: 20})
				g.Reserve(400)
				e := codec.NewEncoder()
				for layer := range uint8(2) {
					var nodes []Node
					var lives []Life
					for i := range uint32(200) {
						x := make([]float32, 6)
						for j := range x {
							x[j] = rng.Float32()
						}
						slot := uint32(layer)*200 + i
						e.Encode(g.Version().Code(slot), nil, x)
						nodes = append(nodes, Node{slot, uint64(slot)})
						lives = append(lives, Life{Slot: slot, Born: 1})
					}
					if _, err := g.Link(context.Background(), layer, nodes, 1); err != nil {
						t.Fatal(err)
					}
					g.Show(lives)
				}
				v := g.Version()
				for slot := range v.n {
					if rng.Float64() < share && slot != v.Layer(v.LayerOf(slot)).Root {
						tt.spoil(rng, v, slot)
					}
				}
				if share == 1 && v.Verify() == nil {
					t.Fatalf("%s: nothing was spoilt", tt.name)
				}
				g.Adopt()
				if err := g.Version().Verify(); err != nil {
					t.Errorf("%s, M %d, share %g: %v", tt.name, m, share, err)
				}
			}
		}
	}
}
