package ivf_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// clouds returns n rows around k centres.
func clouds(n, k int) *ivf.Rows {
	rng := rand.New(rand.NewPCG(4, 1))
	var centres [][]float32
	for range k {
		centres = append(centres, normal(rng, dim, 1))
	}
	rows := ivf.NewRows(dim, n)
	for range n {
		x := normal(rng, dim, 0.1)
		for i, c := range centres[rng.IntN(k)] {
			x[i] += c
		}
		rows.AddVector(x)
	}
	return rows
}

// spread returns the mean squared distance of rows and their nearest centroids.
func spread(rows *ivf.Rows, centroids [][]float32) float64 {
	total := 0.0
	for i := range rows.Len() {
		x, least := quantised(rows.Row(i)), math.Inf(1)
		for _, c := range centroids {
			least = min(least, distanceOf(x, c, false))
		}
		total += least
	}
	return total / float64(rows.Len())
}

func TestTrain(t *testing.T) {
	rows := clouds(6000, 40)
	got, err := ivf.Train(t.Context(), rows, 60, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < 60 || len(got) > 240 {
		t.Errorf("%d lists of about 60 for 6,000 rows", len(got))
	}
	if s := spread(rows, got); s > 1.1*dim*0.01 {
		t.Errorf("spread %.3f, within a cloud it is %.3f", s, dim*0.01)
	}
	for workers := range 4 {
		again, err := ivf.Train(t.Context(), rows, 60, 5, workers)
		if err != nil || !slices.EqualFunc(got, again, slices.Equal[[]float32]) {
			t.Fatalf("%d workers: other centroids, error %v", workers, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ivf.Train(ctx, rows, 60, 5, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of an ended context", err)
	}
}

// TestTrainEqual: rows that are all the same are one list.
func TestTrainEqual(t *testing.T) {
	rows := ivf.NewRows(dim, 1000)
	x := normal(rand.New(rand.NewPCG(6, 1)), dim, 1)
	for range 1000 {
		rows.AddVector(x)
	}
	got, err := ivf.Train(t.Context(), rows, 60, 5, 2)
	if err != nil || len(got) != 1 {
		t.Errorf("%d lists, error %v", len(got), err)
	}
	if _, _, ok := ivf.Two(rows, 1); ok {
		t.Error("equal rows were divided")
	}
}

func TestTwo(t *testing.T) {
	a, b, ok := ivf.Two(clouds(300, 2), 7)
	if !ok {
		t.Fatal("not divided")
	}
	if s := spread(clouds(300, 2), [][]float32{a, b}); s > 1.2*dim*0.01 {
		t.Errorf("spread %.3f of two clouds", s)
	}
}

// TestSums: the means do not depend on the order.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	var xs [][]float32
	for range 1000 {
		xs = append(xs, normal(rng, dim, 3))
	}
	mean := func(workers int) []float32 {
		s := ivf.NewSums(dim, 70, 12)
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := w; i < len(xs); i += workers {
					s.Add(69, xs[i])
				}
			})
		}
		wg.Wait()
		if s.Count(69) != len(xs) || s.Count(0) != 0 {
			t.Fatalf("%d vectors", s.Count(69))
		}
		out := make([]float32, dim)
		s.Mean(69, out)
		return out
	}
	got := mean(1)
	for j := range got {
		sum := 0.0
		for _, x := range xs {
			sum += float64(x[j])
		}
		if want := sum / float64(len(xs)); math.Abs(float64(got[j])-want) > 1e-5 {
			t.Fatalf("element %d: %g, want %g", j, got[j], want)
		}
	}
	if !slices.Equal(got, mean(4)) {
		t.Error("four goroutines come to another mean")
	}
}
