package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// TestGMMReference compares with scikit-learn from the same first mixture.
func TestGMMReference(t *testing.T) {
	var ref struct {
		Source string
		Cases  []struct {
			Name                                          string
			Dim, MaxIterations, Iterations                int
			Vectors                                       []float32
			Initial                                       struct{ Weights, Means, Covariances []float64 }
			Tolerance, Regularisation, LogLikelihood, BIC float64
			Weights, Means, Covariances                   []float64
			Converged                                     bool
			Of                                            []uint32
			Members                                       [][3]float64
		}
	}
	readReference(t, "gmm.json", &ref)
	if len(ref.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range ref.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m := graphops.Matrix{Dim: c.Dim, Data: c.Vectors}
			r := must(graphops.GMM(t.Context(), m, graphops.GMMOptions{
				Initial:       &graphops.Mixture{Dim: c.Dim, Weights: c.Initial.Weights, Means: c.Initial.Means, Covariances: c.Initial.Covariances},
				MaxIterations: c.MaxIterations, Tolerance: c.Tolerance, Regularisation: c.Regularisation,
			}))(t)
			if r.Iterations != c.Iterations || r.Converged != c.Converged {
				t.Errorf("%d iterations, converged %t; want %d, %t of %s", r.Iterations, r.Converged, c.Iterations, c.Converged, ref.Source)
			}
			if !(math.Abs(r.BIC-c.BIC) < 1e-6) || !(math.Abs(r.LogLikelihood-c.LogLikelihood) < 1e-6) {
				t.Errorf("BIC %.9f, log-likelihood %.9f; want %.9f, %.9f", r.BIC, r.LogLikelihood, c.BIC, c.LogLikelihood)
			}
			for name, x := range map[string][2][]float64{"weights": {r.Weights, c.Weights}, "means": {r.Means, c.Means}, "covariances": {r.Covariances, c.Covariances}} {
				if d := distance(x[0], x[1]); !(d < 1e-7) {
					t.Errorf("%s at distance %g", name, d)
				}
			}
			if !slices.Equal(r.Partition.Of, c.Of) {
				t.Errorf("components %v, want %v", r.Partition.Of, c.Of)
			}
			s := must(r.Members(t.Context(), m, 0.1))(t)
			var got [][3]float64
			for i := range m.Len() {
				for at := s.Off[i]; at < s.Off[i+1]; at++ {
					got = append(got, [3]float64{float64(i), float64(s.Components[at]), s.Responsibilities[at]})
				}
			}
			if !slices.EqualFunc(got, c.Members, func(a, b [3]float64) bool {
				return a[0] == b[0] && a[1] == b[1] && math.Abs(a[2]-b[2]) < 1e-8
			}) {
				t.Errorf("members %v, want %v", got, c.Members)
			}
		})
	}
}

// checkMixture looks at what holds for every mixture.
func checkMixture(t testing.TB, m graphops.Matrix, r *graphops.Mixture) {
	t.Helper()
	k, d := r.Len(), m.Dim
	if len(r.Means) != k*d || len(r.Covariances) != k*d*d || r.Partition.Count != k || len(r.Partition.Of) != m.Len() {
		t.Fatalf("%d components, %d elements of means, %d of covariances, %d vectors", k, len(r.Means), len(r.Covariances), len(r.Partition.Of))
	}
	if !(math.Abs(sum(r.Weights)-1) < 1e-12) {
		t.Errorf("weights sum to %v", sum(r.Weights))
	}
	parameters := float64(k*d+k*d*(d+1)/2+k-1) * math.Log(float64(m.Len()))
	if !(math.Abs(parameters-2*r.LogLikelihood-r.BIC) <= 1e-9*math.Abs(r.BIC)) {
		t.Errorf("BIC %v of log-likelihood %v", r.BIC, r.LogLikelihood)
	}
	all := must(r.Members(t.Context(), m, 0))(t)
	some := must(r.Members(t.Context(), m, 0.3))(t)
	none := must(r.Members(t.Context(), m, 0.999999999))(t)
	for i, own := range r.Partition.Of {
		lo, hi := all.Off[i], all.Off[i+1]
		of, shares := all.Components[lo:hi], all.Responsibilities[lo:hi]
		if !(math.Abs(sum(shares)-1) < 1e-12) || !slices.IsSorted(of) {
			t.Fatalf("responsibilities %v of %v", shares, of)
		}
		var want []uint32
		for j, x := range shares {
			if x > 0.3 || of[j] == own {
				want = append(want, of[j])
			}
			if at := slices.Index(of, own); at < 0 || x > shares[at] {
				t.Fatalf("vector %d is in %d, most probable of %v by %v", i, own, of, shares)
			}
		}
		if got := some.Components[some.Off[i]:some.Off[i+1]]; !slices.Equal(got, want) {
			t.Fatalf("above 0.3: %v, want %v", got, want)
		}
		if got := none.Components[none.Off[i]:none.Off[i+1]]; !slices.Equal(got, []uint32{own}) {
			t.Fatalf("above all: %v, want %d", got, own)
		}
	}
	off, vectors := some.Members()
	for c := range k {
		for _, i := range vectors[off[c]:off[c+1]] {
			if !slices.Contains(some.Components[some.Off[i]:some.Off[i+1]], uint32(c)) {
				t.Fatalf("vector %d is not in %d", i, c)
			}
		}
	}
	if len(vectors) != len(some.Components) {
		t.Errorf("%d of %d entries", len(vectors), len(some.Components))
	}
}

