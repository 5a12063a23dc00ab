package archrag

import (
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestFewNodes: clusterings that want a number of clusters get one for each Cap nodes, and
// one if there are fewer nodes: two cliques of 5 that one edge joins.
func TestFewNodes(t *testing.T) {
	t.Parallel()
	var edges []graphops.WeightedEdge
	for c := range uint32(2) {
		for u := range uint32(5) {
			for v := range u {
				edges = append(edges, graphops.WeightedEdge{From: 5*c + v, To: 5*c + u, Weight: 1})
			}
		}
	}
	edges = append(edges, graphops.WeightedEdge{From: 0, To: 5, Weight: 1})
	p, err := graphops.FromEdges(10, edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range []string{"spectral", "node2vec"} {
		for limit, want := range map[int]int{11: 1, 6: 2} { // one cluster of 10 is divided if fewer than 6 may be in one
			s := &system{p: Params{Cluster: cluster, Cap: limit, Resolution: 1}}
			part, err := s.cluster(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if part.Count != want {
				t.Errorf("%s, cap %d: %d communities, want %d", cluster, limit, part.Count, want)
			}
		}
	}
}
