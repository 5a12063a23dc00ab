package graphops_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// leastPath returns the shortest path whose nodes come first in order, found
// from the distances to the target that a search along reversed edges gives;
// nil if there is none.
func leastPath(rows [][]uint32, from, to uint32) []uint32 {
	far := make([]int, len(rows))
	for u := range far {
		far[u] = math.MaxInt
	}
	far[to] = 0
	for changed := true; changed; {
		changed = false
		for u, row := range rows {
			for _, v := range row {
				if far[v] < math.MaxInt && far[v]+1 < far[u] {
					far[u], changed = far[v]+1, true
				}
			}
		}
	}
	if far[from] == math.MaxInt {
		return nil
	}
	path := []uint32{from}
	for u := from; u != to; path = append(path, u) {
		next := uint32(math.MaxUint32)
		for _, v := range rows[u] {
			if far[v] == far[u]-1 {
				next = min(next, v)
			}
		}
		u = next
	}
	return path
}

// rowsOf returns the rows of the nodes below n, and weights.
func rowsOf(a graphops.Adjacency, n int) (rows [][]uint32, weights []map[uint32]float32) {
	for u := range uint32(n) {
		ids, w := a.Neighbors(u, nil, nil)
		rows = append(rows, ids)
		weights = append(weights, map[uint32]float32{})
		for i, v := range ids {
			weights[u][v] = 1
			if len(w) > 0 {
				weights[u][v] = w[i]
			}
		}
	}
	return rows, weights
}

// checkPathEdges checks that a path's edges join its nodes and have their weights.
func checkPathEdges(t testing.TB, p *graphops.Path, weights []map[uint32]float32) {
	t.Helper()
	if len(p.Edges) != len(p.Nodes)-1 {
		t.Fatalf("%d edges between %d nodes", len(p.Edges), len(p.Nodes))
	}
	for i, e := range p.Edges {
		w, ok := weights[e.From][e.To]
		if !ok || e != (graphops.WeightedEdge{From: p.Nodes[i], To: p.Nodes[i+1], Weight: w}) {
			t.Fatalf("edge %v of the path %v, weight %v, %t", e, p.Nodes, w, ok)
		}
	}
}

// tiers returns a messy graph as everything that paths can be searched in:
// with and without reversed rows, in memory and in the store.
func tiers(t testing.TB, r *rand.Rand, nodes, edges int, d engine.Direction) map[string]graphops.Adjacency {
	m := newMessy(t, r, nodes, edges)
	v := viewOf(t, m.g)
	p := must(graphops.Project(t.Context(), v, graphops.Spec{Direction: d, Weighted: r.IntN(2) == 0}))(t)
	return map[string]graphops.Adjacency{
		"projection": p,
		"one-sided":  plainAdjacency{p},
		"store":      graphops.Local(v, engine.EdgeFilter{Direction: d}),
		"undirected": graphops.Local(v, engine.EdgeFilter{Direction: d, Types: []engine.EdgeType{m.edges[1], m.edges[3]}}),
	}
}

// band returns a graph of long paths with many ways around: nodes in a row, in
// random order, with edges to near ones.
func band(t testing.TB, r *rand.Rand, n int) *graphops.Projection {
	t.Helper()
	at := r.Perm(n)
	var edges [][2]uint32
	for i := range n {
		for range 3 {
			j := min(i+1+r.IntN(7), n-1)
			edges = append(edges, [2]uint32{uint32(at[i]), uint32(at[j])})
		}
	}
	return undirected(t, n, edges...)
}

func TestShortestPathIsTheLeast(t *testing.T) {
	const seed = 3
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := map[string]int{}
	for round := range 24 {
		d := engine.Direction(round % 3)
		n := 10 + r.IntN(80)
		all := tiers(t, r, n, n*(1+r.IntN(3)), d)
		all["band"] = band(t, r, 150)
		for name, a := range all {
			rows, weights := rowsOf(a, a.Len())
			for range 60 {
				from, to := r.Uint32N(uint32(a.Len())), r.Uint32N(uint32(a.Len()))
				o := graphops.PathOptions{MaxDepth: r.IntN(6)}
				want := leastPath(rows, from, to)
				got := must(graphops.ShortestPath(t.Context(), a, from, to, o))(t)
				seen[statusOf(got)]++
				switch {
				case o.MaxDepth > 0 && len(want)-1 > o.MaxDepth:
					if statusOf(got) != "limited" {
						t.Fatalf("%s %d: %d-%d: %+v, there is %v", name, round, from, to, got, want)
					}
					continue
				case want == nil:
					// A search that is stopped cannot know.
					if statusOf(got) == "found" || statusOf(got) == "limited" && o.MaxDepth == 0 || got.Nodes != nil {
						t.Fatalf("%s %d: %d-%d: %+v, want none", name, round, from, to, got)
					}
					continue
				}
				if statusOf(got) != "found" || !slices.Equal(got.Nodes, want) || got.Length != float64(len(want)-1) {
					t.Fatalf("%s %d: %d-%d: %+v, want %v", name, round, from, to, got, want)
				}
				checkPathEdges(t, got, weights)
			}
		}
	}
	for _, s := range []string{"found", "none", "limited"} {
		if seen[s] < 50 {
			t.Errorf("%d paths %v", seen[s], s)
		}
	}
}

