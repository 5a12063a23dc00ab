package hirag

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
)

// grower clusters a graph by going on from a whole clustering: what is as it
// was stays where it was, and each new or changed node joins the community
// among those of its neighbours that modularity gains most by, or a new one. A
// community that came to have size nodes is divided on its own. The result
// depends on the whole clustering and the graph alone, not on what was between
// them: nodes that came and went again leave no trace.
type grower struct {
	p     *graphops.Projection
	size  int
	base  *clustering
	place []int32 // each node's place in the base, -1 for new ones
	moves []bool  // new, or its edges have changed
	level []int   // of the base's communities
	count []int   // their members
	// divided says which of the base's communities had parts.
	divided []bool
	out     []branch
}

func newGrower(p *graphops.Projection, size int, base *clustering, keys, adjacent []uint64) *grower {
	g := &grower{p: p, size: size, base: base, place: make([]int32, p.Len()), moves: make([]bool, p.Len())}
	at := make(map[uint64]int32, len(base.Nodes))
	for i, k := range base.Nodes {
		at[k] = int32(i)
	}
	for u := range p.Len() {
		i, ok := at[keys[u]]
		if !ok {
			i = -1
		}
		g.place[u] = i
		g.moves[u] = i < 0 || base.Adjacent[i] != adjacent[u]
	}
	g.level, g.count = make([]int, len(base.Parent)), make([]int, len(base.Parent))
	g.divided = make([]bool, len(base.Parent))
	for i, parent := range base.Parent {
		if parent >= 0 {
			g.level[i] = g.level[parent] + 1
			g.divided[parent] = true
		}
	}
	for _, d := range base.Deepest {
		for ; d >= 0; d = base.Parent[d] {
			g.count[d]++
		}
	}
	return g
}

// was returns the community of the base that a node was in on a level, -1 for
// none.
func (g *grower) was(u uint32, level int) int {
	if g.place[u] < 0 {
		return -1
	}
	d := g.base.Deepest[g.place[u]]
	for ; d >= 0 && g.level[d] > level; d = g.base.Parent[d] {
	}
	if d < 0 || g.level[d] != level {
		return -1
	}
	return int(d)
}

// grow clusters all nodes that have edges.
func (g *grower) grow(ctx context.Context) ([]branch, error) {
	var all []uint32
	for u := range uint32(g.p.Len()) {
		if g.p.Degree(u) > 0 {
			all = append(all, u)
		}
	}
	err := g.within(ctx, all, -1, -1, 0)
	return g.out, err
}

// within clusters nodes into communities of a level, which are parts of parent,
// a place in the forest; in the base they were parts of baseParent.
func (g *grower) within(ctx context.Context, nodes []uint32, parent, baseParent, level int) error {
	placed, err := g.placed(ctx, nodes, baseParent, level)
	if err != nil {
		return err
	}
	groups := placed.groups()
	if parent >= 0 && len(groups) < 2 {
		// What is left of its parts is one: it is divided again.
		g.out, err = divide(ctx, g.p, nodes, g.size, level, parent, g.out)
		return err
	}
	for _, c := range groups {
		c.level, c.parent = level, parent
		at := len(g.out)
		g.out = append(g.out, c)
		if len(c.members) < g.size {
			continue
		}
		var err error
		switch {
		case c.base >= 0 && g.divided[c.base]:
			err = g.within(ctx, c.members, at, c.base, level+1)
		case !g.same(c):
			g.out, err = divide(ctx, g.p, c.members, g.size, level+1, at, g.out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// same reports whether a community is what it was in the base.
func (g *grower) same(c branch) bool {
	if c.base < 0 || g.count[c.base] != len(c.members) {
		return false
	}
	for _, u := range c.members {
		if g.moves[u] || g.was(u, c.level) != c.base {
			return false
		}
	}
	return true
}

// moved returns for each level which part of its nodes is not where the base
// had it.
func (g *grower) moved() []float64 {
	var moved, all []float64
	for _, c := range g.out {
		for len(all) <= c.level {
			moved, all = append(moved, 0), append(all, 0)
		}
		all[c.level] += float64(len(c.members))
		for _, u := range c.members {
			if c.base < 0 || g.was(u, c.level) != c.base {
				moved[c.level]++
			}
		}
	}
	for i := range moved {
		moved[i] /= all[i]
	}
	return moved
}

// divided are the parts that the nodes of one community are placed in.
type divided struct {
	nodes []uint32
	graphops.Partition
	base []int // base community of each part, -1 for new ones
}

// placed places nodes: those that are as they were in the parts that they had, the
// others where modularity gains most.
func (g *grower) placed(ctx context.Context, nodes []uint32, baseParent, level int) (*divided, error) {
	t := &divided{nodes: nodes, Partition: graphops.Partition{Of: make([]uint32, len(nodes))}}
	number := map[int]uint32{}
	var free []uint32
	for i, u := range nodes {
		b := g.was(u, level)
		if b >= 0 && int(g.base.Parent[b]) != baseParent {
			b = -1
		}
		if b < 0 || g.moves[u] {
			free = append(free, uint32(i))
		}
		if t.Of[i] = graphops.None; b < 0 {
			continue
		}
		k, ok := number[b]
		if !ok {
			k = uint32(len(t.base))
			number[b] = k
			t.base = append(t.base, b)
		}
		t.Of[i] = k
	}
	t.Count = len(t.base)
	if err := community.Join(ctx, g.p, &t.Partition, free, community.Options{Within: nodes}); err != nil {
		return nil, err
	}
	for i, c := range t.Of {
		if c == graphops.None { // no edge joins it to the others
			t.Of[i] = uint32(t.Count)
			t.Count++
		}
	}
	for len(t.base) < t.Count {
		t.base = append(t.base, -1)
	}
	return t, nil
}

// groups returns each part that has nodes, with its members ascending, in order of
// their first.
func (t *divided) groups() []branch {
	by := make([]branch, t.Count)
	for i, u := range t.nodes {
		c := &by[t.Of[i]]
		c.members, c.base = append(c.members, u), t.base[t.Of[i]]
	}
	by = slices.DeleteFunc(by, func(c branch) bool { return len(c.members) == 0 })
	slices.SortFunc(by, func(a, b branch) int { return cmp.Compare(a.members[0], b.members[0]) })
	return by
}
