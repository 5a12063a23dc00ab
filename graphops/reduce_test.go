package graphops_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestPCAReference(t *testing.T) {
	ref := readMeasures(t)
	for _, c := range ref.Components {
		t.Run(c.Name, func(t *testing.T) {
			r := must(graphops.PCA(t.Context(), graphops.Matrix{Dim: c.Dim, Data: c.Vectors}, graphops.ReduceOptions{Dim: c.K}))(t)
			if !r.Converged || r.Components.Len() != c.K || r.Reduced.Dim != c.K || len(r.Components.Data) != len(c.Components) || len(r.Reduced.Data) != len(c.Reduced) {
				t.Fatalf("%d components, %d reduced of %d", r.Components.Len(), r.Reduced.Len(), r.Reduced.Dim)
			}
			top := math.Sqrt(c.Variances[0])
			for k, v := range c.Variances {
				if !(math.Abs(r.Variances[k]-v) < 1e-5*c.Variances[0]) {
					t.Errorf("variance %d is %v, want %v of %s", k, r.Variances[k], v, ref.Source)
				}
			}
			for i, x := range c.Components {
				if !(math.Abs(float64(r.Components.Data[i])-x) < 1e-3) {
					t.Errorf("element %d of component %d is %v, want %v", i%c.Dim, i/c.Dim, r.Components.Data[i], x)
				}
			}
			for i, x := range c.Reduced {
				if !(math.Abs(float64(r.Reduced.Data[i])-x) < 1e-4*top) {
					t.Errorf("element %d of vector %d is %v, want %v", i%c.K, i/c.K, r.Reduced.Data[i], x)
				}
			}
		})
	}
}

func TestPCAOfFewVectors(t *testing.T) {
	for name, test := range map[string]struct {
		m graphops.Matrix
		o graphops.ReduceOptions
	}{
		"none":  {graphops.Matrix{Dim: 3}, graphops.ReduceOptions{}},
		"shape": {graphops.Matrix{}, graphops.ReduceOptions{}},
		"one":   {graphops.Matrix{Dim: 3, Data: []float32{1, 2, 3}}, graphops.ReduceOptions{Dim: 2}},
		"equal": {graphops.Matrix{Dim: 2, Data: []float32{1, 2, 1, 2, 1, 2}}, graphops.ReduceOptions{}},
	} {
		r := must(graphops.PCA(t.Context(), test.m, test.o))(t)
		if r.Reduced.Len() != test.m.Len() || r.Total != 0 || !r.Converged {
			t.Errorf("%s: %+v", name, r)
		}
		for _, x := range r.Reduced.Data {
			if x != 0 {
				t.Errorf("%s: %v", name, r.Reduced.Data)
			}
		}
	}
	// All variance along (3, 4) / 5, by 512 vectors and more.
	m := graphops.Matrix{Dim: 2}
	for i := range 700 {
		m.Data = append(m.Data, float32(3*(i%2))-100, float32(4*(i%2))+1000)
	}
	r := must(graphops.PCA(t.Context(), m, graphops.ReduceOptions{}))(t)
	want := []float32{0.6, 0.8, 0.8, -0.6}
	for i, x := range r.Components.Data {
		if !(math.Abs(float64(x-want[i])) < 1e-6) {
			t.Errorf("components %v, want %v", r.Components.Data, want)
		}
	}
	if x := 25. / 4 * 700 / 699; !(math.Abs(r.Variances[0]-x) < 1e-5) || !(r.Variances[1] < 1e-5) || !(math.Abs(r.Total-x) < 1e-5) {
		t.Errorf("variances %v of %v, want %v", r.Variances, r.Total, x)
	}
}

// The variances of all components are those of the elements, and the reduced
// vectors have the components' variances, uncorrelated.
func TestPCAKeepsVariance(t *testing.T) {
	m, _ := planted(3, 2000, 24, 30, 2, 1)
	r := must(graphops.PCA(t.Context(), m, graphops.ReduceOptions{Dim: 24}))(t)
	if x := sum(r.Variances); !(math.Abs(x-r.Total) < 1e-6*x) {
		t.Errorf("variances sum to %v, want %v", x, r.Total)
	}
	for a := range 24 {
		for b := range a + 1 {
			x := 0.0
			for i := range r.Reduced.Len() {
				x += float64(r.Reduced.Row(i)[a]) * float64(r.Reduced.Row(i)[b]) / 1999
			}
			if a == b {
				x -= r.Variances[a]
			}
			if !(math.Abs(x) < 1e-5*r.Variances[0]) {
				t.Errorf("components %d and %d are correlated by %v", a, b, x)
			}
		}
	}
}

