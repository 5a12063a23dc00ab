package hnsw

import (
	"slices"
	"sync/atomic"
)

// parent returns the parent of a slot, none for the root and for what is not
// linked.
func (v *Version) parent(slot uint32) uint32 {
	c, i := v.at(slot)
	return c.parent[i]
}

func (v *Version) setParent(slot, parent uint32) {
	c, i := v.at(slot)
	c.parent[i] = parent
}

// adopt gives every node of the batch a parent, so that invariant T holds.
func (b *batch) adopt() {
	v := b.v
	rest := make([]uint32, 0, len(b.nodes))
	outside := map[uint32]bool{} // without a parent so far
	for _, n := range b.nodes {
		rest = append(rest, n.Slot)
		outside[n.Slot] = true
	}
	if b.in.Linked == 0 {
		b.in.Root = rest[0]
		delete(outside, b.in.Root)
		rest = rest[1:]
	}
	for len(rest) > 0 {
		left := slices.DeleteFunc(slices.Clone(rest), func(x uint32) bool {
			for _, y := range v.links(x, 0) {
				if !outside[y] && slices.Contains(v.links(y, 0), x) {
					v.setParent(x, y)
					delete(outside, x)
					return true
				}
			}
			return false
		})
		if len(left) == len(rest) {
			// Nobody that has a parent links to any of them: one is forced in,
			// which others may hang on.
			b.force(left[0], outside)
			delete(outside, left[0])
			left = left[1:]
		}
		rest = left
	}
}

// force makes x the child of the nearest of its links that has a parent, or
// of the root, in place of a link that is the parent of no node.
func (b *batch) force(x uint32, outside map[uint32]bool) {
	v := b.v
	y := b.in.Root
	for _, n := range v.links(x, 0) {
		if !outside[n] {
			y = n
			break
		}
	}
	s := b.g.Searcher()
	defer b.g.Release(s)
	y = s.attach(v, x, y)
	b.touched[ListKey{y, 0}] = struct{}{}
}

// attach makes x a child of y, or of the one of y's descendants that has room:
// a list of children only sends on to the child nearest x. It returns the
// parent.
func (s *Searcher) attach(v *Version, x, y uint32) uint32 {
	for {
		list := v.list(y, 0)
		n := length(list)
		at := -1
		switch {
		case slices.Contains(list[:n], x):
			at = slices.Index(list[:n], x)
		case n < len(list):
			at = n
		default:
			for i := n - 1; i >= 0 && at < 0; i-- {
				if v.parent(list[i]) != y {
					at = i
				}
			}
		}
		if at >= 0 {
			atomic.StoreUint32(&list[at], x)
			v.setParent(x, y)
			return y
		}
		q := s.query
		q.FillStored(v.Code(x))
		y = slices.Min(s.Measure(v, q, list, nil)).Slot()
	}
}

// links returns a list without what follows its end.
func (v *Version) links(slot uint32, level int) []uint32 {
	list := v.list(slot, level)
	return list[:length(list)]
}

// enter makes the first node of the highest level the entry.
func (b *batch) enter() {
	for i, n := range b.nodes {
		if i == 0 && b.in.Linked == 0 || b.levels[i] > b.in.Top {
			b.in.Entry, b.in.Top = n.Slot, b.levels[i]
		}
	}
}
