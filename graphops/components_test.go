package graphops_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

func TestComponentsReference(t *testing.T) {
	t.Parallel()
	for _, c := range structureCases(t) {
		r := must(graphops.Components(t.Context(), c.projection(t)))(t)
		if !slices.Equal(r.Of, c.Component) || r.Count != int(slices.Max(c.Component))+1 {
			t.Errorf("%s: %v, want %v", c.Name, r.Of, c.Component)
		}
	}
}

func TestComponentsOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		p       *graphops.Projection
		want    []uint32
		largest uint32
	}{
		{"no node", undirected(t, 0), []uint32{}, graphops.None},
		{"one node", undirected(t, 1), []uint32{0}, 0},
		{"two of one size", undirected(t, 4, [2]uint32{0, 2}, [2]uint32{3, 1}), []uint32{0, 1, 0, 1}, 0},
		{"directed", directed(t, 6, [2]uint32{5, 4}, [2]uint32{3, 4}, [2]uint32{0, 2}), []uint32{0, 1, 0, 2, 2, 2}, 2},
	} {
		r := must(graphops.Components(t.Context(), test.p))(t)
		if !slices.Equal(r.Of, test.want) || r.Largest() != test.largest {
			t.Errorf("%s: %v, largest %d, want %v, %d", test.name, r.Of, r.Largest(), test.want, test.largest)
		}
	}
}

// reached returns the components by a search from each node.
func reached(p *graphops.Projection) []uint32 {
	a := adjacent(p)
	of := slices.Repeat([]uint32{graphops.None}, p.Len())
	count := uint32(0)
	var visit func(u int)
	visit = func(u int) {
		of[u] = count
		for v := range a {
			if of[v] == graphops.None && (a[u][v] || a[v][u]) {
				visit(v)
			}
		}
	}
	for u := range of {
		if of[u] == graphops.None {
			visit(u)
			count++
		}
	}
	return of
}

func TestComponentsAgainstSearch(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		n := 1 + r.IntN(150)
		o := graphops.EdgeOptions{Directed: seed%2 == 0}
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(2*n)), o))(t)
		got := must(graphops.Components(t.Context(), p))(t)
		if want := reached(p); !slices.Equal(got.Of, want) {
			t.Errorf("seed %d: %v, want %v", seed, got.Of, want)
		}
		if sizes := got.Sizes(); sizes[got.Largest()] != slices.Max(sizes) {
			t.Errorf("seed %d: largest %d of sizes %v", seed, got.Largest(), sizes)
		}
	}
}

// A long path whose numbers jump makes deep trees.
func TestComponentsOfRenamedPath(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 50_000
	var edges []graphops.WeightedEdge
	for u := range uint32(n - 1) {
		if u != n/2 {
			edges = append(edges, graphops.WeightedEdge{From: u, To: u + 1})
		}
	}
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}} {
		perm := r.Perm(n)
		p := must(graphops.FromEdges(n, renamedEdges(r, edges, perm), o))(t)
		got := must(graphops.Components(t.Context(), p))(t)
		if got.Count != 2 || got.Of[0] != 0 {
			t.Fatalf("%d components, the first node in %d", got.Count, got.Of[0])
		}
		for u := range n {
			end := perm[0]
			if u > n/2 {
				end = perm[n-1]
			}
			if got.Of[perm[u]] != got.Of[end] {
				t.Fatalf("node %d of the path is not with its end", u)
			}
		}
	}
}

func TestComponentsIsCancelled(t *testing.T) {
	t.Parallel()
	s := rmat(13, 20, 1, 3)
	p := s.project(t, false)
	looks := 0
	for ; ; looks++ {
		r, err := graphops.Components(&endsAfter{Context: t.Context(), left: looks}, p)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Fatalf("after %d looks: %v, %v", looks, r, err)
		}
	}
	if looks < 2 {
		t.Errorf("the context was looked at %d times", looks)
	}
}
