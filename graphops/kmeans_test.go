package graphops_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// readReference decodes a file of testdata.
func readReference(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// TestKMeansReference compares with scikit-learn from the same first centroids.
func TestKMeansReference(t *testing.T) {
	var ref struct {
		Source string
		Cases  []struct {
			Name                        string
			Dim, Iterations             int
			Vectors, Initial, Centroids []float32
			Tolerance, Inertia          float64
			Of                          []uint32
		}
	}
	readReference(t, "kmeans.json", &ref)
	if len(ref.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range ref.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m := graphops.Matrix{Dim: c.Dim, Data: c.Vectors}
			first := graphops.Matrix{Dim: c.Dim, Data: c.Initial}
			r := must(graphops.KMeans(t.Context(), m, graphops.KMeansOptions{
				K: first.Len(), Initial: first, Tolerance: c.Tolerance, MaxIterations: c.Iterations,
			}))(t)
			if !slices.Equal(r.Partition.Of, c.Of) {
				t.Errorf("clusters %v, want %v of %s", r.Partition.Of, c.Of, ref.Source)
			}
			if !(math.Abs(r.Inertia-c.Inertia) <= 1e-5*c.Inertia+1e-9) {
				t.Errorf("inertia %v, want %v", r.Inertia, c.Inertia)
			}
			if len(r.Centroids.Data) != len(c.Centroids) {
				t.Fatalf("%d centroids", r.Centroids.Len())
			}
			for i, x := range r.Centroids.Data {
				if !(math.Abs(float64(x-c.Centroids[i])) <= 1e-6*math.Abs(float64(x))+1e-6) {
					t.Errorf("element %d of the centroids is %v, want %v", i, x, c.Centroids[i])
				}
			}
		})
	}
}

// planted returns n vectors of dimension d around k centres, and of which
// centre each is.
func planted(seed uint64, n, d, k int, apart, spread float64) (graphops.Matrix, []uint32) {
	r := rand.New(rand.NewPCG(seed, 21))
	centres := make([]float64, k*d)
	for i := range centres {
		centres[i] = apart * r.NormFloat64()
	}
	m := graphops.Matrix{Dim: d}
	of := make([]uint32, n)
	for i := range of {
		of[i] = uint32(r.IntN(k))
		for _, x := range centres[int(of[i])*d:][:d] {
			m.Data = append(m.Data, float32(x+spread*r.NormFloat64()))
		}
	}
	return m, of
}

// sameClusters reports whether two partitions are the same but for numbers.
func sameClusters(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	there, back := map[uint32]uint32{}, map[uint32]uint32{}
	for i, x := range a {
		y := b[i]
		if z, ok := there[x]; ok && z != y {
			return false
		}
		if z, ok := back[y]; ok && z != x {
			return false
		}
		there[x], back[y] = y, x
	}
	return true
}

// checkClustering compares a result with what its definition asks for, computed
// in float64.
func checkClustering(t testing.TB, m graphops.Matrix, r *graphops.Clustering) {
	t.Helper()
	n, k := m.Len(), r.Centroids.Len()
	if r.Partition.Count != k || len(r.Partition.Of) != n {
		t.Fatalf("%d clusters of %d vectors, %d centroids for %d", r.Partition.Count, len(r.Partition.Of), k, n)
	}
	for c, size := range r.Partition.Sizes() {
		if size == 0 {
			t.Errorf("cluster %d is empty", c)
		}
	}
	sum := 0.0
	for i := range n {
		own, least := 0.0, math.Inf(1)
		for c := range k {
			x := 0.0
			for j, y := range m.Row(i) {
				z := float64(y) - float64(r.Centroids.Row(c)[j])
				x += z * z
			}
			least = min(least, x)
			if r.Partition.Of[i] == uint32(c) {
				own = x
			}
		}
		if own > least*(1+1e-5)+1e-12 {
			t.Fatalf("vector %d is at %v of its centroid, at %v of another", i, own, least)
		}
		sum += own
	}
	if !(math.Abs(sum-r.Inertia) <= 1e-5*sum+1e-12) {
		t.Errorf("inertia %v, want %v", r.Inertia, sum)
	}
	if !r.Converged {
		return
	}
	for c := range k {
		for j := range m.Dim {
			x, count := 0.0, 0.0
			for i := range n {
				if r.Partition.Of[i] == uint32(c) {
					x += float64(m.Row(i)[j])
					count++
				}
			}
			if got := float64(r.Centroids.Row(c)[j]); !(math.Abs(got-x/count) <= 1e-6*math.Abs(got)+1e-6) {
				t.Fatalf("centroid %d has %v, want %v", c, got, x/count)
			}
		}
	}
}

