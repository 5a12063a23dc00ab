package vecindex_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

// sameAsFresh compares what a settled index finds with what one of the same vectors does
// that has another history.
func (s *stream) sameAsFresh(v *vecindex.View) {
	s.t.Helper()
	fresh(s.t, s.cfg, s.exact, s.now, s.raw, func(want *vecindex.View) {
		for range 20 {
			q := s.query()
			q.K, q.Ef = 10, 1+s.rng.IntN(8)
			q.Distances = new(int)
			got, err := v.Search(s.t.Context(), q, nil)
			s.must(err)
			compared := *q.Distances
			wanted, err := want.Search(s.t.Context(), q, nil)
			s.must(err)
			lists, err := v.ByLists(s.t.Context())
			s.must(err)
			// What of a flat index is compared depends on what is in memory.
			if !slices.Equal(got, wanted) || lists && compared != *q.Distances {
				s.t.Fatalf("settled: %v of %d vectors, a fresh index finds %v of %d", got, compared, wanted, *q.Distances)
			}
		}
	})
}

// TestIVFStream drives an index with lists beside the model: commits, deletes, linkers
// with commits beside them, snapshots of any age, and openings.
func TestIVFStream(t *testing.T) { listsStream(t, vecindex.IVF) }

// TestAutoStream is TestIVFStream for an index that is flat until it is large.
func TestAutoStream(t *testing.T) { listsStream(t, vecindex.Auto) }

func listsStream(t *testing.T, kind vecindex.Kind) {
	steps, seeds := 40, 1
	if *long {
		steps, seeds = 400, 4
	}
	ties := shape{"ties", dim, true, randomVector}
	n := 0
	for _, sh := range []shape{clustered(8), clustered(70), ties} {
		for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
			for name, open := range stores() {
				for seed := range seeds {
					n++
					s := &stream{shape: sh, ids: []int{40, 900, 3000}[n%3], exact: []int{30, 500}[n/2%2], layers: 1 + n/3%3, cfg: config(metric)}
					s.cfg.Kind, s.cfg.Dim, s.cfg.Seed = kind, sh.dim, 7
					t.Run(fmt.Sprintf("%s/%s/%s/ids=%d/layers=%d/seed=%d", sh.name, metric, name, s.ids, s.layers, seed), func(t *testing.T) {
						t.Parallel()
						s.t, s.st = t, open(t)
						s.rng = rand.New(rand.NewPCG(uint64(seed), uint64(s.ids)))
						s.run(steps)
					})
				}
			}
		}
	}
}
