package hirag

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestGrower reads a base of three communities, of which the second is a part of the
// first: who was where, who moves, and how many each has, its parts' members included.
func TestGrower(t *testing.T) {
	t.Parallel()
	p, err := graphops.FromEdges(5, nil, graphops.EdgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	base := &clustering{
		Nodes: []uint64{10, 20, 30, 40}, Deepest: []int32{0, 1, 1, 2}, Adjacent: []uint64{1, 2, 3, 4}, Parent: []int32{-1, 0, -1},
	}
	// Node 10 has gone, the edges of 30 have changed, and 50 and 60 are new.
	g := newGrower(p, 9, base, []uint64{50, 40, 30, 20, 60}, []uint64{1, 4, 9, 2, 1})
	if want := []int32{-1, 3, 2, 1, -1}; !slices.Equal(g.place, want) {
		t.Errorf("places %v, want %v", g.place, want)
	}
	if want := []bool{true, false, true, false, true}; !slices.Equal(g.moves, want) {
		t.Errorf("moves %v, want %v", g.moves, want)
	}
	if !slices.Equal(g.level, []int{0, 1, 0}) || !slices.Equal(g.count, []int{3, 2, 1}) || !slices.Equal(g.divided, []bool{true, false, false}) {
		t.Errorf("levels %v, counts %v, divided %v", g.level, g.count, g.divided)
	}
	for u, want := range [][2]int{{-1, -1}, {2, -1}, {0, 1}, {0, 1}, {-1, -1}} { // on levels 0 and 1
		if got := [2]int{g.was(uint32(u), 0), g.was(uint32(u), 1)}; got != want {
			t.Errorf("node %d was in %v, want %v", u, got, want)
		}
	}
	// Community 0 has lost two, or node 20 alone would be the same; node 30 moves, 40 does not.
	for _, x := range []struct {
		c    branch
		want bool
	}{
		{branch{members: []uint32{3}}, false},
		{branch{members: []uint32{1}, base: 2}, true},
		{branch{members: []uint32{2, 3}, base: 1, level: 1}, false},
		{branch{members: []uint32{3}, base: 2}, false},
		{branch{members: []uint32{1}, base: -1}, false},
	} {
		if got := g.same(x.c); got != x.want {
			t.Errorf("%+v is the same: %v", x.c, got)
		}
	}
}
