package runs

import (
	"math/bits"
	"slices"
)

// segmentChange is a change of segments while it is made.
type segmentChange struct {
	s       *Segments
	touched map[*segment]int // and how many items it gained at its end
	list    []*segment       // touched, in the order of touching
	pos     []int            // of list in s.order
	removed []uint64
	from    uint64 // segments of this number on are new
}

func newSegmentChange(s *Segments) *segmentChange {
	return &segmentChange{s: s, touched: map[*segment]int{}, from: s.next}
}

// touch says that the segment changes that an item of key goes to, or is in.
func (c *segmentChange) touch(key segmentKey) *segment {
	at := c.s.target(key)
	g := c.s.order[at]
	if _, ok := c.touched[g]; !ok {
		c.touched[g] = 0
		c.list = append(c.list, g)
		c.pos = append(c.pos, at)
	}
	return g
}

// add puts an item at the end of g; settle brings it into order.
func (c *segmentChange) add(g *segment, key segmentKey) {
	c.touched[g]++
	g.keys = append(g.keys, key)
	c.s.of[key.id] = segmentPlace{key.rank, g}
}

// drop takes an item out of its segment. Those of its items that the change
// has added stand at the end and stay there.
func (c *segmentChange) drop(id uint64) {
	place := c.s.of[id]
	g := place.in
	old := g.keys[:len(g.keys)-c.touched[g]]
	i, _ := slices.BinarySearchFunc(old, segmentKey{place.rank, id}, segmentKey.compare)
	g.keys = slices.Delete(g.keys, i, i+1)
	delete(c.s.of, id)
}

// settle brings all sizes into bounds, once all items have come and gone.
func (c *segmentChange) settle() {
	small, structural := false, false
	for _, g := range c.list {
		if c.touched[g] > 0 {
			slices.SortFunc(g.keys, segmentKey.compare)
		}
		small = small || len(g.keys) < c.s.o.MinSize
		structural = structural || len(g.keys) == 0 || len(g.keys) >= c.s.o.SplitSize
	}
	if structural {
		c.split()
	}
	if small && len(c.s.order) > 1 {
		c.merge()
	}
}

// split removes the empty ones of the touched segments and splits the large
// ones.
func (c *segmentChange) split() {
	slices.Sort(c.pos)
	old := c.s.order
	out := make([]*segment, 0, len(old)+len(c.pos))
	done := 0
	for _, at := range c.pos {
		out = append(out, old[done:at]...)
		done = at + 1
		if g := old[at]; len(g.keys) == 0 {
			c.forget(g)
		} else {
			out = c.cut(out, g.keys, g)
		}
	}
	c.s.order = append(out, old[done:]...)
}

// merge joins small segments with neighbours, from the lowest on.
func (c *segmentChange) merge() {
	old := c.s.order
	var at []int
	for _, g := range c.list {
		if len(g.keys) > 0 && len(g.keys) < c.s.o.MinSize {
			at = append(at, c.s.target(g.keys[0]))
		}
	}
	slices.Sort(at)
	out := make([]*segment, 0, len(old))
	done := 0
	for _, i := range at {
		if i < done {
			continue // joined already
		}
		out = append(out, old[done:i]...)
		g := old[i]
		done = i + 1
		for len(g.keys) < c.s.o.MinSize && (len(out) > 0 || done < len(old)) {
			if c.joinsLower(out, g, old[done:]) {
				lower := out[len(out)-1]
				out = c.join(out[:len(out)-1], lower, g)
			} else {
				out = c.join(out, g, old[done])
				done++
			}
			g = out[len(out)-1]
			out = out[:len(out)-1]
		}
		out = append(out, g)
	}
	c.s.order = append(out, old[done:]...)
}

// joinsLower reports whether a small segment is nearer to the one below it
// than to the one above it.
func (c *segmentChange) joinsLower(below []*segment, g *segment, above []*segment) bool {
	if len(below) == 0 || len(above) == 0 {
		return len(below) > 0
	}
	first, last := g.keys[0], g.keys[len(g.keys)-1]
	lower := below[len(below)-1].keys
	return c.differ(lower[len(lower)-1], first) <= c.differ(last, above[0].keys[0])
}

// differ returns in how many bits the codes of two items differ.
func (c *segmentChange) differ(a, b segmentKey) int {
	return bits.OnesCount64(c.s.codeOf(a.rank) ^ c.s.codeOf(b.rank))
}

// join appends to out the segments that two neighbours become. One that they
// merge into has the number of the larger.
func (c *segmentChange) join(out []*segment, a, b *segment) []*segment {
	keys := slices.Concat(a.keys, b.keys)
	if len(keys) >= c.s.o.SplitSize {
		return c.cut(out, keys, a, b)
	}
	into, gone := a, b
	if len(b.keys) > len(a.keys) {
		into, gone = b, a
	}
	c.forget(gone)
	return c.cut(out, keys, into)
}

// cut appends keys to out as one segment, or as several if they are many.
// The first of them keep the numbers of those given, which must not be more.
func (c *segmentChange) cut(out []*segment, keys []segmentKey, own ...*segment) []*segment {
	o := &c.s.o
	k := 1
	if n := len(keys); n >= o.SplitSize {
		k = min((n+o.MaxSize-1)/o.MaxSize, n/o.MinSize)
	}
	for i := range k {
		var g *segment
		if i < len(own) {
			g = own[i]
		} else {
			g = c.create()
		}
		if _, ok := c.touched[g]; !ok {
			c.touched[g] = 0
			c.list = append(c.list, g)
		}
		run := keys[len(keys)*i/k : len(keys)*(i+1)/k]
		c.fill(g, slices.Clone(run))
		out = append(out, g)
	}
	return out
}

// fill gives g its items.
func (c *segmentChange) fill(g *segment, keys []segmentKey) {
	g.keys = keys
	for _, key := range keys {
		c.s.of[key.id] = segmentPlace{key.rank, g}
	}
}

// create returns a new segment without items.
func (c *segmentChange) create() *segment {
	g := &segment{id: c.s.next}
	c.s.next++
	c.s.byID[g.id] = g
	return g
}

// forget removes a segment whose items have gone.
func (c *segmentChange) forget(g *segment) {
	delete(c.s.byID, g.id)
	c.removed = append(c.removed, g.id)
}

// pack makes the first segments.
func (c *segmentChange) pack(items []Item) {
	if len(items) == 0 {
		return
	}
	keys := make([]segmentKey, len(items))
	for i, it := range items {
		keys[i] = c.s.keyOf(it)
	}
	slices.SortFunc(keys, segmentKey.compare)
	o := &c.s.o
	var out []*segment
	for len(keys) >= o.MinSize {
		n := o.MinSize
		for n < min(o.MaxSize, len(keys)) && keys[n].rank == keys[n-1].rank {
			n++
		}
		if rest := len(keys) - n; rest < o.MinSize {
			n += rest
		}
		out = c.cut(out, keys[:n], c.create())
		keys = keys[n:]
	}
	if len(keys) > 0 {
		out = c.cut(out, keys, c.create())
	}
	c.s.order = out
}

// changes returns what was touched.
func (c *segmentChange) changes() (out Changes) {
	for _, g := range c.list {
		switch {
		case c.s.byID[g.id] != g:
		case g.id >= c.from:
			out.Created = append(out.Created, g.id)
		default:
			out.Changed = append(out.Changed, g.id)
		}
	}
	for _, id := range c.removed {
		if id < c.from {
			out.Removed = append(out.Removed, id)
		}
	}
	slices.Sort(out.Created)
	slices.Sort(out.Changed)
	slices.Sort(out.Removed)
	return out
}
