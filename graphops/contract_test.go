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

// triples returns edges as a script writes them.
func triples(list [][3]float64) []graphops.WeightedEdge {
	out := make([]graphops.WeightedEdge, len(list))
	for i, e := range list {
		out[i] = graphops.WeightedEdge{From: uint32(e[0]), To: uint32(e[1]), Weight: float32(e[2])}
	}
	return out
}

// edgesOf returns the entries of a projection, of both directions.
func edgesOf(p *graphops.Projection) (out []graphops.WeightedEdge) {
	for u := range p.Len() {
		to, w := p.Row(uint32(u))
		for i, v := range to {
			out = append(out, graphops.WeightedEdge{From: uint32(u), To: v, Weight: float32(weight(w, i))})
		}
	}
	return out
}

func TestContractReference(t *testing.T) {
	t.Parallel()
	var ref struct {
		Source string
		Cases  []struct {
			Name                 string
			Nodes, Clusters      int
			Directed             bool
			Of                   []uint32
			Edges                [][3]float64
			Sum, Max, Min, Count [][3]float64
		}
	}
	readReference(t, "contract.json", &ref)
	if len(ref.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range ref.Cases {
		p := must(graphops.FromEdges(c.Nodes, triples(c.Edges), graphops.EdgeOptions{Directed: c.Directed, Weighted: true}))(t)
		part := &graphops.Partition{Of: c.Of, Count: c.Clusters}
		for o, want := range map[graphops.ContractOptions][][3]float64{
			{}: c.Sum, {Combine: graphops.Max}: c.Max, {Combine: graphops.Min}: c.Min, {Count: true}: c.Count,
		} {
			r := must(graphops.Contract(t.Context(), p, part, o))(t)
			ref := must(graphops.FromEdges(c.Clusters, triples(want), graphops.EdgeOptions{Directed: c.Directed, Weighted: true}))(t)
			if got, want := edgesOf(r), edgesOf(ref); !slices.Equal(got, want) {
				t.Errorf("%s, %+v: %v, want %v", c.Name, o, got, want)
			}
			if r.Symmetric() == c.Directed || !r.Weighted() || r.Len() != c.Clusters {
				t.Errorf("%s: symmetric %v, weighted %v, %d nodes", c.Name, r.Symmetric(), r.Weighted(), r.Len())
			}
		}
	}
}

// randomPartition puts some nodes in no cluster and leaves a cluster empty.
func randomPartition(r *rand.Rand, n, k int) *graphops.Partition {
	p := &graphops.Partition{Of: make([]uint32, n), Count: k + 1}
	for u := range p.Of {
		p.Of[u] = uint32(r.IntN(k))
		if r.IntN(10) == 0 {
			p.Of[u] = graphops.None
		}
	}
	return p
}

// Every edge of the graph is between two clusters, within one, or at a node of
// none, and counted once.
func TestContractKeepsWeight(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(80)
		o := graphops.EdgeOptions{Directed: seed%2 == 0, Weighted: seed%4 < 2}
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(5*n)), o))(t)
		part := randomPartition(r, n, 1+r.IntN(9))
		res := must(graphops.Contract(t.Context(), p, part, graphops.ContractOptions{}))(t)
		all, count := 0.0, 0
		for _, e := range edgesOf(p) {
			if (o.Directed || e.From < e.To) && part.Of[e.From] != graphops.None && part.Of[e.To] != graphops.None && part.Of[e.From] != part.Of[e.To] {
				all += float64(e.Weight)
				count++
			}
		}
		got := 0.0
		for _, e := range edgesOf(res) {
			if o.Directed || e.From < e.To {
				got += float64(e.Weight)
			}
			if e.To == uint32(part.Count-1) {
				t.Errorf("seed %d: an edge to the empty cluster", seed)
			}
		}
		if math.Abs(got-all) > 1e-4 {
			t.Errorf("seed %d: %g of %g", seed, got, all)
		}
		counted := must(graphops.Contract(t.Context(), p, part, graphops.ContractOptions{Count: true}))(t)
		for _, e := range edgesOf(counted) {
			if o.Directed || e.From < e.To {
				count -= int(e.Weight)
			}
		}
		if count != 0 {
			t.Errorf("seed %d: %d edges are lost", seed, count)
		}
		// Contracted to itself a graph is the same.
		id := &graphops.Partition{Of: make([]uint32, n), Count: n}
		for u := range id.Of {
			id.Of[u] = uint32(u)
		}
		if same := must(graphops.Contract(t.Context(), p, id, graphops.ContractOptions{}))(t); !slices.Equal(edgesOf(same), edgesOf(p)) {
			t.Errorf("seed %d: contracted to single nodes it is another graph", seed)
		}
	}
}

