package graphops_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// reference is testdata/pagerank.json, made by testdata/pagerank.py.
type reference struct {
	Source string
	Cases  []struct {
		Name               string
		Nodes              int
		Directed, Weighted bool
		Damping            float64
		Restart            []float64
		Edges              [][3]float64
		Scores             []float64
	}
}

func TestPageRankReference(t *testing.T) {
	b, err := os.ReadFile("testdata/pagerank.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(b, &ref); err != nil || len(ref.Cases) == 0 {
		t.Fatal(len(ref.Cases), err)
	}
	for _, c := range ref.Cases {
		t.Run(c.Name, func(t *testing.T) {
			edges := make([]graphops.WeightedEdge, len(c.Edges))
			for i, e := range c.Edges {
				edges[i] = graphops.WeightedEdge{From: uint32(e[0]), To: uint32(e[1]), Weight: float32(e[2])}
			}
			p := must(graphops.FromEdges(c.Nodes, edges, graphops.EdgeOptions{Directed: c.Directed, Weighted: c.Weighted}))(t)
			for _, tolerance := range []float64{0, 1e-12} {
				o := graphops.PageRankOptions{Damping: c.Damping, Restart: c.Restart, Tolerance: tolerance, MaxIterations: 1000}
				r := must(graphops.PageRank(t.Context(), p, o))(t)
				// A change of the default tolerance leaves up to
				// Damping/(1-Damping) as much to go.
				within := max(1e-10, 1e-6*c.Damping/(1-c.Damping))
				if tolerance > 0 {
					within = 1e-10
				}
				if !r.Converged {
					t.Errorf("not converged after %d iterations: %g", r.Iterations, r.Change)
				}
				if d := distance(r.Scores, c.Scores); !(d <= within) {
					t.Errorf("tolerance %g: distance %g to %s", tolerance, d, ref.Source)
				}
				checkSum(t, r.Scores)
				if tolerance > 0 {
					if got, want := ranking(r.Scores), ranking(c.Scores); !slices.Equal(got, want) {
						t.Errorf("order %v, want %v", got, want)
					}
				}
			}
		})
	}
}

// distance returns the sum of differences.
func distance(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	sum := 0.0
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum
}

func checkSum(t testing.TB, scores []float64) {
	t.Helper()
	sum := 0.0
	for _, x := range scores {
		if x < 0 {
			t.Fatalf("score %g", x)
		}
		sum += x
	}
	if len(scores) > 0 && !(math.Abs(sum-1) < 1e-12) {
		t.Errorf("scores sum to %.15f", sum)
	}
}

// ranking returns the nodes by falling score, equal ones by number; scores
// closer than 1e-9 are equal.
func ranking(scores []float64) []int {
	at := make([]int, len(scores))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Round(scores[b]*1e9), math.Round(scores[a]*1e9)), a-b)
	})
	return at
}

func TestPageRankOfSmallGraphs(t *testing.T) {
	for _, test := range []struct {
		name string
		p    *graphops.Projection
		want []float64
	}{
		{"no node", undirected(t, 0), nil},
		{"one node", undirected(t, 1), []float64{1}},
		{"one node with a loop", undirected(t, 1, [2]uint32{0, 0}), []float64{1}},
		{"no edges", undirected(t, 4), []float64{.25, .25, .25, .25}},
		{"no directed edges", directed(t, 2), []float64{.5, .5}},
		{"an edge", undirected(t, 2, [2]uint32{0, 1}), []float64{.5, .5}},
		// x = .15/2 + .85 y/2, y = .15/2 + .85 (x + y/2), x + y = 1
		{"an arc", directed(t, 2, [2]uint32{0, 1}), []float64{.5 / 1.425, .925 / 1.425}},
		// x = .15/2 + .85 x/2, x + y = 1
		{"loops", directed(t, 2, [2]uint32{0, 1}, [2]uint32{1, 1}, [2]uint32{0, 0}), []float64{.075 / .575, .5 / .575}},
		// x = .15/2 + .85 (2x/3 + y), x + y = 1: the loop leads back by both its ends.
		{"a loop without direction", undirected(t, 2, [2]uint32{0, 1}, [2]uint32{0, 0}), []float64{.925 / (1 + .85/3), 1 - .925/(1+.85/3)}},
		{"nothing but a loop", directed(t, 2, [2]uint32{0, 0}), []float64{.5 / .575, .075 / .575}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := must(graphops.PageRank(t.Context(), test.p, graphops.PageRankOptions{Tolerance: 1e-14}))(t)
			if d := distance(r.Scores, test.want); !(d < 1e-12) || !r.Converged {
				t.Errorf("%v, want %v", r.Scores, test.want)
			}
		})
	}
}

