package graphops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/community"
	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/ragdb/ragdb/graphops"
)

// gonumGraph returns a random weighted graph in both forms.
func gonumGraph(t *testing.T, rng *rand.Rand, n, m int) (*graphops.Projection, *simple.WeightedUndirectedGraph) {
	t.Helper()
	g := simple.NewWeightedUndirectedGraph(0, math.Inf(1))
	for u := range n {
		g.AddNode(simple.Node(u))
	}
	var edges []graphops.WeightedEdge
	for range m {
		u, v := rng.IntN(n), rng.IntN(n)
		if u == v || g.HasEdgeBetween(int64(u), int64(v)) {
			continue
		}
		w := float32(1 + rng.IntN(9))
		g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(u), T: simple.Node(v), W: float64(w)})
		edges = append(edges, graphops.WeightedEdge{From: uint32(u), To: uint32(v), Weight: w})
	}
	p, err := graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	return p, g
}

// TestGonum compares with gonum, an oracle that shares no code and no language
// with the others.
func TestGonum(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 20))
	for round := range 12 {
		n := 2 + rng.IntN(60)
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			p, g := gonumGraph(t, rng, n, n*(1+rng.IntN(4)))
			gonumCentrality(t, p, g)
			gonumParts(t, p, g)
			gonumPaths(t, p, g, rng)
		})
	}
}

func gonumCentrality(t *testing.T, p *graphops.Projection, g *simple.WeightedUndirectedGraph) {
	b, err := graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := network.Betweenness(g) // each pair in both directions; zeros left out
	for u, x := range b.Scores {
		if y := want[int64(u)] / 2; math.Abs(x-y) > 1e-9*(1+y) {
			t.Errorf("betweenness of %d is %v, gonum has %v", u, x, y)
		}
	}
	r, err := graphops.KCore(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	core := make([]uint32, p.Len())
	_, shells := topo.DegeneracyOrdering(g)
	for k, shell := range shells {
		for _, u := range shell {
			core[u.ID()] = uint32(k)
		}
	}
	for u, k := range r {
		if k != core[u] {
			t.Errorf("core number of %d is %d, gonum has %d", u, k, core[u])
		}
	}
}

func gonumParts(t *testing.T, p *graphops.Projection, g *simple.WeightedUndirectedGraph) {
	c, err := graphops.Components(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if want := topo.ConnectedComponents(g); len(want) != c.Count {
		t.Errorf("%d components, gonum has %d", c.Count, len(want))
	}
	l, err := graphops.Leiden(t.Context(), p, graphops.LeidenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var parts [][]graph.Node
	off, nodes := l.Members()
	for i := range l.Count {
		var part []graph.Node
		for _, u := range nodes[off[i]:off[i+1]] {
			part = append(part, simple.Node(u))
		}
		parts = append(parts, part)
	}
	if g.Edges().Len() == 0 {
		return
	}
	for _, resolution := range []float64{1, 0.5, 2} {
		got, err := graphops.Modularity(p, &l.Partition, resolution)
		if err != nil {
			t.Fatal(err)
		}
		if want := community.Q(g, parts, resolution); math.Abs(got-want) > 1e-9 {
			t.Errorf("modularity %v at resolution %v, gonum has %v", got, resolution, want)
		}
	}
}

func gonumPaths(t *testing.T, p *graphops.Projection, g *simple.WeightedUndirectedGraph, rng *rand.Rand) {
	from := uint32(rng.IntN(p.Len()))
	tree := path.DijkstraFrom(simple.Node(from), g)
	for to := range p.Len() {
		got, err := graphops.WeightedPath(t.Context(), p, from, uint32(to), graphops.PathOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := tree.WeightTo(int64(to))
		switch {
		case math.IsInf(want, 1) != !got.Found:
			t.Errorf("path from %d to %d: %v, gonum's is %v long", from, to, got.Found, want)
		case got.Found && math.Abs(got.Length-want) > 1e-9:
			t.Errorf("path from %d to %d is %v long, gonum's %v", from, to, got.Length, want)
		}
	}
}

// TestGonumComponents compares principal components with gonum's, up to sign.
func TestGonumComponents(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 1))
	const n, d, k = 400, 12, 5
	m := graphops.Matrix{Dim: d}
	dense := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x := float32(rng.NormFloat64() * float64(2*d-j))
			m.Data = append(m.Data, x)
			dense.Set(i, j, float64(x))
		}
	}
	got, err := graphops.PCA(t.Context(), m, graphops.ReduceOptions{Dim: k})
	if err != nil {
		t.Fatal(err)
	}
	var pc stat.PC
	if !pc.PrincipalComponents(dense, nil) {
		t.Fatal("gonum fails")
	}
	variances := pc.VarsTo(nil)
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	for c := range k {
		if x, y := got.Variances[c], variances[c]; math.Abs(x-y) > 1e-5*y {
			t.Errorf("variance %d is %v, gonum has %v", c, x, y)
		}
		dot := 0.0
		for j, x := range got.Components.Row(c) {
			dot += float64(x) * vectors.At(j, c)
		}
		if math.Abs(math.Abs(dot)-1) > 1e-4 {
			t.Errorf("component %d is turned: %v", c, dot)
		}
	}
}
