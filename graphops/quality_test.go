package graphops_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestQualityReference(t *testing.T) {
	for _, c := range leidenCases(t) {
		score := graphops.Modularity
		if c.Objective == "CPM" {
			score = graphops.CPM
		}
		part := &graphops.Partition{Of: c.Partition, Count: 5}
		got := must(score(c.project(t), part, c.Resolution))(t)
		if !(math.Abs(got-c.Quality) <= 1e-12*max(1, math.Abs(c.Quality))) {
			t.Errorf("%s: %v, want %v", c.Name, got, c.Quality)
		}
	}
}

// Pair by pair, the definition gives the same, and nodes in no cluster are as
// if they were not in the graph.
func TestQualityOfPairs(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(30)
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(4*n)), graphops.EdgeOptions{Weighted: seed%2 == 0}))(t)
		part := &graphops.Partition{Of: make([]uint32, n), Count: 4}
		for u := range part.Of {
			if part.Of[u] = uint32(r.IntN(5)); part.Of[u] == 4 {
				part.Of[u] = graphops.None
			}
		}
		resolution := 2 * r.Float64()
		k, all := make([]float64, n), 0.0
		edge := make([][]float64, n)
		for u := range n {
			edge[u] = make([]float64, n)
			row, w := p.Row(uint32(u))
			for i, v := range row {
				if part.Of[u] != graphops.None && part.Of[v] != graphops.None {
					edge[u][v] = weight(w, i)
					k[u] += weight(w, i)
				}
			}
			if part.Of[u] != graphops.None {
				_, edge[u][u] = p.Loop(uint32(u))
				k[u] += edge[u][u]
			}
			all += k[u]
		}
		modularity, cpm := 0.0, 0.0
		for u := range n {
			for v := range n {
				if c := part.Of[u]; c != graphops.None && c == part.Of[v] {
					if all > 0 {
						modularity += (edge[u][v] - resolution*k[u]*k[v]/all) / all
					}
					switch {
					case u < v:
						cpm += edge[u][v] - resolution
					case u == v:
						cpm += edge[u][v] / 2
					}
				}
			}
		}
		if got := must(graphops.Modularity(p, part, resolution))(t); !(math.Abs(got-modularity) < 1e-12) {
			t.Errorf("seed %d: modularity %v, want %v", seed, got, modularity)
		}
		if got := must(graphops.CPM(p, part, resolution))(t); !(math.Abs(got-cpm) < 1e-9) {
			t.Errorf("seed %d: CPM %v, want %v", seed, got, cpm)
		}
	}
}

func TestQualityErrors(t *testing.T) {
	p := undirected(t, 2, [2]uint32{0, 1})
	negative := must(graphops.FromEdges(2, []graphops.WeightedEdge{{0, 1, -1}}, graphops.EdgeOptions{Weighted: true}))(t)
	one := &graphops.Partition{Of: []uint32{0, 0}, Count: 1}
	for name, c := range map[string]struct {
		p          *graphops.Projection
		part       *graphops.Partition
		resolution float64
	}{
		"directed":            {directed(t, 2, [2]uint32{0, 1}), one, 1},
		"negative weight":     {negative, one, 1},
		"negative resolution": {p, one, -1},
		"resolution NaN":      {p, one, math.NaN()},
		"short":               {p, &graphops.Partition{Of: []uint32{0}, Count: 1}, 1},
		"no such cluster":     {p, &graphops.Partition{Of: []uint32{0, 1}, Count: 1}, 1},
	} {
		for _, score := range []func(*graphops.Projection, *graphops.Partition, float64) (float64, error){graphops.Modularity, graphops.CPM} {
			if q, err := score(c.p, c.part, c.resolution); !errors.Is(err, engine.ErrInvalid) || q != 0 {
				t.Errorf("%s: %v, %v", name, q, err)
			}
		}
	}
}
