package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// checkHierarchy checks that the levels are nested, clusters connected, and
// that Final and Parent say what is so.
func checkHierarchy(t testing.TB, p *graphops.Projection, h *graphops.Hierarchy) {
	t.Helper()
	if len(h.Levels) == 0 {
		t.Fatal("no level")
	}
	for i, l := range h.Levels {
		checkConnected(t, p, &l.Partition)
		if len(l.Of) != p.Len() || len(l.Final) != l.Count || i > 0 && len(l.Parent) != l.Count || i == 0 && l.Parent != nil {
			t.Fatalf("level %d of %d clusters: %d of %d nodes, %d parents, %d final", i, l.Count, len(l.Of), p.Len(), len(l.Parent), len(l.Final))
		}
		if slices.Contains(l.Sizes(), 0) {
			t.Fatalf("level %d has empty clusters", i)
		}
		divided := make([]bool, l.Count)
		for u, c := range l.Of {
			below := graphops.None
			if i+1 < len(h.Levels) {
				below = h.Levels[i+1].Of[u]
			}
			switch {
			case c == graphops.None && below != graphops.None:
				t.Fatalf("node %d is below level %d and not on it", u, i)
			case below != graphops.None:
				divided[c] = true
				if parent := h.Levels[i+1].Parent[below]; parent != c {
					t.Fatalf("node %d of level %d is in %d, its cluster's parent is %d", u, i, c, parent)
				}
			}
		}
		for u, c := range l.Of {
			if c != graphops.None && divided[c] == l.Final[c] {
				t.Fatalf("level %d: cluster %d of node %d: final %t, divided %t", i, c, u, l.Final[c], divided[c])
			}
			if c != graphops.None && divided[c] && h.Levels[i+1].Of[u] == graphops.None {
				t.Fatalf("node %d is not on level %d, where its cluster is divided", u, i+1)
			}
		}
	}
	finest := h.Finest()
	for u, c := range finest.Of {
		if (c == graphops.None) != (h.Levels[0].Of[u] == graphops.None) {
			t.Fatalf("node %d is in final cluster %d", u, c)
		}
	}
	count := 0
	for _, l := range h.Levels {
		for _, final := range l.Final {
			if final {
				count++
			}
		}
	}
	if count != finest.Count {
		t.Fatalf("%d final clusters, the finest partition has %d", count, finest.Count)
	}
}

func TestHierarchicalLeiden(t *testing.T) {
	t.Parallel()
	s := rmat(11, 5, 1, 2)
	for _, weighted := range []bool{false, true} {
		p := s.project(t, weighted)
		for _, size := range []int{0, 200, 20, 2} {
			for _, drop := range []bool{false, true} {
				o := graphops.LeidenOptions{MaxSize: size, DropIsolated: drop, Seed: 3}
				h := must(graphops.HierarchicalLeiden(t.Context(), p, o))(t)
				checkHierarchy(t, p, h)
				flat := must(graphops.Leiden(t.Context(), p, o))(t)
				if !slices.Equal(h.Levels[0].Of, flat.Of) {
					t.Errorf("size %d: the first level is not what Leiden finds", size)
				}
				if size == 0 {
					size = 1000
				}
				// Other seeds could divide what one cannot, but seldom do.
				unsplit := 0
				for i, l := range h.Levels {
					off, nodes := l.Members()
					for c, final := range l.Final {
						n := int(off[c+1] - off[c])
						if !final && n < size {
							t.Errorf("size %d, level %d: cluster %d of %d nodes is divided", size, i, c, n)
						}
						if !final || n < size {
							continue
						}
						again := must(graphops.Leiden(t.Context(), p, graphops.LeidenOptions{Nodes: nodes[off[c]:off[c+1]]}))(t)
						if again.Count > 1 {
							unsplit++
						}
					}
				}
				if unsplit > h.Finest().Count/100 {
					t.Errorf("size %d: %d clusters of %d could be divided", size, unsplit, h.Finest().Count)
				}
			}
		}
	}
}

