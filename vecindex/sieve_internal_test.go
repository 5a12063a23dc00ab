package vecindex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// drawn returns vectors that are hard to tell apart by codes: of one direction,
// with one large element among small ones, with few elements, very long, very
// short, and any.
func drawn(rng *rand.Rand, n, dim int) [][]float32 {
	base := make([]float32, dim)
	for i := range base {
		base[i] = float32(rng.NormFloat64())
	}
	out := make([][]float32, n)
	for r := range out {
		v := make([]float32, dim)
		scale := 1.0
		switch r % 6 {
		case 0: // almost the same as others
			for i := range v {
				v[i] = base[i] + float32(1e-4*rng.NormFloat64())
			}
		case 1: // one element hides the others from the code
			for i := range v {
				v[i] = float32(1e-3 * rng.NormFloat64())
			}
			v[rng.IntN(dim)] = 1
		case 2:
			v[rng.IntN(dim)], v[rng.IntN(dim)] = 1, -2
		case 3:
			scale = 1e12
		case 4:
			scale = 1e-33
		}
		for i := range v {
			if r%6 > 2 {
				v[i] = float32(scale * rng.NormFloat64())
			}
		}
		out[r] = v
	}
	return out
}

// TestSieveBounds says that no score exceeds the bound that codes give it.
func TestSieveBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, dim := range []int{sieveDim, 100, 512, 1536} {
		vs := drawn(rng, 120, dim)
		c := newChunk(len(vs), dim, wholeRows, true)
		e := newCoder(dim)
		for i, v := range vs {
			c.fill(i, v, e)
		}
		var s sieve
		near := 0
		for qi, q := range append(vs, make([]float32, dim)) {
			s.set(q, e)
			s.bounds(c, 0, len(vs))
			for i, v := range vs {
				estimate, within := s.bound(i, &c.residues[i])
				score, bound := float64(InnerProduct.score(q, v)), estimate+within
				if score > bound {
					t.Fatalf("dim %d, query %d, row %d: score %g exceeds the bound %g", dim, qi, i, score, bound)
				}
				if norms := float64(c.residues[i].norm) * s.perRest; norms > 1e-20 && bound-score < 0.05*norms {
					near++
				}
			}
		}
		if share := float64(near) / float64(len(vs)*len(vs)); share < 0.4 {
			t.Errorf("dim %d: %.2f of the bounds are near", dim, share)
		}
	}
}

// TestSift says that a search that passes over rows by their codes finds what
// comparing all of them finds, to the bit.
func TestSift(t *testing.T) {
	ctx := t.Context()
	for _, metric := range []Metric{Cosine, InnerProduct} {
		for _, n := range []int{40, 700, 3000} {
			t.Run(fmt.Sprintf("%v/%d", metric, n), func(t *testing.T) {
				const dim = 96
				rng := rand.New(rand.NewPCG(uint64(n), 2))
				st := memkv.New(layout.Schema())
				defer st.Close()
				cfg := Config{Table: layout.Table{Graph: 1, Space: 1}, Dim: dim, Model: "m", Metric: metric}
				ix, err := Open(ctx, st, cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				vs := drawn(rng, n, dim)
				seq := uint64(0)
				commit := func(write func(w *Write) error) {
					t.Helper()
					seq++
					b := st.NewBatch()
					w, err := ix.Begin(ctx, b, seq)
					if err == nil {
						err = write(w)
					}
					if err == nil {
						err = st.Apply(ctx, b, kv.NoSync)
					}
					if err != nil {
						t.Fatal(err)
					}
					w.Publish()
				}
				live := map[uint64]bool{}
				check := func() {
					t.Helper()
					v, err := ix.At(ctx, st, seq)
					if err != nil {
						t.Fatal(err)
					}
					defer v.Close()
					some := roaring.New()
					for id := range live {
						if rng.IntN(5) > 0 {
							some.Add(uint32(id))
						}
					}
					for _, q := range append(drawn(rng, 12, dim), vs[0], vs[1]) {
						if metric == Cosine && slices.Max(q) == 0 {
							continue
						}
						for _, s := range []Search{
							{Vector: q, K: 1}, {Vector: q, K: 10}, {Vector: q, K: 10, Allow: some},
							{Vector: q, Layers: []LayerK{{0, 7}, {2, 3}}},
						} {
							have, err := v.Search(ctx, s, nil)
							if err != nil {
								t.Fatal(err)
							}
							if want := bruteForce(t, &cfg, vs, live, s); !slices.Equal(have, want) {
								t.Fatalf("K %d, layers %v:\nhave %v\nwant %v", s.K, s.Layers, have, want)
							}
						}
					}
				}
				commit(func(w *Write) error {
					for i, x := range vs {
						if live[uint64(i)] = true; w.Put(ctx, uint64(i), uint8(i%3), x) != nil {
							delete(live, uint64(i)) // too short for its metric
						}
					}
					return nil
				})
				check()
				commit(func(w *Write) error { // moves rows to other chunks
					for i := range vs {
						if live[uint64(i)] && i%3 == 1 {
							delete(live, uint64(i))
							if _, err := w.Delete(ctx, uint64(i)); err != nil {
								return err
							}
						}
					}
					return nil
				})
				check()
			})
		}
	}
}

// bruteForce is the search by definition.
func bruteForce(t *testing.T, cfg *Config, vs [][]float32, live map[uint64]bool, s Search) []Hit {
	t.Helper()
	q, err := cfg.appendPrepared(nil, s.Vector, asks)
	if err != nil {
		t.Fatal(err)
	}
	groups := s.Layers
	if groups == nil {
		groups = []LayerK{{math.MaxUint8, s.K}}
	}
	var out []Hit
	for _, g := range groups {
		var hits []Hit
		for i, v := range vs {
			id, layer := uint64(i), uint8(i%3)
			if !live[id] || s.Layers != nil && layer != g.Layer || s.Allow != nil && !s.Allow.Contains(uint32(id)) {
				continue
			}
			x, err := cfg.appendPrepared(nil, v, stores)
			if err != nil {
				t.Fatal(err)
			}
			hits = append(hits, Hit{ID: id, Layer: layer, Score: cfg.Metric.score(q, x)})
		}
		slices.SortFunc(hits, compareHits)
		out = append(out, hits[:min(len(hits), g.K)]...)
	}
	return out
}
