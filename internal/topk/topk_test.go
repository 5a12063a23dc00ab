package topk_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/topk"
)

func TestTake(t *testing.T) {
	const seed = 1
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		k := 1 + r.IntN(12)
		var heap, all []int
		for range r.IntN(40) {
			x := r.IntN(20)
			all = append(all, x)
			slices.Sort(all)
			if len(heap) < k || x < heap[0] {
				heap = topk.Take(heap, k, x, cmp.Compare)
			}
			best := all[:min(k, len(all))]
			if got := slices.Sorted(slices.Values(heap)); !slices.Equal(got, best) || heap[0] != best[len(best)-1] {
				t.Fatalf("the least %d are %v, the greatest first; want %v", k, heap, best)
			}
		}
	}
}