// A ring of cliques of cliques is taken apart level by level.
func TestHierarchicalLeidenOfCliques(t *testing.T) {
	var edges []graphops.WeightedEdge
	const groups, cliques, size = 6, 4, 6
	at := func(g, c, i int) uint32 { return uint32((g*cliques+c)*size + i) }
	for g := range groups {
		edges = append(edges, graphops.WeightedEdge{From: at(g, 0, 0), To: at((g+1)%groups, 1, 0), Weight: .25})
		for c := range cliques {
			for d := range c {
				edges = append(edges, graphops.WeightedEdge{From: at(g, c, 1+d), To: at(g, d, 1+c), Weight: 4})
			}
			for i := range size {
				for j := range i {
					edges = append(edges, graphops.WeightedEdge{From: at(g, c, i), To: at(g, c, j), Weight: 1})
				}
			}
		}
	}
	p := must(graphops.FromEdges(groups*cliques*size, edges, graphops.EdgeOptions{Weighted: true}))(t)
	h := must(graphops.HierarchicalLeiden(t.Context(), p, graphops.LeidenOptions{MaxSize: size + 1}))(t)
	checkHierarchy(t, p, h)
	var counts []int
	for _, l := range h.Levels {
		counts = append(counts, l.Count)
	}
	if !slices.Equal(counts, []int{groups, groups * cliques}) {
		t.Fatalf("clusters %v", counts)
	}
	for u, c := range h.Finest().Of {
		if c != uint32(u/size) || h.Levels[0].Of[u] != uint32(u/size/cliques) {
			t.Errorf("node %d in %d of %d", u, c, h.Levels[0].Of[u])
		}
	}
	// Those of just MaxSize are divided, if they can be.
	h = must(graphops.HierarchicalLeiden(t.Context(), p, graphops.LeidenOptions{MaxSize: cliques * size}))(t)
	if len(h.Levels) != 2 {
		t.Errorf("%d levels", len(h.Levels))
	}
	h = must(graphops.HierarchicalLeiden(t.Context(), p, graphops.LeidenOptions{MaxSize: cliques*size + 1}))(t)
	if len(h.Levels) != 1 {
		t.Errorf("%d levels", len(h.Levels))
	}
}

func TestHierarchicalLeidenIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(13, 8, 1, 5)
	p := s.project(t, true)
	var one *graphops.Hierarchy
	need := int64(p.Len())*(140+12+40) + 2*int64(p.Edges())*24
	for _, workers := range []int{1, 2, 7, -1} {
		o := graphops.LeidenOptions{MaxSize: 12}
		o.Workers = workers
		if workers < 0 { // there is memory for but one
			o.Workers, o.MaxBytes = 2, need
		}
		h := must(graphops.HierarchicalLeiden(t.Context(), p, o))(t)
		if one == nil {
			one = h
			checkHierarchy(t, p, h)
		}
		if fmt.Sprint(h) != fmt.Sprint(one) {
			t.Errorf("%d workers differ from one", workers)
		}
	}
}

func ExampleHierarchicalLeiden() {
	// Two pairs of triangles.
	p, err := graphops.FromEdges(12, []graphops.WeightedEdge{
		{From: 0, To: 1, Weight: 3}, {From: 0, To: 2, Weight: 3}, {From: 1, To: 2, Weight: 3},
		{From: 3, To: 4, Weight: 3}, {From: 3, To: 5, Weight: 3}, {From: 4, To: 5, Weight: 3},
		{From: 6, To: 7, Weight: 3}, {From: 6, To: 8, Weight: 3}, {From: 7, To: 8, Weight: 3},
		{From: 9, To: 10, Weight: 3}, {From: 9, To: 11, Weight: 3}, {From: 10, To: 11, Weight: 3},
		{From: 0, To: 3, Weight: 5}, {From: 6, To: 9, Weight: 5}, {From: 1, To: 8, Weight: 1},
	}, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		log.Fatal(err)
	}
	o := graphops.LeidenOptions{MaxSize: 4}
	o.Resolution = 0.5
	h, err := graphops.HierarchicalLeiden(context.Background(), p, o)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range h.Levels {
		fmt.Println(l.Of, l.Parent, l.Final)
	}
	// Output:
	// [0 0 0 0 0 0 1 1 1 1 1 1] [] [false false]
	// [0 0 0 1 1 1 2 2 2 3 3 3] [0 0 1 1] [true true true true]
}

func TestHierarchicalLeidenOptions(t *testing.T) {
	p := undirected(t, 3, [2]uint32{0, 1}, [2]uint32{0, 2})
	for _, o := range []graphops.LeidenOptions{
		{MaxSize: -1}, {MaxSize: 1}, {Dendrogram: true},
	} {
		if h, err := graphops.HierarchicalLeiden(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || h != nil {
			t.Errorf("%+v: %v, %v", o, h, err)
		}
	}
	const need = 3*(140+12+40) + 4*24
	o := graphops.LeidenOptions{MaxSize: 2}
	o.MaxBytes = need
	if _, err := graphops.HierarchicalLeiden(t.Context(), p, o); err != nil {
		t.Error(err)
	}
	o.MaxBytes--
	var e *graphops.MemoryError
	if _, err := graphops.HierarchicalLeiden(t.Context(), p, o); !errors.As(err, &e) || e.Need != need {
		t.Errorf("a byte short: %v", err)
	}
	for n := range 3 {
		h := must(graphops.HierarchicalLeiden(t.Context(), undirected(t, n), graphops.LeidenOptions{MaxSize: 2}))(t)
		if len(h.Levels) != 1 || h.Levels[0].Count != n || h.Finest().Count != n {
			t.Errorf("%d nodes without edges: %+v", n, h)
		}
	}
}