// Distances are kept on average.
func TestRandomProjectionKeepsDistances(t *testing.T) {
	m, _ := planted(3, 300, 400, 10, 1, 1)
	mean, square, count := 0.0, 0.0, 0.0
	const dim = 30
	for seed := range uint64(40) {
		r := must(graphops.RandomProjection(t.Context(), m, graphops.ReduceOptions{Dim: dim, Seed: seed}))(t)
		for i := range 20 {
			ratio := squared(r.Row(i), r.Row(i+100)) / squared(m.Row(i), m.Row(i+100))
			mean += ratio
			square += (ratio - 1) * (ratio - 1)
			count++
		}
	}
	mean /= count
	deviation := math.Sqrt(square / count)
	if want := math.Sqrt(2. / dim); !(math.Abs(mean-1) < 0.05) || !(math.Abs(deviation-want) < 0.2*want) {
		t.Errorf("distances are %v times what they were, with deviation %v, want 1 and %v", mean, deviation, want)
	}
}

func squared(a, b []float32) (x float64) {
	for i := range a {
		y := float64(a[i]) - float64(b[i])
		x += y * y
	}
	return x
}

func TestReduceChooses(t *testing.T) {
	m, _ := planted(3, 50, 30, 3, 1, 1)
	pca := must(graphops.PCA(t.Context(), m, graphops.ReduceOptions{Dim: 4}))(t).Reduced
	random := must(graphops.RandomProjection(t.Context(), m, graphops.ReduceOptions{Dim: 4, Seed: 9}))(t)
	for name, test := range map[string]struct {
		o    graphops.ReduceOptions
		want graphops.Matrix
	}{
		"components":  {graphops.ReduceOptions{Dim: 4}, pca},
		"at the most": {graphops.ReduceOptions{Dim: 4, MaxPCA: 50, Seed: 9}, pca},
		"above it":    {graphops.ReduceOptions{Dim: 4, MaxPCA: 49, Seed: 9}, random},
		"as they are": {graphops.ReduceOptions{Dim: 30, MaxPCA: 1}, m},
	} {
		if r := must(graphops.Reduce(t.Context(), m, test.o))(t); r.Dim != test.want.Dim || !slices.Equal(r.Data, test.want.Data) {
			t.Errorf("%s: other vectors", name)
		}
	}
	if r := must(graphops.Reduce(t.Context(), m, graphops.ReduceOptions{}))(t); r.Dim != 10 || r.Len() != 50 {
		t.Errorf("%d vectors of dimension %d", r.Len(), r.Dim)
	}
}

func TestReduceIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	m, _ := planted(3, 3000, 90, 3, 1, 1)
	for _, o := range []graphops.ReduceOptions{{}, {MaxPCA: 1}} {
		o.Workers = 1
		one := must(graphops.Reduce(t.Context(), m, o))(t)
		for _, workers := range []int{2, 7} {
			o.Workers = workers
			if r := must(graphops.Reduce(t.Context(), m, o))(t); !slices.Equal(r.Data, one.Data) {
				t.Errorf("%d workers differ from one", workers)
			}
		}
	}
}

func TestReduceOptions(t *testing.T) {
	m, _ := planted(3, 50, 30, 3, 1, 1)
	nan := graphops.Matrix{Dim: 2, Data: []float32{1, float32(math.NaN())}}
	huge := graphops.Matrix{Dim: 100, Data: slices.Concat(slices.Repeat([]float32{3e38}, 100), slices.Repeat([]float32{-3e38}, 100))}
	for name, run := range map[string]func() error{
		"pca dim":          func() error { _, err := graphops.PCA(t.Context(), m, graphops.ReduceOptions{Dim: 31}); return err },
		"pca negative dim": func() error { _, err := graphops.PCA(t.Context(), m, graphops.ReduceOptions{Dim: -1}); return err },
		"pca NaN":          func() error { _, err := graphops.PCA(t.Context(), nan, graphops.ReduceOptions{}); return err },
		"pca overflow":     func() error { _, err := graphops.PCA(t.Context(), huge, graphops.ReduceOptions{}); return err },
		"projection dim": func() error {
			_, err := graphops.RandomProjection(t.Context(), m, graphops.ReduceOptions{Dim: -1})
			return err
		},
		"projection NaN": func() error {
			_, err := graphops.RandomProjection(t.Context(), nan, graphops.ReduceOptions{})
			return err
		},
		"projection overflow": func() error {
			_, err := graphops.RandomProjection(t.Context(), huge, graphops.ReduceOptions{Dim: 5})
			return err
		},
		"reduce dim": func() error { _, err := graphops.Reduce(t.Context(), m, graphops.ReduceOptions{Dim: -1}); return err },
		"reduce most": func() error {
			_, err := graphops.Reduce(t.Context(), m, graphops.ReduceOptions{MaxPCA: -1})
			return err
		},
		"reduce NaN": func() error { _, err := graphops.Reduce(t.Context(), nan, graphops.ReduceOptions{}); return err },
	} {
		if err := run(); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, test := range []struct {
		o    graphops.ReduceOptions
		need int64
	}{
		{graphops.ReduceOptions{Dim: 4}, 8*30*30 + 4*544*30 + 8*30*(3*12+4) + 4*50*4},
		{graphops.ReduceOptions{Dim: 4, MaxPCA: 1}, 4 * 4 * (50 + 30)},
	} {
		test.o.MaxBytes = test.need
		must(graphops.Reduce(t.Context(), m, test.o))(t)
		test.o.MaxBytes--
		var e *graphops.MemoryError
		if _, err := graphops.Reduce(t.Context(), m, test.o); !errors.As(err, &e) || e.Need != test.need {
			t.Errorf("%+v: a byte short: %v", test.o, err)
		}
	}
}

func TestReduceIsCancelled(t *testing.T) {
	m, _ := planted(3, 3000, 64, 3, 1, 1)
	for _, k := range []int{0, 1, 2, 20, 60} {
		for _, o := range []graphops.ReduceOptions{{Workers: 1}, {Workers: 1, MaxPCA: 1}} {
			if o.MaxPCA > 0 && k > 2 {
				continue
			}
			if r, err := graphops.Reduce(&endsAfter{Context: t.Context(), left: k}, m, o); !errors.Is(err, context.Canceled) || r.Data != nil {
				t.Errorf("%+v, after %d looks: %d, %v", o, k, len(r.Data), err)
			}
		}
	}
}

// BenchmarkPCA reduces 20,000 vectors of dimension 256 to 10.
func BenchmarkPCA(b *testing.B) {
	m, _ := planted(11, 20_000, 256, 200, 1, 0.8)
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		must(graphops.PCA(b.Context(), m, graphops.ReduceOptions{}))(b)
	}
	reportCPU(b, cpu)
}

