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

func TestAugmentKNNReference(t *testing.T) {
	t.Parallel()
	var ref struct {
		Cases []struct {
			Name                      string
			Nodes, Dim, Degree, Added int
			Vectors                   []float32
			Edges, Candidates, Result [][3]float64
			Percentile, Scale         float64
			Threshold                 *float64
		}
	}
	readReference(t, "augment.json", &ref)
	if len(ref.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range ref.Cases {
		p := must(graphops.FromEdges(c.Nodes, triples(c.Edges), graphops.EdgeOptions{}))(t)
		o := graphops.AugmentOptions{
			Vectors: graphops.Matrix{Dim: c.Dim, Data: c.Vectors}, Percentile: c.Percentile, DegreeScale: c.Scale,
		}
		if c.Percentile == 0.8 {
			o.Percentile = 0 // the default
		}
		if c.Scale == 1 {
			o.DegreeScale = 0
		}
		if d := graphops.AugmentDegree(p, c.Scale); d != c.Degree {
			t.Errorf("%s: degree %d, want %d", c.Name, d, c.Degree)
		}
		r := must(augmentKNN(t.Context(), p, triples(c.Candidates), o))(t)
		want := math.Inf(-1)
		if c.Threshold != nil {
			want = *c.Threshold
		}
		if got := r.Limits.Threshold; got != want && !(math.Abs(got-want) < 1e-6) {
			t.Errorf("%s: threshold %g, want %g", c.Name, got, want)
		}
		if r.Limits.Degree != c.Degree || r.Added != c.Added {
			t.Errorf("%s: degree %d, %d added, want %d, %d", c.Name, r.Limits.Degree, r.Added, c.Degree, c.Added)
		}
		checkEdges(t, c.Name, r.Graph, must(graphops.FromEdges(c.Nodes, triples(c.Result), graphops.EdgeOptions{Weighted: true}))(t), 1e-6)
	}
}

// checkEdges checks that two graphs have the same edges, of weights within a
// distance.
func checkEdges(t *testing.T, name string, got, want *graphops.Projection, within float64) {
	t.Helper()
	a, b := edgesOf(got), edgesOf(want)
	if !slices.EqualFunc(a, b, func(a, b graphops.WeightedEdge) bool {
		return a.From == b.From && a.To == b.To && math.Abs(float64(a.Weight)-float64(b.Weight)) <= within
	}) {
		t.Errorf("%s: %v, want %v", name, a, b)
	}
	if got.Symmetric() != want.Symmetric() || got.Weighted() != want.Weighted() {
		t.Errorf("%s: symmetric %v, weighted %v", name, got.Symmetric(), got.Weighted())
	}
}

// Without vectors, weights are the similarities.
func TestAugmentKNNByWeights(t *testing.T) {
	t.Parallel()
	p := must(graphops.FromEdges(6, []graphops.WeightedEdge{
		{0, 1, .2}, {1, 2, .4}, {2, 0, .6}, {0, 3, -.5}, {1, 3, .8},
	}, graphops.EdgeOptions{Weighted: true}))(t)
	// Sorted -.5 .2 .4 .6 .8: the middle is .4. 4 nodes have 10 ends.
	r := must(augmentKNN(t.Context(), p, []graphops.WeightedEdge{
		{4, 0, .5}, {4, 1, .9}, {4, 2, .9}, {4, 1, .9}, {4, 4, 1}, // two at most, the lower ones of equals
		{5, 0, .4}, {5, 1, .41}, {1, 5, .7}, // above the threshold, and the greater of both
		{0, 1, .99}, // joined already
	}, graphops.AugmentOptions{Percentile: .5}))(t)
	if math.Abs(r.Limits.Threshold-.4) > 1e-7 || r.Limits.Degree != 2 || r.Added != 3 {
		t.Errorf("%+v", r)
	}
	want := must(graphops.FromEdges(6, []graphops.WeightedEdge{
		{0, 1, .2}, {1, 2, .4}, {2, 0, .6}, {0, 3, 0}, {1, 3, .8}, {4, 1, .9}, {4, 2, .9}, {1, 5, .7},
	}, graphops.EdgeOptions{Weighted: true}))(t)
	checkEdges(t, "by weights", r.Graph, want, 0)

	frozen := must(augmentKNN(t.Context(), p, []graphops.WeightedEdge{{4, 0, .5}, {4, 1, .9}, {5, 0, .3}},
		graphops.AugmentOptions{Frozen: &graphops.AugmentLimits{Threshold: .1, Degree: 1}}))(t)
	if frozen.Added != 2 || frozen.Limits.Threshold != .1 || frozen.Limits.Degree != 1 {
		t.Errorf("frozen: %+v", frozen)
	}
}

// Nodes keep their ids and types.
func TestAugmentKNNKeepsNodes(t *testing.T) {
	t.Parallel()
	g := openGraph(t, engine.Memory, nil)
	s := rmat(5, 3, 3, 8)
	s.store(t, g)
	types := viewOf(t, g).NodeTypes()
	p := must(graphops.Project(t.Context(), viewOf(t, g), graphops.Spec{Weighted: true, Nodes: types[1:]}))(t)
	var near []graphops.WeightedEdge
	for u := range p.Len() {
		near = append(near, graphops.WeightedEdge{From: uint32(u), To: uint32((u + 5) % p.Len()), Weight: 2})
	}
	r := must(augmentKNN(t.Context(), p, near, graphops.AugmentOptions{}))(t)
	if r.Added == 0 || r.Graph.Edges() != p.Edges()+r.Added || r.Graph.Version() != p.Version() || r.Graph.Len() != p.Len() {
		t.Errorf("%d edges of %d, %d added", r.Graph.Edges(), p.Edges(), r.Added)
	}
	for u := range p.Len() {
		id := p.NodeOf(uint32(u))
		if v, ok := r.Graph.Index(id); !ok || int(v) != u || r.Graph.NodeOf(v) != id {
			t.Fatalf("node %d is %d", u, v)
		}
	}
	for _, typ := range types {
		lo, hi := p.TypeRange(typ)
		if l, h := r.Graph.TypeRange(typ); l != lo || h != hi {
			t.Errorf("type %d: %d to %d", typ, l, h)
		}
	}
}

func TestAugmentKNNOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3} {
		r := must(augmentKNN(t.Context(), undirected(t, n), nil, graphops.AugmentOptions{}))(t)
		if r.Graph.Len() != n || r.Graph.Edges() != 0 || r.Added != 0 || !math.IsInf(r.Limits.Threshold, -1) {
			t.Errorf("%d nodes: %+v", n, r)
		}
	}
	// Vectors of no length are like nothing.
	p := undirected(t, 3, [2]uint32{0, 1})
	r := must(augmentKNN(t.Context(), p, []graphops.WeightedEdge{{0, 2, 1}},
		graphops.AugmentOptions{Vectors: graphops.Matrix{Dim: 2, Data: make([]float32, 6)}}))(t)
	if r.Added != 0 || r.Limits.Threshold != 0 {
		t.Errorf("%+v", r)
	}
}

func TestAugmentKNNIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(11, 8, 1, 3)
	p := s.project(t, false)
	r := rand.New(rand.NewPCG(8, 8))
	vectors := gaussian(r, p.Len(), 48)
	near := randomEdges(r, p.Len(), 20_000)
	given := slices.Clone(near)
	o := graphops.AugmentOptions{Vectors: vectors, Workers: 1}
	one := must(augmentKNN(t.Context(), p, near, o))(t)
	if one.Added == 0 || !slices.Equal(near, given) {
		t.Errorf("%d added; candidates changed: %v", one.Added, !slices.Equal(near, given))
	}
	r.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
	for _, o.Workers = range []int{2, 7} {
		again := must(augmentKNN(t.Context(), p, near, o))(t)
		if again.Limits != one.Limits || !slices.Equal(edgesOf(again.Graph), edgesOf(one.Graph)) {
			t.Errorf("%d workers differ", o.Workers)
		}
	}
	o.Workers = 1
	for _, k := range []int{0, 1, 2, 5, 10} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		if r, err := augmentKNN(ctx, p, near, o); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v", k, err)
		}
	}
}

func TestAugmentKNNRefuses(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	p := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, .5}}, graphops.EdgeOptions{Weighted: true}))(t)
	for name, test := range map[string]struct {
		p    *graphops.Projection
		near []graphops.WeightedEdge
		o    graphops.AugmentOptions
	}{
		"directed":           {directed(t, 2, [2]uint32{0, 1}), nil, graphops.AugmentOptions{}},
		"no similarities":    {undirected(t, 2, [2]uint32{0, 1}), nil, graphops.AugmentOptions{}},
		"few vectors":        {p, nil, graphops.AugmentOptions{Vectors: graphops.Matrix{Dim: 2, Data: []float32{1, 2}}}},
		"ragged vectors":     {p, nil, graphops.AugmentOptions{Vectors: graphops.Matrix{Dim: 2, Data: []float32{1, 2, 3, 4, 5}}}},
		"NaN vector":         {p, nil, graphops.AugmentOptions{Vectors: graphops.Matrix{Dim: 1, Data: []float32{1, float32(nan)}}}},
		"percentile":         {p, nil, graphops.AugmentOptions{Percentile: 1.1}},
		"percentile NaN":     {p, nil, graphops.AugmentOptions{Percentile: nan}},
		"scale":              {p, nil, graphops.AugmentOptions{DegreeScale: -1}},
		"frozen degree":      {p, nil, graphops.AugmentOptions{Frozen: &graphops.AugmentLimits{Degree: -1}}},
		"frozen threshold":   {p, nil, graphops.AugmentOptions{Frozen: &graphops.AugmentLimits{Threshold: nan}}},
		"candidate":          {p, []graphops.WeightedEdge{{0, 2, 1}}, graphops.AugmentOptions{}},
		"infinite candidate": {p, []graphops.WeightedEdge{{0, 1, float32(math.Inf(1))}}, graphops.AugmentOptions{}},
	} {
		if r, err := augmentKNN(t.Context(), test.p, test.near, test.o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// 2 entries, 2 nodes, 1 candidate.
	const need = 2*16 + 2*16 + 64
	near := []graphops.WeightedEdge{{1, 0, 1}}
	if _, err := augmentKNN(t.Context(), p, near, graphops.AugmentOptions{MaxBytes: need}); err != nil {
		t.Error(err)
	}
	var over *graphops.MemoryError
	if _, err := augmentKNN(t.Context(), p, near, graphops.AugmentOptions{MaxBytes: need - 1}); !errors.As(err, &over) || over.Need != need {
		t.Error(err)
	}
}

// BenchmarkAugmentKNN adds edges to 6 candidates a node by vectors of
// dimension 256.
func BenchmarkAugmentKNN(b *testing.B) {
	s := rmat(14, 8, 1, 3)
	p := s.project(b, false)
	r := rand.New(rand.NewPCG(8, 8))
	vectors := gaussian(r, p.Len(), 256)
	near := randomEdges(r, p.Len(), 6*p.Len())
	cpu := cpuTime()
	for b.Loop() {
		must(augmentKNN(b.Context(), p, near, graphops.AugmentOptions{Vectors: vectors}))(b)
	}
	reportCPU(b, cpu)
}

// augmented is a graph with the edges that AugmentKNN has added.
type augmented struct {
	Graph  *graphops.Projection
	Limits graphops.AugmentLimits
	Added  int
}

func augmentKNN(ctx context.Context, p *graphops.Projection, near []graphops.WeightedEdge, o graphops.AugmentOptions) (*augmented, error) {
	g, limits, err := graphops.AugmentKNN(ctx, p, near, o)
	if err != nil {
		return nil, err
	}
	return &augmented{g, limits, g.Edges() - p.Edges()}, nil
}
