package graphops_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestTrianglesReference(t *testing.T) {
	t.Parallel()
	for _, c := range structureCases(t) {
		if c.Directed {
			continue
		}
		p := c.projection(t)
		r := must(graphops.Triangles(t.Context(), p, graphops.TrianglesOptions{}))(t)
		total := uint64(0)
		for _, x := range c.Triangles {
			total += x
		}
		if !slices.Equal(r.Of, c.Triangles) || 3*r.Total != total {
			t.Errorf("%s: %d of %v, want %v", c.Name, r.Total, r.Of, c.Triangles)
		}
		if !(math.Abs(r.Average-c.Average) < 1e-12) || !(math.Abs(r.Global-c.Global) < 1e-12) {
			t.Errorf("%s: average %g, global %g, want %g, %g", c.Name, r.Average, r.Global, c.Average, c.Global)
		}
		if d := distance(r.Local, c.Local); !(d < 1e-12) {
			t.Errorf("%s: %v, want %v", c.Name, r.Local, c.Local)
		}
	}
}

func TestTrianglesOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		p    *graphops.Projection
		want []uint64
	}{
		{"no node", undirected(t, 0), []uint64{}},
		{"one node", undirected(t, 1), []uint64{0}},
		{"an edge and a loop", undirected(t, 2, [2]uint32{0, 1}, [2]uint32{1, 1}), []uint64{0, 0}},
		{"two with a common edge", undirected(t, 4, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0}, [2]uint32{1, 3}, [2]uint32{3, 2}),
			[]uint64{1, 2, 2, 1}},
	} {
		r := must(graphops.Triangles(t.Context(), test.p, graphops.TrianglesOptions{}))(t)
		if !slices.Equal(r.Of, test.want) {
			t.Errorf("%s: %v, want %v", test.name, r.Of, test.want)
		}
		k := must(graphops.Triangles(t.Context(), test.p, graphops.TrianglesOptions{}))(t)
		if math.IsNaN(r.Average) || math.IsNaN(r.Global) || len(r.Local) != test.p.Len() {
			t.Errorf("%s: %+v", test.name, k)
		}
	}
	arcs := directed(t, 3, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0})
	if _, err := graphops.Triangles(t.Context(), arcs, graphops.TrianglesOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("of directed edges: %v", err)
	}
	if _, err := graphops.Triangles(t.Context(), arcs, graphops.TrianglesOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("of directed edges: %v", err)
	}
}

func TestTrianglesAgainstDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := 1 + r.IntN(50)
		p := must(graphops.FromEdges(n, randomEdges(r, n, r.IntN(8*n)), graphops.EdgeOptions{}))(t)
		a := adjacent(p)
		want := make([]uint64, n)
		for u := range n {
			for v := range n {
				for w := range v {
					if a[u][v] && a[v][w] && a[w][u] {
						want[u]++
					}
				}
			}
		}
		got := must(graphops.Triangles(t.Context(), p, graphops.TrianglesOptions{}))(t)
		if !slices.Equal(got.Of, want) {
			t.Errorf("seed %d: %v, want %v", seed, got.Of, want)
		}
	}
}

func TestTrianglesOfRenamedAndJoined(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 4))
	a, b := rmat(10, 8, 1, 1).edges, rmat(10, 8, 1, 2).edges
	const n = 1 << 10
	count := func(n int, edges []graphops.WeightedEdge) *graphops.TrianglesResult {
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{}))(t)
		return must(graphops.Triangles(t.Context(), p, graphops.TrianglesOptions{}))(t)
	}
	perm := r.Perm(n)
	want, got := count(n, a), count(n, renamedEdges(r, a, perm))
	for u := range n {
		if got.Of[perm[u]] != want.Of[u] {
			t.Fatalf("renamed node %d has %d triangles, want %d", u, got.Of[perm[u]], want.Of[u])
		}
	}
	if want.Total == 0 {
		t.Error("no triangle")
	}
	other := count(n, b)
	both := count(2*n, unionEdges(n, a, b))
	if both.Total != want.Total+other.Total || !slices.Equal(both.Of, append(want.Of, other.Of...)) {
		t.Error("triangles of a union differ from those of its parts")
	}
}

func TestTrianglesAreTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(12, 12, 1, 9)
	p := s.project(t, false)
	one := must(graphops.Triangles(t.Context(), p, graphops.TrianglesOptions{Workers: 1}))(t)
	for _, workers := range []int{2, 7} {
		r := must(graphops.Triangles(t.Context(), p, graphops.TrianglesOptions{Workers: workers}))(t)
		if !slices.Equal(r.Local, one.Local) || r.Average != one.Average || r.Global != one.Global || r.Total != one.Total {
			t.Errorf("%d workers differ from one", workers)
		}
	}
}

func TestTrianglesLimits(t *testing.T) {
	t.Parallel()
	s := rmat(12, 20, 1, 3)
	p := s.project(t, false)
	n, m := int64(p.Len()), int64(p.Edges())
	need := 24*n + 4*m + 2*9*n
	o := graphops.TrianglesOptions{Workers: 2, MaxBytes: need}
	must(graphops.Triangles(t.Context(), p, o))(t)
	var e *graphops.MemoryError
	o.MaxBytes--
	if _, err := graphops.Triangles(t.Context(), p, o); !errors.As(err, &e) || e.Need != need {
		t.Errorf("a byte short: %v", err)
	}
	for _, looks := range []int{0, 1, 2, 3, 10, 100, 250} {
		ctx := &endsAfter{Context: t.Context(), left: looks}
		r, err := graphops.Triangles(ctx, p, graphops.TrianglesOptions{Workers: 1})
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v, %v", looks, r, err)
		}
	}
}
