package engine

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// List is one node's neighbours under one edge type, as stored, or a part of
// them if the list is long.
type List struct {
	Node NodeID
	Type EdgeType
	// Others are the neighbours, ascending; Weights their weights, nil if
	// all are 1. Both are valid until the scan moves on.
	Others  []uint64
	Weights []float32
}

// Lists yields the stored lists of the nodes lo <= id < hi (hi 0: to the end)
// in order of node and type; dir In yields the lists of the edges that end in
// a node. An undirected edge stands in the Out list of its smaller end and the
// In list of its greater one. Long lists come in several parts. It is the
// cheapest way to read the whole graph, and what projections are built from.
func (v *View) Lists(dir Direction, lo, hi NodeID, f EdgeFilter) iter.Seq2[*List, error] {
	return v.lists(dir, lo, hi, f)
}

func (r *reader) lists(dir Direction, lo, hi NodeID, f EdgeFilter) iter.Seq2[*List, error] {
	return func(yield func(*List, error) bool) {
		if err := r.settle(); err != nil {
			yield(nil, err)
			return
		}
		d := layout.Out
		if dir == In {
			d = layout.In
		}
		from := layout.AppendAdjacencyPrefix(nil, d, r.g, uint64(lo))
		to := layout.Next(from[:5])
		if hi > 0 {
			to = layout.AppendAdjacencyPrefix(nil, d, r.g, uint64(hi))
		}
		var list List
		var set layout.Set
		for p, err := range scanRange(r.ctx, r.kv, from, to) {
			if err != nil {
				yield(nil, r.wrap("lists", err))
				return
			}
			key, ok := layout.ReadAdjacency(p.key)
			if !ok {
				yield(nil, corrupt(p.key, errors.New("not an adjacency key")))
				return
			}
			if f.Types != nil && !slices.Contains(f.Types, EdgeType(key.Type)) {
				continue
			}
			set.Reset()
			if err := layout.ReadSet(p.value, &set); err != nil {
				yield(nil, corrupt(p.key, err))
				return
			}
			if base := key.Container << 16; base > 0 {
				for i := range set.IDs {
					set.IDs[i] += base
				}
			}
			list = List{Node: NodeID(key.Node), Type: EdgeType(key.Type), Others: set.IDs, Weights: set.Weights}
			if len(list.Others) > 0 && !yield(&list, nil) {
				return
			}
		}
	}
}

// Edges yields every edge of the filter's types once, in order of From, Type
// and To; the filter's direction does not matter.
func (r *reader) Edges(f EdgeFilter) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for l, err := range r.lists(Out, 0, 0, f) {
			if err != nil {
				yield(Edge{}, err)
				return
			}
			for i, other := range l.Others {
				e := Edge{From: l.Node, To: NodeID(other), Type: l.Type, Weight: 1}
				if l.Weights != nil {
					e.Weight = l.Weights[i]
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Within yields the edges that have both ends in set, each once, in order of
// From, Type and To. It reads the lists of the nodes in set.
func (r *reader) Within(set *roaring.Bitmap, f EdgeFilter) iter.Seq2[Edge, error] {
	f.Direction = Both
	return r.around(set, f, func(dir layout.Direction, inside bool) bool {
		return dir == layout.Out && inside
	})
}

// Leaving yields the edges that have one end in set and follow the filter's
// direction from there, in order of the node in set; From is the edge's own,
// or the node in set for undirected types.
func (r *reader) Leaving(set *roaring.Bitmap, f EdgeFilter) iter.Seq2[Edge, error] {
	return r.around(set, f, func(_ layout.Direction, inside bool) bool { return !inside })
}

// around yields the edges at the nodes of set that want chooses.
func (r *reader) around(set *roaring.Bitmap, f EdgeFilter, want func(dir layout.Direction, inside bool) bool) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		if err := r.settle(); err != nil {
			yield(Edge{}, err)
			return
		}
		if set == nil {
			return
		}
		for it := set.Iterator(); it.HasNext(); {
			id := NodeID(it.Next())
			for _, dir := range []layout.Direction{layout.Out, layout.In} {
				stop := false
				err := r.eachList(dir, id, &f, func(t EdgeType, l *listIter) error {
					return l.from(0, func(other uint64, w float32) bool {
						inside := other < 1<<32 && set.Contains(uint32(other))
						if want(dir, inside) && !stop {
							stop = !yield(edgeOf(dir, id, NodeID(other), t, w), nil)
						}
						return !stop
					})
				})
				if stop {
					return
				}
				if err != nil {
					yield(Edge{}, r.wrap(fmt.Sprintf("edges of %d", id), err))
					return
				}
			}
		}
	}
}
