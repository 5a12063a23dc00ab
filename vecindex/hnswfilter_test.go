package vecindex_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// filters are bitmaps of many shapes for ids below n. far names a cluster.
func filters(rng *rand.Rand, n int, far *roaring.Bitmap) map[string]*roaring.Bitmap {
	share := func(part float64) *roaring.Bitmap {
		b := roaring.New()
		for _, id := range rng.Perm(n)[:int(part*float64(n))] {
			b.Add(uint32(id))
		}
		return b
	}
	outside := roaring.New()
	outside.AddRange(uint64(n), uint64(2*n))
	half := share(0.02)
	half.Or(outside)
	return map[string]*roaring.Bitmap{
		"0.1%": share(0.001), "1%": share(0.01), "10%": share(0.1), "50%": share(0.5), "100%": share(1),
		"empty": roaring.New(), "one": roaring.BitmapOf(uint32(rng.IntN(n))),
		"outside": outside, "2% and outside": half, "far cluster": far,
		"all but one": func() *roaring.Bitmap { b := share(1); b.Remove(7); return b }(),
	}
}

// TestHNSWFilters asks for what bitmaps allow: everything that matches is found
// where there is no more of it than wanted, and almost everything else.
func TestHNSWFilters(t *testing.T) {
	n, queries := uint64(4000), 160
	if *long {
		n, queries = 5000, 200
	}
	for _, c := range []struct {
		metric vecindex.Metric
		rerank vecindex.Rerank
		layers int
		least  float64 // recall
	}{{vecindex.Cosine, vecindex.RerankPlane, 2, 0.99}, {vecindex.L2, vecindex.RerankStore, 1, 0.97}} {
		t.Run(fmt.Sprintf("%s/%s/layers=%d", c.metric, c.rerank, c.layers), func(t *testing.T) {
			t.Parallel()
			s := newSurvivor(t, vecindex.HNSW, c.metric)
			s.shape = clustered(48)
			s.cfg.Dim, s.cfg.M, s.cfg.EfConstruction = 48, 16, 200
			s.ix = mustOpen(t, s.st, s.cfg, &vecindex.Options{Rerank: c.rerank})
			s.put(c.layers, span(0, n)...)
			// The last ids are a cluster that no query is near.
			far := roaring.New()
			s.update(func(w *vecindex.Write) {
				for id := n - 60; id < n; id++ {
					far.Add(uint32(id))
					v := s.shape.draw(s.rng)
					for i := range v {
						v[i] = -20 + v[i]/8
					}
					s.must(w.Put(t.Context(), id, 0, v))
					s.now[id] = entry{0, storedForm(c.metric, v)}
				}
			})
			s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
			s.filtered("linked", queries/4, c.least-0.005, far)
			s.delete(span(500, 1500)...)
			s.put(c.layers, span(2000, 2700)...)
			st, err := s.ix.Stats(t.Context())
			s.must(err)
			if st.Dead != 1700 || st.Pending != 700 {
				t.Errorf("stats %+v", st)
			}
			s.filtered("dead", queries, c.least, far)
			s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
			s.filtered("repaired", queries/4, c.least-0.005, far)
		})
	}
}

func (s *survivor) filtered(when string, queries int, least float64, far *roaring.Bitmap) {
	s.t.Helper()
	v, err := s.ix.At(s.t.Context(), s.st, s.seq)
	s.must(err)
	defer v.Close()
	all := filters(s.rng, 5000, far)
	for name, allow := range all {
		found, wanted := 0, 0
		for i := range queries {
			q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 10, Ef: 64, Allow: allow}
			got, err := v.Search(s.t.Context(), q, nil)
			s.must(err)
			if i%50 == 0 { // the model is slow
				if _, err := judge(s.metric, 1e-2, s.now, q, got); err != nil {
					s.t.Fatalf("%s, %s: %v", when, name, err)
				}
			}
			q.Exact = true
			want, err := v.Search(s.t.Context(), q, nil)
			s.must(err)
			if len(got) != len(want) {
				s.t.Fatalf("%s, %s: %d hits of %d", when, name, len(got), len(want))
			}
			wanted += len(want)
			for _, h := range got {
				if !allow.Contains(uint32(h.ID)) {
					s.t.Fatalf("%s, %s: %d is not allowed", when, name, h.ID)
				}
				if slices.ContainsFunc(want, func(o vecindex.Hit) bool { return o.ID == h.ID }) {
					found++
				}
			}
		}
		if r := float64(found) / float64(max(wanted, 1)); wanted > 0 && r < least {
			s.t.Errorf("%s, %s: recall %.4f", when, name, r)
		}
		if wanted == 0 && name != "empty" && name != "outside" && name != "one" {
			s.t.Errorf("%s, %s: nothing to find", when, name)
		}
	}
}

