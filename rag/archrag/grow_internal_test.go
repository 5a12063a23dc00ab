package archrag

import (
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestCap says that a community of Cap members is divided, and one of fewer is
// not: two cliques of 8 that one edge joins, and two of 7.
func TestCap(t *testing.T) {
	t.Parallel()
	s := &system{p: Params{Cap: 15, Resolution: 1}}
	for _, x := range []struct{ size, want int }{{8, 2}, {7, 1}} {
		var edges []graphops.WeightedEdge
		for c := range 2 {
			for u := range x.size {
				for v := range u {
					edges = append(edges, graphops.WeightedEdge{From: uint32(c*x.size + v), To: uint32(c*x.size + u), Weight: 1})
				}
			}
		}
		edges = append(edges, graphops.WeightedEdge{From: 0, To: uint32(x.size), Weight: 1})
		p, err := graphops.FromEdges(2*x.size, edges, graphops.EdgeOptions{Weighted: true})
		if err != nil {
			t.Fatal(err)
		}
		one := graphops.Partition{Of: make([]uint32, 2*x.size), Count: 1}
		part, err := s.divide(t.Context(), p, one, nil)
		if err != nil {
			t.Fatal(err)
		}
		if part.Count != x.want {
			t.Errorf("two cliques of %d are %d communities, want %d", x.size, part.Count, x.want)
		}
	}
}

// TestLimits gives the rules of spec A2.2 numbers: 9 nodes in 3 triangles on a
// ring have mean degree 8/3, so a node adds at most 2 edges and looks at
// int(1.5*2)+1 = 4 neighbours.
func TestLimits(t *testing.T) {
	t.Parallel()
	var edges []graphops.WeightedEdge
	add := func(a, b int) {
		edges = append(edges, graphops.WeightedEdge{From: uint32(a), To: uint32(b), Weight: 1})
	}
	for c := range 3 {
		add(3*c, 3*c+1)
		add(3*c+1, 3*c+2)
		add(3*c, 3*c+2)
		add(3*c, (3*c+3)%9)
	}
	p, err := graphops.FromEdges(9, edges, graphops.EdgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &system{p: Params{Search: 1.5, Scale: 1}}
	degree := graphops.AugmentDegree(p, s.p.Scale)
	if degree != 2 || s.looked(degree) != 4 {
		t.Errorf("a node adds %d edges of %d looked at, want 2 of 4", degree, s.looked(degree))
	}
}
