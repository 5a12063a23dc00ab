// Package runs keeps items, ordered by their codes, in runs of bounded size that
// change little while items come and go.
package runs

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
)

// Options are the sizes of [Segments]. The zero value is right for
// most. They are not part of the state: who restores one gives the same, or
// else segments get into the new bounds as they are touched.
type Options struct {
	// MinSize is the least number of items of a segment that is not the only
	// one. The default, 0, is 8.
	MinSize int
	// MaxSize is the greatest number of items of a segment that packing or a
	// split makes, where MinSize allows. The default, 0, is 12.
	MaxSize int
	// SplitSize is the number of items at which a segment is split, more than
	// MaxSize and at least twice MinSize, so that the parts are not too small.
	// The default, 0, is 16.
	SplitSize int
	// Gray orders codes by their place in the Gray code, in which neighbours
	// differ in one bit, instead of as numbers.
	Gray bool
}

// Rank returns where items of a code stand in the order of segments: by rank,
// then by id.
func (o *Options) Rank(code uint64) uint64 {
	if o.Gray {
		for shift := 1; shift < 64; shift *= 2 {
			code ^= code >> shift
		}
	}
	return code
}

func (o *Options) ensureDefaults() Options {
	out := *o
	if out.MinSize == 0 {
		out.MinSize = 8
	}
	if out.MaxSize == 0 {
		out.MaxSize = 12
	}
	if out.SplitSize == 0 {
		out.SplitSize = 16
	}
	return out
}

func (o *Options) validate() error {
	switch {
	case o.MinSize < 1 || o.MaxSize < o.MinSize:
		return fault.Rag.Mark(engine.ErrInvalid, "MinSize %d, MaxSize %d", o.MinSize, o.MaxSize)
	case o.SplitSize <= o.MaxSize || o.SplitSize < 2*o.MinSize:
		return fault.Rag.Mark(engine.ErrInvalid, "SplitSize %d for MinSize %d, MaxSize %d", o.SplitSize, o.MinSize, o.MaxSize)
	}
	return nil
}

// Item is an item of a segment: what the caller numbers, and its code,
// such as [Hyperplanes.Code] gives.
type Item struct {
	ID   uint64
	Code uint64
}

// Segment is a group of items with neighbouring codes. Its number is never
// given to another one.
type Segment struct {
	ID    uint64
	Items []Item // in order of code, then of id
}

// State is what [Restore] needs. Next is the number that the
// next new segment gets; the segments stand in order of their items.
type State struct {
	Next     uint64
	Segments []Segment
}

// Changes are the segments that a change touched, each once and in
// ascending order. Their summaries have to be made again, or be removed.
type Changes struct {
	Created []uint64 // new ones
	Changed []uint64 // those that gained, lost or got replaced an item
	Removed []uint64
}

// Segments cut items, ordered by their codes, into runs of bounded size that
// stay what they are while items come and go: a change touches the segments of
// its items, and of these few neighbours, never those further on. They are the
// layers of EraRAG's tree (Zhang et al. 2025), with its greedy packing for the
// first items and rules of its own for all later ones.
//
// The first items are packed in order of code: a segment takes items until it
// has MinSize, and then up to MaxSize as long as they have the code of the
// last. What is left over, being fewer than MinSize, joins the last segment.
//
// Later, an item goes to the segment whose first item is its nearest
// predecessor, as they were before the change, or to the first. When all items
// of a change have come and gone, empty segments are removed; one of SplitSize
// items or more is split into the fewest equal runs of at most MaxSize, or as
// many as have MinSize; and one of fewer than MinSize is merged with the
// neighbour across the border where the two codes differ in fewer bits, the
// lower one if they differ in as many. If that has SplitSize items it is
// split again.
//
// So every item is in one segment, segments are disjoint ranges of the order,
// and their sizes are at least MinSize and less than SplitSize, but for a
// single one, which may be smaller. The result depends on the state and on
// what changes, not on the order within a change. Two changes one after the
// other may lead elsewhere than both at once.
//
// Of the paper's algorithm and its code this keeps the order by code as a
// number and the sizes; a code's bits follow in falling weight, so that
// neighbours in this order tend to share the first ones.
//
// A change of k items at n in s segments takes O(k log k + k log s), and O(s)
// where segments come or go. Segments take about 80 bytes an item. They are
// not safe for concurrent use.
type Segments struct {
	o     Options
	order []*segment          // by first key
	byID  map[uint64]*segment // of order
	of    map[uint64]segmentPlace
	next  uint64
}

// segmentKey is what items are ordered by: the rank of their code, then their
// id.
type segmentKey struct{ rank, id uint64 }

func (a segmentKey) compare(b segmentKey) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
}

type segment struct {
	id   uint64
	keys []segmentKey // ascending; between changes not empty
}

// segmentPlace says where an item is.
type segmentPlace struct {
	rank uint64
	in   *segment
}