// Sums of many weights have one value in both rows of an edge.
func TestContractIsSymmetric(t *testing.T) {
	t.Parallel()
	s := rmat(12, 12, 1, 5)
	p := s.project(t, true)
	part := randomPartition(rand.New(rand.NewPCG(1, 1)), p.Len(), 40)
	r := must(graphops.Contract(t.Context(), p, part, graphops.ContractOptions{}))(t)
	for _, e := range edgesOf(r) {
		to, w := r.Row(e.To)
		i, ok := slices.BinarySearch(to, e.From)
		if !ok || w[i] != e.Weight {
			t.Fatalf("%d-%d weighs %g, back %v", e.From, e.To, e.Weight, ok)
		}
	}
	for _, workers := range []int{1, 2, 7} {
		again := must(graphops.Contract(t.Context(), p, part, graphops.ContractOptions{Workers: workers}))(t)
		if !slices.Equal(edgesOf(again), edgesOf(r)) {
			t.Errorf("%d workers differ", workers)
		}
	}
}

func TestContractOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5} {
		p := undirected(t, n)
		part := &graphops.Partition{Of: make([]uint32, n), Count: 1}
		r := must(graphops.Contract(t.Context(), p, part, graphops.ContractOptions{}))(t)
		if r.Len() != 1 || r.Edges() != 0 {
			t.Errorf("%d nodes: %+v", n, r)
		}
		for u := range part.Of {
			part.Of[u] = graphops.None
		}
		part.Count = 0
		if r := must(graphops.Contract(t.Context(), p, part, graphops.ContractOptions{}))(t); r.Len() != 0 {
			t.Errorf("%d nodes in no cluster: %+v", n, r)
		}
	}
}

func TestContractRefuses(t *testing.T) {
	t.Parallel()
	p := undirected(t, 3, [2]uint32{0, 1}, [2]uint32{1, 2})
	for name, test := range map[string]struct {
		part graphops.Partition
		o    graphops.ContractOptions
	}{
		"weight":   {graphops.Partition{Of: []uint32{0, 1, 1}, Count: 2}, graphops.ContractOptions{Combine: 5}},
		"short":    {graphops.Partition{Of: []uint32{0, 1}, Count: 2}, graphops.ContractOptions{}},
		"clusters": {graphops.Partition{Of: []uint32{0, 1, 2}, Count: 2}, graphops.ContractOptions{}},
		"negative": {graphops.Partition{Of: []uint32{graphops.None, graphops.None, graphops.None}, Count: -1}, graphops.ContractOptions{}},
	} {
		if r, err := graphops.Contract(t.Context(), p, &test.part, test.o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	part := &graphops.Partition{Of: []uint32{0, 1, 1}, Count: 2}
	// 3 nodes, 2 clusters, one worker and at most 2 entries.
	const need = 3*8 + 2*(24+32) + 2*16
	if _, err := graphops.Contract(t.Context(), p, part, graphops.ContractOptions{Workers: 1, MaxBytes: need}); err != nil {
		t.Error(err)
	}
	var over *graphops.MemoryError
	if r, err := graphops.Contract(t.Context(), p, part, graphops.ContractOptions{Workers: 1, MaxBytes: need - 1}); !errors.As(err, &over) ||
		over.Need != need || r != nil {
		t.Error(err)
	}
	s := rmat(12, 12, 1, 5)
	big := s.project(t, false)
	all := &graphops.Partition{Of: make([]uint32, big.Len()), Count: 1}
	for _, k := range []int{0, 1, 2} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		if r, err := graphops.Contract(ctx, big, all, graphops.ContractOptions{Workers: 1}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v", k, err)
		}
	}
}

// BenchmarkContract contracts to clusters of 16 nodes.
func BenchmarkContract(b *testing.B) {
	s := rmat(16, 12, 4, 1)
	p := s.project(b, true)
	part := &graphops.Partition{Of: make([]uint32, p.Len()), Count: p.Len() / 16}
	for u := range part.Of {
		part.Of[u] = uint32(u % part.Count)
	}
	cpu := cpuTime()
	for b.Loop() {
		must(graphops.Contract(b.Context(), p, part, graphops.ContractOptions{}))(b)
	}
	reportCPU(b, cpu)
	b.ReportMetric(float64(p.Edges()*b.N)/b.Elapsed().Seconds(), "edges/s")
}
