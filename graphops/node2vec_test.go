package graphops_test

import (
	"context"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// communities returns k planted ones of size nodes each: node u is in u%k.
func communities(r *rand.Rand, k, size int, inside, across float64) (int, []graphops.WeightedEdge) {
	n := k * size
	var edges []graphops.WeightedEdge
	for u := range n {
		for v := range u {
			p := across
			if u%k == v%k {
				p = inside
			}
			if r.Float64() < p {
				edges = append(edges, graphops.WeightedEdge{From: uint32(u), To: uint32(v), Weight: 1})
			}
		}
	}
	return n, edges
}

func cosine(a, b []float64) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// recovered returns for which part of the nodes from half on the centroid of
// the first half of their own community is the nearest.
func recovered(m graphops.Matrix, k int) float64 {
	n := m.Len()
	row := func(u int) []float64 {
		out := make([]float64, m.Dim)
		for i, x := range m.Row(u) {
			out[i] = float64(x)
		}
		return out
	}
	centroids := make([][]float64, k)
	for u := range n / 2 {
		if centroids[u%k] == nil {
			centroids[u%k] = make([]float64, m.Dim)
		}
		for i, x := range row(u) {
			centroids[u%k][i] += x
		}
	}
	good := 0
	for u := n / 2; u < n; u++ {
		best := 0
		for c := range k {
			if cosine(row(u), centroids[c]) > cosine(row(u), centroids[best]) {
				best = c
			}
		}
		if best == u%k {
			good++
		}
	}
	return float64(good) / float64(n-n/2)
}

func TestNode2VecFindsCommunities(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]graphops.Node2VecOptions{
		"even walks":   {Seed: 1},
		"local walks":  {Seed: 2, P: .5, Q: 2},
		"remote walks": {Seed: 3, P: 2, Q: .5},
	} {
		const k = 5
		n, edges := communities(rand.New(rand.NewPCG(o.Seed, 1)), k, 24, .4, .02)
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: o.Seed == 2}))(t)
		o.Dim, o.WalkLength, o.Window, o.LearningRate = 32, 30, 5, .05
		r := must(graphops.Node2Vec(t.Context(), p, o))(t)
		if r.Len() != n || r.Dim != 32 {
			t.Errorf("%s: %d vectors of dimension %d", name, r.Len(), r.Dim)
		}
		if part := recovered(r, k); part < .95 {
			t.Errorf("%s: %.2f of the nodes are nearest to their own community", name, part)
		}
	}
}

// The vectors of a graph and a seed, by their bits, are the same on every
// machine.
func TestNode2VecIsReproducible(t *testing.T) {
	t.Parallel()
	n, edges := communities(rand.New(rand.NewPCG(5, 5)), 3, 10, .5, .05)
	r := rand.New(rand.NewPCG(6, 6))
	for i := range edges {
		edges[i].Weight = float32(r.IntN(8)) / 4
	}
	p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true}))(t)
	o := graphops.Node2VecOptions{Dim: 21, WalkLength: 10, Walks: 3, P: 2, Q: .5, Seed: 9}
	sum := func() uint32 {
		h := crc32.NewIEEE()
		for _, x := range must(graphops.Node2Vec(t.Context(), p, o))(t).Data {
			b := math.Float32bits(x)
			_, _ = h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		return h.Sum32()
	}
	const want = 0x2432afeb
	for _, o.Workers = range []int{1, 2, 7} {
		if got := sum(); got != want {
			t.Errorf("%d workers: %#08x, want %#08x", o.Workers, got, uint32(want))
		}
	}
	o.Seed++
	if sum() == want {
		t.Error("another seed has the same vectors")
	}
}

func TestNode2VecOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3} {
		r := must(graphops.Node2Vec(t.Context(), undirected(t, n), graphops.Node2VecOptions{Dim: 4}))(t)
		if r.Len() != n || slices.ContainsFunc(r.Data, func(x float32) bool { return x != 0 }) {
			t.Errorf("%d nodes: %v", n, r)
		}
	}
	// Of an arc, a walk from the target ends at once; an edge of weight 0 is
	// not followed.
	o := graphops.Node2VecOptions{Dim: 4, Walks: 2, WalkLength: 9}
	r := must(graphops.Node2Vec(t.Context(), directed(t, 3, [2]uint32{0, 1}), o))(t)
	if r.Row(0)[0] == 0 || r.Row(1)[0] == 0 || r.Row(2)[0] != 0 {
		t.Errorf("an arc: %+v", r)
	}
	zero := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, 0}}, graphops.EdgeOptions{Weighted: true}))(t)
	if r := must(graphops.Node2Vec(t.Context(), zero, o))(t); r.Row(0)[0] != 0 {
		t.Errorf("weight 0: %+v", r)
	}
}

func TestNode2VecRefuses(t *testing.T) {
	t.Parallel()
	p := undirected(t, 2, [2]uint32{0, 1})
	for _, o := range []graphops.Node2VecOptions{
		{Dim: -1}, {Dim: 1<<16 + 1}, {WalkLength: -1}, {Walks: -1}, {Window: -1}, {Negatives: -1}, {Negatives: 1 << 30},
		{P: -1}, {P: math.Inf(1)}, {P: 1e-320}, {Q: math.NaN()}, {LearningRate: -1}, {LearningRate: 2},
	} {
		if r, err := graphops.Node2Vec(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || r.Data != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	negative := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, -1}}, graphops.EdgeOptions{Weighted: true}))(t)
	if _, err := graphops.Node2Vec(t.Context(), negative, graphops.Node2VecOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a negative weight: %v", err)
	}
	o := graphops.Node2VecOptions{Dim: 3, WalkLength: 5, MaxBytes: 2*(8*3+32) + 4096*5}
	if _, err := graphops.Node2Vec(t.Context(), p, o); err != nil {
		t.Error(err)
	}
	o.MaxBytes--
	var over *graphops.MemoryError
	if _, err := graphops.Node2Vec(t.Context(), p, o); !errors.As(err, &over) || over.Need != o.MaxBytes+1 {
		t.Error(err)
	}
}

func TestNode2VecIsCancelled(t *testing.T) {
	t.Parallel()
	n, edges := communities(rand.New(rand.NewPCG(5, 5)), 4, 25, .3, .02)
	p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{}))(t)
	o := graphops.Node2VecOptions{Dim: 8, WalkLength: 10, Walks: 2, Workers: 1}
	for _, k := range []int{0, 1, 3, 8, 9, 20, 100} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		if r, err := graphops.Node2Vec(ctx, p, o); !errors.Is(err, context.Canceled) || r.Data != nil {
			t.Errorf("after %d looks: %v", k, err)
		}
	}
}

// BenchmarkNode2Vec learns vectors of the default dimension from short walks;
// a step costs the same in long ones.
func BenchmarkNode2Vec(b *testing.B) {
	s := rmat(10, 8, 1, 1)
	p := s.project(b, true)
	steps := 0
	cpu := cpuTime()
	for b.Loop() {
		must(graphops.Node2Vec(b.Context(), p, graphops.Node2VecOptions{Walks: 1, WalkLength: 40, P: 2, Q: .5}))(b)
		steps += 40 * p.Len() // at most
	}
	reportCPU(b, cpu)
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
