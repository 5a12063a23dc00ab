package hirag

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestSparsity says what 1 - sum |S|(|S|-1) / (n(n-1)) is, by hand.
func TestSparsity(t *testing.T) {
	for _, x := range []struct {
		name  string
		sizes []int
		n     int
		want  float64
	}{
		{"one cluster of all", []int{10}, 10, 0},
		{"all alone", []int{1, 1, 1, 1}, 4, 1},
		{"halves", []int{5, 5}, 10, 1 - 40.0/90},
		{"unlike", []int{2, 3, 5}, 10, 1 - (2+6+20)/90.0},
		{"overlapping more than it may", []int{10, 10}, 10, 0},
		{"one node", []int{1}, 1, 1},
	} {
		if got := sparsity(x.sizes, x.n); math.Abs(got-x.want) > 1e-15 {
			t.Errorf("%s: %g, want %g", x.name, got, x.want)
		}
	}
}

// TestStops says where the hierarchy ends.
func TestStops(t *testing.T) {
	for _, x := range []struct {
		name        string
		now, before float64
		n           int
		rate        float64
		want        bool
	}{
		{"the first layer, against 0.01", 0.5, firstSparsity, 100, 49, false},
		{"as sparse as may be", 0.98, 0.5, 100, 0.96, true},
		{"just below", 0.9799, 0.5, 100, 0.9598, false},
		{"a change of 5 %", 0.84, 0.8, 100, 0.05, true},
		{"a change of more", 0.85, 0.8, 100, 0.0625, false},
		{"less sparse by 5 %", 0.76, 0.8, 100, 0.05, true},
		{"two nodes", 0.5, 0.1, 2, 4, true},
		{"three nodes", 0.5, 0.1, 3, 4, false},
		{"from nothing to nothing", 0, 0, 100, 0, true},
		{"from nothing", 0.5, 0, 100, 50, false},
	} {
		rate := changeRate(x.now, x.before)
		if math.Abs(rate-x.rate) > 1e-12*max(1, x.rate) {
			t.Errorf("%s: change rate %g, want %g", x.name, rate, x.rate)
		}
		// 0.84 and 0.8 differ by a little more than 5 % in floating point.
		if x.rate == 0.05 {
			rate = 0.05
		}
		if got := stops(x.now, rate, x.n); got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}

// blobs returns vectors around some places.
func blobs(each int, places ...[]float32) graphops.Matrix {
	r := rand.New(rand.NewPCG(1, 2))
	m := graphops.Matrix{Dim: len(places[0])}
	for _, p := range places {
		for range each {
			for _, x := range p {
				m.Data = append(m.Data, x+float32(r.NormFloat64()*0.05))
			}
		}
	}
	return m
}

// TestFit says that the clusters of a layer are found, that all nodes are in
// one, and that parts of those too large for a prompt fit in.
func TestFit(t *testing.T) {
	s := &system{p: Params{Dim: 2}}
	m := blobs(40, []float32{0, 0, 1}, []float32{5, 0, 1}, []float32{0, 5, 1})
	keys := make([]uint64, m.Len())
	for i := range keys {
		keys[i] = uint64(i)
	}
	f, err := s.findFit(context.Background(), "x", m, keys, firstSparsity, func(int) (int, error) { return 4000, nil })
	if err != nil {
		t.Fatal(err)
	}
	if f.Stopped || f.Mixture.Len() < 3 {
		t.Fatalf("stopped %v, %d components", f.Stopped, f.Mixture.Len())
	}
	reduced := f.reduce(m)
	whole, err := f.components(context.Background(), reduced)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, m.Len())
	blob := func(i int) int { return i / 40 }
	for c, x := range whole {
		for _, part := range f.split(c, x, reduced) {
			if n := len(part.nodes); n*4000 > clusterTokens {
				t.Errorf("a part of %d nodes", n)
			}
			for _, i := range part.nodes {
				seen[i] = true
				if blob(i) != blob(part.nodes[0]) {
					t.Errorf("nodes %d and %d are in one part", i, part.nodes[0])
				}
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("a node is in no cluster")
	}
	// What is put by a fit later is put where it was.
	again, err := f.components(context.Background(), f.reduce(graphops.Matrix{Dim: 3, Data: m.Data[3*50 : 3*51]}))
	if err != nil {
		t.Fatal(err)
	}
	for c := range again {
		if now, was := len(again[c].nodes) > 0, slices.Contains(whole[c].nodes, 50); now != was {
			t.Errorf("component %d: node 50 %v, was %v", c, now, was)
		}
	}
	if f.used(append([]uint64{500, 501}, keys[:38]...)); f.Now != 40 || f.Moved != 0.05 {
		t.Errorf("of %d nodes %g are new", f.Now, f.Moved)
	}
}

// TestFits says when a fit is good no more.
func TestFits(t *testing.T) {
	f := &fit{Model: "m", Nodes: 10}
	for n, want := range map[int]bool{5: false, 6: true, 10: true, 19: true, 20: false} {
		if f.fits("m", n) != want {
			t.Errorf("%d nodes: %v", n, !want)
		}
	}
	if f.fits("other", 10) || (*fit)(nil).fits("m", 10) {
		t.Error("a fit of another model, or none, fits")
	}
}
