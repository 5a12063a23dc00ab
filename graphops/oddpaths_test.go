package graphops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// paths checks distances and betweenness, by edges and by lengths.
func (c *oddGraph) paths(t *testing.T) {
	p := c.project(t, c.Directed, graphops.Min)
	near := func(length func(e [4]int) float64) [][]float64 { // by Floyd and Warshall
		d := make([][]float64, c.N)
		for u := range d {
			d[u] = slices.Repeat([]float64{math.Inf(1)}, c.N)
			d[u][u] = 0
		}
		for _, e := range c.Edges {
			d[e[0]][e[1]] = min(d[e[0]][e[1]], length(e))
			if !c.Directed {
				d[e[1]][e[0]] = min(d[e[1]][e[0]], length(e))
			}
		}
		for k := range d {
			for u := range d {
				for v := range d {
					d[u][v] = min(d[u][v], d[u][k]+d[k][v])
				}
			}
		}
		return d
	}
	long, hops := near(c.weight), near(func([4]int) float64 { return 1 })
	for u := range c.N {
		for v := range c.N {
			got := must(graphops.WeightedPath(t.Context(), p, uint32(u), uint32(v), graphops.PathOptions{}))(t)
			want := c.Quarters[u*c.N+v]
			if got.Found != (want >= 0) || got.Found && (got.Length != long[u][v] || got.Length != float64(want)/4) {
				t.Fatalf("from %d to %d: %+v, want %d quarters, of %+v", u, v, got, want, *c)
			}
			got = must(graphops.ShortestPath(t.Context(), p, uint32(u), uint32(v), graphops.PathOptions{}))(t)
			if got.Found != !math.IsInf(hops[u][v], 1) || got.Found && got.Length != hops[u][v] {
				t.Fatalf("from %d to %d: %+v, want %v edges, of %+v", u, v, got, hops[u][v], *c)
			}
		}
	}
	got := must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{}))(t).Scores
	c.nearly(t, "betweenness", got, c.Betweenness)
	c.exactly(t, "betweenness", got, between(p, hops, func(uint32, int) float64 { return 1 }))
	if c.Lengths != nil {
		got = must(graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Lengths: true}))(t).Scores
		c.nearly(t, "betweenness by lengths", got, c.Lengths)
		c.exactly(t, "betweenness by lengths", got, between(p, long, func(u uint32, i int) float64 {
			_, w := p.Row(u)
			return weight(w, i)
		}))
	}
}

// between returns the betweenness of each node by going all shortest paths between all
// nodes. length gives that of an entry of a row.
func between(p *graphops.Projection, d [][]float64, length func(u uint32, i int) float64) []float64 {
	scores := make([]float64, p.Len())
	for s := range d {
		for target := range d {
			if s == target || p.Symmetric() && s > target {
				continue
			}
			paths, through := 0.0, make([]float64, p.Len())
			var walk func(u uint32, gone float64, inner []uint32)
			walk = func(u uint32, gone float64, inner []uint32) {
				if int(u) == target {
					paths++
					for _, v := range inner {
						through[v]++
					}
					return
				}
				to, _ := p.Row(u)
				for i, v := range to {
					if on := gone + length(u, i); on == d[s][v] && on+d[v][target] == d[s][target] {
						next := append(slices.Clone(inner), v)
						if int(v) == target {
							next = inner
						}
						walk(v, on, next)
					}
				}
			}
			walk(uint32(s), 0, nil)
			for v := range scores {
				if paths > 0 {
					scores[v] += through[v] / paths
				}
			}
		}
	}
	return scores
}
