package hirag

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// world is a graph of named nodes.
type world map[[2]int]float32

func (w world) join(a, b int, weight float32) { w[[2]int{min(a, b), max(a, b)}] = weight }

// without returns the graph without some nodes.
func (w world) without(gone ...int) world {
	out := world{}
	for e, x := range w {
		if !slices.Contains(gone, e[0]) && !slices.Contains(gone, e[1]) {
			out[e] = x
		}
	}
	return out
}

// graph returns the graph of the nodes that have edges, with their names and
// the digests of their edges.
func (w world) graph(t *testing.T) (p *graphops.Projection, keys, adjacent []uint64) {
	t.Helper()
	var names []int
	for e := range w {
		names = append(names, e[0], e[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var edges []graphops.WeightedEdge
	for e, x := range w {
		from, _ := slices.BinarySearch(names, e[0])
		to, _ := slices.BinarySearch(names, e[1])
		edges = append(edges, graphops.WeightedEdge{From: uint32(from), To: uint32(to), Weight: x})
	}
	p, err := graphops.FromEdges(len(names), edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	for u, n := range names {
		keys = append(keys, uint64(n))
		var sum uint64
		to, x := p.Row(uint32(u))
		for i, v := range to {
			sum = sum*31 + uint64(names[v])*7 + uint64(x[i]*16)
		}
		adjacent = append(adjacent, sum)
	}
	return p, keys, adjacent
}

// whole clusters a graph as a whole.
func whole(t *testing.T, w world, size int) ([]branch, *clustering) {
	t.Helper()
	p, keys, adjacent := w.graph(t)
	forest, err := divide(context.Background(), p, nil, size, 0, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := remembered(p, forest, keys, adjacent)
	if err != nil {
		t.Fatal(err)
	}
	return forest, base
}

// grown clusters a graph by going on from a base.
func grown(t *testing.T, w world, size int, base *clustering) ([]branch, []uint64, *grower) {
	t.Helper()
	p, keys, adjacent := w.graph(t)
	g := newGrower(p, size, base, keys, adjacent)
	forest, err := g.grow(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return forest, keys, g
}

// picture writes a forest by names, in order.
func picture(forest []branch, keys []uint64) string {
	name := func(c branch) string {
		var b strings.Builder
		for _, u := range c.members {
			fmt.Fprint(&b, keys[u], ",")
		}
		return b.String()
	}
	var lines []string
	for _, c := range forest {
		parent := "-"
		if c.parent >= 0 {
			parent = name(forest[c.parent])
		}
		lines = append(lines, fmt.Sprintf("%d %s of %s", c.level, name(c), parent))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// cliques returns groups of nodes that are all joined, each to the next by one
// edge. Names go up by 10.
func cliques(groups, each int) world {
	w := world{}
	for g := range groups {
		for i := range each {
			for j := range i {
				w.join(10*(g*each+i), 10*(g*each+j), 1)
			}
		}
		if g > 0 {
			w.join(10*(g*each), 10*(g*each-1), 1)
		}
	}
	return w
}

// TestGrow says where a new node goes: to the community that modularity gains
// most by, or to one of its own.
func TestGrow(t *testing.T) {
	w := cliques(4, 5)
	forest, base := whole(t, w, 10)
	if len(forest) != 4 {
		t.Fatalf("%d communities", len(forest))
	}
	_, keys, _ := w.graph(t)
	if now, _, g := grown(t, w, 10, base); picture(now, keys) != picture(forest, keys) || g.moved()[0] != 0 {
		t.Errorf("without change: %s", picture(now, keys))
	}
	with := func(change func(w world)) ([]branch, []uint64, *grower) {
		w := w.without()
		change(w)
		return grown(t, w, 10, base)
	}
	home := func(forest []branch, keys []uint64, name uint64) (of []uint64) {
		for _, c := range forest {
			if slices.ContainsFunc(c.members, func(u uint32) bool { return keys[u] == name }) {
				for _, u := range c.members {
					of = append(of, keys[u])
				}
				return of
			}
		}
		return nil
	}
	now, keys, g := with(func(w world) { w.join(5, 0, 1); w.join(5, 50, 1); w.join(5, 60, 1) })
	if got := home(now, keys, 5); !slices.Equal(got, []uint64{5, 50, 60, 70, 80, 90}) {
		t.Errorf("a node with two neighbours in the second: %v", got)
	}
	if m := g.moved(); m[0] != 1.0/21 {
		t.Errorf("moved %v, want one of 21", m)
	}
	now, keys, _ = with(func(w world) { w.join(5, 6, 1) })
	if got := home(now, keys, 5); !slices.Equal(got, []uint64{5, 6}) {
		t.Errorf("two nodes that nothing joins to the others: %v", got)
	}
	// A node whose edges have changed moves, the others stay.
	now, keys, _ = with(func(w world) {
		for _, n := range []int{150, 160, 170, 180} {
			w.join(0, n, 4)
		}
	})
	if got := home(now, keys, 0); !slices.Equal(got, []uint64{0, 150, 160, 170, 180, 190}) {
		t.Errorf("a node that was joined to the last: %v", got)
	}
}

// TestOversized says that a community that came to be too large is divided on
// its own, and that the others are as they were.
func TestOversized(t *testing.T) {
	w := cliques(4, 5)
	forest, base := whole(t, w, 10)
	_, wasKeys, _ := w.graph(t)
	for i := range 6 {
		for j := range i {
			w.join(1000+i, 1000+j, 1)
		}
		w.join(1000+i, 10*(i%5), 2)
	}
	now, keys, _ := grown(t, w, 10, base)
	if slices.ContainsFunc(now, func(c branch) bool { return len(c.members) >= 10 && c.level > 0 }) {
		t.Errorf("a divided community is too large:\n%s", picture(now, keys))
	}
	parts := 0
	for i, c := range now {
		if c.level == 0 && len(c.members) >= 10 {
			for _, d := range now {
				if d.parent == i {
					parts++
				}
			}
		}
	}
	if parts < 2 {
		t.Errorf("the large community has %d parts:\n%s", parts, picture(now, keys))
	}
	for _, line := range strings.Split(picture(forest, wasKeys), "\n")[1:] {
		if !strings.Contains(picture(now, keys), line) {
			t.Errorf("changed: %s", line)
		}
	}
}

// TestNoTrace says that nodes which come and go leave no trace, whatever was
// between, and that each node is in one community a level, within its parent.
func TestNoTrace(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		w := world{}
		for range 160 {
			a := r.IntN(60)
			if b := a/6*6 + r.IntN(6); a != b {
				w.join(a, b, float32(1+r.IntN(3)))
			}
			if b := r.IntN(60); r.IntN(4) == 0 && a != b {
				w.join(a, b, 1)
			}
		}
		forest, base := whole(t, w, 6)
		_, keys, _ := w.graph(t)
		more := w.without()
		for n := range 12 {
			for range 1 + r.IntN(4) {
				more.join(100+n, r.IntN(60), float32(1+r.IntN(4)))
			}
		}
		sound(t, more, base)
		less := w.without(r.IntN(60), r.IntN(60), r.IntN(60))
		sound(t, less, base)
		now, nowKeys, _ := grown(t, w, 6, base)
		if got, want := picture(now, nowKeys), picture(forest, keys); got != want {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// sound checks a forest that has grown.
func sound(t *testing.T, w world, base *clustering) {
	t.Helper()
	forest, keys, _ := grown(t, w, 6, base)
	at := map[int]map[uint32]int{}
	for i, c := range forest {
		if at[c.level] == nil {
			at[c.level] = map[uint32]int{}
		}
		for _, u := range c.members {
			if _, ok := at[c.level][u]; ok {
				t.Fatalf("node %d is twice on level %d", keys[u], c.level)
			}
			at[c.level][u] = i
			if c.level > 0 && at[c.level-1][u] != c.parent {
				t.Fatalf("node %d is not in the parent", keys[u])
			}
		}
	}
	if len(at[0]) != len(keys) {
		t.Fatalf("%d of %d nodes are in a community", len(at[0]), len(keys))
	}
}
