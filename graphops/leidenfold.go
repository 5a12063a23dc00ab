package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// leidenSource is what graphs to cluster are made of: parts of a projection.
type leidenSource struct {
	p        *Projection
	rows     rowSource // of p
	fold     bool      // fold nodes of degree 1
	label    []uint32  // of each node; the parts are those of one label. nil: all
	position []uint32  // of a node among the members of its part; nil: itself
	zeros    bool      // there are weights of 0
}

// checkWeights refuses weights that cannot be clustered by.
func (s *leidenSource) checkWeights(ctx context.Context) error {
	p, sum := s.p, 0.0
	if err := p.checkLoops(); err != nil {
		return err
	}
	for _, l := range p.loops {
		sum += l.weight
	}
	for u := 0; p.Weighted() && u < p.Len(); u++ {
		if u&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		to, w := s.rows.row(uint32(u))
		for i, x := range w {
			if x < 0 {
				return p.weightError(uint32(u), to[i], x)
			}
			if x == 0 {
				s.zeros = true
			}
			sum += float64(x)
		}
	}
	if sum > math.MaxFloat32 {
		return phase.Mark(engine.ErrInvalid, "weights sum to %v", sum)
	}
	return nil
}

// keeps reports whether entry i of a row leads to a node of the part with the
// given label.
func (s *leidenSource) keeps(to []uint32, w []float32, i int, label uint32) bool {
	return (s.label == nil || s.label[to[i]] == label) && (!s.zeros || w[i] != 0)
}

func (s *leidenSource) positionOf(u uint32) uint32 {
	if s.position == nil {
		return u
	}
	return s.position[u]
}

// nodeOf returns which node member i is; members nil are all nodes.
func nodeOf(members []uint32, i int) uint32 {
	if members != nil {
		return members[i]
	}
	return uint32(i)
}

// rowOf returns the row of member i.
func (s *leidenSource) rowOf(members []uint32, i int) (to []uint32, w []float32) {
	return s.rows.row(nodeOf(members, i))
}

// loopOf returns what the loops of member i add to its strength.
func (s *leidenSource) loopOf(members []uint32, i int) float64 {
	_, weight := s.p.Loop(nodeOf(members, i))
	return weight
}

// load makes the base graph of the members of a part: without nodes that have
// no edges, and with leaves, which are nodes of degree 1, folded into their
// only neighbour. Of two nodes with but the edge between them, the second is
// the leaf. A leaf gains weight (1 - resolution K/2m) by being with its
// neighbour in a community of strength K, which is not negative for
// resolutions up to 1, and loses everywhere else. One round only: what is a
// leaf then has the strength of others in it. A node with a loop is no leaf: it has the
// strength of the loop, and may lose.
func (r *leidenRun) load(s *leidenSource, members []uint32, label uint32) error {
	if s.p.packed != nil && s.label == nil && !s.zeros {
		return r.loadRows(s)
	}
	n := len(members)
	if members == nil {
		n = s.p.Len()
	}
	r.n, r.members = n, members
	r.place, r.degree = grow(r.place, n), grow(r.degree, n)
	if s.position != nil {
		for i, u := range members {
			s.position[u] = uint32(i)
		}
	}
	entries, plain := 0, s.label == nil && !s.zeros && s.p.packed == nil
	for i := range n {
		to, w := s.rowOf(members, i)
		d, only := uint32(len(to)), 0
		if s.label != nil || s.zeros {
			d = 0
			for e := range to {
				if s.keeps(to, w, e, label) {
					d++
					only = e
				}
			}
			if err := r.look(len(to)); err != nil {
				return err
			}
		}
		if d == 1 {
			r.place[i] = s.positionOf(to[only])
		}
		plain = plain && (d > 1 || d == 1 && (!s.fold || s.loopOf(members, i) > 0))
		r.degree[i] = d
		entries += int(d)
	}
	r.folded = !plain
	if plain {
		r.base.csr = s.p.csr
		r.base.mass = grow(r.base.mass, n)
		return r.weigh(s)
	}
	stay := uint32(0)
	for i := range n {
		switch d := r.degree[i]; {
		case d == 0:
			r.place[i] = None
		case d == 1 && s.fold && (r.degree[r.place[i]] > 1 || int(r.place[i]) < i) && s.loopOf(members, i) == 0:
			r.degree[i] = 0 // a leaf; its host is at place
			entries -= 2
		default:
			r.place[i] = stay
			stay++
		}
	}
	if err := r.fill(s, members, label, int(stay), entries); err != nil {
		return err
	}
	for i := range n {
		if host := r.place[i]; r.degree[i] == 0 && host != None {
			r.place[i] = r.place[host]
		}
	}
	return nil
}

