package graphops_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// likeliestPaths finds, for each node, the path that PPRResult.Path documents, by
// lengthening all best paths by an edge. Numbers of nodes, sources first,
// compare as paths do from their ends.
func likeliestPaths(chance func(u, v uint32) float64, start []float64, steps int) [][]uint32 {
	n := len(start)
	paths := make([][]uint32, n)
	best := make([]float64, n)
	for u, x := range start {
		if x > 0 {
			paths[u], best[u] = []uint32{uint32(u)}, x
		}
	}
	for length := 1; length <= steps; length++ {
		for v := range uint32(n) {
			if paths[v] != nil {
				continue
			}
			for u := range uint32(n) { // ascending: of equal ones the first stays
				x := best[u] * chance(u, v)
				if len(paths[u]) == length && x > best[v] {
					best[v] = x
					paths[v] = append(slices.Clone(paths[u]), v)
				}
			}
		}
	}
	return paths
}

func TestPPRPaths(t *testing.T) {
	const seed = 31
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 40 {
		n := 3 + r.IntN(25)
		var edges []graphops.WeightedEdge
		for range r.IntN(4 * n) {
			u, v := r.Uint32N(uint32(n)), r.Uint32N(uint32(n))
			if u != v {
				// Weights of powers of two, and none: equal chances are common and exact.
				edges = append(edges, graphops.WeightedEdge{From: u, To: v, Weight: float32(r.IntN(2) * (1 + r.IntN(2)))})
			}
		}
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true, Directed: round%2 == 0}))(t)
		o := graphops.PPROptions{Lazy: r.IntN(2) == 1, Steps: 1 + r.IntN(4), TopK: r.IntN(2) * (1 + r.IntN(n))}
		if o.Weights = graphops.StoredWeights; r.IntN(2) == 0 {
			o.Weights = graphops.UnitWeights
		}
		var seeds []graphops.Scored
		total := 0.0
		start := make([]float64, n)
		for range 1 + r.IntN(3) {
			s := graphops.Scored{Node: r.Uint32N(uint32(n)), Score: float64(1 + r.IntN(2))}
			seeds = append(seeds, s)
			start[s.Node] += s.Score
			total += s.Score
		}
		for u := range start {
			start[u] /= total
		}
		chance := func(u, v uint32) float64 {
			row, w := p.Row(u)
			sum, x := 0.0, 0.0
			for i, other := range row {
				weight := 1.0
				if o.Weights == graphops.StoredWeights {
					weight = float64(w[i])
				}
				if sum += weight; other == v {
					x = weight
				}
			}
			if sum == 0 {
				return 0
			}
			return x / sum
		}
		want := likeliestPaths(chance, start, o.Steps)
		scores := must(graphops.PPR(t.Context(), p, seeds, o))(t).Scores
		o.Paths = true
		got := must(graphops.PPR(t.Context(), p, seeds, o))(t)
		if !slices.Equal(got.Scores, scores) {
			t.Fatalf("%+v: scores %v, want %v", o, got.Scores, scores)
		}
		of := map[uint32]float64{}
		all := o
		all.TopK = 0
		for _, s := range must(graphops.PPR(t.Context(), p, seeds, all))(t).Scores {
			of[s.Node] = s.Score
		}
		for i, s := range got.Scores {
			path := []graphops.Scored{}
			for _, u := range want[s.Node] {
				path = append(path, graphops.Scored{Node: u, Score: of[u]})
			}
			if have := got.Path(i, []graphops.Scored{}); !slices.Equal(have, path) {
				t.Fatalf("round %d, %+v: path %v, want %v", round, o, have, path)
			}
		}
	}
}

// The paths belong to the caller: a later query does not change them.
func TestPPRPathsAreKept(t *testing.T) {
	p := undirected(t, 6, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{3, 4}, [2]uint32{4, 5})
	first := must(graphops.PPR(t.Context(), p, seedsOf(0), graphops.PPROptions{Paths: true}))(t)
	must(graphops.PPR(t.Context(), p, seedsOf(5, 4), graphops.PPROptions{Paths: true}))(t)
	i := slices.IndexFunc(first.Scores, func(s graphops.Scored) bool { return s.Node == 2 })
	var nodes []uint32
	for _, s := range first.Path(i, nil) {
		nodes = append(nodes, s.Node)
	}
	if !slices.Equal(nodes, []uint32{0, 1, 2}) {
		t.Errorf("path %v", nodes)
	}
	if _, err := graphops.PPR(t.Context(), p, seedsOf(9), graphops.PPROptions{Paths: true}); err == nil {
		t.Error("a seed that is no node was taken")
	}
	if got := must(graphops.PPR(t.Context(), p, nil, graphops.PPROptions{Paths: true}))(t); len(got.Scores) != 0 {
		t.Errorf("%v without seeds", got.Scores)
	}
}
