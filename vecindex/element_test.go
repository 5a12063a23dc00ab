package vecindex_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

// TestF16 compares an index of 16-bit elements with one of 32 that was given
// what the first one holds: they find the same, in memory, from the store and
// opened again.
func TestF16(t *testing.T) {
	for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
		t.Run(metric.String(), func(t *testing.T) {
			t.Parallel()
			wide := newPoints(t, memory(t), metric, 48, vecindex.Options{})
			cfg := wide.cfg
			cfg.Element = vecindex.F16
			half := newPointsOf(t, memory(t), cfg, vecindex.Options{})
			half.put(upTo(2600)...)
			half.settle()
			rounded := map[uint64][]float32{}
			half.view(func(v *vecindex.View) {
				for e, err := range v.All(t.Context()) {
					half.must(err)
					rounded[e.ID] = slices.Clone(e.Vector)
				}
			})
			worst := 0.0
			for id, x := range half.live {
				norm := 1.0
				if metric == vecindex.Cosine {
					norm = 0
					for _, y := range x {
						norm += float64(y) * float64(y)
					}
					norm = math.Sqrt(norm)
				}
				for i, y := range x {
					y := float64(y) / norm
					worst = max(worst, math.Abs(float64(rounded[id][i])-y)/max(math.Abs(y), 0x1p-14))
				}
			}
			if worst > 0x1p-11*1.001 || worst < 0x1p-13 {
				t.Errorf("elements are off by %v of themselves, not by 2^-11 at most", worst)
			}
			// Unless scaled again, which a length of not quite 1 is by a space
			// of 32 bits, the stored vectors are the same.
			if metric == vecindex.Cosine {
				wide.cfg.Metric = vecindex.InnerProduct
				wide.reopen()
				half.cfg.Metric = vecindex.InnerProduct
				half = newPointsOf(t, memory(t), half.cfg, vecindex.Options{})
				half.live = rounded
				half.putAs(half, upTo(2600))
				half.settle()
			}
			wide.live = rounded
			wide.putAs(wide, upTo(2600))
			wide.settle()
			query := half.draw()
			answers := func(p *points) (all []vecindex.Hit) {
				p.view(func(v *vecindex.View) {
					for _, exact := range []bool{false, true} {
						var err error
						all, err = v.Search(t.Context(), vecindex.Search{Vector: query, K: 20, Exact: exact}, all)
						p.must(err)
					}
				})
				return all
			}
			want := answers(wide)
			if got := answers(half); !slices.Equal(got, want) {
				t.Errorf("found %v, not %v", got, want)
			}
			half.reopen()
			if got := answers(half); !slices.Equal(got, want) {
				t.Errorf("opened again: found %v, not %v", got, want)
			}
			half.opt.MaxMirrorBytes = -1
			half.reopen()
			if got := answers(half); !slices.Equal(got[20:], want[20:]) {
				t.Errorf("from the store: found %v, not %v", got, want)
			}
			half.check()
			half.cfg.Element = vecindex.F32
			_, err := vecindex.Open(t.Context(), half.st, half.cfg, nil)
			if !errors.Is(err, vecindex.ErrModelMismatch) {
				t.Errorf("opened as 32 bits: %v", err)
			}
		})
	}
}
