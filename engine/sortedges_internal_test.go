package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEdgeSorter sorts half edges over the whole range of ids, in memory and
// through runs, and compares with a stable sort.
func TestEdgeSorter(t *testing.T) {
	for _, c := range []struct {
		name     string
		n, limit int
		mask     uint32 // of node, type and neighbour
	}{
		{"none", 0, 10, ^uint32(0)},
		{"one", 1, 10, ^uint32(0)},
		{"in memory", 3000, 4000, ^uint32(0)},
		{"runs", 3000, 100, ^uint32(0)},
		{"full runs only", 3000, 1000, ^uint32(0)},
		{"equal ones", 3000, 100, 0x3},
		{"equal lists", 3000, 100, 0x80000001},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(c.n)))
			var scratch []halfEdge
			s := edgeSorter{limit: c.limit, scratch: &scratch}
			var want []halfEdge
			for i := range c.n {
				h := halfOf(uint64(r.Uint32()&c.mask), uint64(r.Uint32()&c.mask), EdgeType(r.Uint32()&c.mask), float32(i))
				want = append(want, h)
				if err := s.add(h); err != nil {
					t.Fatal(err)
				}
			}
			slices.SortStableFunc(want, func(a, b halfEdge) int { return compareHalves(&a, &b) })
			for range 2 { // it can be walked again
				var got []halfEdge
				err := s.each(t.Context(), func(h *halfEdge) error {
					got = append(got, *h)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d half edges in another order than %d", len(got), len(want))
				}
			}
			if err := s.spill.close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