func TestKMeansOnRandomVectors(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		n, d, k := 1+r.IntN(400), 1+r.IntN(40), 1+r.IntN(20)
		m, _ := planted(seed, n, d, 1+r.IntN(2*k), 2, 1)
		if r.IntN(3) == 0 { // on a grid: equal vectors, equal distances
			for i, x := range m.Data {
				m.Data[i] = float32(math.Round(float64(x) / 2))
			}
		}
		res := must(graphops.KMeans(t.Context(), m, graphops.KMeansOptions{K: k, Seed: seed, MaxIterations: 500}))(t)
		if !res.Converged {
			t.Errorf("seed %d: not converged", seed)
		}
		checkClustering(t, m, res)
	}
}

// Every iteration lowers the inertia, and MaxIterations cuts one and the same
// sequence.
func TestKMeansInertiaFalls(t *testing.T) {
	m, _ := planted(3, 3000, 20, 60, 1, 1)
	last, iterations := math.Inf(1), 0
	for i := 1; ; i++ {
		r := must(graphops.KMeans(t.Context(), m, graphops.KMeansOptions{K: 30, MaxIterations: i}))(t)
		if r.Inertia > last*(1+1e-7) {
			t.Errorf("iteration %d raises the inertia from %v to %v", i, last, r.Inertia)
		}
		last = r.Inertia
		if r.Converged {
			iterations = r.Iterations
			break
		}
		if r.Iterations != i {
			t.Fatalf("%d iterations of %d", r.Iterations, i)
		}
	}
	if iterations < 5 {
		t.Errorf("converged after %d iterations, too easy a test", iterations)
	}
	loose := must(graphops.KMeans(t.Context(), m, graphops.KMeansOptions{K: 30, Tolerance: 1e-2, MaxIterations: 100}))(t)
	if !loose.Converged || loose.Iterations >= iterations || loose.Inertia < last {
		t.Errorf("with a tolerance %d iterations to %v, without %d to %v", loose.Iterations, loose.Inertia, iterations, last)
	}
}

func TestKMeansFindsPlantedClusters(t *testing.T) {
	m, of := planted(5, 2000, 16, 20, 5, 0.5)
	for seed := range uint64(5) {
		for _, o := range []graphops.KMeansOptions{{}, {SamplePerCluster: 30}, {Spherical: true}} {
			o.K, o.Seed = 20, seed
			r := must(graphops.KMeans(t.Context(), m, o))(t)
			if !sameClusters(r.Partition.Of, of) {
				t.Errorf("%+v: other clusters", o)
			}
		}
	}
}

// Directions do not change when vectors are scaled.
func TestKMeansSpherical(t *testing.T) {
	m, _ := planted(6, 500, 8, 10, 1, 1)
	scaled := graphops.Matrix{Dim: 8, Data: slices.Clone(m.Data)}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range m.Len() {
		by := float32(math.Ldexp(1, r.IntN(20)-10))
		for j := range scaled.Row(i) {
			scaled.Row(i)[j] *= by
		}
	}
	o := graphops.KMeansOptions{K: 10, Spherical: true, MaxIterations: 200}
	a := must(graphops.KMeans(t.Context(), m, o))(t)
	b := must(graphops.KMeans(t.Context(), scaled, o))(t)
	if !slices.Equal(a.Partition.Of, b.Partition.Of) || !slices.Equal(a.Centroids.Data, b.Centroids.Data) {
		t.Error("lengths change the clusters")
	}
	for c := range a.Centroids.Len() {
		if x := norm(a.Centroids.Row(c)); !(math.Abs(x-1) < 1e-6) {
			t.Errorf("centroid %d has length %v", c, x)
		}
	}
	plain := must(graphops.KMeans(t.Context(), m, graphops.KMeansOptions{K: 10, MaxIterations: 200}))(t)
	if sameClusters(plain.Partition.Of, a.Partition.Of) {
		t.Error("directions and places have the same clusters")
	}
}

