package community_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
)

// TestJoin says that a node joins where the modularity of the whole graph is
// highest; the test computes it for each choice.
func TestJoin(t *testing.T) {
	t.Parallel()
	joined, alone := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 6 + r.IntN(20)
		var edges []graphops.WeightedEdge
		for u := range n {
			for v := range u {
				if r.IntN(4) == 0 {
					edges = append(edges, graphops.WeightedEdge{From: uint32(v), To: uint32(u), Weight: 0.1 + r.Float32()})
				}
			}
		}
		p, err := graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true})
		if err != nil {
			t.Fatal(err)
		}
		resolution := 0.5 + 2*r.Float64()
		now := graphops.Partition{Of: make([]uint32, n), Count: 3}
		now.Of[0] = graphops.None
		for u := 1; u < n; u++ {
			now.Of[u] = uint32(r.IntN(3))
		}
		if p.Degree(0) == 0 {
			continue
		}
		quality := func(c uint32) float64 {
			part := graphops.Partition{Of: append([]uint32{}, now.Of...), Count: 4}
			part.Of[0] = c
			q, err := graphops.Modularity(p, &part, resolution)
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		best, most := uint32(3), quality(3) // 3 is a new one
		for c := range uint32(3) {
			if q := quality(c); q > most+1e-9 {
				best, most = c, q
			}
		}
		if err := community.Join(t.Context(), p, &now, []uint32{0}, community.Options{Resolution: resolution}); err != nil {
			t.Fatal(err)
		}
		if got := quality(now.Of[0]); math.Abs(got-most) > 1e-9 {
			t.Errorf("seed %d: joined %d with modularity %g, %d has %g", seed, now.Of[0], got, best, most)
		}
		if now.Of[0] == 3 {
			alone++
		} else {
			joined++
		}
	}
	if joined == 0 || alone == 0 {
		t.Errorf("%d joined, %d stayed alone", joined, alone)
	}
}