func TestGMMFindsPlantedComponents(t *testing.T) {
	m, of := planted(5, 500, 4, 7, 12, 1)
	for _, o := range []graphops.GMMOptions{
		{}, {KMin: 3, KMax: 12}, {Cold: true, Restarts: 3, KMax: 9}, {Sample: 300}, {K: 7, Restarts: 10},
	} {
		r := must(graphops.GMM(t.Context(), m, o))(t)
		if o.Sample > 0 {
			if !sameClusters(r.Partition.Of, of) {
				t.Errorf("%+v: other components", o)
			}
			continue
		}
		checkMixture(t, m, r)
		if !sameClusters(r.Partition.Of, of) || !r.Converged {
			t.Errorf("%+v: %d components", o, r.Len())
		}
		best := math.Inf(1)
		for _, x := range r.Tried {
			best = min(best, x)
		}
		if best != r.BIC {
			t.Errorf("%+v: BIC %v of %v", o, r.BIC, r.Tried)
		}
	}
}

// The likelihood rises with every iteration, and MaxIterations cuts one and the
// same sequence.
func TestGMMLikelihoodRises(t *testing.T) {
	m, _ := planted(9, 300, 3, 6, 1.5, 1)
	last := math.Inf(-1)
	for i := 1; i < 60; i++ {
		r := must(graphops.GMM(t.Context(), m, graphops.GMMOptions{K: 6, MaxIterations: i, Tolerance: 1e-6}))(t)
		if r.LogLikelihood < last-1e-3 {
			t.Errorf("iteration %d lowers the likelihood from %v to %v", i, last, r.LogLikelihood)
		}
		last = r.LogLikelihood
		if r.Converged {
			if i < 10 {
				t.Errorf("converged after %d iterations, too easy a test", i)
			}
			break
		}
		if r.Iterations != i {
			t.Fatalf("%d iterations of %d", r.Iterations, i)
		}
	}
}

// The search ends where it is told to.
func TestGMMSearchEnds(t *testing.T) {
	m, _ := planted(5, 600, 2, 7, 20, 1)
	tried := func(o graphops.GMMOptions) []float64 {
		return must(graphops.GMM(t.Context(), m, o))(t).Tried
	}
	if x := tried(graphops.GMMOptions{}); len(x) != 12 {
		t.Errorf("7 components and 5 more: %v", x)
	}
	if x := tried(graphops.GMMOptions{Patience: 2}); len(x) != 9 {
		t.Errorf("7 components and 2 more: %v", x)
	}
	if x := tried(graphops.GMMOptions{Patience: -1, MaxIterations: 1}); len(x) != 49 {
		t.Errorf("49 components: %v", x)
	}
	if x := tried(graphops.GMMOptions{KMin: 2, KMax: 5}); len(x) != 4 {
		t.Errorf("2 to 5 components: %v", x)
	}
	all := tried(graphops.GMMOptions{Patience: -1, Cold: true, KMax: 12})
	const stop = 0.02
	want := 0
	for i := 1; i < len(all) && want == 0; i++ {
		if math.Abs(all[i]-all[i-1])/math.Abs(all[i-1]) < stop {
			want = i + 1
		}
	}
	if x := tried(graphops.GMMOptions{Patience: -1, Cold: true, StopChange: stop}); len(x) != want || want < 3 {
		t.Errorf("%d, want %d", len(x), want)
	}
}

