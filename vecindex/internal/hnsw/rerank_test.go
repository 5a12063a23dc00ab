package hnsw_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

func refine(t *testing.T, s *hnsw.Searcher, v *hnsw.Version, q *quant.Query, all []hnsw.Candidate, k int) []hnsw.Refined {
	t.Helper()
	out, err := s.Refine(v, q, all, k, v.LowPlane)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refineAll returns all candidates by their refined distances.
func (w *world) refineAll(q *quant.Query, all []hnsw.Candidate) []hnsw.Refined {
	v := w.g.Version()
	var out []hnsw.Refined
	for _, c := range all {
		code := v.Code(c.Slot())
		high := quant.Plane(code[w.codec.HeaderSize():][:w.d])
		out = append(out, hnsw.Refined{Slot: c.Slot(), Distance: q.Refine(code, v.Low(c.Slot()), distance.DotI8(q.High, high))})
	}
	slices.SortFunc(out, func(a, b hnsw.Refined) int {
		switch {
		case a.Distance < b.Distance, a.Distance == b.Distance && a.Slot < b.Slot:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	return out
}

// TestRerank compares both ways of reranking with refining everything.
func TestRerank(t *testing.T) {
	for _, ip := range []bool{false, true} {
		for _, d := range []int{8, 32, 100} {
			w := newWorld(t, 14, d, ip, hnsw.Params{M: 8, EfConstruction: 40, Low: true})
			w.add(0, span(0, 800), 400)
			// Some have an equal one.
			e := w.codec.NewEncoder()
			for s := range uint32(50) {
				e.Encode(w.g.Version().Code(s), w.g.Version().Low(s), w.vectors[s+100])
			}
			s := w.g.Searcher()
			var refined, sures, doubts, asked, lost, wrong, reordered int
			for range 100 {
				q := w.query()
				all := slices.Clone(s.Search(w.g.Version(), q, 0, nil, 100))
				for _, k := range []int{1, 10, 50} {
					asked += k
					exact := w.refineAll(q, all)
					best := exact[:k]
					got := refine(t, s, w.g.Version(), q, all, k)
					if len(got) != k {
						t.Fatalf("%d of %d", len(got), k)
					}
					for i, r := range got {
						if !slices.Contains(exact, r) || i > 0 && r.Distance < got[i-1].Distance {
							t.Fatalf("refined %v is out of place", r)
						}
						if r != best[i] {
							refined++
						}
					}
					if !slices.Equal(slotsOf(all[:k]), slotsOfRefined(best)) {
						reordered++
					}
					sure, doubt := s.Doubtful(w.g.Version(), q, all, k)
					ascending(t, sure)
					ascending(t, doubt)
					if len(sure) > k || len(sure)+len(doubt) < k {
						t.Fatalf("%d sure and %d doubtful of %d", len(sure), len(doubt), k)
					}
					sures, doubts = sures+len(sure), doubts+len(doubt)
					for _, r := range best {
						if !slices.Contains(slotsOf(sure), r.Slot) && !slices.Contains(slotsOf(doubt), r.Slot) {
							lost++
						}
					}
					for _, c := range sure {
						if !slices.Contains(slotsOfRefined(best), c.Slot()) {
							wrong++
						}
					}
				}
			}
			if limit := asked / 500; refined > limit || lost > limit || wrong > limit {
				t.Errorf("d %d: of %d, %d refined otherwise, %d lost, %d sure and wrong", d, asked, refined, lost, wrong)
			}
			if sures < asked/2 || doubts > asked {
				t.Errorf("d %d: of %d, %d are sure and %d doubtful", d, asked, sures, doubts)
			}
			if reordered == 0 {
				t.Error("estimates were always in the right order: nothing was tested")
			}
		}
	}
}

func slotsOfRefined(all []hnsw.Refined) []uint32 {
	var out []uint32
	for _, r := range all {
		out = append(out, r.Slot)
	}
	return out
}

func TestRerankOfFew(t *testing.T) {
	w := newWorld(t, 15, 8, false, hnsw.Params{M: 8, EfConstruction: 40, Low: true})
	w.add(0, span(0, 9), 9)
	s, q := w.g.Searcher(), w.query()
	all := slices.Clone(s.Search(w.g.Version(), q, 0, nil, 20))
	for _, k := range []int{9, 30} {
		if got := refine(t, s, w.g.Version(), q, all, k); !slices.Equal(got, w.refineAll(q, all)) {
			t.Errorf("k %d: %v", k, got)
		}
		if sure, doubt := s.Doubtful(w.g.Version(), q, all, k); !slices.Equal(sure, all) || len(doubt) != 0 {
			t.Errorf("k %d: %d sure, %d doubtful", k, len(sure), len(doubt))
		}
	}
	if got := refine(t, s, w.g.Version(), q, nil, 3); len(got) != 0 {
		t.Errorf("%v of none", got)
	}
	if sure, doubt := s.Doubtful(w.g.Version(), q, nil, 3); len(sure)+len(doubt) != 0 {
		t.Error("something of none")
	}
}
