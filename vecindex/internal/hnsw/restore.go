package hnsw

import (
	"fmt"
	"sync/atomic"
)

// MaxLevel is the highest level.
const MaxLevel = maxLevel

// List is a list of links with what is stored beside it.
type List struct {
	Key    ListKey
	Parent uint32 // of a list of level 0; MaxUint32 for none
	Links  []uint32
}

// List returns a list as it is, its links appended to buf.
func (v *Version) List(k ListKey, buf []uint32) List {
	l := List{Key: k, Parent: none, Links: buf}
	if k.Level == DownLevel {
		if below, ok := v.Down(k.Slot); ok {
			l.Links = append(l.Links, below)
		}
		return l
	}
	if k.Level == 0 {
		l.Parent = v.parent(k.Slot)
	}
	l.Links = append(l.Links, v.links(k.Slot, int(k.Level))...)
	return l
}

// Restored is a graph being read back: first [Restored.Node] for every node,
// then [Restored.List] for their lists, in any order, then [Restored.Done].
type Restored struct {
	g *Graph
	v *Version
	// levels is the highest level of which a list was read, + 1, by slot.
	levels []uint8
}

// Restore begins to read a graph of slots below n into an empty graph.
func (g *Graph) Restore(n uint32) *Restored {
	g.Reserve(n)
	v := *g.current.Load()
	return &Restored{g: g, v: &v, levels: make([]uint8, n)}
}

// Version returns the version being made, for its codes.
func (r *Restored) Version() *Version { return r.v }

// Node says that a slot holds a node, to be shown later.
func (r *Restored) Node(slot uint32, id uint64, layer uint8) {
	c, i := r.v.at(slot)
	c.ids[i].Store(id)
	c.layer[i] = layer
}

// List gives a slot a list. Links to slots that known does not take are left
// out. A list that cannot be is an error.
func (r *Restored) List(l List, known func(slot uint32) bool) error {
	level := int(l.Key.Level)
	if level == DownLevel {
		if len(l.Links) == 1 && known(l.Links[0]) && r.g.p.Down {
			r.v.setDown(l.Key.Slot, l.Links[0])
		}
		return nil
	}
	if level > maxLevel || len(l.Links) > r.g.cap(level) {
		return fmt.Errorf("%d links on level %d", len(l.Links), level)
	}
	c, i := r.v.at(l.Key.Slot)
	if level > 0 {
		r.raise(c, i, l.Key.Slot, level)
	}
	r.levels[l.Key.Slot] = max(r.levels[l.Key.Slot], uint8(level)+1)
	list := r.v.list(l.Key.Slot, level)
	n := 0
	for _, to := range l.Links {
		if known(to) {
			atomic.StoreUint32(&list[n], to)
			n++
		}
	}
	if level == 0 && l.Parent != none {
		if !known(l.Parent) {
			return fmt.Errorf("parent %d is not there", l.Parent)
		}
		c.parent[i] = l.Parent
	}
	return nil
}

// raise gives a slot lists up to a level.
func (r *Restored) raise(c *chunk, i int, slot uint32, level int) {
	m := r.g.p.M
	u := c.upper[i].Load()
	if u == 0 {
		r.v.uppers = append(r.v.uppers, &upper{slot: slot})
		u = uint32(len(r.v.uppers))
		c.upper[i].Store(u)
	}
	up := r.v.uppers[u-1]
	for int(up.level) < level {
		up.level++
		for range m {
			up.links = append(up.links, none)
		}
	}
}

// Done ends the reading. Layers are those that the graph was recorded with.
func (r *Restored) Done(layers []Layer) error {
	v := r.v
	for i, l := range layers {
		if l.Linked > 0 && (r.levels[l.Entry] == 0 || r.levels[l.Root] == 0 || v.level(l.Entry) < l.Top) {
			return fmt.Errorf("layer %d: entry %d or root %d has no links", i, l.Entry, l.Root)
		}
		v.setLayer(uint8(i), l)
	}
	for _, u := range v.uppers {
		v.upperBytes += u.bytes()
	}
	for i := range r.g.astray {
		r.g.astray[i] = true
	}
	r.g.current.Store(v)
	return nil
}