// withReverse is a graph with its reversed rows.
type withReverse struct {
	graphops.Adjacency
	reverse graphops.Adjacency
}

func (withReverse) Symmetric() bool               { return false }
func (w withReverse) Reverse() graphops.Adjacency { return w.reverse }

// Reversed rows change how a path is found, and not which.
func TestPathsWithReversedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	m := newMessy(t, r, 400, 1500)
	v := viewOf(t, m.g)
	p := must(graphops.Project(t.Context(), v, graphops.Spec{Edges: m.edges[:1], Weighted: true}))(t)
	in := must(graphops.Project(t.Context(), v, graphops.Spec{Edges: m.edges[:1], Weighted: true, Direction: engine.In}))(t)
	if p.Symmetric() || p.Reverse() != nil {
		t.Fatal("not directed")
	}
	var alone, both, weightedAlone, weightedBoth int
	for range 300 {
		from, to := r.Uint32N(uint32(p.Len())), r.Uint32N(uint32(p.Len()))
		one := must(graphops.ShortestPath(t.Context(), p, from, to, graphops.PathOptions{}))(t)
		two := must(graphops.ShortestPath(t.Context(), withReverse{p, in}, from, to, graphops.PathOptions{}))(t)
		if statusOf(one) != statusOf(two) || !slices.Equal(one.Nodes, two.Nodes) {
			t.Fatalf("%+v, with reversed rows %+v", one, two)
		}
		alone, both = alone+one.Visits, both+two.Visits
		w1 := must(graphops.WeightedPath(t.Context(), p, from, to, graphops.PathOptions{}))(t)
		w2 := must(graphops.WeightedPath(t.Context(), withReverse{p, in}, from, to, graphops.PathOptions{}))(t)
		if statusOf(w1) != statusOf(w2) || w1.Length != w2.Length { // weights are quarters, and sums exact
			t.Fatalf("%+v, with reversed rows %+v", w1, w2)
		}
		weightedAlone, weightedBoth = weightedAlone+w1.Visits, weightedBoth+w2.Visits
	}
	if both >= alone || weightedBoth >= weightedAlone {
		t.Errorf("%d and %d visits with reversed rows, %d and %d without", both, weightedBoth, alone, weightedAlone)
	}
	// A wrong reverse is found if it matters.
	tree := directed(t, 5, [2]uint32{0, 1}, [2]uint32{0, 3}, [2]uint32{0, 4}, [2]uint32{1, 2})
	wrong := directed(t, 5, [2]uint32{2, 0})
	if got, err := graphops.ShortestPath(t.Context(), withReverse{tree, wrong}, 0, 2, graphops.PathOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReverseOfStore(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(2, 2)), 60, 300)
	v := viewOf(t, m.g)
	for _, test := range []struct {
		f         engine.EdgeFilter
		symmetric bool
	}{
		{engine.EdgeFilter{}, false},
		{engine.EdgeFilter{Direction: engine.In}, false},
		{engine.EdgeFilter{Direction: engine.Both}, true},
		{engine.EdgeFilter{Types: m.edges[:1]}, false},
		{engine.EdgeFilter{Types: m.edges[1:2]}, true},
	} {
		g := graphops.Local(v, test.f)
		if g.Symmetric() != test.symmetric {
			t.Errorf("%+v: symmetric %t", test.f, g.Symmetric())
		}
		_, forth := rowsOf(g, g.Len())
		_, back := rowsOf(g.Reverse(), g.Len())
		n := 0
		for u := range forth {
			for v, w := range forth[u] {
				if x, ok := back[v][uint32(u)]; !ok || x != w {
					t.Fatalf("%+v: edge %d-%d of weight %v, reversed %v, %t", test.f, u, v, w, x, ok)
				}
				n++
			}
		}
		for u := range back {
			n -= len(back[u])
		}
		if n != 0 {
			t.Errorf("%+v: the reverse lacks %d edges", test.f, n)
		}
	}
}

