package hirag

import (
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestDivideInTwo: a community of two cliques has two parts, and one of a single clique,
// which would be the whole again, has none.
func TestDivideInTwo(t *testing.T) {
	t.Parallel()
	var edges []graphops.WeightedEdge
	for c := range uint32(2) {
		for u := range uint32(6) {
			for v := range u {
				edges = append(edges, graphops.WeightedEdge{From: 6*c + v, To: 6*c + u, Weight: 1})
			}
		}
	}
	edges = append(edges, graphops.WeightedEdge{From: 0, To: 6, Weight: 1})
	p, err := graphops.FromEdges(12, edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]int{12: 2, 6: 0} {
		var nodes []uint32
		for u := range n {
			nodes = append(nodes, uint32(u))
		}
		got, err := divide(t.Context(), p, nodes, 10, 1, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != want {
			t.Errorf("%d nodes have %d parts, want %d", n, len(got), want)
		}
	}
}
