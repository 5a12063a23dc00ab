package graphops_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// near reports whether all of a are those of b, relatively to 1e-9.
func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-9*max(1, math.Abs(b[i]))) {
			return false
		}
	}
	return true
}

func TestBetweennessReference(t *testing.T) {
	t.Parallel()
	for _, c := range structureCases(t) {
		p := c.projection(t)
		r := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{}))(t)
		if !near(r.Scores, c.Betweenness) || r.ErrorBound != 0 || r.Sources != c.Nodes {
			t.Errorf("%s: %v, want %v", c.Name, r.Scores, c.Betweenness)
		}
		r = must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Normalised: true}))(t)
		if !near(r.Scores, c.Normalised) {
			t.Errorf("%s, normalised: %v, want %v", c.Name, r.Scores, c.Normalised)
		}
	}
}

func TestBetweennessOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		p    *graphops.Projection
		want []float64
	}{
		{"no node", undirected(t, 0), []float64{}},
		{"one node", undirected(t, 1), []float64{0}},
		{"an edge", undirected(t, 2, [2]uint32{0, 1}), []float64{0, 0}},
		{"a path and a node", undirected(t, 4, [2]uint32{0, 1}, [2]uint32{1, 2}), []float64{0, 1, 0, 0}},
		{"two ways", undirected(t, 4, [2]uint32{0, 1}, [2]uint32{1, 3}, [2]uint32{0, 2}, [2]uint32{2, 3}), []float64{.5, .5, .5, .5}},
		{"arcs", directed(t, 3, [2]uint32{0, 1}, [2]uint32{1, 2}), []float64{0, 1, 0}},
	} {
		for _, normalised := range []bool{false, true} {
			want := slices.Clone(test.want)
			if n := float64(len(want)); normalised && n > 2 {
				pairs := (n - 1) * (n - 2)
				if test.p.Symmetric() {
					pairs /= 2
				}
				for u := range want {
					want[u] /= pairs
				}
			}
			r := must(graphops.Betweenness(t.Context(), test.p, graphops.BetweennessOptions{Normalised: normalised}))(t)
			if !near(r.Scores, want) {
				t.Errorf("%s: %v, want %v", test.name, r.Scores, want)
			}
			if n := test.p.Len(); n > 0 {
				r = must(graphops.Betweenness(t.Context(), test.p, graphops.BetweennessOptions{SourceNodes: []uint32{0}, Normalised: normalised}))(t)
				if !(r.ErrorBound >= 0) || n < 3 && r.ErrorBound != 0 || len(r.Scores) != n {
					t.Errorf("%s from a source: %+v", test.name, r)
				}
			}
		}
	}
}

// dependencies returns the dependency of every source on every node by
// definition, of all distances and numbers of paths (Floyd and Warshall), and
// the distances. Weights are lengths.
func dependencies(p *graphops.Projection) (dep, dist [][]float64) {
	n := p.Len()
	count := make([][]float64, n)
	for u := range n {
		dist, count = append(dist, slices.Repeat([]float64{math.Inf(1)}, n)), append(count[:u], make([]float64, n))
		dist[u][u], count[u][u] = 0, 1
		to, w := p.Row(uint32(u))
		for i, v := range to {
			dist[u][v], count[u][v] = weight(w, i), 1
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				if i == k || j == k {
					continue
				}
				switch d := dist[i][k] + dist[k][j]; {
				case math.IsInf(d, 1) || d > dist[i][j]:
				case d == dist[i][j]:
					count[i][j] += count[i][k] * count[k][j]
				default:
					dist[i][j], count[i][j] = d, count[i][k]*count[k][j]
				}
			}
		}
	}
	for s := range n {
		dep = append(dep, make([]float64, n))
		for v := range n {
			for t := range n {
				if s != v && v != t && s != t && !math.IsInf(dist[s][t], 1) && dist[s][v]+dist[v][t] == dist[s][t] {
					dep[s][v] += count[s][v] * count[v][t] / count[s][t]
				}
			}
		}
	}
	return dep, dist
}

func TestBetweennessAgainstDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 15))
		n := 3 + r.IntN(40)
		o := graphops.EdgeOptions{Directed: seed%2 == 0}
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(1+n*(1+int(seed%4)))), o))(t)
		dep, dist := dependencies(p)
		half := 1.0
		if p.Symmetric() {
			half = 2
		}
		want, inner := make([]float64, n), 0.0
		for s := range n {
			for v := range n {
				want[v] += dep[s][v] / half
				if s != v && !math.IsInf(dist[s][v], 1) {
					inner += (dist[s][v] - 1) / half
				}
			}
		}
		got := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{}))(t)
		if !near(got.Scores, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got.Scores, want)
		}
		// A path of d edges has d-1 inner nodes.
		if s := sum(got.Scores); !(math.Abs(s-inner) <= 1e-9*max(1, inner)) {
			t.Errorf("seed %d: scores sum to %g, paths have %g inner nodes", seed, s, inner)
		}
		// From some sources, one of them twice.
		sources := []uint32{uint32(r.IntN(n)), uint32(r.IntN(n)), uint32(r.IntN(n))}
		sources = append(sources, sources[0])
		clear(want)
		for _, s := range sources {
			for v := range n {
				want[v] += dep[s][v] * float64(n) / 4 / float64((n-1)*(n-2))
			}
		}
		got = must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{SourceNodes: sources, Normalised: true}))(t)
		if !near(got.Scores, want) || got.Sources != 4 {
			t.Errorf("seed %d: of sources %v: %v, want %v", seed, sources, got.Scores, want)
		}
	}
}

func TestBetweennessOfLengths(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 16))
		n := 3 + r.IntN(40)
		edges := randomEdges(r, n, r.IntN(5*n))
		for i := range edges {
			edges[i].Weight += 0.125
			if seed%3 == 0 {
				edges[i].Weight = float32(1 + r.IntN(3)) // many ties
			}
		}
		o := graphops.EdgeOptions{Directed: seed%2 == 0, Weighted: true, Combine: graphops.Min}
		p := must(graphops.FromEdges(n, edges, o))(t)
		dep, _ := dependencies(p)
		want := make([]float64, n)
		for s := range n {
			for v := range n {
				want[v] += dep[s][v] / float64((n-1)*(n-2))
			}
		}
		got := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Lengths: true, Normalised: true}))(t)
		if !near(got.Scores, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got.Scores, want)
		}
		// Of equal lengths, the number of edges counts.
		for i := range edges {
			edges[i].Weight = 0.75
		}
		p = must(graphops.FromEdges(n, edges, o))(t)
		plain := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{}))(t)
		got = must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Lengths: true}))(t)
		if !near(got.Scores, plain.Scores) {
			t.Fatalf("seed %d: of equal lengths %v, want %v", seed, got.Scores, plain.Scores)
		}
	}
	zero := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, 0}}, graphops.EdgeOptions{Weighted: true}))(t)
	if _, err := graphops.Betweenness(t.Context(), zero, graphops.BetweennessOptions{Lengths: true}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a length of 0: %v", err)
	}
	// A length that is lost in the distance makes no circle.
	lost := must(graphops.FromEdges(4, []graphops.WeightedEdge{{0, 1, 1 << 30}, {1, 2, 1e-30}, {2, 3, 1 << 30}}, graphops.EdgeOptions{Weighted: true}))(t)
	r := must(graphops.Betweenness(t.Context(), lost, graphops.BetweennessOptions{Lengths: true}))(t)
	if !near(r.Scores, []float64{0, 2, 2, 0}) {
		t.Errorf("with a short edge: %v", r.Scores)
	}
}