// TestHNSWFilterOfOldView asks a View by id for vectors that were replaced
// since and whose successors are in the graph.
func TestHNSWFilterOfOldView(t *testing.T) {
	s := newSurvivor(t, vecindex.HNSW, vecindex.L2)
	s.put(1, span(0, 1500)...)
	s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
	snap, err := s.st.Snapshot(t.Context())
	s.must(err)
	defer snap.Close()
	old, err := s.ix.At(t.Context(), snap, s.seq)
	s.must(err)
	defer old.Close()
	want := state{}
	for id, e := range s.now {
		want[id] = e
	}
	s.put(1, span(0, 300)...)
	s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
	for _, allow := range []*roaring.Bitmap{roaring.BitmapOf(9), roaring.BitmapOf(9, 10, 1000, 9999)} {
		q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 5, Allow: allow}
		got, err := old.Search(t.Context(), q, nil)
		s.must(err)
		if _, err := judge(s.metric, 1e-3, want, q, got); err != nil {
			t.Error(err)
		}
	}
}

// TestHNSWRefuses gives an index what it cannot take: the error says what, and
// nothing is written.
func TestHNSWRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	spoilt := func(at int, x float32) []float32 {
		v := make([]float32, 36)
		for i := range v {
			v[i] = float32(1 + i%8)
		}
		v[at] = x
		return v
	}
	for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
		for _, linked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/linked=%t", metric, linked), func(t *testing.T) {
				s := newSurvivor(t, vecindex.HNSW, metric)
				s.put(2, span(0, 1100)...)
				if linked {
					s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
				}
				before := records(t, s.st)
				v, err := s.ix.At(t.Context(), s.st, s.seq)
				s.must(err)
				defer v.Close()
				b := s.st.NewBatch()
				w, err := s.ix.Begin(t.Context(), b, s.seq+1)
				s.must(err)
				for _, c := range []struct {
					name  string
					v     []float32
					want  error
					fault string
				}{
					{"none", nil, vecindex.ErrDimension, ""},
					{"short", make([]float32, 35), vecindex.ErrDimension, ""},
					{"long", make([]float32, 37), vecindex.ErrDimension, ""},
					{"NaN", spoilt(3, nan), vecindex.ErrVector, vecindex.FaultNaN},
					{"Inf", spoilt(7, inf), vecindex.ErrVector, vecindex.FaultInf},
					{"-Inf", spoilt(0, -inf), vecindex.ErrVector, vecindex.FaultInf},
					{"zero", make([]float32, 36), vecindex.ErrVector, vecindex.FaultZero},
				} {
					_, searched := v.Search(t.Context(), vecindex.Search{Vector: c.v, K: 3}, nil)
					_, scored := v.Score(t.Context(), c.v, []uint64{1}, nil)
					for what, err := range map[string]error{
						"put": w.Put(t.Context(), 5, 0, c.v), "search": searched, "score": scored,
					} {
						if c.name == "zero" && (metric != vecindex.Cosine && what != "put") {
							s.must(err) // a query of that metric
							continue
						}
						var ve *vecindex.VectorError
						if !errors.Is(err, c.want) || c.want == vecindex.ErrVector && (!errors.As(err, &ve) || ve.Fault != c.fault) {
							t.Errorf("%s, %s: %v", c.name, what, err)
						}
					}
				}
				for _, ef := range []int{-1, vecindex.MaxEf + 1, math.MinInt} {
					_, err := v.Search(t.Context(), vecindex.Search{Vector: spoilt(0, 1), K: 3, Ef: ef}, nil)
					if !errors.Is(err, vecindex.ErrRange) {
						t.Errorf("Ef %d: %v", ef, err)
					}
				}
				for _, k := range []int{0, -1, math.MinInt} {
					q := vecindex.Search{Vector: spoilt(0, 1), K: k}
					hits, err := v.Search(t.Context(), q, nil)
					if err != nil || len(hits) != 0 {
						t.Errorf("K %d: %v, %v", k, hits, err)
					}
					q.Layers = []vecindex.LayerK{{Layer: 0, K: k}, {Layer: 1, K: 2}}
					hits, err = v.Search(t.Context(), q, nil)
					if err != nil || len(hits) != 2 || hits[0].Layer != 1 {
						t.Errorf("layer 0 with K %d: %v, %v", k, hits, err)
					}
				}
				if hits, err := v.Search(t.Context(), vecindex.Search{Vector: spoilt(0, 1), K: math.MaxInt}, nil); err != nil || len(hits) != 1100 {
					t.Errorf("K without bound: %d hits, %v", len(hits), err)
				}
				if _, err := v.Search(t.Context(), vecindex.Search{Vector: spoilt(0, 1), Layers: []vecindex.LayerK{{K: 1}, {K: 2}}}, nil); err == nil {
					t.Error("a layer may be asked for twice")
				}
				for _, id := range []uint64{1100, 1 << 32, math.MaxUint64} {
					if _, err := v.Vector(t.Context(), id, nil); !errors.Is(err, kv.ErrNotFound) {
						t.Errorf("vector of %d: %v", id, err)
					}
					if scores, err := v.Score(t.Context(), spoilt(0, 1), []uint64{id}, nil); err != nil || !math.IsInf(float64(scores[0]), -1) {
						t.Errorf("score of %d: %v, %v", id, scores, err)
					}
					if ok, err := w.Delete(t.Context(), id); err != nil || ok {
						t.Errorf("delete %d: %t, %v", id, ok, err)
					}
				}
				s.must(s.st.Apply(t.Context(), b, kv.NoSync))
				w.Publish()
				if !samePairs(records(t, s.st), before) {
					t.Error("records changed")
				}
				s.answers("after all that was refused")
			})
		}
	}
}
