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

// Over many seeds, Epsilon must be missed no more often than Delta says, and
// the mean of all must be close to the exact scores.
func TestBetweennessOfPaths(t *testing.T) {
	t.Parallel()
	s := rmat(7, 3, 1, 5) // not connected
	for _, eo := range []graphops.EdgeOptions{{}, {Directed: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, eo))(t)
		exact := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Normalised: true}))(t)
		const seeds, delta, epsilon = 200, 0.1, 0.05
		missed, paths := 0, 0
		mean := make([]float64, p.Len())
		for seed := range uint64(seeds) {
			r := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{
				Epsilon: epsilon, Delta: delta, Seed: seed, Normalised: true,
			}))(t)
			off := 0.0
			for u, x := range r.Scores {
				off = max(off, math.Abs(x-exact.Scores[u]))
				mean[u] += x / seeds
			}
			if off > r.ErrorBound || r.ErrorBound != epsilon {
				missed++
			}
			paths = r.Paths
		}
		if missed > delta*seeds {
			t.Errorf("%+v: the bound was missed %d times of %d", eo, missed, seeds)
		}
		// Five standard deviations of the mean of all paths.
		for u, x := range exact.Scores {
			if within := 5*math.Sqrt(x/float64(seeds*paths)) + 1e-5; !(math.Abs(mean[u]-x) < within) {
				t.Errorf("%+v: node %d scores %g on average of %d paths, want %g", eo, u, mean[u], seeds*paths, x)
			}
		}
	}
}

// Of equally long paths each is as likely as any other, wherever the searches
// from both ends meet.
func TestBetweennessDrawsPathsEvenly(t *testing.T) {
	t.Parallel()
	// A grid: many paths, of which most lead through the middle.
	const side = 6
	var edges [][2]uint32
	for i := range uint32(side * side) {
		if i%side != side-1 {
			edges = append(edges, [2]uint32{i, i + 1})
		}
		if i < side*(side-1) {
			edges = append(edges, [2]uint32{i, i + side})
		}
	}
	for _, p := range []*graphops.Projection{undirected(t, side*side, edges...), directed(t, side*side, edges...)} {
		exact := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{}))(t)
		got := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Epsilon: 0.003, Seed: 2}))(t)
		pairs := got.ErrorBound / 0.003
		for u, x := range exact.Scores {
			within := 5 * math.Sqrt(x/pairs/float64(got.Paths))
			if !(math.Abs(got.Scores[u]-x)/pairs <= within+1e-12) {
				t.Errorf("node %d scores %g, want %g", u, got.Scores[u], x)
			}
		}
	}
}

func TestBetweennessOfPathsInSmallGraphs(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*graphops.Projection{
		"no node":        undirected(t, 0),
		"one node":       undirected(t, 1),
		"an edge":        undirected(t, 2, [2]uint32{0, 1}),
		"isolated nodes": undirected(t, 5),
		"a pair":         undirected(t, 5, [2]uint32{3, 1}),
		"an arc":         directed(t, 5, [2]uint32{3, 1}),
		"a triangle":     undirected(t, 3, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0}),
	} {
		r := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Epsilon: .1}))(t)
		if sum(r.Scores) != 0 || len(r.Scores) != p.Len() {
			t.Errorf("%s: %+v", name, r)
		}
	}
	path := undirected(t, 3, [2]uint32{0, 1}, [2]uint32{1, 2})
	r := must(graphops.Betweenness(t.Context(), path, graphops.BetweennessOptions{Epsilon: .05}))(t)
	if !(math.Abs(r.Scores[1]-1) <= .05) || r.Scores[0] != 0 || r.ErrorBound != .05 {
		t.Errorf("a path: %+v", r)
	}
}

func TestBetweennessOfPathsIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(11, 8, 1, 9)
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, o))(t)
		run := func(workers int) *graphops.BetweennessResult {
			return must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{
				Epsilon: .03, Seed: 7, Workers: workers,
			}))(t)
		}
		one := run(1)
		for _, workers := range []int{2, 7} {
			if r := run(workers); !slices.Equal(r.Scores, one.Scores) || r.Paths != one.Paths {
				t.Errorf("%+v: %d workers differ from one", o, workers)
			}
		}
	}
}

func TestBetweennessOfPathsLimits(t *testing.T) {
	t.Parallel()
	s := rmat(10, 8, 1, 3)
	n := int64(len(s.types))
	for _, test := range []struct {
		o    graphops.EdgeOptions
		need int64
	}{
		{graphops.EdgeOptions{}, 64 * n},
		{graphops.EdgeOptions{Directed: true}, 80*n + 4*int64(len(s.edges))},
	} {
		p := must(graphops.FromEdges(len(s.types), s.edges, test.o))(t)
		o := graphops.BetweennessOptions{Epsilon: .1, MaxBytes: test.need, Workers: 3}
		must(graphops.Betweenness(t.Context(), p, o))(t)
		var e *graphops.MemoryError
		o.MaxBytes--
		if _, err := graphops.Betweenness(t.Context(), p, o); !errors.As(err, &e) || e.Need != test.need {
			t.Errorf("a byte short: %v, want %d", err, test.need)
		}
		for _, looks := range []int{0, 1, 3, 10, 100} {
			ctx := &endsAfter{Context: t.Context(), left: looks}
			r, err := graphops.Betweenness(ctx, p, graphops.BetweennessOptions{Epsilon: 1e-4, Workers: 1})
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("%+v, after %d looks: %v, %v", test.o, looks, r, err)
			}
		}
	}
}

// Between the ends of a chain of 3000 squares are 2^3000 paths.
func TestBetweennessOfTooManyPaths(t *testing.T) {
	t.Parallel()
	var edges []graphops.WeightedEdge
	n := uint32(1)
	for range 3000 {
		u := n - 1
		edges = append(edges, graphops.WeightedEdge{From: u, To: u + 1}, graphops.WeightedEdge{From: u, To: u + 2},
			graphops.WeightedEdge{From: u + 1, To: u + 3}, graphops.WeightedEdge{From: u + 2, To: u + 3})
		n += 3
	}
	p := must(graphops.FromEdges(int(n), edges, graphops.EdgeOptions{}))(t)
	r, err := graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Epsilon: .1})
	if !errors.Is(err, engine.ErrInvalid) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// How many paths are drawn follows the length of the longest one.
func TestBetweennessPathsNeeded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 17))
	for range 40 {
		n := 3 + r.IntN(40)
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(2*n)), graphops.EdgeOptions{}))(t)
		_, dist := dependencies(p)
		longest := 1.0
		for _, row := range dist {
			for _, d := range row {
				if !math.IsInf(d, 1) {
					longest = max(longest, d+1)
				}
			}
		}
		got := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Epsilon: .3, Delta: .2}))(t).Paths
		needed := func(nodes float64) int {
			if nodes < 3 {
				return 0
			}
			e := .3 * float64(n-2) / float64(n)
			return int(math.Ceil(.5 / e / e * (math.Floor(math.Log2(nodes-2)) + 1 + math.Log(5))))
		}
		if got < needed(longest) || got > needed(2*longest) {
			t.Errorf("%d paths, want %d to %d", got, needed(longest), needed(2*longest))
		}
	}
}
