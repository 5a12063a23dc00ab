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

func TestCODICILReference(t *testing.T) {
	t.Parallel()
	var ref struct {
		Cases []struct {
			Name                   string
			Nodes, Dim, United     int
			UseVectors             bool `json:"use_vectors"`
			Vectors                []float32
			Alpha                  float64
			Edges, Content, Result [][3]float64
		}
	}
	readReference(t, "codicil.json", &ref)
	if len(ref.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range ref.Cases {
		p := must(graphops.FromEdges(c.Nodes, triples(c.Edges), graphops.EdgeOptions{}))(t)
		o := graphops.CODICILOptions{Alpha: &c.Alpha}
		if c.Alpha == 0.5 {
			o.Alpha = nil // the default
		}
		if c.UseVectors {
			o.Vectors = graphops.Matrix{Dim: c.Dim, Data: c.Vectors}
		}
		r := must(graphops.CODICIL(t.Context(), p, triples(c.Content), o))(t)
		want := must(graphops.FromEdges(c.Nodes, triples(c.Result), graphops.EdgeOptions{Weighted: true}))(t)
		checkEdges(t, c.Name, r, want, 1e-6)
	}
}

// Every node keeps at least the root of its edges, and no edge is kept that
// neither topology nor content has.
func TestCODICILKeepsRoots(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 1 + r.IntN(100)
		edges, content := randomEdges(r, n, r.IntN(5*n)), randomEdges(r, n, r.IntN(3*n))
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{}))(t)
		united := must(graphops.FromEdges(n, append(edges, content...), graphops.EdgeOptions{}))(t)
		res := must(graphops.CODICIL(t.Context(), p, content, graphops.CODICILOptions{}))(t)
		if res.Len() != n {
			t.Errorf("seed %d: %d nodes of %d", seed, res.Len(), n)
		}
		total := 0
		for u := range uint32(n) {
			least := int(math.Ceil(math.Sqrt(float64(united.Degree(u)))))
			total += least
			if res.Degree(u) < least {
				t.Errorf("seed %d: node %d has %d of %d edges", seed, u, res.Degree(u), united.Degree(u))
			}
			to, _ := res.Row(u)
			all, _ := united.Row(u)
			for _, v := range to {
				if !slices.Contains(all, v) {
					t.Errorf("seed %d: edge %d-%d is new", seed, u, v)
				}
			}
		}
		if res.Edges() > total {
			t.Errorf("seed %d: %d edges of at most %d", seed, res.Edges(), total)
		}
	}
}

// Two groups of equal content, joined at random, fall apart where content
// counts.
func TestCODICILSeparatesContent(t *testing.T) {
	t.Parallel()
	const n = 60
	r := rand.New(rand.NewPCG(2, 2))
	p := must(graphops.FromEdges(n, randomEdges(r, n, 4*n), graphops.EdgeOptions{}))(t)
	var content []graphops.WeightedEdge
	for u := range n {
		for k := range 6 {
			content = append(content, graphops.WeightedEdge{From: uint32(u), To: uint32((u + 2*k + 2) % n), Weight: 1})
		}
	}
	across := func(p *graphops.Projection) float64 {
		k := 0
		for _, e := range edgesOf(p) {
			if e.From%2 != e.To%2 {
				k++
			}
		}
		return float64(k) / float64(2*p.Edges())
	}
	res := must(graphops.CODICIL(t.Context(), p, content, graphops.CODICILOptions{}))(t)
	if before, after := across(p), across(res); before < 0.4 || after > 0.05 {
		t.Errorf("%.2f of the edges lead across, %.2f before", after, before)
	}
}

func TestCODICILIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(11, 10, 1, 3)
	p := s.project(t, false)
	r := rand.New(rand.NewPCG(8, 9))
	content := randomEdges(r, p.Len(), 10_000)
	one := must(graphops.CODICIL(t.Context(), p, content, graphops.CODICILOptions{Workers: 1}))(t)
	r.Shuffle(len(content), func(i, j int) { content[i], content[j] = content[j], content[i] })
	for _, workers := range []int{2, 7} {
		again := must(graphops.CODICIL(t.Context(), p, content, graphops.CODICILOptions{Workers: workers}))(t)
		if !slices.Equal(edgesOf(again), edgesOf(one)) {
			t.Errorf("%d workers differ", workers)
		}
	}
	for _, k := range []int{0, 1, 2, 5, 10} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		if r, err := graphops.CODICIL(ctx, p, content, graphops.CODICILOptions{Workers: 1}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v", k, err)
		}
	}
}

func TestCODICILOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3} {
		r := must(graphops.CODICIL(t.Context(), undirected(t, n), nil, graphops.CODICILOptions{}))(t)
		if r.Len() != n || r.Edges() != 0 {
			t.Errorf("%d nodes: %+v", n, r)
		}
	}
	// A pair with itself is not an edge, and one edge of each end is kept.
	p := undirected(t, 3, [2]uint32{0, 1})
	r := must(graphops.CODICIL(t.Context(), p, []graphops.WeightedEdge{{2, 2, 1}, {1, 2, .5}, {2, 1, .75}}, graphops.CODICILOptions{}))(t)
	// Of both edges 2 of 3 nodes are common.
	want := must(graphops.FromEdges(3, []graphops.WeightedEdge{{0, 1, 1. / 3}, {1, 2, 1./3 + .375}}, graphops.EdgeOptions{Weighted: true}))(t)
	checkEdges(t, "a path", r, want, 1e-6)
}

func TestCODICILRefuses(t *testing.T) {
	t.Parallel()
	p := undirected(t, 2, [2]uint32{0, 1})
	big, nan := 1.5, math.NaN()
	for name, test := range map[string]struct {
		p    *graphops.Projection
		near []graphops.WeightedEdge
		o    graphops.CODICILOptions
	}{
		"directed":    {directed(t, 2, [2]uint32{0, 1}), nil, graphops.CODICILOptions{}},
		"alpha":       {p, nil, graphops.CODICILOptions{Alpha: &big}},
		"alpha NaN":   {p, nil, graphops.CODICILOptions{Alpha: &nan}},
		"few vectors": {p, nil, graphops.CODICILOptions{Vectors: graphops.Matrix{Dim: 2, Data: []float32{1, 2}}}},
		"pair":        {p, []graphops.WeightedEdge{{2, 0, 1}}, graphops.CODICILOptions{}},
		"NaN pair":    {p, []graphops.WeightedEdge{{1, 0, float32(nan)}}, graphops.CODICILOptions{}},
	} {
		if r, err := graphops.CODICIL(t.Context(), test.p, test.near, test.o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// 2 entries and 2 of the pair, 2 nodes and one worker, a pair.
	const need = 4*40 + 2*(16+4) + 24
	near := []graphops.WeightedEdge{{1, 0, 1}}
	if _, err := graphops.CODICIL(t.Context(), p, near, graphops.CODICILOptions{Workers: 1, MaxBytes: need}); err != nil {
		t.Error(err)
	}
	var over *graphops.MemoryError
	if _, err := graphops.CODICIL(t.Context(), p, near, graphops.CODICILOptions{Workers: 1, MaxBytes: need - 1}); !errors.As(err, &over) || over.Need != need {
		t.Error(err)
	}
}

// BenchmarkCODICIL unites a graph with 5 content pairs a node.
func BenchmarkCODICIL(b *testing.B) {
	s := rmat(15, 12, 1, 1)
	p := s.project(b, false)
	content := randomEdges(rand.New(rand.NewPCG(8, 9)), p.Len(), 5*p.Len())
	cpu := cpuTime()
	var r *graphops.Projection
	for b.Loop() {
		r = must(graphops.CODICIL(b.Context(), p, content, graphops.CODICILOptions{}))(b)
	}
	reportCPU(b, cpu)
	b.ReportMetric(float64(r.Edges()*b.N)/b.Elapsed().Seconds(), "edges/s")
}
