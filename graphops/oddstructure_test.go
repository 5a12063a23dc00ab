package graphops_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// structure checks what has neither direction nor weights.
func (c *oddGraph) structure(t *testing.T) {
	p := c.project(t, c.Directed, graphops.Sum)
	joined := make([][]bool, c.N)
	for u := range joined {
		joined[u] = make([]bool, c.N)
	}
	for _, e := range c.Edges {
		joined[e[0]][e[1]], joined[e[1]][e[0]] = e[0] != e[1], e[0] != e[1]
	}

	core := make([]uint32, c.N)
	left := slices.Repeat([]bool{true}, c.N)
	for k := uint32(1); slices.Contains(left, true); k++ {
		for again := true; again; { // leave what has k neighbours
			again = false
			for u := range left {
				n := uint32(0)
				for v := range left {
					if joined[u][v] && left[v] {
						n++
					}
				}
				if left[u] && n < k {
					left[u], again = false, true
				}
			}
		}
		for u := range left {
			if left[u] {
				core[u] = k
			}
		}
	}
	both := c.project(t, false, graphops.Sum)
	if got := must(graphops.KCore(t.Context(), both))(t); !slices.Equal(got, c.Core) || !slices.Equal(got, core) {
		t.Fatalf("cores %v, want %v, by definition %v, of %+v", got, c.Core, core, *c)
	}

	parts := must(graphops.Components(t.Context(), p))(t)
	for u, part := range parts.Of {
		if first := slices.Index(parts.Of, part); uint32(first) != c.Components[u] {
			t.Fatalf("components %v, want %v, of %+v", parts.Of, c.Components, *c)
		}
	}

	r := must(graphops.Triangles(t.Context(), both, graphops.TrianglesOptions{}))(t)
	triangles := make([]uint64, c.N)
	for u := range joined {
		for v := range u {
			for w := range v {
				if joined[u][v] && joined[v][w] && joined[u][w] {
					triangles[u]++
					triangles[v]++
					triangles[w]++
				}
			}
		}
	}
	if !slices.Equal(r.Of, c.Triangles) || !slices.Equal(r.Of, triangles) {
		t.Fatalf("triangles %v, want %v, by definition %v, of %+v", r.Of, c.Triangles, triangles, *c)
	}
	c.nearly(t, "clustering", r.Local, c.Clustering)
}

// communities checks modularity, that Leiden maximises it, and that what leaves loops out
// does so.
func (c *oddGraph) communities(t *testing.T) {
	p := c.project(t, false, graphops.Sum)
	modularity := func(a [][]float64, of []uint32) float64 { // by definition
		all, q := 0.0, 0.0
		for u := range a {
			all += sum(a[u])
		}
		for u := range a {
			for v := range a {
				if of[u] == of[v] && all > 0 {
					q += (a[u][v] - sum(a[u])*sum(a[v])/all) / all
				}
			}
		}
		return q
	}
	a := c.strengths(false)
	got := must(graphops.Modularity(p, &graphops.Partition{Of: c.Part, Count: 3}, 1))(t)
	c.exactly(t, "modularity", []float64{got}, []float64{modularity(a, c.Part)})
	if c.Modularity != nil {
		c.nearly(t, "modularity", []float64{got}, []float64{*c.Modularity})
	}
	r := must(graphops.Leiden(t.Context(), p, graphops.LeidenOptions{}))(t)
	c.exactly(t, "quality", []float64{r.Quality}, []float64{modularity(a, r.Of)})
	for u, home := range r.Of {
		for k := range uint32(r.Count + 1) { // moving one node makes it no better
			r.Of[u] = k
			if q := modularity(a, r.Of); q > r.Quality+1e-9 {
				t.Fatalf("modularity %v, %v with node %d in %d, of %+v", r.Quality, q, u, k, *c)
			}
		}
		r.Of[u] = home
	}

	plain := *c
	plain.Edges = slices.DeleteFunc(slices.Clone(c.Edges), func(e [4]int) bool { return e[0] == e[1] })
	q := plain.project(t, false, graphops.Sum)
	x, y := must(graphops.SCAN(t.Context(), p, graphops.SCANOptions{}))(t), must(graphops.SCAN(t.Context(), q, graphops.SCANOptions{}))(t)
	if !slices.Equal(x.Partition.Of, y.Partition.Of) {
		t.Fatalf("scan: %v, without loops %v, of %+v", x.Partition.Of, y.Partition.Of, *c)
	}
	o := graphops.SpectralOptions{K: 2}
	k, l := must(graphops.Spectral(t.Context(), p, o))(t), must(graphops.Spectral(t.Context(), q, o))(t)
	if !slices.Equal(k.Partition.Of, l.Partition.Of) {
		t.Fatalf("spectral: %v, without loops %v, of %+v", k.Partition.Of, l.Partition.Of, *c)
	}
}
