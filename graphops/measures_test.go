package graphops_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// measuresReference is testdata/measures.json, made by testdata/measures.py.
type measuresReference struct {
	Source      string
	Clusterings []struct {
		Name                         string
		Dim                          int
		Vectors                      []float32
		Of                           []uint32
		CalinskiHarabasz, MeanCosine float64
	}
	Components []struct {
		Name                string
		Dim, K              int
		Vectors             []float32
		Variances           []float64
		Components, Reduced []float64
	}
	Spectra []struct {
		Name     string
		Nodes    int
		Weighted bool
		Edges    [][3]float64
		Values   []float64
	}
}

func readMeasures(t testing.TB) (ref measuresReference) {
	t.Helper()
	readReference(t, "measures.json", &ref)
	if len(ref.Clusterings)*len(ref.Components)*len(ref.Spectra) == 0 {
		t.Fatal("no cases")
	}
	return ref
}

// partitionOf returns the partition of these clusters.
func partitionOf(of ...uint32) *graphops.Partition {
	p := &graphops.Partition{Of: of}
	for _, c := range of {
		if c != graphops.None {
			p.Count = max(p.Count, int(c)+1)
		}
	}
	return p
}

func TestMeasuresReference(t *testing.T) {
	ref := readMeasures(t)
	for _, c := range ref.Clusterings {
		m, p := graphops.Matrix{Dim: c.Dim, Data: c.Vectors}, partitionOf(c.Of...)
		if x := must(graphops.CalinskiHarabasz(m, p))(t); !(math.Abs(x-c.CalinskiHarabasz) < 1e-10*x) {
			t.Errorf("%s: Calinski-Harabasz %v, want %v", c.Name, x, c.CalinskiHarabasz)
		}
		if x := must(graphops.MeanCosine(m, p))(t); !(math.Abs(x-c.MeanCosine) < 1e-12) {
			t.Errorf("%s: mean cosine %v, want %v", c.Name, x, c.MeanCosine)
		}
	}
}

// What is in no cluster does not count.
func TestMeasuresLeaveOut(t *testing.T) {
	const none = graphops.None
	r := rand.New(rand.NewPCG(3, 3))
	m, of := planted(4, 80, 3, 4, 2, 1)
	some := graphops.Matrix{Dim: 3}
	a := partitionOf(of...)
	a.Count += 2 // empty clusters
	var kept []uint32
	for i := range a.Of {
		if r.IntN(3) == 0 {
			a.Of[i] = none
			continue
		}
		some.Data = append(some.Data, m.Row(i)...)
		kept = append(kept, a.Of[i])
	}
	for name, x := range map[string][2]float64{
		"Calinski-Harabasz": {must(graphops.CalinskiHarabasz(m, a))(t), must(graphops.CalinskiHarabasz(some, partitionOf(kept...)))(t)},
		"mean cosine":       {must(graphops.MeanCosine(m, a))(t), must(graphops.MeanCosine(some, partitionOf(kept...)))(t)},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: %v, without what does not count %v", name, x[0], x[1])
		}
	}
}

func TestMeasuresOfSmallClusterings(t *testing.T) {
	const none = graphops.None
	line := graphops.Matrix{Dim: 1, Data: []float32{1, 1, 5, 5}}
	if x := must(graphops.CalinskiHarabasz(line, partitionOf(0, 0, 1, 1)))(t); !math.IsInf(x, 1) {
		t.Errorf("all at their centroids: %v", x)
	}
	if x := must(graphops.CalinskiHarabasz(line, partitionOf(0, 1, 0, 1)))(t); x != 0 {
		t.Errorf("equal centroids: %v", x)
	}
	for name, p := range map[string]*graphops.Partition{
		"one cluster": partitionOf(0, 0, 0, 0), "single ones": partitionOf(0, 1, 2, 3), "none": partitionOf(none, none, none, none),
		"short": partitionOf(0, 1, 0), "number": {Of: []uint32{0, 1, 2, 0}, Count: 2},
	} {
		if _, err := graphops.CalinskiHarabasz(line, p); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if x := must(graphops.MeanCosine(line, partitionOf(none, none, none, none)))(t); x != 0 {
		t.Errorf("mean cosine of nothing: %v", x)
	}
	zeros := graphops.Matrix{Dim: 2, Data: []float32{0, 0, 3, 4, 1, 0, -1, 0}}
	if x := must(graphops.MeanCosine(zeros, partitionOf(0, 1, 2, 2)))(t); x != 0.25 {
		t.Errorf("mean cosine with zeros: %v, want 1/4", x)
	}
	if _, err := graphops.MeanCosine(line, partitionOf(0)); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("short partition: %v", err)
	}
}
