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
	_, induced := graphops.Induced(t.Context(), plain, []uint32{10})
	_, ego := graphops.Ego(t.Context(), plain, 10, 1)
	_, negative := graphops.Ego(t.Context(), plain, 1, -1)
	for i, err := range []error{expand, induced, ego, negative} {
		if !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestInducedAgainstRows(t *testing.T) {
	const seed = 22
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 9 {
		for name, a := range tiers(t, r, 80, 900, engine.Direction(round%3)) {
			rows, weights := rowsOf(a, a.Len())
			reversible, _ := a.(graphops.Reversible)
			once := reversible != nil && reversible.Symmetric()
			for _, k := range []int{0, 1, 2, 5, 40, 80} {
				var nodes []uint32
				for range k {
					nodes = append(nodes, r.Uint32N(uint32(a.Len())))
				}
				var want []graphops.WeightedEdge
				for u, row := range rows {
					for _, v := range row {
						if slices.Contains(nodes, uint32(u)) && slices.Contains(nodes, v) && (!once || uint32(u) < v) {
							want = append(want, graphops.WeightedEdge{From: uint32(u), To: v, Weight: weights[u][v]})
						}
					}
				}
				got := must(graphops.Induced(t.Context(), a, nodes))(t)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %d nodes: %v, want %v", name, k, got, want)
				}
			}
			u := r.Uint32N(uint32(a.Len()))
			for hops := range 3 {
				ego := must(graphops.Ego(t.Context(), a, u, hops))(t)
				nodes := []uint32{u}
				if hops > 0 {
					nodes = must(graphops.Expand(t.Context(), a, nodes, graphops.ExpandOptions{Hops: hops}))(t).Nodes
				}
				if !slices.Equal(ego.Nodes, nodes) || !slices.Equal(ego.Edges, must(graphops.Induced(t.Context(), a, nodes))(t)) {
					t.Fatalf("%s: %d hops around %d: %+v", name, hops, u, ego)
				}
			}
		}
	}
}

// What two rows have in common is found whichever is the longer.
func TestInducedOfHubs(t *testing.T) {
	var edges [][2]uint32
	for v := uint32(2); v < 2000; v++ {
		edges = append(edges, [2]uint32{0, v})
		if v%3 == 0 {
			edges = append(edges, [2]uint32{1, v})
		}
	}
	p := undirected(t, 2000, edges...)
	few := must(graphops.Induced(t.Context(), p, []uint32{1999, 0, 1, 3, 4, 300}))(t)
	if want := plain([][2]uint32{{0, 3}, {0, 4}, {0, 300}, {0, 1999}, {1, 3}, {1, 300}}); !slices.Equal(few, want) {
		t.Errorf("%v, want %v", few, want)
	}
	all := make([]uint32, 2000)
	for u := range all {
		all[u] = uint32(u)
	}
	if got := must(graphops.Induced(t.Context(), p, all))(t); len(got) != len(edges) {
		t.Errorf("%d edges, want %d", len(got), len(edges))
	}
}
