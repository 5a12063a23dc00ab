package graphops_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// Every node is at its distance, and hops and numbers are in order.
func TestExpandAgainstDistances(t *testing.T) {
	const seed = 21
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 9 {
		n := 10 + r.IntN(60)
		for name, a := range tiers(t, r, n, n*(1+r.IntN(2)), engine.Direction(round%3)) {
			rows, _ := rowsOf(a, a.Len())
			var seeds []uint32
			for range 1 + r.IntN(4) {
				seeds = append(seeds, r.Uint32N(uint32(a.Len())))
			}
			hops := 1 + r.IntN(4)
			var want [][]uint32
			for u := range uint32(len(rows)) {
				hop := -1
				for _, s := range seeds {
					if p := leastPath(rows, s, u); p != nil && (hop < 0 || len(p)-1 < hop) {
						hop = len(p) - 1
					}
				}
				for hop >= 0 && hop <= hops && len(want) <= hop {
					want = append(want, nil)
				}
				if hop >= 0 && hop <= hops {
					want[hop] = append(want[hop], u)
				}
			}
			got := must(graphops.Expand(t.Context(), a, seeds, graphops.ExpandOptions{Hops: hops}))(t)
			if len(got.Begin) != len(want)+1 || got.Truncated {
				t.Fatalf("%s: %+v, want %v", name, got, want)
			}
			for h := range want {
				if !slices.Equal(got.Nodes[got.Begin[h]:got.Begin[h+1]], want[h]) {
					t.Fatalf("%s: hop %d of %+v, want %v", name, h, got, want[h])
				}
				for i := got.Begin[h]; i < got.Begin[h+1]; i++ {
					via := got.Nodes[i]
					if h > 0 { // the least node of the hop before that leads to it
						k := slices.IndexFunc(want[h-1], func(u uint32) bool { return slices.Contains(rows[u], got.Nodes[i]) })
						via = want[h-1][k]
					}
					if got.Via[i] != via {
						t.Fatalf("%s: node %d of %+v is met from %d, want %d", name, got.Nodes[i], got, got.Via[i], via)
					}
				}
			}
			checkTruncated(t, a, seeds, hops, got)
		}
	}
}

// checkTruncated checks expansions that may return fewer nodes than there are.
func checkTruncated(t *testing.T, a graphops.Adjacency, seeds []uint32, hops int, all *graphops.Neighborhood) {
	t.Helper()
	for most := 1; most <= len(all.Nodes)+1; most++ {
		got := must(graphops.Expand(t.Context(), a, seeds, graphops.ExpandOptions{Hops: hops, MaxNodes: most}))(t)
		if len(got.Nodes) != min(most, len(all.Nodes)) || got.Truncated != (most < len(all.Nodes)) {
			t.Fatalf("at most %d: %+v of %+v", most, got, all)
		}
		for h := range len(got.Begin) - 1 {
			hop := all.Nodes[all.Begin[h]:all.Begin[h+1]]
			part := got.Nodes[got.Begin[h]:got.Begin[h+1]]
			if !slices.IsSorted(part) || h+2 < len(got.Begin) && len(part) != len(hop) {
				t.Fatalf("at most %d, hop %d: %v of %v", most, h, part, hop)
			}
			for _, u := range part {
				if !slices.Contains(hop, u) {
					t.Fatalf("at most %d: node %d in hop %d: %v", most, u, h, hop)
				}
			}
		}
	}
}

func TestExpandLimits(t *testing.T) {
	edges := []graphops.WeightedEdge{
		{From: 0, To: 5, Weight: 1}, {From: 0, To: 4, Weight: 3}, {From: 0, To: 3, Weight: 2}, {From: 0, To: 2, Weight: 2},
		{From: 4, To: 8, Weight: 1}, {From: 3, To: 7, Weight: 1}, {From: 2, To: 9, Weight: 1}, {From: 2, To: 6, Weight: 1},
	}
	weighted := must(graphops.FromEdges(10, edges, graphops.EdgeOptions{Weighted: true}))(t)
	plain := must(graphops.FromEdges(10, edges, graphops.EdgeOptions{}))(t)
	for _, test := range []struct {
		name      string
		a         graphops.Adjacency
		seeds     []uint32
		o         graphops.ExpandOptions
		nodes     []uint32
		begin     []int
		truncated bool
	}{
		{"neighbours", weighted, []uint32{0}, graphops.ExpandOptions{}, []uint32{0, 2, 3, 4, 5}, []int{0, 1, 5}, false},
		{"the heaviest", weighted, []uint32{0}, graphops.ExpandOptions{MaxNeighbors: 2}, []uint32{0, 2, 4}, []int{0, 1, 3}, false},
		{"the first", plain, []uint32{0}, graphops.ExpandOptions{MaxNeighbors: 2}, []uint32{0, 2, 3}, []int{0, 1, 3}, false},
		{"two seeds", plain, []uint32{4, 2, 4}, graphops.ExpandOptions{}, []uint32{2, 4, 0, 6, 8, 9}, []int{0, 2, 6}, false},
		{"in order of the front", plain, []uint32{0}, graphops.ExpandOptions{Hops: 2, MaxNodes: 7}, []uint32{0, 2, 3, 4, 5, 6, 9}, []int{0, 1, 5, 7}, true},
		{"more seeds than nodes", plain, []uint32{4, 2, 8}, graphops.ExpandOptions{MaxNodes: 2}, []uint32{2, 4}, []int{0, 2}, true},
		{"nothing around", plain, []uint32{1}, graphops.ExpandOptions{Hops: 3}, []uint32{1}, []int{0, 1}, false},
		{"no seeds", plain, nil, graphops.ExpandOptions{Hops: 3}, nil, []int{0, 0}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := must(graphops.Expand(t.Context(), test.a, test.seeds, test.o))(t)
			if !slices.Equal(got.Nodes, test.nodes) || !slices.Equal(got.Begin, test.begin) || got.Truncated != test.truncated {
				t.Errorf("%+v", got)
			}
		})
	}
	for _, o := range []graphops.ExpandOptions{{Hops: -1}, {MaxNodes: -1}, {MaxNeighbors: -1}} {
		if _, err := graphops.Expand(t.Context(), plain, []uint32{0}, o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	_, expand := graphops.Expand(t.Context(), plain, []uint32{10}, graphops.ExpandOptions{})
	if !errors.Is(expand, engine.ErrInvalid) {
		t.Error(expand)
	}
}
