package archrag

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestJoin says that a node joins where the modularity of the whole graph is
// highest, as computed anew for each choice.
func TestJoin(t *testing.T) {
	t.Parallel()
	joined, alone := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 6 + r.IntN(20)
		var edges []graphops.WeightedEdge
		for u := range n {
			for v := range u {
				if r.IntN(4) == 0 {
					edges = append(edges, graphops.WeightedEdge{From: uint32(v), To: uint32(u), Weight: 0.1 + r.Float32()})
				}
			}
		}
		p, err := graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true})
		if err != nil {
			t.Fatal(err)
		}
		resolution := 0.5 + 2*r.Float64()
		j := newJoiner(p, resolution, 3)
		for u := 1; u < n; u++ {
			j.put(u, r.IntN(3))
		}
		if j.k[0] == 0 {
			continue
		}
		quality := func(c uint32) float64 {
			part := graphops.Partition{Of: append([]uint32{}, j.of...), Count: 4}
			part.Of[0] = c
			q, err := graphops.Modularity(p, &part, resolution)
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		best, most := uint32(3), quality(3) // 3 is a new one
		for c := range uint32(3) {
			if q := quality(c); q > most+1e-9 {
				best, most = c, q
			}
		}
		j.join([]int{0})
		if got := quality(j.of[0]); math.Abs(got-most) > 1e-9 {
			t.Errorf("seed %d: joined %d with modularity %g, %d has %g", seed, j.of[0], got, best, most)
		}
		if j.of[0] == 3 {
			alone++
		} else {
			joined++
		}
	}
	if joined == 0 || alone == 0 {
		t.Errorf("%d joined, %d stayed alone", joined, alone)
	}
}

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