func TestBetweennessOfRenamedAndJoined(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(16, 4))
	const n = 256
	a, b := rmat(8, 4, 1, 1).edges, rmat(8, 3, 1, 2).edges
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}} {
		scores := func(n int, edges []graphops.WeightedEdge) []float64 {
			p := must(graphops.FromEdges(n, edges, o))(t)
			return must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{}))(t).Scores
		}
		perm := r.Perm(n)
		want, got := scores(n, a), scores(n, renamedEdges(r, a, perm))
		back := make([]float64, n)
		for u := range back {
			back[u] = got[perm[u]]
		}
		if !near(back, want) {
			t.Errorf("%+v: renaming the nodes changes scores", o)
		}
		if both := scores(2*n, unionEdges(n, a, b)); !near(both, append(want, scores(n, b)...)) {
			t.Errorf("%+v: scores of a union differ from those of its parts", o)
		}
	}
}

// Over many seeds, the bound must be missed no more often than Delta says; it
// must shrink with the sample, and end at 0.
func TestBetweennessBound(t *testing.T) {
	t.Parallel()
	s := rmat(7, 4, 1, 5)
	p := s.project(t, false)
	exact := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Normalised: true}))(t)
	const seeds, delta = 200, 0.1
	last := math.Inf(1)
	for _, k := range []int{1, 4, 30, 100, 127} {
		missed, worst, bound := 0, 0.0, 0.0
		for seed := range uint64(seeds) {
			r := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{
				Sources: k, Seed: seed, Normalised: true, Delta: delta,
			}))(t)
			if r.Sources != k {
				t.Fatalf("%d sources of %d", r.Sources, k)
			}
			off := 0.0
			for u := range exact.Scores {
				off = max(off, math.Abs(r.Scores[u]-exact.Scores[u]))
			}
			if off > r.ErrorBound {
				missed++
			}
			worst, bound = max(worst, off), max(bound, r.ErrorBound)
		}
		if missed > delta*seeds {
			t.Errorf("%d sources: the bound was missed %d times of %d", k, missed, seeds)
		}
		hoeffding := 128. / 127 * math.Sqrt(math.Log(4*128/delta)/float64(2*k))
		if worst == 0 || bound > hoeffding*(1+1e-12) || bound >= last {
			t.Errorf("%d sources: off by up to %g, bound %g after %g, Hoeffding's %g", k, worst, bound, last, hoeffding)
		}
		last = bound
	}
	all := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Normalised: true, Sources: p.Len()}))(t)
	if all.ErrorBound != 0 || !slices.Equal(all.Scores, exact.Scores) {
		t.Errorf("as many sources as nodes: bound %g", all.ErrorBound)
	}
	one := graphops.BetweennessOptions{Sources: 20, Seed: 3}
	raw := must(graphops.Betweenness(t.Context(), p, one))(t)
	one.Normalised = true
	scaled := must(graphops.Betweenness(t.Context(), p, one))(t)
	if r := raw.ErrorBound / scaled.ErrorBound; !(math.Abs(r-127*126/2) < 1e-6) {
		t.Errorf("scores differ by a factor %d, bounds by %g", 127*126/2, r)
	}
}

// A star of many leaves from many sources has a variance close to 0: there the
// empirical bound is the smaller one.
func TestBetweennessBoundKnowsTheVariance(t *testing.T) {
	t.Parallel()
	const n, k = 4000, 3000
	edges := make([]graphops.WeightedEdge, n-1)
	for i := range edges {
		edges[i].To = uint32(i + 1)
	}
	p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{}))(t)
	r := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Sources: k, Normalised: true}))(t)
	hoeffding := math.Sqrt(math.Log(4*n/.1) / (2 * k))
	linear := 7 * math.Log(8*n/.1) / (3 * (k - 1))
	if !(r.ErrorBound > linear && r.ErrorBound < linear+0.003 && r.ErrorBound < hoeffding/2) {
		t.Errorf("bound %g, Hoeffding's %g, without variance %g", r.ErrorBound, hoeffding, linear)
	}
}

func TestBetweennessIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(12, 16, 1, 9)
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}, {Weighted: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, o))(t)
		run := func(workers int) *graphops.BetweennessResult {
			return must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{
				Sources: 150, Seed: 7, Lengths: o.Weighted, Workers: workers,
			}))(t)
		}
		one := run(1)
		for _, workers := range []int{2, 7} {
			if r := run(workers); !slices.Equal(r.Scores, one.Scores) || r.ErrorBound != one.ErrorBound {
				t.Errorf("%+v: %d workers differ from one", o, workers)
			}
		}
	}
}

