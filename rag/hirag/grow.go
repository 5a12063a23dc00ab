package hirag

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/graphops"
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
	out     []community
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
func (g *grower) grow(ctx context.Context) ([]community, error) {
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
	j := g.newJoiner(nodes, baseParent, level)
	j.join()
	groups := j.groups()
	if parent >= 0 && len(groups) < 2 {
		// What is left of its parts is one: it is divided anew.
		var err error
		g.out, err = divide(ctx, g.p, nodes, g.size, level, parent, g.out)
		return err
	}
	for _, members := range groups {
		c := community{level: level, parent: parent, members: members, base: j.baseOf(members)}
		at := len(g.out)
		g.out = append(g.out, c)
		if len(members) < g.size {
			continue
		}
		var err error
		switch {
		case c.base >= 0 && g.divided[c.base]:
			err = g.within(ctx, members, at, c.base, level+1)
		case !g.same(c):
			g.out, err = divide(ctx, g.p, members, g.size, level+1, at, g.out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// same reports whether a community is what it was in the base.
func (g *grower) same(c community) bool {
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

// joiner places the nodes of one community in its parts.
type joiner struct {
	g     *grower
	nodes []uint32
	in    map[uint32]int // node -> place in nodes
	of    []int          // group of each node, -1 for none
	free  []int          // places of the nodes that move
	base  []int          // base community of each group, -1 for new ones
	sum   []float64      // strength of each group
	deg   []float64      // strength of each node, within nodes
	total float64        // twice the weight of all edges
}

func (g *grower) newJoiner(nodes []uint32, baseParent, level int) *joiner {
	j := &joiner{
		g: g, nodes: nodes, in: make(map[uint32]int, len(nodes)),
		of: make([]int, len(nodes)), deg: make([]float64, len(nodes)),
	}
	for i, u := range nodes {
		j.in[u] = i
	}
	group := map[int]int{}
	for i, u := range nodes {
		for k, to := range g.row(u) {
			if _, ok := j.in[to]; ok {
				j.deg[i] += g.weight(u, k)
			}
		}
		j.total += j.deg[i]
		b := g.was(u, level)
		if b >= 0 && int(g.base.Parent[b]) != baseParent {
			b = -1
		}
		j.of[i] = -1
		if b < 0 || g.moves[u] {
			j.free = append(j.free, i)
		}
		if b < 0 {
			continue
		}
		k, ok := group[b]
		if !ok {
			k = len(j.base)
			group[b] = k
			j.base, j.sum = append(j.base, b), append(j.sum, 0)
		}
		j.of[i] = k
		j.sum[k] += j.deg[i]
	}
	return j
}

func (g *grower) row(u uint32) []uint32 {
	to, _ := g.p.Row(u)
	return to
}

func (g *grower) weight(u uint32, k int) float64 {
	if _, w := g.p.Row(u); w != nil {
		return float64(w[k])
	}
	return 1
}

// sweeps is how often the nodes that move are looked at: one may want to
// follow another.
const sweeps = 4

// join moves the free nodes, in their order.
func (j *joiner) join() {
	for range sweeps {
		changed := false
		for _, i := range j.free {
			changed = j.move(i) || changed
		}
		if !changed {
			return
		}
	}
}

// move puts a node where modularity gains most, among the groups of its
// neighbours and one of its own; of equals where it is, then the first.
func (j *joiner) move(i int) (changed bool) {
	u, from := j.nodes[i], j.of[i]
	links := map[int]float64{}
	var near []int
	for k, to := range j.g.row(u) {
		if at, ok := j.in[to]; ok && j.of[at] >= 0 {
			c := j.of[at]
			if _, ok := links[c]; !ok {
				near = append(near, c)
			}
			links[c] += j.g.weight(u, k)
		}
	}
	slices.Sort(near)
	if from >= 0 {
		j.sum[from] -= j.deg[i]
	}
	gain := func(c int) float64 {
		if j.total == 0 {
			return 0
		}
		return links[c] - float64(j.deg[i]*j.sum[c])/j.total
	}
	best, most := -1, 0.0
	if from >= 0 {
		best, most = from, gain(from)
	}
	for _, c := range near {
		if g := gain(c); c != from && g > most+1e-9 {
			best, most = c, g
		}
	}
	if best < 0 || most < -1e-9 {
		best = len(j.base)
		j.base, j.sum = append(j.base, -1), append(j.sum, 0)
	}
	j.of[i] = best
	j.sum[best] += j.deg[i]
	return best != from
}

// groups returns the members of each group that has any, ascending, in order of
// their first.
func (j *joiner) groups() [][]uint32 {
	by := make([][]uint32, len(j.base))
	for i, u := range j.nodes {
		by[j.of[i]] = append(by[j.of[i]], u)
	}
	by = slices.DeleteFunc(by, func(g []uint32) bool { return len(g) == 0 })
	slices.SortFunc(by, func(a, b []uint32) int { return int(a[0]) - int(b[0]) })
	return by
}

// baseOf returns the base community of the group that has some members.
func (j *joiner) baseOf(members []uint32) int { return j.base[j.of[j.in[members[0]]]] }