func norm(v []float32) float64 {
	x := 0.0
	for _, y := range v {
		x += float64(y) * float64(y)
	}
	return math.Sqrt(x)
}

func TestKMeansOfFewVectors(t *testing.T) {
	for _, test := range []struct {
		name string
		m    graphops.Matrix
		o    graphops.KMeansOptions
		of   []uint32 // but for numbers
	}{
		{"none", graphops.Matrix{}, graphops.KMeansOptions{K: 3}, nil},
		{"none of dimension 5", graphops.Matrix{Dim: 5}, graphops.KMeansOptions{K: 3}, nil},
		{"one", graphops.Matrix{Dim: 2, Data: []float32{1, 2}}, graphops.KMeansOptions{K: 3}, []uint32{0}},
		{"equal ones", graphops.Matrix{Dim: 1, Data: []float32{4, 4, 4}}, graphops.KMeansOptions{K: 2}, []uint32{0, 0, 0}},
		{"fewer than K", graphops.Matrix{Dim: 1, Data: []float32{4, 7}}, graphops.KMeansOptions{K: 9}, []uint32{0, 1}},
		{"fewer distinct ones than K", graphops.Matrix{Dim: 1, Data: []float32{4, 7, 4, 9, 7, 4}}, graphops.KMeansOptions{K: 5}, []uint32{0, 1, 0, 2, 1, 0}},
		{"one cluster", graphops.Matrix{Dim: 1, Data: []float32{1, 2, 6}}, graphops.KMeansOptions{K: 1}, []uint32{0, 0, 0}},
		{"zeros, spherical", graphops.Matrix{Dim: 2, Data: []float32{0, 0, 3, 0, 0, 0}}, graphops.KMeansOptions{K: 2, Spherical: true}, []uint32{0, 1, 0}},
		{"equal first centroids", graphops.Matrix{Dim: 1, Data: []float32{0, 1, 8, 9}},
			graphops.KMeansOptions{K: 2, Initial: graphops.Matrix{Dim: 1, Data: []float32{0, 0}}}, []uint32{0, 0, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := must(graphops.KMeans(t.Context(), test.m, test.o))(t)
			if !sameClusters(r.Partition.Of, test.of) || !r.Converged {
				t.Errorf("%+v, want %v", r, test.of)
			}
			if !test.o.Spherical {
				checkClustering(t, test.m, r)
			}
		})
	}
}

func TestKMeansIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	m, _ := planted(8, 20_000, 33, 50, 1, 1)
	for _, o := range []graphops.KMeansOptions{{K: 40}, {K: 40, SamplePerCluster: 100, Spherical: true, Seed: 7}} {
		o.Workers = 1
		one := must(graphops.KMeans(t.Context(), m, o))(t)
		for _, workers := range []int{2, 7} {
			o.Workers = workers
			r := must(graphops.KMeans(t.Context(), m, o))(t)
			if !slices.Equal(r.Partition.Of, one.Partition.Of) || !slices.Equal(r.Centroids.Data, one.Centroids.Data) ||
				r.Inertia != one.Inertia || r.Iterations != one.Iterations {
				t.Errorf("%d workers differ from one", workers)
			}
		}
		o.Seed++
		if r := must(graphops.KMeans(t.Context(), m, o))(t); slices.Equal(r.Partition.Of, one.Partition.Of) {
			t.Error("another seed has the same result")
		}
	}
}

