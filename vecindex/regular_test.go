package vecindex_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// regularVectors are vectors whose codes, centroids and lists are of the most regular
// form: vector i of some of dim elements.
func regularVectors(dim int) map[string]func(i int) []float32 {
	fill := func(at func(j int) float32) []float32 {
		v := make([]float32, dim)
		for j := range v {
			v[j] = at(j)
		}
		return v
	}
	greatest := float32(math.Sqrt(0.9e30 / float64(dim)))
	return map[string]func(i int) []float32{
		"equal": func(int) []float32 { return fill(func(int) float32 { return 1 }) },
		"unit": func(i int) []float32 {
			return fill(func(j int) float32 { return max(0, 1-float32((i-j)%dim*((i-j)%dim))) })
		},
		"opposite": func(i int) []float32 { return fill(func(int) float32 { return float32(1 - 2*(i%2)) }) },
		"steps":    func(i int) []float32 { return fill(func(int) float32 { return float32(i + 1) }) },
		"greatest": func(i int) []float32 { return fill(func(j int) float32 { return greatest * float32(1-2*((i+j)%2)) }) },
		"least": func(i int) []float32 {
			return fill(func(j int) float32 { return math.SmallestNonzeroFloat32 * float32(1+(i+j)%3) })
		},
		"small": func(i int) []float32 { return fill(func(j int) float32 { return 1e-17 * float32(1+(i+j)%5) }) },
		"near":  func(i int) []float32 { return fill(func(j int) float32 { return 1 + float32((i*7+j)%11)*0x1p-23 }) },
	}
}

// TestRegularRecords puts regular vectors, so few and so many that lists, batches and
// levels are full or have one element: what the index writes it reads, and a check finds
// nothing, when it is settled, opened again, and when nearly all are gone.
func TestRegularRecords(t *testing.T) {
	for _, kind := range []vecindex.Kind{vecindex.Flat, vecindex.HNSW, vecindex.CHNSW, vecindex.IVF} {
		for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
			t.Run(fmt.Sprint(kind, " ", metric), func(t *testing.T) {
				t.Parallel()
				for _, dim := range []int{1, 33, 65} {
					for name, at := range regularVectors(dim) {
						for _, n := range []int{1, 2, 129} {
							regularIndex(t, vecindex.Config{Kind: kind, Metric: metric, Dim: dim, M: 6, EfConstruction: 16}, fmt.Sprint(n, " ", name, " of ", dim), n, at)
						}
					}
				}
			})
		}
	}
}

func regularIndex(t *testing.T, cfg vecindex.Config, what string, n int, at func(i int) []float32) {
	t.Helper()
	cfg.Table, cfg.Model = config(cfg.Metric).Table, "m"
	st := memory(t)
	commit := commitTo(st)
	ix := mustOpen(t, st, cfg, &vecindex.Options{ExactElements: 1})
	works := func(when string, seq uint64, live int) {
		t.Helper()
		for _, again := range []bool{false, true} {
			if again {
				ix = mustOpen(t, st, cfg, &vecindex.Options{ExactElements: 1})
			}
			if err := ix.CheckGraph(t.Context(), st); err != nil {
				t.Fatalf("%s, %s, opened again %t: %v", what, when, again, err)
			}
			v, err := ix.At(t.Context(), st, seq)
			if err != nil {
				t.Fatalf("%s, %s: %v", what, when, err)
			}
			for _, exact := range []bool{false, true} {
				hits, err := v.Search(t.Context(), vecindex.Search{Vector: at(0), K: 10, Exact: exact}, nil)
				if err != nil || len(hits) != min(10, live) {
					t.Fatalf("%s, %s, opened again %t: %d of %d found, %v", what, when, again, len(hits), live, err)
				}
			}
			if _, err := ix.Stats(t.Context()); err != nil {
				t.Fatalf("%s, %s: %v", what, when, err)
			}
			v.Close()
		}
	}
	change := func(seq uint64, fn func(w *vecindex.Write, id uint64) error) {
		t.Helper()
		b := st.NewBatch()
		w, err := ix.Begin(t.Context(), b, seq)
		for i := 0; i < n && err == nil; i++ {
			err = fn(w, uint64(i))
		}
		if err == nil {
			err = st.Apply(t.Context(), b, kv.NoSync)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		w.Publish()
	}
	change(1, func(w *vecindex.Write, id uint64) error { return w.Put(t.Context(), id, 0, at(int(id))) })
	if err := ix.Settle(t.Context(), commit); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	works("settled", 1, n)
	change(2, func(w *vecindex.Write, id uint64) error {
		if id == 0 {
			return nil
		}
		_, err := w.Delete(t.Context(), id)
		return err
	})
	works("deleted", 2, 1)
	if err := ix.Flush(t.Context(), commit); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	works("flushed", 2, 1)
}