// solve returns the scores as the linear system that defines them has them,
// by Gauss-Jordan elimination.
func solve(p *graphops.Projection, damping float64, restart []float64) []float64 {
	n := p.Len()
	a := make([][]float64, n) // rows of (I - damping Pᵀ | (1-damping) restart)
	for u := range a {
		a[u] = make([]float64, n+1)
		a[u][u] = 1
		a[u][n] = (1 - damping) * restart[u]
	}
	for u := range n {
		row, w := p.Row(uint32(u))
		_, loop := p.Loop(uint32(u))
		sum := loop
		for i := range row {
			sum += weight(w, i)
		}
		if sum > 0 {
			a[u][u] -= damping * loop / sum
		}
		for v := range n {
			if sum == 0 {
				a[v][u] -= damping * restart[v]
			}
		}
		for i, v := range row {
			if sum > 0 {
				a[v][u] -= damping * weight(w, i) / sum
			}
		}
	}
	for i := range n { // diagonally dominant by columns: no pivoting needed
		for k := range n {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[k][j] -= f * a[i][j]
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x
}

func weight(w []float32, i int) float64 {
	if w == nil {
		return 1
	}
	return float64(w[i])
}

// randomEdges returns m edges between n nodes, some parallel, some loops, some
// of weight 0.
func randomEdges(r *rand.Rand, n, m int) []graphops.WeightedEdge {
	edges := make([]graphops.WeightedEdge, m)
	for i := range edges {
		edges[i] = graphops.WeightedEdge{From: uint32(r.IntN(n)), To: uint32(r.IntN(n)), Weight: float32(r.IntN(20)) / 8}
	}
	return edges
}

func TestPageRankAgainstElimination(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 77))
		n := 1 + r.IntN(60)
		o := graphops.EdgeOptions{Directed: r.IntN(2) == 0, Weighted: r.IntN(2) == 0}
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(4*n)), o))(t)
		damping := 0.3 + 0.69*r.Float64()
		restart, given := make([]float64, n), []float64(nil)
		for i := range restart {
			restart[i] = 1 / float64(n)
		}
		if r.IntN(2) == 0 {
			given = make([]float64, n)
			given[r.IntN(n)] = 1
			given[r.IntN(n)]++
			for i := range given {
				restart[i] = given[i] / (given[0] + sum(given[1:]))
			}
		}
		res := must(graphops.PageRank(t.Context(), p, graphops.PageRankOptions{
			Damping: damping, Restart: given, Tolerance: 1e-14, MaxIterations: 10_000,
		}))(t)
		if d := distance(res.Scores, solve(p, damping, restart)); !(d < 1e-11) || !res.Converged {
			t.Errorf("seed %d, %+v: distance %g after %d iterations", seed, o, d, res.Iterations)
		}
		checkSum(t, res.Scores)
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// Renaming the nodes renames the scores.
func TestPageRankRelabelled(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const n = 500
	edges := randomEdges(r, n, 3*n)
	perm := r.Perm(n)
	renamed := slices.Clone(edges)
	for i, e := range edges {
		renamed[i].From, renamed[i].To = uint32(perm[e.From]), uint32(perm[e.To])
	}
	r.Shuffle(len(renamed), func(i, j int) { renamed[i], renamed[j] = renamed[j], renamed[i] })
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}, {Weighted: true}, {Directed: true, Weighted: true}} {
		opts := graphops.PageRankOptions{Tolerance: 1e-13}
		a := must(graphops.PageRank(t.Context(), must(graphops.FromEdges(n, edges, o))(t), opts))(t)
		b := must(graphops.PageRank(t.Context(), must(graphops.FromEdges(n, renamed, o))(t), opts))(t)
		back := make([]float64, n)
		for u := range back {
			back[u] = b.Scores[perm[u]]
		}
		if d := distance(a.Scores, back); !(d < 1e-11) {
			t.Errorf("%+v: distance %g", o, d)
		}
	}
}