// fill writes the rows of the base graph, of stay nodes and so many entries.
func (r *leidenRun) fill(s *leidenSource, members []uint32, label uint32, stay, entries int) error {
	g := &r.base
	r.copied.off = grow(r.copied.off, stay+1)
	r.copied.to = grow(r.copied.to, entries)
	if s.p.Weighted() {
		r.copied.w = grow(r.copied.w, entries)
	}
	g.csr = r.copied
	g.mass = grow(g.mass, stay)
	at, next, weight := uint32(0), 0, 0.0
	for i := range r.n {
		sum := s.loopOf(members, i)
		if r.degree[i] == 0 {
			weight += sum
			continue
		}
		to, w := s.rowOf(members, i)
		for e, v := range to {
			if (s.label != nil || s.zeros) && !s.keeps(to, w, e, label) {
				continue
			}
			x := float32(1)
			if g.w != nil {
				x = w[e]
			}
			j := s.positionOf(v)
			sum += float64(x)
			if r.degree[j] == 0 { // a leaf, whose strength is that of the edge
				sum += float64(x)
				continue
			}
			g.to[at] = r.place[j]
			if g.w != nil {
				g.w[at] = x
			}
			at++
		}
		weight += sum
		g.mass[next] = sum
		next++
		g.off[next] = at
		if err := r.look(len(to)); err != nil {
			return err
		}
	}
	r.scale(weight)
	return nil
}

// weigh sets the masses of the base graph if it is the whole projection.
func (r *leidenRun) weigh(s *leidenSource) error {
	weight := 0.0
	for u := range r.base.mass {
		to, w := s.p.Row(uint32(u))
		sum := float64(len(to))
		if w != nil {
			sum = 0
			for _, x := range w {
				sum += float64(x)
			}
		}
		sum += s.loopOf(nil, u)
		r.base.mass[u] = sum
		weight += sum
		if err := r.look(len(w)); err != nil {
			return err
		}
	}
	r.scale(weight)
	return nil
}

// scale sets the units of gains, given the weight of all entries.
func (r *leidenRun) scale(weight float64) {
	g := &r.base
	if !r.o.CPM {
		r.price = 0
		if weight > 0 {
			r.price = r.o.Resolution / weight
		}
		r.slack = leidenSlack
		return
	}
	for i := range g.mass {
		g.mass[i] = 1
	}
	r.price = r.o.Resolution
	r.slack = leidenSlack * weight / float64(max(1, len(g.mass)))
}

// result writes the cluster of each member to out, at its node, or at its
// position where there are no members; all else is None. comm has the clusters
// of the nodes of the base graph. It returns how many clusters there are; they
// are numbered in order of the first in them.
func (r *leidenRun) result(comm, out []uint32, dropIsolated bool) int {
	bound := uint32(r.base.Len())
	rows := rowSource{}
	if r.base.made != nil {
		rows.p = r.base.made.p
	}
	for i := range out {
		out[i] = None
	}
	for i := range r.n {
		at, c := i, uint32(i)
		if r.members != nil {
			at = int(r.members[i])
		}
		if r.folded {
			c = r.host(&rows, c)
		}
		switch {
		case c != None:
			out[at] = comm[c]
		case !dropIsolated:
			out[at] = bound
			bound++
		}
	}
	return renumber(out, int(bound))
}