func TestGMMOfFewVectors(t *testing.T) {
	for _, test := range []struct {
		name string
		m    graphops.Matrix
		o    graphops.GMMOptions
		k    int
	}{
		{"none", graphops.Matrix{}, graphops.GMMOptions{}, 0},
		{"none of dimension 3", graphops.Matrix{Dim: 3}, graphops.GMMOptions{K: 4}, 0},
		{"one", graphops.Matrix{Dim: 2, Data: []float32{1, 2}}, graphops.GMMOptions{}, 1},
		{"one, several wanted", graphops.Matrix{Dim: 2, Data: []float32{1, 2}}, graphops.GMMOptions{K: 4}, 1},
		{"equal ones", graphops.Matrix{Dim: 1, Data: []float32{7, 7, 7, 7, 7, 7}}, graphops.GMMOptions{}, 1},
		{"fewer distinct ones than K", graphops.Matrix{Dim: 1, Data: []float32{7, 8, 7, 8, 9, 7}}, graphops.GMMOptions{K: 5}, 3},
		{"fewer distinct ones than tried", graphops.Matrix{Dim: 1, Data: []float32{7, 70, 7, 70, 700, 7}}, graphops.GMMOptions{Cold: true, KMax: 20, Patience: -1}, 3},
		{"on a line in the plane", graphops.Matrix{Dim: 2, Data: []float32{0, 0, 1e6, 1e6, 2e6, 2e6, 3e6, 3e6, 1e6, 1e6}}, graphops.GMMOptions{K: 1}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := must(graphops.GMM(t.Context(), test.m, test.o))(t)
			if r.Len() != test.k {
				t.Errorf("%d components, want %d", r.Len(), test.k)
			}
			if test.k > 0 {
				checkMixture(t, test.m, r)
			}
		})
	}
}

func TestGMMIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	m, _ := planted(8, 9000, 5, 12, 3, 1)
	for _, o := range []graphops.GMMOptions{{KMax: 14}, {K: 12, Restarts: 2, Sample: 5000}} {
		o.Workers = 1
		one := must(graphops.GMM(t.Context(), m, o))(t)
		for _, workers := range []int{2, 7} {
			o.Workers = workers
			r := must(graphops.GMM(t.Context(), m, o))(t)
			if !slices.Equal(r.Partition.Of, one.Partition.Of) || !slices.Equal(r.Means, one.Means) ||
				!slices.Equal(r.Covariances, one.Covariances) || r.BIC != one.BIC || !slices.Equal(r.Tried, one.Tried) {
				t.Errorf("%d workers differ from one", workers)
			}
		}
	}
}

