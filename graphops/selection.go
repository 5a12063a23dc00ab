package graphops

import (
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// A selection is the nodes that a spec keeps.
type selection struct {
	types []typeRange // ascending, with the dense ids of each type
	sets  []*roaring.Bitmap
	all   *roaring.Bitmap // union of sets
}

// selectNodes reads which nodes s keeps.
func selectNodes(v *engine.View, s *Spec) (selection, error) {
	types := distinct(s.Nodes)
	if s.Nodes == nil {
		types = append(v.NodeTypes(), engine.NoType)
	}
	sel := selection{all: roaring.New()}
	at := uint32(0)
	for _, t := range types {
		set, err := v.Nodes(t)
		if err != nil {
			return selection{}, err
		}
		if s.Where != nil {
			set.And(s.Where)
		}
		set.AndNot(sel.all) // those that have another of the types too
		n := uint32(set.GetCardinality())
		sel.types = append(sel.types, typeRange{t, at, at + n})
		sel.sets = append(sel.sets, set)
		sel.all.Or(set)
		at += n
	}
	return sel, nil
}

func (sel *selection) len() int { return int(sel.all.GetCardinality()) }

// last returns the greatest node id, 0 if there is no node.
func (sel *selection) last() uint32 {
	if sel.all.IsEmpty() {
		return 0
	}
	return sel.all.Maximum()
}

// consecutive reports whether the ids of the nodes, in the order of dense ids, follow one
// another without gaps.
func (sel *selection) consecutive() bool {
	next := uint64(0)
	for _, set := range sel.sets {
		if set.IsEmpty() {
			continue
		}
		lo, hi := uint64(set.Minimum()), uint64(set.Maximum())
		if next > 0 && lo != next || hi-lo+1 != set.GetCardinality() {
			return false
		}
		next = hi + 1
	}
	return next > 0
}

// ids returns the node id of each dense id.
func (sel *selection) ids() []uint32 {
	out := make([]uint32, 0, sel.len())
	for _, set := range sel.sets {
		k := int(set.GetCardinality())
		set.ManyIterator().NextMany(out[len(out) : len(out)+k])
		out = out[:len(out)+k]
	}
	return out
}

// A window is windowSize node ids: what one task of a scan reads. Its size is
// fixed, so that the work is cut the same way for any number of workers.
const (
	windowBits = 11
	windowSize = 1 << windowBits
)

// windows returns the numbers of the windows with nodes in them.
func (sel *selection) windows() []uint32 {
	var out []uint32
	for it := sel.all.Iterator(); it.HasNext(); {
		w := it.Next() >> windowBits
		out = append(out, w)
		if w == 1<<(32-windowBits)-1 {
			break
		}
		it.AdvanceIfNeeded((w + 1) << windowBits)
	}
	return out
}

// spanGap is how many nodes that are not wanted a scan reads past rather than
// seek: a seek costs about as much as that many lists.
const spanGap = 32

// spans yields ranges lo <= id < hi of node ids that together have the first
// most selected nodes with from <= id < end, and few others.
func (sel *selection) spans(from uint32, end uint64, most int) iter.Seq2[engine.NodeID, engine.NodeID] {
	return func(yield func(lo, hi engine.NodeID) bool) {
		it := sel.all.Iterator()
		it.AdvanceIfNeeded(from)
		var lo, hi engine.NodeID
		for ; most > 0 && it.HasNext(); most-- {
			id := it.Next()
			if uint64(id) >= end {
				break
			}
			if at := engine.NodeID(id); hi == 0 || at > hi+spanGap {
				if hi > 0 && !yield(lo, hi) {
					return
				}
				lo = at
			}
			hi = engine.NodeID(id) + 1
		}
		if hi > 0 {
			yield(lo, hi)
		}
	}
}
