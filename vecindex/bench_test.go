package vecindex_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

const benchDim = 512

// benchIndex fills a store with n vectors and returns a query too. With a
// negative limit the store is on disk and compacted.
func benchIndex(b *testing.B, n int, limit int64) (kv.Store, *vecindex.Index, []float32) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	vector := func() []float32 {
		v := make([]float32, benchDim)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		return v
	}
	var st kv.Store
	if limit < 0 {
		disk, err := pebblekv.Open(b.Context(), b.TempDir(), layout.Schema(), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := disk.Close(); err != nil {
				b.Error(err)
			}
		})
		defer func() {
			if err := disk.Compact(b.Context(), nil, nil); err != nil {
				b.Error(err)
			}
		}()
		st = disk
	} else {
		st = memory(b)
	}
	cfg := config(vecindex.Cosine)
	cfg.Dim = benchDim
	ix := mustOpen(b, st, cfg, &vecindex.Options{MaxMirrorBytes: limit})
	for seq, id := uint64(1), 0; id < n; seq++ {
		batch := st.NewBatch()
		w, err := ix.Begin(b.Context(), batch, seq)
		if err != nil {
			b.Fatal(err)
		}
		for range min(1000, n-id) {
			if err := w.Put(b.Context(), uint64(id), 0, vector()); err != nil {
				b.Fatal(err)
			}
			id++
		}
		if err := st.Apply(b.Context(), batch, kv.NoSync); err != nil {
			b.Fatal(err)
		}
		w.Publish()
	}
	return st, ix, vector()
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 40_000} {
		for _, c := range []struct {
			name  string
			limit int64
			allow float64 // share of the ids; 0 for no bitmap
		}{
			{"memory", 0, 0},
			{"memory/allow=0.5", 0, 0.5},
			{"memory/allow=0.3", 0, 0.3},
			{"memory/allow=0.2", 0, 0.2},
			{"memory/allow=0.01", 0, 0.01},
			{"disk", -1, 0},
			{"disk/allow=0.1", -1, 0.1},
			{"disk/allow=0.05", -1, 0.05},
		} {
			b.Run(fmt.Sprintf("%s/%dx%d", c.name, n, benchDim), func(b *testing.B) {
				st, ix, q := benchIndex(b, n, c.limit)
				s := vecindex.Search{Vector: q, K: 10}
				if c.allow > 0 {
					rng := rand.New(rand.NewPCG(2, 2))
					s.Allow = roaring.New()
					for id := range n {
						if rng.Float64() < c.allow {
							s.Allow.Add(uint32(id))
						}
					}
				}
				v := viewOf(b, st, ix, 1<<40)
				dst := make([]vecindex.Hit, 0, s.K)
				if _, err := v.Search(b.Context(), s, dst); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := v.Search(b.Context(), s, dst); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vector")
			})
		}
	}
}

func BenchmarkScore(b *testing.B) {
	const n = 40_000
	for _, c := range []struct {
		name  string
		limit int64
	}{{"memory", 0}, {"disk", -1}} {
		b.Run(c.name, func(b *testing.B) {
			st, ix, q := benchIndex(b, n, c.limit)
			v := viewOf(b, st, ix, 1<<40)
			rng := rand.New(rand.NewPCG(2, 2))
			ids := make([]uint64, 1000)
			for i := range ids {
				ids[i] = uint64(rng.IntN(n))
			}
			dst := make([]float32, 0, len(ids))
			if _, err := v.Score(b.Context(), q, ids, dst); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Score(b.Context(), q, ids, dst); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/id")
		})
	}
}

// BenchmarkLoad builds the mirror from the store.
func BenchmarkLoad(b *testing.B) {
	const n = 10_000
	st, ix, q := benchIndex(b, n, 0)
	cfg := ix.Config()
	for b.Loop() {
		fresh := mustOpen(b, st, cfg, nil)
		v, err := fresh.At(b.Context(), st, 1<<40)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Search(b.Context(), vecindex.Search{Vector: q, K: 1}, nil); err != nil {
			b.Fatal(err)
		}
		if fresh.MemoryBytes() == 0 {
			b.Fatal("no mirror was built")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/vector")
}

// BenchmarkPut replaces vectors, 100 a commit, with the mirror in memory.
func BenchmarkPut(b *testing.B) {
	const n, perCommit = 10_000, 100
	st, ix, q := benchIndex(b, n, 0)
	if _, err := viewOf(b, st, ix, 1<<40).Search(b.Context(), vecindex.Search{Vector: q, K: 1}, nil); err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	seq := uint64(1 << 20)
	for b.Loop() {
		seq++
		batch := st.NewBatch()
		w, err := ix.Begin(b.Context(), batch, seq)
		if err != nil {
			b.Fatal(err)
		}
		for range perCommit {
			if err := w.Put(b.Context(), uint64(rng.IntN(n)), 0, q); err != nil {
				b.Fatal(err)
			}
		}
		if err := st.Apply(b.Context(), batch, kv.NoSync); err != nil {
			b.Fatal(err)
		}
		w.Publish()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perCommit, "ns/put")
}