func TestBetweennessOptions(t *testing.T) {
	t.Parallel()
	p := undirected(t, 4, [2]uint32{0, 1}, [2]uint32{1, 2})
	for name, o := range map[string]graphops.BetweennessOptions{
		"sources":       {Sources: -1},
		"both":          {Sources: 1, SourceNodes: []uint32{0}},
		"no source":     {SourceNodes: []uint32{}},
		"unknown node":  {SourceNodes: []uint32{4}},
		"delta":         {Delta: 1},
		"negative":      {Delta: -.1},
		"not a number":  {Delta: math.NaN()},
		"epsilon":       {Epsilon: 1},
		"no epsilon":    {Epsilon: math.NaN()},
		"tiny epsilon":  {Epsilon: 1e-12},
		"both samples":  {Epsilon: .1, Sources: 1},
		"long paths":    {Epsilon: .1, Lengths: true},
		"unknown twice": {SourceNodes: []uint32{0, 1 << 31}},
	} {
		if r, err := graphops.Betweenness(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	// 2^1100 paths through a chain of squares.
	var edges []graphops.WeightedEdge
	n := uint32(1)
	for range 1100 {
		u := n - 1
		edges = append(edges, graphops.WeightedEdge{From: u, To: u + 1}, graphops.WeightedEdge{From: u, To: u + 2},
			graphops.WeightedEdge{From: u + 1, To: u + 3}, graphops.WeightedEdge{From: u + 2, To: u + 3})
		n += 3
	}
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}} {
		chain := must(graphops.FromEdges(int(n), edges, o))(t)
		_, err := graphops.Betweenness(t.Context(), chain, graphops.BetweennessOptions{SourceNodes: []uint32{0}})
		if !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("more paths than a float64 counts: %v", err)
		}
	}
}

func TestBetweennessMemory(t *testing.T) {
	t.Parallel()
	s := rmat(10, 8, 1, 3)
	p := s.project(t, false)
	n, m := int64(p.Len()), int64(p.Edges())
	for _, test := range []struct {
		sources  int
		perNode  int64
		perChunk int64
	}{{0, 8, 44}, {60, 16, 52}} {
		need := test.perNode*n + test.perChunk*n + 4*(m+1)
		o := graphops.BetweennessOptions{Sources: test.sources, MaxBytes: need, Workers: 4}
		r := must(graphops.Betweenness(t.Context(), p, o))(t)
		o.MaxBytes = 0
		if free := must(graphops.Betweenness(t.Context(), p, o))(t); !slices.Equal(free.Scores, r.Scores) {
			t.Error("the bound changes the result")
		}
		var e *graphops.MemoryError
		o.MaxBytes = need - 1
		if _, err := graphops.Betweenness(t.Context(), p, o); !errors.As(err, &e) || e.Need != need {
			t.Errorf("a byte short: %v, want %d", err, need)
		}
	}
}

func TestBetweennessIsCancelled(t *testing.T) {
	t.Parallel()
	s := rmat(14, 16, 1, 3)
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}, {Weighted: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, o))(t)
		for _, looks := range []int{0, 1, 2, 3, 10} {
			ctx := &endsAfter{Context: t.Context(), left: looks}
			r, err := graphops.Betweenness(ctx, p, graphops.BetweennessOptions{Workers: 1, Lengths: o.Weighted})
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("%+v, after %d looks: %v, %v", o, looks, r, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		r, err := graphops.Betweenness(ctx, p, graphops.BetweennessOptions{Workers: 2, Lengths: o.Weighted})
		end, _ := ctx.Deadline()
		if late := time.Since(end); !errors.Is(err, context.DeadlineExceeded) || r != nil || late > 10*time.Second {
			t.Errorf("%+v: %v, %v, %v late", o, r, err, late)
		}
		cancel()
	}
}
