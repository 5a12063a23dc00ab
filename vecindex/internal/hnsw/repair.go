package hnsw

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// repair is the work of one Repair.
type repair struct {
	b    *batch
	gone map[uint32]bool
}

// restored is a list as it shall be.
type restored struct {
	key   ListKey
	links []uint32
}

// Repair takes dead nodes out of the graph: every list that leads to one of
// them gets other nodes in its place, and every node a parent that is alive.
// It returns the lists that changed, in order; those of the dead are empty and
// not among them. Nobody may search a commit in which the dead were alive any
// more. It reads all lists, so many nodes at a time are cheaper than few. An
// error is ctx's, and leaves the graph as it was.
//
// A list keeps what it has; its vacant places go to neighbours of the dead and
// of its own neighbours, diverse ones first, then the nearest. Choosing all
// links again would thin the lists out.
func (g *Graph) Repair(ctx context.Context, dead []uint32, workers int) ([]ListKey, error) {
	next := *g.current.Load()
	r := &repair{
		b:    &batch{g: g, v: &next, workers: max(1, workers), touched: map[ListKey]struct{}{}},
		gone: make(map[uint32]bool, len(dead)),
	}
	for _, slot := range dead {
		r.gone[slot] = true
	}
	broken := r.broken()
	mended := make([]restored, len(broken))
	err := r.b.each(ctx, len(broken), func(s *Searcher, i int) {
		mended[i] = restored{broken[i], r.fill(s, broken[i])}
	})
	if err != nil {
		return nil, err
	}
	for _, m := range mended {
		list := next.list(m.key.Slot, int(m.key.Level))
		for i := range list {
			n := uint32(none)
			if i < len(m.links) {
				n = m.links[i]
			}
			atomic.StoreUint32(&list[i], n)
		}
		r.b.touched[m.key] = struct{}{}
	}
	for layer := range next.layers {
		if l := next.layers[layer]; l.Linked > 0 {
			r.layer(uint8(layer), l)
		}
	}
	r.clear()
	// What is left is a good graph: it is finished whatever ctx says.
	if err := r.mendDown(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	g.current.Store(&next)
	return r.b.keys(), nil
}

// Adopt finds a parent for every node that does not lead to its layer's root by
// parents that have a link to it, and a node below for every one that leads to
// none: in a graph of which a part was written, the lists do not fit together.
func (g *Graph) Adopt() {
	next := *g.current.Load()
	r := &repair{b: &batch{g: g, v: &next, touched: map[ListKey]struct{}{}}}
	for layer := range next.layers {
		if l := next.layers[layer]; l.Linked > 0 {
			r.layer(uint8(layer), l)
		}
	}
	g.current.Store(&next)
	if !g.p.Down {
		return
	}
	var slots []uint32
	for slot := range next.n {
		if next.lost(slot) {
			slots = append(slots, slot)
		}
	}
	r.b.workers = 1
	_ = r.b.lookDown(context.Background(), slots) // only ctx can fail it
}

// broken returns the lists of remaining nodes that lead to dead ones.
func (r *repair) broken() []ListKey {
	v := r.b.v
	var out []ListKey
	for slot := range v.n {
		if !v.held(slot) || r.gone[slot] {
			continue
		}
		for level := range v.level(slot) + 1 {
			if slices.ContainsFunc(v.links(slot, level), func(n uint32) bool { return r.gone[n] }) {
				out = append(out, ListKey{slot, uint8(level)})
			}
		}
	}
	return out
}

// fill returns a list without the dead, with others in their places.
func (r *repair) fill(s *Searcher, key ListKey) []uint32 {
	v, level := r.b.v, int(key.Level)
	s.begin(v)
	s.visited[key.Slot] = s.gen
	var keep, dead []uint32
	for _, n := range v.links(key.Slot, level) {
		s.visited[n] = s.gen
		if r.gone[n] {
			dead = append(dead, n)
		} else {
			keep = append(keep, n)
		}
	}
	s.clearStep()
	for _, via := range slices.Concat(dead, keep) {
		for _, n := range v.links(via, level) {
			if !r.gone[n] {
				s.meet(v, n)
			}
		}
	}
	q := s.query
	q.FillStored(v.Code(key.Slot))
	all := make([]Candidate, 0, len(s.slots))
	for i, dot := range s.measure(q) {
		all = append(all, candidate(quant.KeyOf(q.Estimate(v.code(s.slots[i]), dot)), s.slots[i]))
	}
	slices.Sort(all)

	// Diverse ones first: from each other and from what is kept.
	s.clearStep()
	for _, n := range keep {
		s.add(v, n)
	}
	other := s.g.codec.NewStored()
	vacant := len(dead)
	rest := all[:0]
	for _, c := range all {
		if vacant > 0 && !s.covered(v, &other, c) {
			keep = append(keep, c.Slot())
			s.add(v, c.Slot())
			vacant--
			continue
		}
		rest = append(rest, c)
	}
	for _, c := range rest[:min(vacant, len(rest))] {
		keep = append(keep, c.Slot())
	}
	return keep
}

// layer gives a layer an entry and a root that are alive, and its nodes
// parents.
func (r *repair) layer(layer uint8, l Layer) {
	v := r.b.v
	var nodes []uint32
	for slot := range v.n {
		if c, i := v.at(slot); v.held(slot) && c.layer[i] == layer {
			if r.gone[slot] {
				l.Linked--
			} else {
				nodes = append(nodes, slot)
			}
		}
	}
	if len(nodes) == 0 {
		v.setLayer(layer, Layer{})
		return
	}
	if r.gone[l.Entry] {
		l.Entry = slices.MaxFunc(nodes, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(v.level(a), v.level(b)), cmp.Compare(b, a))
		})
		l.Top = v.level(l.Entry)
	}
	if r.gone[l.Root] {
		l.Root = nodes[0]
		v.setParent(l.Root, none)
		r.b.touched[ListKey{l.Root, 0}] = struct{}{}
	}
	v.setLayer(layer, l)
	r.adopt(l.Root, nodes)
}