// In a disjoint union of graphs without dead ends, each part has its own
// scores, scaled to its share of the nodes.
func TestPageRankOfUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	sizes := []int{30, 70}
	var all []graphops.WeightedEdge
	var want []float64
	opts := graphops.PageRankOptions{Tolerance: 1e-13}
	for i, n := range sizes {
		edges := randomEdges(r, n, 2*n)
		for u := range n { // a cycle: each node has an edge
			edges = append(edges, graphops.WeightedEdge{From: uint32(u), To: uint32((u + 1) % n), Weight: 1})
		}
		o := graphops.EdgeOptions{Directed: true, Weighted: true}
		part := must(graphops.PageRank(t.Context(), must(graphops.FromEdges(n, edges, o))(t), opts))(t)
		for _, x := range part.Scores {
			want = append(want, x*float64(n)/100)
		}
		for _, e := range edges {
			off := uint32(i * sizes[0])
			all = append(all, graphops.WeightedEdge{From: e.From + off, To: e.To + off, Weight: e.Weight})
		}
	}
	p := must(graphops.FromEdges(100, all, graphops.EdgeOptions{Directed: true, Weighted: true}))(t)
	got := must(graphops.PageRank(t.Context(), p, opts))(t)
	if d := distance(got.Scores, want); !(d < 1e-11) {
		t.Errorf("distance %g", d)
	}
}

func TestPageRankIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(13, 12, 1, 9)
	for _, o := range []graphops.EdgeOptions{{Weighted: true}, {Directed: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, o))(t)
		one := must(graphops.PageRank(t.Context(), p, graphops.PageRankOptions{Workers: 1}))(t)
		for _, workers := range []int{2, 7} {
			r := must(graphops.PageRank(t.Context(), p, graphops.PageRankOptions{Workers: workers}))(t)
			if !slices.Equal(r.Scores, one.Scores) || r.Iterations != one.Iterations || r.Change != one.Change {
				t.Errorf("%+v: %d workers differ from one", o, workers)
			}
		}
	}
}

func TestPageRankOptions(t *testing.T) {
	p := directed(t, 3, [2]uint32{0, 1})
	for name, o := range map[string]graphops.PageRankOptions{
		"damping":          {Damping: 1},
		"negative damping": {Damping: -.1},
		"damping NaN":      {Damping: math.NaN()},
		"tolerance":        {Tolerance: -1},
		"iterations":       {MaxIterations: -1},
		"short restart":    {Restart: []float64{1}},
		"empty restart":    {Restart: []float64{}},
		"negative restart": {Restart: []float64{1, -1, 1}},
		"infinite restart": {Restart: []float64{1, math.Inf(1), 1}},
		"zero restart":     {Restart: []float64{0, 0, 0}},
	} {
		if r, err := graphops.PageRank(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	negative := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, -1}}, graphops.EdgeOptions{Weighted: true}))(t)
	if _, err := graphops.PageRank(t.Context(), negative, graphops.PageRankOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a negative weight: %v", err)
	}
	// 3 nodes of 32 bytes and 16 for the reversed rows, which have an entry.
	const need = 3*(32+16) + 4
	if _, err := graphops.PageRank(t.Context(), p, graphops.PageRankOptions{MaxBytes: need}); err != nil {
		t.Error(err)
	}
	var e *graphops.MemoryError
	if _, err := graphops.PageRank(t.Context(), p, graphops.PageRankOptions{MaxBytes: need - 1}); !errors.As(err, &e) || e.Need != need {
		t.Errorf("a byte short: %v", err)
	}
	slow := undirected(t, 5, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 3}, [2]uint32{3, 4})
	r := must(graphops.PageRank(t.Context(), slow, graphops.PageRankOptions{Tolerance: 1e-300, MaxIterations: 3}))(t)
	if r.Converged || r.Iterations != 3 {
		t.Errorf("%+v", r)
	}
	checkSum(t, r.Scores)
}

func TestPageRankIsCancelled(t *testing.T) {
	s := rmat(10, 8, 1, 3)
	for _, o := range []graphops.EdgeOptions{{Weighted: true}, {Directed: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, o))(t)
		for _, k := range []int{0, 1, 2, 3, 4, 10, 100, 1000} {
			ctx := &endsAfter{Context: t.Context(), left: k}
			r, err := graphops.PageRank(ctx, p, graphops.PageRankOptions{Tolerance: 1e-15, Workers: 1})
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("%+v, after %d looks: %v, %v", o, k, r, err)
			}
		}
	}
}
