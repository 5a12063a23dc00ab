//go:build !race

// The race detector makes sync.Pool drop what it holds at random.

package vecindex_test

import (
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

func TestSearchAllocatesNothing(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.Cosine), nil)
	in := map[uint64][]float32{}
	for id := range uint64(1000) {
		in[id] = unit(int(id)%dim, 1)
	}
	put(t, st, ix, 1, in)
	v := viewOf(t, st, ix, 1)
	dst := make([]vecindex.Hit, 0, 20)
	q := vecindex.Search{Vector: unit(2, 5), K: 20}
	run := func() {
		if _, err := v.Search(t.Context(), q, dst); err != nil {
			t.Fatal(err)
		}
	}
	run()
	// A collection may empty the pool once in a while; never every time.
	if n := testing.AllocsPerRun(200, run); n >= 1 {
		t.Errorf("%g allocations a search", n)
	}
}

func TestGraphSearchAllocatesNothing(t *testing.T) {
	for _, kind := range []vecindex.Kind{vecindex.HNSW, vecindex.CHNSW} {
		p := newPoints(t, memory(t), vecindex.Cosine, 32, vecindex.Options{Rerank: vecindex.RerankPlane})
		p.cfg.Kind = kind
		p.reopen()
		p.put(upTo(3000)...)
		p.must(p.ix.Flush(t.Context(), p.commit))
		p.view(func(v *vecindex.View) {
			dst := make([]vecindex.Hit, 0, 20)
			q := vecindex.Search{Vector: p.draw(), K: 20}
			run := func() {
				if _, err := v.Search(t.Context(), q, dst); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if n := testing.AllocsPerRun(200, run); n >= 1 {
				t.Errorf("%s: %g allocations a search", kind, n)
			}
		})
	}
}