// Restore returns segments as st describes them; with
// the same options they continue as those would have. A state that segments
// cannot have is [engine.ErrInvalid]. It keeps nothing of st.
func Restore(o Options, st State) (*Segments, error) {
	o = o.ensureDefaults()
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("segments: %w", err)
	}
	s := &Segments{o: o, byID: map[uint64]*segment{}, of: map[uint64]segmentPlace{}, next: st.Next}
	last := segmentKey{}
	for i, g := range st.Segments {
		if g.ID >= st.Next || s.byID[g.ID] != nil || len(g.Items) == 0 {
			return nil, fmt.Errorf("segments: %w: segment %d of %d items, the next being %d",
				engine.ErrInvalid, g.ID, len(g.Items), st.Next)
		}
		own := &segment{id: g.ID, keys: make([]segmentKey, len(g.Items))}
		for k, it := range g.Items {
			key := s.keyOf(it)
			if (i > 0 || k > 0) && last.compare(key) >= 0 {
				return nil, fmt.Errorf("segments: %w: item %d of segment %d is out of order",
					engine.ErrInvalid, it.ID, g.ID)
			}
			if _, ok := s.of[it.ID]; ok {
				return nil, fmt.Errorf("segments: %w: item %d is there twice", engine.ErrInvalid, it.ID)
			}
			last, own.keys[k] = key, key
			s.of[it.ID] = segmentPlace{key.rank, own}
		}
		s.order = append(s.order, own)
		s.byID[g.ID] = own
	}
	return s, nil
}

// Next returns the number that the next new segment gets.
func (s *Segments) Next() uint64 { return s.next }

// Segment returns the segment of a number; the caller owns it. ok is false
// if there is none.
func (s *Segments) Segment(id uint64) (g Segment, ok bool) {
	own, ok := s.byID[id]
	if !ok {
		return Segment{}, false
	}
	return s.export(own), true
}

func (s *Segments) export(g *segment) Segment {
	out := Segment{ID: g.id, Items: make([]Item, len(g.keys))}
	for i, key := range g.keys {
		out.Items[i] = Item{ID: key.id, Code: s.codeOf(key.rank)}
	}
	return out
}

// keyOf returns where an item stands in the order.
func (s *Segments) keyOf(it Item) segmentKey {
	return segmentKey{s.o.Rank(it.Code), it.ID}
}

// codeOf returns the code of a rank.
func (s *Segments) codeOf(rank uint64) uint64 {
	if s.o.Gray {
		return rank ^ rank>>1
	}
	return rank
}

// Apply makes a change: it puts items, replacing those whose id is there
// already, and removes those of the given ids. A put of an item with the code
// that it has only marks its segment as changed. An id that is given twice is
// [engine.ErrInvalid], and removing what is not there [engine.ErrNotFound];
// nothing is changed then.
func (s *Segments) Apply(put []Item, remove []uint64) (Changes, error) {
	if err := s.check(put, remove); err != nil {
		return Changes{}, fmt.Errorf("segments: %w", err)
	}
	c := newSegmentChange(s)
	if len(s.order) == 0 {
		c.pack(put)
		return c.changes(), nil
	}
	// Where items go is decided before any leaves.
	targets := make([]*segment, len(put))
	for i, it := range put {
		key := s.keyOf(it)
		targets[i] = c.touch(key)
		if place, ok := s.of[it.ID]; ok && place.rank != key.rank {
			c.touch(segmentKey{place.rank, it.ID})
		}
	}
	for _, id := range remove {
		c.touch(segmentKey{s.of[id].rank, id})
	}
	for i, it := range put {
		key := s.keyOf(it)
		if place, ok := s.of[it.ID]; ok {
			if place.rank == key.rank {
				continue
			}
			c.drop(it.ID)
		}
		c.add(targets[i], key)
	}
	for _, id := range remove {
		c.drop(id)
	}
	c.settle()
	return c.changes(), nil
}

// check says what is wrong with a change.
func (s *Segments) check(put []Item, remove []uint64) error {
	given := make(map[uint64]bool, len(put)+len(remove))
	for _, it := range put {
		if given[it.ID] {
			return fault.Rag.Mark(engine.ErrInvalid, "item %d is given twice", it.ID)
		}
		given[it.ID] = true
	}
	for _, id := range remove {
		if given[id] {
			return fault.Rag.Mark(engine.ErrInvalid, "item %d is given twice", id)
		}
		given[id] = true
		if _, ok := s.of[id]; !ok {
			return fmt.Errorf("remove item %d: %w", id, engine.ErrNotFound)
		}
	}
	return nil
}

// target returns where the segment stands that an item of a key goes to, or is
// in.
func (s *Segments) target(key segmentKey) int {
	i := sort.Search(len(s.order), func(i int) bool { return s.order[i].keys[0].compare(key) > 0 })
	return max(0, i-1)
}
