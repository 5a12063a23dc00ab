package graphops_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

func TestKCoreReference(t *testing.T) {
	t.Parallel()
	for _, c := range structureCases(t) {
		r := must(graphops.KCore(t.Context(), c.projection(t)))(t)
		if !slices.Equal(r, c.Core) || slices.Max(r) != slices.Max(c.Core) {
			t.Errorf("%s: %v, want %v", c.Name, r, c.Core)
		}
	}
}

func TestKCoreOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		p    *graphops.Projection
		want []uint32
	}{
		{"no node", undirected(t, 0), []uint32{}},
		{"one node", undirected(t, 1), []uint32{0}},
		{"a loop", undirected(t, 1, [2]uint32{0, 0}), []uint32{0}},
		{"a triangle, a tail and a node", undirected(t, 6, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0}, [2]uint32{2, 3}, [2]uint32{3, 4}),
			[]uint32{2, 2, 2, 1, 1, 0}},
		{"there and back", directed(t, 3, [2]uint32{0, 1}, [2]uint32{1, 0}, [2]uint32{1, 2}), []uint32{2, 2, 1}},
	} {
		r := must(graphops.KCore(t.Context(), test.p))(t)
		if !slices.Equal(r, test.want) {
			t.Errorf("%s: %v, want %v", test.name, r, test.want)
		}
	}
}

// coresByDefinition takes nodes of degree below k away until none is left that
// could be, for each k.
func coresByDefinition(p *graphops.Projection) []uint32 {
	a := adjacent(p)
	n := p.Len()
	core := make([]uint32, n)
	alive := make([]bool, n)
	for k := uint32(1); ; k++ {
		for u := range alive {
			alive[u] = true
		}
		for again := true; again; {
			again = false
			for u := range n {
				d := uint32(0)
				for v := range n {
					if !alive[v] {
						continue
					}
					if a[u][v] {
						d++
					}
					if a[v][u] && !p.Symmetric() {
						d++
					}
				}
				if alive[u] && d < k {
					alive[u], again = false, true
				}
			}
		}
		if !slices.Contains(alive, true) {
			return core
		}
		for u := range n {
			if alive[u] {
				core[u] = k
			}
		}
	}
}

func TestKCoreAgainstDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := 1 + r.IntN(40)
		o := graphops.EdgeOptions{Directed: seed%2 == 0, Weighted: seed%3 == 0}
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(6*n)), o))(t)
		got := must(graphops.KCore(t.Context(), p))(t)
		want := coresByDefinition(p)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
		if slices.Max(got) != slices.Max(want) {
			t.Errorf("seed %d: degeneracy %d of %v", seed, slices.Max(got), want)
		}
	}
}

// Names do not matter, and what is beside a graph does not either.
func TestKCoreOfRenamedAndJoined(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	const n = 400
	a, b := randomEdges(r, n, 4*n), randomEdges(r, n, 2*n)
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}} {
		core := func(n int, edges []graphops.WeightedEdge) []uint32 {
			return must(graphops.KCore(t.Context(), must(graphops.FromEdges(n, edges, o))(t)))(t)
		}
		perm := r.Perm(n)
		want, got := core(n, a), core(n, renamedEdges(r, a, perm))
		for u := range want {
			if got[perm[u]] != want[u] {
				t.Fatalf("%+v: core of renamed node %d is %d, want %d", o, u, got[perm[u]], want[u])
			}
		}
		if both := core(2*n, unionEdges(n, a, b)); !slices.Equal(both, append(want, core(n, b)...)) {
			t.Errorf("%+v: cores of a union differ from those of its parts", o)
		}
	}
}

func TestKCoreIsCancelled(t *testing.T) {
	t.Parallel()
	s := rmat(12, 20, 1, 3)
	for _, o := range []graphops.EdgeOptions{{}, {Directed: true}} {
		p := must(graphops.FromEdges(len(s.types), s.edges, o))(t)
		looks := 0
		for ; ; looks++ {
			r, err := graphops.KCore(&endsAfter{Context: t.Context(), left: looks}, p)
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Fatalf("after %d looks: %v, %v", looks, r, err)
			}
		}
		if looks < 10 {
			t.Errorf("the context was looked at %d times", looks)
		}
	}
}