// adopt gives the nodes that do not lead to the root parents that do.
func (r *repair) adopt(root uint32, nodes []uint32) {
	v := r.b.v
	inside := make(map[uint32]bool, len(nodes))
	inside[root] = true
	var chain []uint32
	for _, x := range nodes {
		chain = chain[:0]
		y := x
		for y != none && !r.gone[y] && !inside[y] && len(chain) <= len(nodes) {
			chain = append(chain, y)
			p := v.parent(y)
			if p != none && !r.gone[p] && !contains(v.links(p, 0), y) {
				p = none // of another time than the lists: see Adopt
			}
			y = p
		}
		if y != none && inside[y] {
			for _, z := range chain {
				inside[z] = true
			}
		}
	}
	if len(inside) == len(nodes) {
		return
	}
	take := func(x, parent uint32) {
		v.setParent(x, parent)
		inside[x] = true
		r.b.touched[ListKey{x, 0}] = struct{}{}
	}
	s := r.b.g.Searcher()
	defer r.b.g.Release(s)
	reached := make([]uint32, 0, len(nodes))
	for _, x := range nodes {
		if inside[x] {
			reached = append(reached, x)
		}
	}
	for {
		for i := 0; i < len(reached); i++ {
			y := reached[i]
			for _, x := range v.links(y, 0) {
				if !inside[x] {
					take(x, y)
					reached = append(reached, x)
				}
			}
		}
		i := slices.IndexFunc(nodes, func(x uint32) bool { return !inside[x] })
		if i < 0 {
			return
		}
		// No list leads to it: one is made to.
		x, y := nodes[i], root
		for _, n := range v.links(x, 0) {
			if inside[n] {
				y = n
				break
			}
		}
		y = s.attach(v, x, y)
		r.b.touched[ListKey{y, 0}] = struct{}{}
		take(x, y)
		reached = append(reached[:0], x)
	}
}

// clear empties the slots of the dead.
func (r *repair) clear() {
	v := r.b.v
	n := 0
	for slot := range r.gone {
		c, i := v.at(slot)
		for level := range v.level(slot) + 1 {
			list := v.list(slot, level)
			for j := range list {
				atomic.StoreUint32(&list[j], none)
			}
			delete(r.b.touched, ListKey{slot, uint8(level)})
		}
		if c.down != nil {
			c.down[i].Store(0)
		}
		c.parent[i] = none
		if c.born[i].Swap(0) != 0 && c.died[i].Load() != 0 {
			n++
		}
	}
	r.b.g.dead.Add(-int64(n))
}
