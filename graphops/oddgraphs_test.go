package graphops_test

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// oddGraph is a graph of testdata/oddgraphs.json.gz, made by testdata/oddgraphs.py, with
// what networkx and igraph say of it in units of 1e-8. It has loops, parallel edges of two
// types, weights of 0 and isolated nodes.
type oddGraph struct {
	N                  int
	Directed, Weighted bool
	Edges              [][4]int // from, to, type, weight in quarters
	Damping            float64
	Restart            []float64
	Pagerank, Personal []float64
	Quarters           []int // the distance of each pair, row by row; -1: there is no path
	// Of weights as lengths, nil if one is 0.
	Betweenness, Lengths []float64
	Core, Components     []uint32
	Triangles            []uint64
	Clustering           []float64
	Part                 []uint32
	Modularity           *float64
}

func oddGraphs(t *testing.T) []oddGraph {
	t.Helper()
	f, err := os.Open("testdata/oddgraphs.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var ref struct{ Cases []oddGraph }
	if err := json.NewDecoder(z).Decode(&ref); err != nil || len(ref.Cases) != 2000 {
		t.Fatal(len(ref.Cases), err)
	}
	return ref.Cases
}

// weight returns the weight of an edge that counts.
func (c *oddGraph) weight(e [4]int) float64 {
	if !c.Weighted {
		return 1
	}
	return float64(e[3]) / 4
}

// project returns the graph with or without direction.
func (c *oddGraph) project(t *testing.T, directed bool, how graphops.Combine) *graphops.Projection {
	t.Helper()
	var edges []graphops.WeightedEdge
	for _, e := range c.Edges {
		edges = append(edges, graphops.WeightedEdge{From: uint32(e[0]), To: uint32(e[1]), Weight: float32(c.weight(e))})
	}
	return must(graphops.FromEdges(c.N, edges, graphops.EdgeOptions{Directed: directed, Weighted: c.Weighted, Combine: how}))(t)
}

// strengths returns by definition what all edges from each node to each weigh together:
// each edge counts once for each of its ends that it may be left by. Without weights a
// node is joined to another, and itself, or not.
func (c *oddGraph) strengths(directed bool) [][]float64 {
	a := make([][]float64, c.N)
	for u := range a {
		a[u] = make([]float64, c.N)
	}
	for _, e := range c.Edges {
		for i, w := 0, c.weight(e); i == 0 || i == 1 && !directed; i++ {
			if a[e[i]][e[1-i]] += w; !c.Weighted {
				a[e[i]][e[1-i]] = 1
			}
		}
		if e[0] == e[1] && !directed && !c.Weighted {
			a[e[0]][e[0]] = 2
		}
	}
	return a
}

// surf returns PageRank by power iteration with the whole matrix.
func surf(a [][]float64, damping float64, restart []float64) []float64 {
	n, all := len(a), sum(restart)
	x := make([]float64, n)
	for u := range x {
		x[u] = restart[u] / all
	}
	for range 600 {
		next := make([]float64, n)
		for u := range a {
			out, stuck := sum(a[u]), 0.0
			if out == 0 {
				out, stuck = 1, 1
			}
			for v := range a {
				next[v] += damping * x[u] * (a[u][v]/out + stuck*restart[v]/all)
				next[v] += (1 - damping) * x[u] * restart[v] / all
			}
		}
		x = next
	}
	return x
}

// nearly fails if numbers are not those of 1e-8 units.
func (c *oddGraph) nearly(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for u := range want {
		if len(got) != len(want) || !(math.Abs(got[u]-want[u]/1e8) < 2e-8*max(1, want[u]/1e8)) {
			t.Fatalf("%s: %v, want %v in units of 1e-8, of %+v", what, got, want, *c)
		}
	}
}

// exactly fails if numbers differ by more than rounding.
func (c *oddGraph) exactly(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for u := range want {
		if len(got) != len(want) || !(math.Abs(got[u]-want[u]) < 1e-11*max(1, want[u])) {
			t.Fatalf("%s: %v, by definition %v, of %+v", what, got, want, *c)
		}
	}
}

// TestOddGraphs compares the algorithms with networkx, igraph and their definitions on
// graphs that have what graphs seldom have.
func TestOddGraphs(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i, c := range oddGraphs(t) {
		c.count(seen)
		c.walks(t, i%10 == 0)
		c.paths(t)
		c.structure(t)
		c.communities(t)
	}
	for _, what := range []string{"loop", "parallel", "two types", "zero", "isolated", "directed", "weighted", "only loops"} {
		if seen[what] < 100 {
			t.Errorf("%d graphs with %s", seen[what], what)
		}
	}
}

// count notes what a graph has.
func (c *oddGraph) count(seen map[string]int) {
	has := map[string]bool{"directed": c.Directed, "weighted": c.Weighted}
	joined, looped := make([]bool, c.N), make([]bool, c.N)
	pairs, types := map[[2]int]int{}, map[int]bool{}
	for _, e := range c.Edges {
		types[e[2]] = true
		has["zero"] = has["zero"] || c.Weighted && e[3] == 0
		if e[0] == e[1] {
			has["loop"], looped[e[0]] = true, true
			continue
		}
		joined[e[0]], joined[e[1]] = true, true
		pair := [2]int{e[0], e[1]}
		pairs[pair]++
		has["parallel"] = has["parallel"] || pairs[pair] > 1
	}
	has["two types"] = len(types) == 2
	for u := range joined {
		has["isolated"] = has["isolated"] || !joined[u]
		has["only loops"] = has["only loops"] || looped[u] && !joined[u]
	}
	for what, ok := range has {
		if ok {
			seen[what]++
		}
	}
}

// walks checks PageRank, by several workers if that is wanted, and PPR of so many steps that
// it is PageRank.
func (c *oddGraph) walks(t *testing.T, workers bool) {
	p := c.project(t, c.Directed, graphops.Sum)
	uniform := make([]float64, c.N)
	var seeds []graphops.Scored
	for u := range uniform {
		uniform[u] = 1
		seeds = append(seeds, graphops.Scored{Node: uint32(u), Score: c.Restart[u]})
	}
	a := c.strengths(c.Directed)
	for _, test := range []struct {
		what          string
		restart, want []float64
	}{{"pagerank", uniform, c.Pagerank}, {"personalised pagerank", c.Restart, c.Personal}} {
		o := graphops.PageRankOptions{Damping: c.Damping, Tolerance: 1e-14, MaxIterations: 5000, Restart: test.restart, Workers: 1}
		got := must(graphops.PageRank(t.Context(), p, o))(t).Scores
		c.nearly(t, test.what, got, test.want)
		c.exactly(t, test.what, got, surf(a, c.Damping, test.restart))
		if o.Workers = 3; !workers {
			continue
		}
		if more := must(graphops.PageRank(t.Context(), p, o))(t).Scores; !slices.Equal(more, got) {
			t.Fatalf("%s by 3 workers: %v, not %v", test.what, more, got)
		}
	}
	r := must(graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{Alpha: 1 - c.Damping, Steps: 600}))(t)
	scores := make([]float64, c.N)
	for _, s := range r.Scores {
		scores[s.Node] = s.Score
	}
	c.nearly(t, "ppr", scores, c.Personal)
}
