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
		r := must(graphops.KCore(t.Context(), c.projection(t), graphops.KCoreOptions{}))(t)
		if !slices.Equal(r.Core, c.Core) || r.Max != slices.Max(c.Core) {
			t.Errorf("%s: %v, want %v", c.Name, r.Core, c.Core)
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
		r := must(graphops.KCore(t.Context(), test.p, graphops.KCoreOptions{}))(t)
		if !slices.Equal(r.Core, test.want) {
			t.Errorf("%s: %v, want %v", test.name, r.Core, test.want)
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
		got := must(graphops.KCore(t.Context(), p, graphops.KCoreOptions{}))(t)
		want := coresByDefinition(p)
		if !slices.Equal(got.Core, want) {
			t.Errorf("seed %d: %v, want %v", seed, got.Core, want)
		}
		if got.Max != slices.Max(want) {
			t.Errorf("seed %d: degeneracy %d of %v", seed, got.Max, want)
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
			return must(graphops.KCore(t.Context(), must(graphops.FromEdges(n, edges, o))(t), graphops.KCoreOptions{}))(t).Core
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

func TestKCoreLimits(t *testing.T) {
	t.Parallel()
	s := rmat(12, 20, 1, 3)
	for _, test := range []struct {
		o    graphops.EdgeOptions
		need int64
	}{
		{graphops.EdgeOptions{}, 12 << 12},
		{graphops.EdgeOptions{Directed: true}, 28<<12 + 4*int64(len(s.edges))},
	} {
		p := must(graphops.FromEdges(len(s.types), s.edges, test.o))(t)
		var e *graphops.MemoryError
		if _, err := graphops.KCore(t.Context(), p, graphops.KCoreOptions{MaxBytes: test.need - 1}); !errors.As(err, &e) || e.Need != test.need {
			t.Errorf("a byte short: %v", err)
		}
		looks := 0
		for ; ; looks++ {
			var last graphops.Progress
			r, err := graphops.KCore(&endsAfter{Context: t.Context(), left: looks}, p, graphops.KCoreOptions{
				MaxBytes: test.need, Progress: func(p graphops.Progress) { last = p },
			})
			if err == nil {
				if last.Done != p.Len() || last.Total != p.Len() || last.Phase != "k-core" {
					t.Errorf("last report %+v", last)
				}
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
