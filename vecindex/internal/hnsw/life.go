package hnsw

// Life is the life of a node: the commits in which it was born and died.
type Life struct {
	Slot       uint32
	Born, Died uint64 // Died is 0 while it is alive
}

// Show makes linked nodes visible to those who search their commits. It may
// run beside searches.
func (g *Graph) Show(lives []Life) {
	v := g.current.Load()
	if v.table.full(len(lives)) {
		next := *v
		next.table = newSlotTable(v.linked * 17 / 16) // with those of lives
		for s := range v.n {
			if old, ok := v.table.find(v, v.ID(s)); ok && old == s {
				next.table.put(&next, v.ID(s), s)
			}
		}
		g.current.Store(&next)
		v = &next
	}
	for _, l := range lives {
		c, i := v.at(l.Slot)
		c.died[i].Store(l.Died)
		c.born[i].Store(l.Born)
		if g.newest.Load() < l.Born {
			g.newest.Store(l.Born)
		}
		v.table.put(v, c.ids[i].Load(), l.Slot)
		if l.Died == 0 {
			c.open[i/64].Or(uint64(1) << (i % 64))
		} else {
			g.dead.Add(1)
		}
	}
}

// Kill ends the life of the node in a slot, if one is shown there, with commit
// seq. It may run beside Link and searches, not beside [Graph.Reserve].
func (g *Graph) Kill(slot uint32, seq uint64) {
	v := g.current.Load()
	if slot >= v.n || !v.held(slot) {
		return
	}
	c, i := v.at(slot)
	if c.died[i].CompareAndSwap(0, seq) {
		c.open[i/64].And(^(uint64(1) << (i % 64)))
		g.dead.Add(1)
	}
}

// Dead returns the number of nodes that are dead and still in the graph.
func (g *Graph) Dead() int { return int(g.dead.Load()) }

// Plain reports whether every node that was shown is alive in commit seq, so
// that a search need not ask. Nodes being linked are not shown.
func (g *Graph) Plain(seq uint64) bool { return g.dead.Load() == 0 && g.newest.Load() <= seq }

// Held reports whether a slot holds a node that was shown, dead or alive.
func (v *Version) Held(slot uint32) bool { return slot < v.n && v.held(slot) }

// Neighbours returns the links of a slot on level 0, aliasing the graph: it
// must not be linked or repaired meanwhile.
func (v *Version) Neighbours(slot uint32) []uint32 { return v.links(slot, 0) }

// Newest returns the commit in which the last node that was shown was born.
func (g *Graph) Newest() uint64 { return g.newest.Load() }

// LayerOf returns the layer of the node in a slot.
func (v *Version) LayerOf(slot uint32) uint8 {
	c, i := v.at(slot)
	return c.layer[i]
}

// Open reports whether a slot holds a node that is alive in the latest commit.
func (v *Version) Open(slot uint32) bool {
	c, i := v.at(slot)
	return c.open[i/64].Load()&(1<<(i%64)) != 0
}

// Visible reports whether a slot holds a node that is alive in commit seq.
func (v *Version) Visible(slot uint32, seq uint64) bool {
	c, i := v.at(slot)
	born, died := c.born[i].Load(), c.died[i].Load()
	return born != 0 && born <= seq && (died == 0 || died > seq)
}

// DeadBefore returns the slots of nodes that died in commit seq or before, with
// the last of those commits.
func (v *Version) DeadBefore(seq uint64) (slots []uint32, last uint64) {
	for slot := range v.n {
		if born, died := v.Life(slot); born != 0 && died != 0 && died <= seq {
			slots = append(slots, slot)
			last = max(last, died)
		}
	}
	return slots, last
}