// Of fewer vectors than they have elements the components are found by way of
// the vectors' products. They are those of each vector taken several times,
// which are as many as to go by the covariance.
func TestPCAOfFewerVectorsThanElements(t *testing.T) {
	const n, d, dim, times = 40, 120, 6, 5
	rng := rand.New(rand.NewPCG(7, 1))
	few := graphops.Matrix{Dim: d}
	for range n {
		for j := range d {
			few.Data = append(few.Data, float32(3+rng.NormFloat64()/(1+float64(j)/4)))
		}
	}
	many := graphops.Matrix{Dim: d}
	for range times {
		many.Data = append(many.Data, few.Data...)
	}
	a := must(graphops.PCA(t.Context(), few, graphops.ReduceOptions{Dim: dim}))(t)
	b := must(graphops.PCA(t.Context(), many, graphops.ReduceOptions{Dim: dim}))(t)
	if !a.Converged || !b.Converged {
		t.Fatal("not converged")
	}
	scale := float64(n*times-1) / float64(times*(n-1))
	if !(math.Abs(a.Total-b.Total*scale) < 1e-5*a.Total) {
		t.Errorf("in all a variance of %v, want %v", a.Total, b.Total*scale)
	}
	for k := range dim {
		if x := b.Variances[k] * scale; !(math.Abs(a.Variances[k]-x) < 1e-5*a.Variances[0]) {
			t.Errorf("variance %d is %v, want %v", k, a.Variances[k], x)
		}
		for j, x := range a.Components.Row(k) {
			if y := b.Components.Row(k)[j]; !(math.Abs(float64(x-y)) < 1e-4) {
				t.Errorf("element %d of component %d is %v, want %v", j, k, x, y)
			}
		}
	}
	for i, x := range a.Reduced.Data {
		if y := b.Reduced.Data[i]; !(math.Abs(float64(x-y)) < 1e-3) {
			t.Errorf("element %d of vector %d is %v, want %v", i%dim, i/dim, x, y)
		}
	}
}

// Where vectors vary in fewer directions than are wanted, the others have no
// variance, and all are orthogonal.
func TestPCAOfFewDirections(t *testing.T) {
	const n, d, dim, directions = 30, 64, 5, 2
	rng := rand.New(rand.NewPCG(7, 2))
	m := graphops.Matrix{Dim: d}
	for range n {
		row := make([]float32, d)
		for j := range directions {
			row[7*j], row[7*j+1] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
			row[7*j+1] = 2 * row[7*j]
		}
		m.Data = append(m.Data, row...)
	}
	r := must(graphops.PCA(t.Context(), m, graphops.ReduceOptions{Dim: dim}))(t)
	for k := range dim {
		if small := r.Variances[k] < 1e-5*r.Variances[0]; small != (k >= directions) {
			t.Errorf("variances %v of %d directions", r.Variances, directions)
		}
		for l := range k + 1 {
			want, got := 0.0, 0.0
			if l == k {
				want = 1
			}
			for j, x := range r.Components.Row(k) {
				got += float64(x) * float64(r.Components.Row(l)[j])
			}
			if !(math.Abs(got-want) < 1e-5) {
				t.Errorf("components %d and %d have a product of %v, want %v", l, k, got, want)
			}
		}
	}
}
