package graphops_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// structureCase is a graph of testdata/structure.json, made by
// testdata/structure.py, and what igraph and networkx say of it.
type structureCase struct {
	Name      string
	Nodes     int
	Directed  bool
	Edges     [][2]uint32
	Core      []uint32
	Component []uint32
	// Not of directed graphs.
	Triangles       []uint64
	Local           []float64
	Average, Global float64
	// Normalised is nil for graphs of less than three nodes.
	Betweenness, Normalised []float64
}

func structureCases(t *testing.T) []structureCase {
	t.Helper()
	b, err := os.ReadFile("testdata/structure.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref struct{ Cases []structureCase }
	if err := json.Unmarshal(b, &ref); err != nil || len(ref.Cases) == 0 {
		t.Fatal(len(ref.Cases), err)
	}
	return ref.Cases
}

func (c *structureCase) projection(t *testing.T) *graphops.Projection {
	t.Helper()
	return must(graphops.FromEdges(c.Nodes, plain(c.Edges), graphops.EdgeOptions{Directed: c.Directed}))(t)
}

// renamedEdges returns the edges with node u called perm[u], in another order.
func renamedEdges(r *rand.Rand, edges []graphops.WeightedEdge, perm []int) []graphops.WeightedEdge {
	out := make([]graphops.WeightedEdge, len(edges))
	for i, at := range r.Perm(len(edges)) {
		e := edges[at]
		e.From, e.To = uint32(perm[e.From]), uint32(perm[e.To])
		out[i] = e
	}
	return out
}

// unionEdges returns the edges of two graphs side by side, the nodes of the
// second numbered from n on.
func unionEdges(n int, a, b []graphops.WeightedEdge) []graphops.WeightedEdge {
	out := append([]graphops.WeightedEdge(nil), a...)
	for _, e := range b {
		e.From, e.To = e.From+uint32(n), e.To+uint32(n)
		out = append(out, e)
	}
	return out
}

// adjacent returns the adjacency matrix.
func adjacent(p *graphops.Projection) [][]bool {
	a := make([][]bool, p.Len())
	for u := range a {
		a[u] = make([]bool, p.Len())
		to, _ := p.Row(uint32(u))
		for _, v := range to {
			a[u][v] = true
		}
	}
	return a
}
