package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestSpectralReference(t *testing.T) {
	ref := readMeasures(t)
	for _, c := range ref.Spectra {
		t.Run(c.Name, func(t *testing.T) {
			edges := make([]graphops.WeightedEdge, len(c.Edges))
			for i, e := range c.Edges {
				edges[i] = graphops.WeightedEdge{From: uint32(e[0]), To: uint32(e[1]), Weight: float32(e[2])}
			}
			p := must(graphops.FromEdges(c.Nodes, edges, graphops.EdgeOptions{Weighted: c.Weighted}))(t)
			r := must(graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: len(c.Values), Tolerance: 1e-9}))(t)
			if d := distance(r.Eigenvalues, c.Values); !(d < 1e-9) || !r.Converged {
				t.Errorf("eigenvalues %v, want %v of %s", r.Eigenvalues, c.Values, ref.Source)
			}
		})
	}
}

// cliques returns k cliques of the given size, each with an edge to the next.
func cliques(k, size int) []graphops.WeightedEdge {
	var edges []graphops.WeightedEdge
	for c := range k {
		for i := range size {
			for j := range i {
				edges = append(edges, graphops.WeightedEdge{From: uint32(c*size + i), To: uint32(c*size + j), Weight: 1})
			}
		}
		edges = append(edges, graphops.WeightedEdge{From: uint32(c * size), To: uint32((c + 1) % k * size), Weight: 1})
	}
	return edges
}

func TestSpectralFindsCliques(t *testing.T) {
	const k, size = 12, 8
	want := make([]uint32, k*size)
	for u := range want {
		want[u] = uint32(u / size)
	}
	r := rand.New(rand.NewPCG(1, 4))
	perm := r.Perm(k * size)
	edges := cliques(k, size)
	for i, e := range edges {
		edges[i].From, edges[i].To = uint32(perm[e.From]), uint32(perm[e.To])
	}
	for _, o := range []graphops.EdgeOptions{{}, {Weighted: true}} {
		p := must(graphops.FromEdges(k*size, edges, o))(t)
		for seed := range uint64(4) {
			res := must(graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: k, Seed: seed, Restarts: 3}))(t)
			got := make([]uint32, k*size)
			for u := range got {
				got[u] = res.Partition.Of[perm[u]]
			}
			if !sameClusters(got, want) || res.Partition.Count != k {
				t.Errorf("seed %d: %v", seed, got)
			}
		}
	}
}

// Components come apart first, and weights decide.
func TestSpectralOfSmallGraphs(t *testing.T) {
	const none = graphops.None
	heavy := must(graphops.FromEdges(4, []graphops.WeightedEdge{{0, 1, 9}, {1, 2, 1}, {2, 3, 9}, {3, 0, 1}}, graphops.EdgeOptions{Weighted: true}))(t)
	zero := must(graphops.FromEdges(3, []graphops.WeightedEdge{{0, 1, 2}, {1, 2, 0}}, graphops.EdgeOptions{Weighted: true}))(t)
	for _, test := range []struct {
		name string
		p    *graphops.Projection
		k    int
		of   []uint32
	}{
		{"no node", undirected(t, 0), 3, nil},
		{"one node", undirected(t, 1), 3, []uint32{none}},
		{"a loop", undirected(t, 1, [2]uint32{0, 0}), 1, []uint32{none}},
		{"no edges", undirected(t, 3), 2, []uint32{none, none, none}},
		{"no directed edges", directed(t, 2), 2, []uint32{none, none}},
		{"an edge", undirected(t, 3, [2]uint32{0, 2}), 1, []uint32{0, none, 0}},
		{"two components", undirected(t, 6, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{4, 5}), 2, []uint32{0, 0, 0, none, 1, 1}},
		{"K above the nodes", undirected(t, 4, [2]uint32{0, 1}, [2]uint32{2, 3}), 9, []uint32{0, 1, 2, 3}},
		{"one cluster", undirected(t, 4, [2]uint32{0, 1}, [2]uint32{2, 3}), 1, nil},
		{"weights", heavy, 2, []uint32{0, 0, 1, 1}},
		{"weight 0", zero, 1, []uint32{0, 0, none}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := must(graphops.Spectral(t.Context(), test.p, graphops.SpectralOptions{K: test.k}))(t)
			if test.of != nil && !sameClusters(r.Partition.Of, test.of) || len(r.Partition.Of) != test.p.Len() || !r.Converged {
				t.Errorf("%v, want %v", r.Partition.Of, test.of)
			}
			for u, c := range r.Partition.Of {
				if c != none && int(c) >= r.Partition.Count || (c == none) != (test.of != nil && test.of[u] == none) {
					t.Errorf("node %d in %d of %d", u, c, r.Partition.Count)
				}
			}
		})
	}
}

func TestSpectralIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(11, 6, 1, 9)
	p := s.project(t, true)
	one := must(graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: 12, Workers: 1}))(t)
	for _, workers := range []int{2, 7} {
		r := must(graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: 12, Workers: workers}))(t)
		if !slices.Equal(r.Partition.Of, one.Partition.Of) || !slices.Equal(r.Eigenvalues, one.Eigenvalues) || r.Iterations != one.Iterations {
			t.Errorf("%d workers differ from one", workers)
		}
	}
}

func TestSpectralOptions(t *testing.T) {
	p := undirected(t, 20, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{4, 5})
	negative := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, -1}}, graphops.EdgeOptions{Weighted: true}))(t)
	for name, test := range map[string]struct {
		p *graphops.Projection
		o graphops.SpectralOptions
	}{
		"no K":            {p, graphops.SpectralOptions{}},
		"nodes":           {p, graphops.SpectralOptions{K: 2, MaxNodes: 19}},
		"K above the cap": {p, graphops.SpectralOptions{K: 21, MaxNodes: 20}},
		"negative cap":    {p, graphops.SpectralOptions{K: 1, MaxNodes: -1}},
		"tolerance":       {p, graphops.SpectralOptions{K: 2, Tolerance: math.NaN()}},
		"iterations":      {p, graphops.SpectralOptions{K: 2, MaxIterations: -1}},
		"restarts":        {p, graphops.SpectralOptions{K: 2, Restarts: -1}},
		"directed":        {directed(t, 2, [2]uint32{0, 1}), graphops.SpectralOptions{K: 1}},
		"negative weight": {negative, graphops.SpectralOptions{K: 1}},
	} {
		if r, err := graphops.Spectral(t.Context(), test.p, test.o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	// 5 of 20 nodes have edges; 2 vectors wanted, a block of 5.
	const need = 4*20 + 5*(16+8*(3*5+2)+4*2) + 8*5*5*20 + 5*28 + 8*4
	must(graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: 2, MaxBytes: need}))(t)
	var e *graphops.MemoryError
	if _, err := graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: 2, MaxBytes: need - 1}); !errors.As(err, &e) || e.Need != need {
		t.Errorf("a byte short: %v", err)
	}
	s := rmat(9, 6, 1, 9)
	r := must(graphops.Spectral(t.Context(), s.project(t, false), graphops.SpectralOptions{K: 20, MaxIterations: 1, Tolerance: 1e-12}))(t)
	if r.Converged || r.Iterations != 1 || r.Partition.Count < 2 || len(r.Eigenvalues) != 20 {
		t.Errorf("one iteration: %+v", r)
	}
}

func TestSpectralIsCancelled(t *testing.T) {
	s := rmat(9, 6, 1, 9)
	p := s.project(t, true)
	for _, k := range []int{0, 1, 2, 5, 20, 100} {
		r, err := graphops.Spectral(&endsAfter{Context: t.Context(), left: k}, p, graphops.SpectralOptions{K: 10, Workers: 1})
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v, %v", k, r, err)
		}
	}
}

func ExampleSpectral() {
	p, err := graphops.FromEdges(6, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0},
		{From: 3, To: 4}, {From: 4, To: 5}, {From: 5, To: 3},
		{From: 2, To: 3},
	}, graphops.EdgeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := graphops.Spectral(context.Background(), p, graphops.SpectralOptions{K: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Partition.Sizes(), r.Partition.Of[0] == r.Partition.Of[2], r.Partition.Of[2] == r.Partition.Of[3])
	// Output: [3 3] true false
}

// BenchmarkSpectral finds 100 clusters among 150 cliques of 30 nodes and a tenth
// as many edges between them.
func BenchmarkSpectral(b *testing.B) {
	edges := cliques(150, 30)
	r := rand.New(rand.NewPCG(1, 1))
	for range len(edges) / 10 {
		edges = append(edges, graphops.WeightedEdge{From: uint32(r.IntN(4500)), To: uint32(r.IntN(4500)), Weight: 1})
	}
	p := must(graphops.FromEdges(4500, edges, graphops.EdgeOptions{}))(b)
	b.ReportAllocs()
	var res *graphops.SpectralResult
	cpu := cpuTime()
	for b.Loop() {
		res = must(graphops.Spectral(b.Context(), p, graphops.SpectralOptions{K: 100}))(b)
	}
	reportCPU(b, cpu)
	b.ReportMetric(float64(res.Iterations), "iterations")
}
