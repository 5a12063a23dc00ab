package vecindex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

// benchGraph is an index of n clustered vectors on disk, not linked.
func benchGraph(b *testing.B, kind vecindex.Kind, n, d int) (kv.Store, *vecindex.Index, func() []float32) {
	b.Helper()
	disk, err := pebblekv.Open(b.Context(), b.TempDir(), layout.Schema(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := disk.Close(); err != nil {
			b.Error(err)
		}
	})
	var st kv.Store = disk
	cfg := config(vecindex.Cosine)
	cfg.Kind, cfg.Dim = kind, d
	ix, err := vecindex.Open(b.Context(), st, cfg, nil)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() []float32 {
		c := rand.New(rand.NewPCG(uint64(rng.IntN(200)), 9))
		v := make([]float32, d)
		for i := range v {
			v[i] = float32(c.NormFloat64() + 0.5*rng.NormFloat64())
		}
		return v
	}
	for from := 0; from < n; from += 1000 {
		batch := st.NewBatch()
		w, err := ix.Begin(b.Context(), batch, uint64(from+1))
		if err != nil {
			b.Fatal(err)
		}
		for i := range min(1000, n-from) {
			if err := w.Put(b.Context(), uint64(from+i+1), 0, draw()); err != nil {
				b.Fatal(err)
			}
		}
		if err := st.Apply(b.Context(), batch, kv.NoSync); err != nil {
			b.Fatal(err)
		}
		w.Publish()
	}
	return st, ix, draw
}

// timed is a Committer that keeps the times of its commits.
type timed struct {
	st    kv.Store
	times []time.Duration
}

func (c *timed) commit(ctx context.Context, fn func(b kv.Batch) error) error {
	start := time.Now()
	b := c.st.NewBatch()
	if err := fn(b); err != nil {
		return err
	}
	err := c.st.Apply(ctx, b, kv.NoSync)
	c.times = append(c.times, time.Since(start))
	return err
}

// BenchmarkLink links 10,240 vectors as the background does. A writer is held
// up by one commit at a time; the longest wait for a memtable of the store.
func BenchmarkLink(b *testing.B) {
	for _, d := range []int{128, 768} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			const n = 10_240 // whole batches
			c := &timed{}
			for b.Loop() {
				b.StopTimer()
				st, ix, _ := benchGraph(b, vecindex.HNSW, n, d)
				c.st = st
				b.StartTimer()
				if err := ix.Tend(b.Context(), c.commit); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "us/vector")
			slices.Sort(c.times)
			ms := func(share float64) float64 {
				return float64(c.times[int(share*float64(len(c.times)-1))].Microseconds()) / 1000
			}
			b.ReportMetric(ms(0.5), "p50-commit-ms")
			b.ReportMetric(ms(0.99), "p99-commit-ms")
			b.ReportMetric(ms(1), "max-commit-ms")
		})
	}
}

func BenchmarkSearchGraph(b *testing.B) {
	for _, d := range []int{128, 768} {
		st, ix, draw := benchGraph(b, vecindex.HNSW, 20_000, d)
		if err := ix.Flush(b.Context(), (&timed{st: st}).commit); err != nil {
			b.Fatal(err)
		}
		queries := make([][]float32, 256)
		for i := range queries {
			queries[i] = draw()
		}
		s, err := st.Snapshot(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		v, err := ix.At(b.Context(), s, 1<<40)
		if err != nil {
			b.Fatal(err)
		}
		for _, ef := range []int{16, 64, 256} {
			b.Run(fmt.Sprintf("%d/ef=%d", d, ef), func(b *testing.B) {
				b.ReportAllocs()
				var hits []vecindex.Hit
				i := 0
				for b.Loop() {
					q := vecindex.Search{Vector: queries[i%len(queries)], K: 10, Ef: ef}
					i++
					if hits, err = v.Search(b.Context(), q, hits[:0]); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(1/b.Elapsed().Seconds()*float64(b.N), "queries/s")
			})
		}
		v.Close()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWalk searches a graph on disk, each time in a View of its own.
func BenchmarkWalk(b *testing.B) {
	const n = 20_000
	st, ix, draw := benchGraph(b, vecindex.HNSW, n, 128)
	if err := ix.Flush(b.Context(), (&timed{st: st}).commit); err != nil {
		b.Fatal(err)
	}
	ix, err := vecindex.Open(b.Context(), st, ix.Config(), &vecindex.Options{MaxMirrorBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	queries := make([][]float32, 256)
	for i := range queries {
		queries[i] = draw()
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s, err := st.Snapshot(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		v, err := ix.At(b.Context(), s, 1<<40)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Search(b.Context(), vecindex.Search{Vector: queries[i%len(queries)], K: 10}, nil); err != nil {
			b.Fatal(err)
		}
		i++
		v.Close()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