func TestPathLimits(t *testing.T) {
	// A line of 20 nodes, and one apart.
	line := make([][2]uint32, 19)
	for i := range line {
		line[i] = [2]uint32{uint32(i), uint32(i + 1)}
	}
	p := undirected(t, 21, line...)
	one := plainAdjacency{directed(t, 21, line...)}
	for _, test := range []struct {
		name     string
		a        graphops.Adjacency
		from, to uint32
		o        graphops.PathOptions
		status   string
		visits   int
	}{
		{"all", p, 0, 19, graphops.PathOptions{}, "found", 19},
		{"depth", p, 0, 19, graphops.PathOptions{MaxDepth: 19}, "found", 19},
		{"depth short", p, 0, 19, graphops.PathOptions{MaxDepth: 18}, "limited", 18},
		{"visits", p, 0, 19, graphops.PathOptions{MaxVisits: 19}, "found", 19},
		{"visits short", p, 0, 19, graphops.PathOptions{MaxVisits: 18}, "limited", 18},
		{"itself", p, 7, 7, graphops.PathOptions{MaxDepth: 1, MaxVisits: 1}, "found", 0},
		{"apart", p, 0, 20, graphops.PathOptions{}, "none", 1},
		{"from apart", p, 20, 0, graphops.PathOptions{}, "none", 1},
		{"one-sided", one, 0, 19, graphops.PathOptions{}, "found", 19},
		{"one-sided, short", one, 0, 19, graphops.PathOptions{MaxVisits: 5}, "limited", 5},
		{"against", one, 19, 0, graphops.PathOptions{}, "none", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := must(graphops.ShortestPath(t.Context(), test.a, test.from, test.to, test.o))(t)
			if statusOf(got) != test.status || got.Visits != test.visits || (got.Nodes != nil) != (test.status == "found") {
				t.Errorf("%+v", got)
			}
			if test.o.MaxDepth > 0 {
				return
			}
			w := must(graphops.WeightedPath(t.Context(), test.a, test.from, test.to, graphops.PathOptions{MaxVisits: test.o.MaxVisits}))(t)
			// Weighted search stops later: where the sum of both sides tells.
			if statusOf(w) != test.status && !(test.o.MaxVisits == 19 && statusOf(w) == "limited") {
				t.Errorf("weighted: %+v", w)
			}
		})
	}
	for _, o := range []graphops.PathOptions{{MaxDepth: -1}, {MaxVisits: -1}} {
		if _, err := graphops.ShortestPath(t.Context(), p, 0, 1, o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
		if _, err := graphops.PathChain(t.Context(), p, nil, o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("chain %+v: %v", o, err)
		}
	}
	for _, o := range []graphops.PathOptions{{MaxLength: -1}, {MaxLength: math.NaN()}, {MaxVisits: -1}} {
		if _, err := graphops.WeightedPath(t.Context(), p, 0, 1, o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, ends := range [][2]uint32{{0, 21}, {21, 0}} {
		if _, err := graphops.ShortestPath(t.Context(), p, ends[0], ends[1], graphops.PathOptions{}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%v: %v", ends, err)
		}
		if _, err := graphops.WeightedPath(t.Context(), p, ends[0], ends[1], graphops.PathOptions{}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("weighted %v: %v", ends, err)
		}
		if _, err := graphops.PathChain(t.Context(), p, ends[:], graphops.PathOptions{}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("chain %v: %v", ends, err)
		}
	}
}

// allLengths returns the lengths of the shortest paths by Floyd and Warshall's
// algorithm.
func allLengths(weights []map[uint32]float32) [][]float64 {
	d := make([][]float64, len(weights))
	for u := range d {
		d[u] = make([]float64, len(weights))
		for v := range d[u] {
			d[u][v] = math.Inf(1)
		}
		for v, w := range weights[u] {
			d[u][v] = float64(w)
		}
		d[u][u] = 0
	}
	for k := range d {
		for u := range d {
			for v := range d {
				d[u][v] = min(d[u][v], d[u][k]+d[k][v])
			}
		}
	}
	return d
}

func TestWeightedPathAgainstAllLengths(t *testing.T) {
	const seed = 9
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := map[string]int{}
	for round := range 18 {
		d := engine.Direction(round % 3)
		n := 10 + r.IntN(50)
		all := tiers(t, r, n, n*(1+r.IntN(3)), d)
		edges := randomEdges(r, n, 2*n)
		for i := range edges {
			edges[i].Weight = r.Float32()
		}
		all["real"] = must(graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true, Directed: round%2 == 0}))(t)
		for name, a := range all {
			g, stored := a.(*graphops.LocalGraph)
			if stored {
				// Of parallel edges the shortest counts.
				g.SetCombine(graphops.Min)
			}
			_, weights := rowsOf(a, a.Len())
			if stored {
				g.SetCombine(graphops.Sum)
			}
			lengths := allLengths(weights)
			for range 40 {
				from, to := r.Uint32N(uint32(a.Len())), r.Uint32N(uint32(a.Len()))
				o := graphops.PathOptions{}
				want := lengths[from][to]
				if r.IntN(2) == 0 {
					o.MaxLength = 2 * r.Float64()
				}
				got := must(graphops.WeightedPath(t.Context(), a, from, to, o))(t)
				seen[statusOf(got)]++
				message := fmt.Sprintf("%s %d: %d-%d %+v: %+v, length %v", name, round, from, to, o, got, want)
				switch {
				case math.IsInf(want, 1):
					if statusOf(got) == "found" || o.MaxLength == 0 && statusOf(got) != "none" {
						t.Fatal(message)
					}
				case o.MaxLength > 0 && math.Abs(o.MaxLength-want) < 1e-9:
				case o.MaxLength > 0 && want > o.MaxLength:
					if statusOf(got) != "limited" {
						t.Fatal(message)
					}
				default:
					if statusOf(got) != "found" || !(math.Abs(got.Length-want) < 1e-9) ||
						got.Nodes[0] != from || got.Nodes[len(got.Nodes)-1] != to {
						t.Fatal(message)
					}
					checkPathEdges(t, got, weights)
					sum := 0.0
					for _, e := range got.Edges {
						sum += float64(e.Weight)
					}
					if sum != got.Length {
						t.Fatalf("%s; edges sum to %v", message, sum)
					}
				}
			}
		}
	}
	for _, s := range []string{"found", "none", "limited"} {
		if seen[s] < 50 {
			t.Errorf("%d paths %v", seen[s], s)
		}
	}
}

