package vecindex_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

// source returns where the index searches.
func (p *points) source() string {
	p.t.Helper()
	s, err := p.ix.Stats(p.t.Context())
	p.must(err)
	return s.Source
}

// TestColdSearch says that searches of a graph that is in the store only find
// what they find in memory, to the bit, and that it is read when they have read
// a tenth of it.
func TestColdSearch(t *testing.T) {
	type variant struct {
		name string
		cfg  vecindex.Config
		opt  vecindex.Options
	}
	var all []variant
	for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
		cfg := config(metric)
		cfg.Kind, cfg.Dim, cfg.Seed, cfg.M = vecindex.HNSW, 48, 7, 8
		all = append(all, variant{metric.String(), cfg, vecindex.Options{Rerank: vecindex.RerankPlane}})
	}
	stored, half, plain := all[0], all[1], all[2]
	stored.name, stored.opt.Rerank = "store", vecindex.RerankStore
	half.name, half.cfg.Element = "f16", vecindex.F16
	plain.name, plain.cfg.Dim = "plain", 24
	for _, v := range append(all, stored, half, plain) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			p := newPointsOf(t, memory(t), v.cfg, v.opt)
			p.put(upTo(2700)...)
			p.putLayered(upTo(300)...) // some are of other layers
			p.must(p.ix.Flush(t.Context(), p.commit))
			p.delete(upTo(40)...)
			p.must(p.ix.Flush(t.Context(), p.commit))
			p.put(4000, 4001, 4002) // are not linked yet
			queries := []vecindex.Search{
				{Vector: p.draw(), K: 10},
				{Vector: p.live[4001], K: 3, Ef: 100},
				{Vector: p.draw(), K: 150},
				{Vector: p.draw(), Layers: []vecindex.LayerK{{Layer: 1, K: 5}, {Layer: 0, K: 7}, {Layer: 9, K: 2}}},
			}
			answers := func() (out [][]vecindex.Hit) {
				p.view(func(v *vecindex.View) {
					for _, q := range queries {
						hits, err := v.Search(t.Context(), q, nil)
						p.must(err)
						out = append(out, hits)
					}
				})
				return out
			}
			same := func(when string, got, want [][]vecindex.Hit) {
				t.Helper()
				for i := range want {
					if !slices.Equal(got[i], want[i]) {
						t.Errorf("%s, search %d: found %v, not %v", when, i, got[i], want[i])
					}
				}
			}
			if p.source() != vecindex.Memory {
				t.Fatalf("linked in %v", p.source())
			}
			want := answers()
			if !slices.ContainsFunc(want[1], func(h vecindex.Hit) bool { return h.ID == 4001 }) {
				t.Errorf("what is not linked is not found: %v", want[1])
			}
			for i := range queries {
				// The first search after opening walks; those that follow read
				// the graph, a walk having read a tenth of it.
				p.reopen()
				queries := queries[i : i+1]
				p.view(func(v *vecindex.View) {
					hits, err := v.Search(t.Context(), queries[0], nil)
					p.must(err)
					same("opened again", [][]vecindex.Hit{hits}, want[i:i+1])
				})
				if p.source() != vecindex.Unloaded {
					t.Errorf("a search made it %v", p.source())
				}
			}
			for n := 0; p.source() == vecindex.Unloaded; n++ {
				if n == 3 {
					t.Fatal("searches left it unloaded")
				}
				same("later", answers(), want)
			}
			same("in memory", answers(), want)

			// A walk is not for what looks at a part.
			p.reopen()
			p.view(func(v *vecindex.View) {
				_, err := v.Search(t.Context(), vecindex.Search{Vector: queries[0].Vector, K: 5, Exact: true}, nil)
				p.must(err)
			})
			if p.source() != vecindex.Memory {
				t.Errorf("an exact search left it %v", p.source())
			}
		})
	}
}
