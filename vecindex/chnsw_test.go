package vecindex_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

// layered is points in layers: id modulo 1000 below 8 is layer 2, below 80
// layer 1, the rest layer 0.
func layerOf(id uint64) uint8 {
	switch n := id % 1000; {
	case n < 8:
		return 2
	case n < 80:
		return 1
	}
	return 0
}

func (p *points) putLayered(ids ...uint64) {
	p.t.Helper()
	p.update(func(w *vecindex.Write) {
		for _, id := range ids {
			v := p.draw()
			p.must(w.Put(p.t.Context(), id, layerOf(id), v))
			p.live[id] = v
		}
	})
}

// layers searches all layers in one descent and returns, for each, the share of
// the exact answers that are found.
func (p *points) layers(queries int, k [3]int) (recall [3]float64) {
	p.t.Helper()
	counts := [3]int{}
	for id := range p.live {
		counts[layerOf(id)]++
	}
	p.view(func(v *vecindex.View) {
		for range queries {
			q := vecindex.Search{Vector: p.draw(), Ef: 64, Layers: []vecindex.LayerK{{Layer: 1, K: k[1]}, {Layer: 0, K: k[0]}, {Layer: 2, K: k[2]}}}
			got, err := v.Search(p.t.Context(), q, nil)
			p.must(err)
			q.Exact = true
			want, err := v.Search(p.t.Context(), q, nil)
			p.must(err)
			for i, h := range got {
				if _, ok := p.live[h.ID]; !ok || h.Layer != layerOf(h.ID) {
					p.t.Fatalf("hit %+v", h)
				}
				if i > 0 && got[i-1].Layer == h.Layer && got[i-1].Score < h.Score {
					p.t.Fatalf("hits out of order: %v", got)
				}
			}
			for l := range k {
				in := func(hits []vecindex.Hit) (out []uint64) {
					for _, h := range hits {
						if int(h.Layer) == l {
							out = append(out, h.ID)
						}
					}
					return out
				}
				a, b := in(got), in(want)
				if len(a) != min(k[l], counts[l]) || len(b) != len(a) {
					p.t.Fatalf("layer %d: %d hits, %d exact ones, of %d", l, len(a), len(b), counts[l])
				}
				if len(a) == 0 {
					recall[l] += 1 / float64(queries)
				}
				for _, id := range a {
					if slices.Contains(b, id) {
						recall[l] += 1 / float64(queries*max(1, len(a)))
					}
				}
			}
		}
	})
	return recall
}

func TestLayersInOneDescent(t *testing.T) {
	for name, open := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPoints(t, open(t), vecindex.Cosine, 40, vecindex.Options{})
			p.cfg.Kind = vecindex.CHNSW
			p.reopen()
			good := func(when string) {
				t.Helper()
				for l, r := range p.layers(100, [3]int{10, 10, 5}) {
					if r < 0.98 {
						t.Errorf("%s: recall %.3f in layer %d", when, r, l)
					}
				}
			}
			n := 2400
			if *long {
				n = 6000
			}
			ids := upTo(n)
			for part := range slices.Chunk(ids, n/4) {
				p.putLayered(part...)
				p.must(p.ix.Tend(t.Context(), p.commit))
				p.check()
			}
			good("some pending")
			p.must(p.ix.Flush(t.Context(), p.commit))
			p.check()
			good("linked")
			p.reopen()
			good("opened again")
			for range 3 {
				p.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				p.delete(ids[:n*3/20]...)
				good("with dead nodes")
				p.must(p.ix.Flush(t.Context(), p.commit))
				p.check()
				p.putLayered(ids[:n*3/20]...)
				p.must(p.ix.Flush(t.Context(), p.commit))
				p.check()
			}
			good("after churn")
			var top []uint64 // a layer goes, and comes again
			for _, id := range ids {
				if layerOf(id) == 1 {
					top = append(top, id)
				}
			}
			p.delete(top...)
			p.must(p.ix.Flush(t.Context(), p.commit))
			p.check()
			good("without a layer")
			p.putLayered(top...)
			p.settle()
			p.check()
			good("settled")
		})
	}
}

// TestDownIsNearest says that the nodes of a layer lead to the nearest of the
// one below, however they came.
func TestDownIsNearest(t *testing.T) {
	p := newPoints(t, memory(t), vecindex.Cosine, 24, vecindex.Options{})
	p.cfg.Kind = vecindex.CHNSW
	p.reopen()
	ids := upTo(5000)
	p.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for part := range slices.Chunk(ids, 250) {
		p.putLayered(part...)
		p.must(p.ix.Flush(t.Context(), p.commit))
	}
	p.delete(ids[:500]...)
	p.must(p.ix.Flush(t.Context(), p.commit))
	cos := func(a, b []float32) float64 {
		var ab, aa, bb float64
		for i := range a {
			ab += float64(a[i]) * float64(b[i])
			aa += float64(a[i]) * float64(a[i])
			bb += float64(b[i]) * float64(b[i])
		}
		return ab / math.Sqrt(aa*bb)
	}
	nearest, above := 0, 0
	for id, v := range p.live {
		if layerOf(id) == 0 {
			continue
		}
		below, ok := p.ix.Down(id)
		if !ok {
			t.Fatalf("node %d of layer %d leads nowhere", id, layerOf(id))
		}
		best := math.Inf(-1)
		for o, w := range p.live {
			if layerOf(o)+1 == layerOf(id) {
				best = max(best, cos(v, w))
			}
		}
		above++
		if cos(v, p.live[below]) >= best-1e-3 {
			nearest++
		}
	}
	if share := float64(nearest) / float64(above); share < 0.99 {
		t.Errorf("%.3f of %d nodes lead to the nearest below", share, above)
	}
}

// TestLayersTogether asks for the best of all layers together: each hit is of
// the layer that it is said to be of, and stands there once.
func TestLayersTogether(t *testing.T) {
	p := newPoints(t, memory(t), vecindex.Cosine, 40, vecindex.Options{})
	p.cfg.Kind = vecindex.CHNSW
	p.reopen()
	ids := upTo(2400)
	for i, id := range ids { // more of the upper layers than usual
		ids[i] = id * 37
	}
	p.putLayered(ids...)
	p.settle()
	p.view(func(v *vecindex.View) {
		seen := map[uint8]bool{}
		for range 20 {
			q := vecindex.Search{Vector: p.draw(), K: 60, Ef: 64}
			hits, err := v.Search(t.Context(), q, nil)
			p.must(err)
			once := map[uint64]bool{}
			for _, h := range hits {
				if once[h.ID] || h.Layer != layerOf(h.ID) {
					t.Fatalf("hit %+v of layer %d, among %d", h, layerOf(h.ID), len(hits))
				}
				once[h.ID], seen[h.Layer] = true, true
			}
		}
		if len(seen) < 2 {
			t.Errorf("hits of layers %v", seen)
		}
	})
}