func TestKMeansOptions(t *testing.T) {
	m := graphops.Matrix{Dim: 2, Data: []float32{1, 2, 3, 4}}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, test := range map[string]struct {
		m graphops.Matrix
		o graphops.KMeansOptions
	}{
		"no K":                {m, graphops.KMeansOptions{}},
		"iterations":          {m, graphops.KMeansOptions{K: 1, MaxIterations: -1}},
		"tolerance":           {m, graphops.KMeansOptions{K: 1, Tolerance: math.NaN()}},
		"sample":              {m, graphops.KMeansOptions{K: 1, SamplePerCluster: -1}},
		"NaN":                 {graphops.Matrix{Dim: 1, Data: []float32{nan}}, graphops.KMeansOptions{K: 1}},
		"infinity":            {graphops.Matrix{Dim: 1, Data: []float32{inf}}, graphops.KMeansOptions{K: 1}},
		"shape":               {graphops.Matrix{Dim: 2, Data: []float32{1}}, graphops.KMeansOptions{K: 1}},
		"initial count":       {m, graphops.KMeansOptions{K: 1, Initial: m}},
		"initial dimension":   {m, graphops.KMeansOptions{K: 1, Initial: graphops.Matrix{Dim: 1, Data: []float32{1}}}},
		"initial NaN":         {m, graphops.KMeansOptions{K: 1, Initial: graphops.Matrix{Dim: 2, Data: []float32{1, nan}}}},
		"overflow":            {graphops.Matrix{Dim: 1, Data: []float32{-3e38, 3e38}}, graphops.KMeansOptions{K: 2}},
		"overflow of initial": {graphops.Matrix{Dim: 1, Data: []float32{3e38, -3e38}}, graphops.KMeansOptions{K: 1, Initial: graphops.Matrix{Dim: 1, Data: []float32{0}}}},
	} {
		r, err := graphops.KMeans(t.Context(), test.m, test.o)
		if !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	// 100 vectors of dimension 3 and 5 clusters.
	big, _ := planted(1, 100, 3, 5, 1, 1)
	for _, test := range []struct {
		o    graphops.KMeansOptions
		need int64
	}{
		{graphops.KMeansOptions{K: 5}, 100*28 + 8*5*3},
		{graphops.KMeansOptions{K: 5, Spherical: true}, 100*28 + 8*5*3 + 100*12},
		{graphops.KMeansOptions{K: 5, SamplePerCluster: 4}, 100*28 + 8*5*3 + 20*(12+28)},
	} {
		test.o.MaxBytes = test.need
		must(graphops.KMeans(t.Context(), big, test.o))(t)
		test.o.MaxBytes--
		var e *graphops.MemoryError
		if _, err := graphops.KMeans(t.Context(), big, test.o); !errors.As(err, &e) || e.Need != test.need {
			t.Errorf("%+v: a byte short: %v", test.o, err)
		}
	}
}

func TestKMeansIsCancelled(t *testing.T) {
	m, _ := planted(4, 1500, 30, 100, 1, 1)
	for _, k := range []int{0, 1, 2, 3, 10, 50, 100, 120} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		r, err := graphops.KMeans(ctx, m, graphops.KMeansOptions{K: 50, Workers: 1, SamplePerCluster: 20})
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v, %v", k, r, err)
		}
	}
}

func ExampleKMeans() {
	m := graphops.Matrix{Dim: 2, Data: []float32{0, 0, 0, 1, 9, 9, 9, 8}}
	r, err := graphops.KMeans(context.Background(), m, graphops.KMeansOptions{K: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Partition.Of[0] == r.Partition.Of[1], r.Partition.Of[1] == r.Partition.Of[2], r.Inertia)
	// Output: true false 1
}

// BenchmarkKMeans clusters 20,000 vectors of dimension 256 around 200 centres
// until nothing changes.
func BenchmarkKMeans(b *testing.B) {
	m, _ := planted(11, 20_000, 256, 200, 1, 0.8)
	var r *graphops.Clustering
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		r = must(graphops.KMeans(b.Context(), m, graphops.KMeansOptions{K: 141, MaxIterations: 50}))(b)
	}
	reportCPU(b, cpu)
	b.ReportMetric(r.Inertia, "inertia")
	b.ReportMetric(float64(r.Iterations), "iterations")
}