func TestWeightedPathRefusesNegativeWeights(t *testing.T) {
	for _, w := range []float32{-1, float32(math.Copysign(math.SmallestNonzeroFloat32, -1))} {
		p := must(graphops.FromEdges(3, []graphops.WeightedEdge{{From: 0, To: 1, Weight: w}, {From: 1, To: 2, Weight: 1}}, graphops.EdgeOptions{Weighted: true}))(t)
		got, err := graphops.WeightedPath(t.Context(), p, 0, 2, graphops.PathOptions{})
		if !errors.Is(err, engine.ErrInvalid) || got != nil {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestPathChain(t *testing.T) {
	// 0-1-2-3 and 1-4-5, 6-7 apart, 8 alone.
	edges := []graphops.WeightedEdge{
		{From: 0, To: 1, Weight: 2}, {From: 1, To: 2, Weight: 3}, {From: 2, To: 3, Weight: 4},
		{From: 1, To: 4, Weight: 5}, {From: 4, To: 5, Weight: 6}, {From: 6, To: 7, Weight: 7},
	}
	p := must(graphops.FromEdges(9, edges, graphops.EdgeOptions{Weighted: true}))(t)
	arcs := must(graphops.FromEdges(9, append(edges, graphops.WeightedEdge{From: 2, To: 1, Weight: 9}),
		graphops.EdgeOptions{Weighted: true, Directed: true}))(t)
	for _, test := range []struct {
		name string
		a    graphops.Adjacency
		keys []uint32
		legs [][]uint32 // nil: none
	}{
		{"no keys", p, nil, nil},
		{"one key", p, []uint32{8}, nil},
		{"two keys", p, []uint32{3, 1}, [][]uint32{{3, 2, 1}}},
		{"back over the same edges", p, []uint32{0, 2, 5}, [][]uint32{{0, 1, 2}, {2, 1, 4, 5}}},
		{"a key twice in a row", p, []uint32{0, 0, 1}, [][]uint32{{0}, {0, 1}}},
		{"a key again", p, []uint32{0, 1, 0}, [][]uint32{{0, 1}, {1, 0}}},
		{"legs that are not there", p, []uint32{0, 6, 7, 8, 1}, [][]uint32{nil, {6, 7}, nil, nil}},
		{"arcs", arcs, []uint32{1, 2, 1, 0}, [][]uint32{{1, 2}, {2, 1}, nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			legs := must(graphops.PathChain(t.Context(), test.a, test.keys, graphops.PathOptions{}))(t)
			if len(legs) != len(test.legs) {
				t.Fatalf("%+v", legs)
			}
			for i, leg := range legs {
				if want := test.legs[i]; leg.Found != (want != nil) || !slices.Equal(leg.Nodes, want) || len(leg.Edges) != max(0, len(want)-1) {
					t.Errorf("leg %d: %+v", i, leg)
				}
			}
		})
	}
	legs := must(graphops.PathChain(t.Context(), p, []uint32{0, 5, 4}, graphops.PathOptions{MaxDepth: 2}))(t)
	if statusOf(legs[0]) != "limited" || statusOf(legs[1]) != "found" {
		t.Errorf("limited: %+v", legs)
	}
}

// statusOf says how the search for a path ended.
func statusOf(p *graphops.Path) string {
	switch {
	case p.Found:
		return "found"
	case p.Limited:
		return "limited"
	}
	return "none"
}