func TestGMMOptions(t *testing.T) {
	m, _ := planted(1, 50, 2, 2, 3, 1)
	one := &graphops.Mixture{Dim: 2, Weights: []float64{1}, Means: []float64{0, 0}, Covariances: []float64{1, 0, 0, 1}}
	changed := func(change func(x *graphops.Mixture)) *graphops.Mixture {
		x := *one
		x.Weights, x.Means, x.Covariances = slices.Clone(one.Weights), slices.Clone(one.Means), slices.Clone(one.Covariances)
		change(&x)
		return &x
	}
	for name, test := range map[string]struct {
		m graphops.Matrix
		o graphops.GMMOptions
	}{
		"K":                 {m, graphops.GMMOptions{K: -1}},
		"range":             {m, graphops.GMMOptions{KMin: 5, KMax: 4}},
		"stop":              {m, graphops.GMMOptions{StopChange: math.NaN()}},
		"restarts":          {m, graphops.GMMOptions{Restarts: -1}},
		"iterations":        {m, graphops.GMMOptions{MaxIterations: -1}},
		"tolerance":         {m, graphops.GMMOptions{Tolerance: -1}},
		"regularisation":    {m, graphops.GMMOptions{Regularisation: -1}},
		"sample":            {m, graphops.GMMOptions{Sample: -1}},
		"NaN":               {graphops.Matrix{Dim: 1, Data: []float32{float32(math.NaN())}}, graphops.GMMOptions{}},
		"initial K":         {m, graphops.GMMOptions{K: 2, Initial: one}},
		"initial dimension": {m, graphops.GMMOptions{Initial: changed(func(x *graphops.Mixture) { x.Dim = 1 })}},
		"initial weight":    {m, graphops.GMMOptions{Initial: changed(func(x *graphops.Mixture) { x.Weights[0] = 0 })}},
		"initial mean":      {m, graphops.GMMOptions{Initial: changed(func(x *graphops.Mixture) { x.Means[0] = math.NaN() })}},
		"initial variance":  {m, graphops.GMMOptions{Initial: changed(func(x *graphops.Mixture) { x.Covariances[3] = -1 })}},
		"initial covariance": {m, graphops.GMMOptions{Initial: changed(func(x *graphops.Mixture) {
			x.Covariances[1], x.Covariances[2] = 2, 2
		})}},
	} {
		if r, err := graphops.GMM(t.Context(), test.m, test.o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	for _, threshold := range []float64{-0.1, 1, math.NaN()} {
		if _, err := one.Members(t.Context(), m, threshold); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("threshold %v: %v", threshold, err)
		}
	}
	if _, err := one.Members(t.Context(), graphops.Matrix{Dim: 1, Data: []float32{1}}, 0.1); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("another dimension: %v", err)
	}
	// 50 vectors of dimension 2 and 3 components; 40 of them as a sample.
	const sets = 8 * 3 * (1 + 2 + 3 + 3*(2+4+4))
	for _, test := range []struct {
		o    graphops.GMMOptions
		need int64
	}{
		{graphops.GMMOptions{K: 3}, 50*32 + 8*3*2 + sets},
		{graphops.GMMOptions{KMax: 3, Sample: 40}, 50*4 + 40*(28+4*3) + 8*3*2 + sets},
	} {
		test.o.MaxBytes = test.need
		must(graphops.GMM(t.Context(), m, test.o))(t)
		test.o.MaxBytes--
		var e *graphops.MemoryError
		if _, err := graphops.GMM(t.Context(), m, test.o); !errors.As(err, &e) || e.Need != test.need {
			t.Errorf("%+v: a byte short: %v", test.o, err)
		}
	}
}

func TestGMMIsCancelled(t *testing.T) {
	m, _ := planted(4, 1500, 3, 8, 2, 1)
	for _, k := range []int{0, 1, 2, 3, 10, 50, 100, 150} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		r, err := graphops.GMM(ctx, m, graphops.GMMOptions{Workers: 1})
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v, %v", k, r, err)
		}
	}
	x := must(graphops.GMM(t.Context(), m, graphops.GMMOptions{K: 2}))(t)
	for _, k := range []int{0, 2} {
		if r, err := x.Members(&endsAfter{Context: t.Context(), left: k}, m, 0.1); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("members after %d looks: %v, %v", k, r, err)
		}
	}
}

func ExampleGMM() {
	m := graphops.Matrix{Dim: 1, Data: []float32{0, 1, 2, 1, 10, 11, 12, 11}}
	x, err := graphops.GMM(context.Background(), m, graphops.GMMOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Len(), "components")
	s, err := x.Members(context.Background(), m, 0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, vectors := s.Members()
	fmt.Println(vectors)
	// Output:
	// 2 components
	// [0 1 2 3 4 5 6 7]
}

// BenchmarkGMM fits 5,000 vectors of dimension 10 around 20 centres.
func BenchmarkGMM(b *testing.B) {
	m, _ := planted(12, 5000, 10, 20, 3, 1)
	for _, bench := range []struct {
		name string
		o    graphops.GMMOptions
	}{
		{"k=10", graphops.GMMOptions{K: 10}},
		{"k=20", graphops.GMMOptions{K: 20}},
		{"search", graphops.GMMOptions{KMax: 50}},
		{"search to 50", graphops.GMMOptions{KMax: 50, Patience: -1}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var r *graphops.Mixture
			b.ReportAllocs()
			cpu := cpuTime()
			for b.Loop() {
				r = must(graphops.GMM(b.Context(), m, bench.o))(b)
			}
			reportCPU(b, cpu)
			b.ReportMetric(r.BIC, "BIC")
			b.ReportMetric(float64(r.Len()), "components")
		})
	}
}
