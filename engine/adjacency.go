package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// listPage is how many edges Neighbors returns where dst has no room of its
// own.
const listPage = 256

// Neighbors appends the edges between id and its neighbours greater than
// after, in order of neighbour, type and direction, and returns the extended
// slice. It stops when the free capacity of dst is used (256 if dst has
// none), but never between two edges to one neighbour; fewer edges mean that
// there are no more. Asking again after the last neighbour goes on, so that a
// node of a million neighbours is never held at once. A node without edges, or
// that does not exist, has no neighbours.
//
// The cost is one seek for each direction, and the decoding of each list from
// the container of after on, until enough edges are found.
func (r *reader) Neighbors(id NodeID, f EdgeFilter, after NodeID, dst []Edge) ([]Edge, error) {
	if err := r.settle(); err != nil {
		return dst, err
	}
	limit := cap(dst) - len(dst)
	limit = cmp.Or(limit, listPage)
	got, err := r.neighbors(id, &f, after, limit, dst)
	if err != nil {
		return dst, r.wrap(fmt.Sprintf("neighbours of %d", id), err)
	}
	return got, nil
}

func (r *reader) neighbors(id NodeID, f *EdgeFilter, after NodeID, limit int, dst []Edge) (_ []Edge, err error) {
	l, err := r.listIter()
	if l == nil {
		return dst, err
	}
	defer func() { err = errors.Join(err, r.release(l)) }()
	if err != nil {
		return dst, err
	}
	last := r.graph.st.lastType.Load()
	out, in := r.follows(layout.Out, f), r.follows(layout.In, f)
	if out != in && (last == 1 || len(f.Types) == 1) {
		dir := layout.Out
		if in {
			dir = layout.In
		}
		err = l.each(dir, r.g, id, f, last, func(t EdgeType, l *listIter) error {
			dst, err = l.appendEdges(dir, id, t, uint64(after)+1, limit, dst)
			return err
		})
		return dst, err
	}
	p := edgePage{id: id, after: after, limit: limit, bound: math.MaxUint64, edges: l.edges[:0]}
	// The lower neighbours by undirected edges are among the in-edges: if they fill the
	// page, the others are not read.
	for _, dir := range []layout.Direction{layout.In, layout.Out} {
		if dir == layout.In && !in || dir == layout.Out && !out {
			continue
		}
		err := l.each(dir, r.g, id, f, last, func(t EdgeType, l *listIter) error {
			return p.add(dir, t, l)
		})
		if dir == layout.In && out && errors.Is(err, errNotRead) {
			// A call that reads ahead notes both directions at once.
			err = errors.Join(err, r.eachList(layout.Out, id, f, func(EdgeType, *listIter) error { return nil }))
		}
		if err != nil {
			return dst, err
		}
	}
	dst = p.appendTo(dst)
	if l.edges = p.edges; cap(l.edges) > maxIdleEdges {
		l.edges = nil
	}
	return dst, nil
}

// appendEdges appends the edges of the list at hand to the neighbours >= lo, up to
// limit of them.
func (l *listIter) appendEdges(dir layout.Direction, id NodeID, t EdgeType, lo uint64, limit int, dst []Edge) ([]Edge, error) {
	end := len(dst) + limit
	err := l.parts(lo, func(base uint64, ids []uint64, weights []float32) bool {
		ids = ids[:min(len(ids), end-len(dst))]
		for i, low := range ids {
			w := float32(1)
			if weights != nil {
				w = weights[i]
			}
			dst = append(dst, edgeOf(dir, id, NodeID(base+low), t, w))
		}
		return len(dst) < end
	})
	return dst, err
}

// maxIdleEdges is how many edges an unused iterator keeps the memory of.
const maxIdleEdges = 1 << 14

// edgePage collects the edges of a page from lists.
type edgePage struct {
	id, after NodeID
	limit     int
	bound     uint64 // no greater neighbour is on the page
	edges     []Edge // of each list up to one more than the page, to know that it goes on
	starts    []int  // of the lists in edges
}

// add adds the edges of a list.
func (p *edgePage) add(dir layout.Direction, t EdgeType, l *listIter) error {
	start := len(p.edges)
	err := l.parts(uint64(p.after)+1, func(base uint64, ids []uint64, weights []float32) bool {
		ids = ids[:min(len(ids), p.limit+1-(len(p.edges)-start))]
		for i, low := range ids {
			other := NodeID(base + low)
			if base+low > p.bound {
				return false
			}
			if dir == layout.In && other == p.id && !t.Directed() {
				continue // the loop is met among the out-edges
			}
			w := float32(1)
			if weights != nil {
				w = weights[i]
			}
			p.edges = append(p.edges, edgeOf(dir, p.id, other, t, w))
		}
		return len(p.edges)-start <= p.limit
	})
	if n := len(p.edges); n > start {
		p.starts = append(p.starts, start)
		if n-start > p.limit {
			p.bound = min(p.bound, uint64(p.edges[n-1].Other(p.id)))
		}
	}
	return err
}

// order orders the edges of a page: by the other end, by type, out-edges first.
func (p *edgePage) order(a, b *Edge) int {
	if c := cmp.Compare(a.Other(p.id), b.Other(p.id)); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Type, b.Type); c != 0 {
		return c
	}
	return cmp.Compare(a.From^p.id, b.From^p.id) // 0 for out-edges
}

// appendTo appends the page in order: limit edges if there are so many, up to the end
// of a neighbour.
func (p *edgePage) appendTo(dst []Edge) []Edge {
	from := len(dst)
	if len(p.starts) > maxMerged {
		slices.SortFunc(p.edges, func(a, b Edge) int { return p.order(&a, &b) })
		p.starts = p.starts[:1]
	}
	lists := make([][]Edge, len(p.starts), maxMerged)
	for i, start := range p.starts {
		end := len(p.edges)
		if i+1 < len(p.starts) {
			end = p.starts[i+1]
		}
		lists[i] = p.edges[start:end]
	}
	for {
		least := -1
		for i, list := range lists {
			if len(list) > 0 && (least < 0 || p.order(&list[0], &lists[least][0]) < 0) {
				least = i
			}
		}
		if least < 0 {
			return dst
		}
		e := lists[least][0]
		if n := len(dst); n-from >= p.limit && e.Other(p.id) != dst[n-1].Other(p.id) {
			return dst
		}
		dst = append(dst, e)
		lists[least] = lists[least][1:]
	}
}

// maxMerged is how many lists are merged one by one; more are sorted.
const maxMerged = 8

// Degree returns the number of distinct neighbours over the filter's types. It
// decodes the lists; a hub costs a bitmap of its neighbours.
func (r *reader) Degree(id NodeID, f EdgeFilter) (int, error) {
	set, err := r.NeighborSet(id, f)
	if err != nil {
		return 0, err
	}
	return int(set.GetCardinality()), nil
}

// NeighborSet returns the neighbours of a node as a bitmap that the caller
// owns: the form for unions and intersections of neighbourhoods.
func (r *reader) NeighborSet(id NodeID, f EdgeFilter) (*roaring.Bitmap, error) {
	if err := r.settle(); err != nil {
		return nil, err
	}
	rb := roaring.New()
	var missed error // what is not read yet: then both directions are noted at once
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		if !r.follows(dir, &f) {
			continue
		}
		err := r.eachList(dir, id, &f, func(t EdgeType, l *listIter) error {
			for {
				key, ok := layout.ReadAdjacency(l.kv.Key())
				if !ok || !l.same(key) {
					return nil
				}
				if err := layout.AddSetTo(l.kv.Value(), key.Container<<16, rb); err != nil {
					return corrupt(l.kv.Key(), err)
				}
				if key.Inline || !l.next() {
					return l.err()
				}
			}
		})
		if errors.Is(err, errNotRead) {
			missed = err
			continue
		}
		if err != nil {
			return nil, r.wrap(fmt.Sprintf("neighbours of %d", id), err)
		}
	}
	return rb, missed
}

// HasEdge reports whether there is an edge, and its weight, of parallel edges the
// sum. For an undirected type the order of the ends does not matter.
func (r *reader) HasEdge(from, to NodeID, t EdgeType) (weight float32, ok bool, err error) {
	if err := r.settle(); err != nil {
		return 0, false, err
	}
	if !t.Directed() && from > to {
		from, to = to, from
	}
	weight, ok, err = r.hasEdge(layout.Out, uint64(from), uint64(to), t)
	return weight, ok, r.wrap(fmt.Sprintf("edge %d-%d", from, to), err)
}

// hasEdge looks for other in node's list of a direction.
func (r *reader) hasEdge(dir layout.Direction, node, other uint64, t EdgeType) (weight float32, ok bool, err error) {
	key, id := layout.Adjacency(dir, r.g, node, uint32(t)), other
	v, err := r.kv.Get(r.ctx, key, nil)
	if errors.Is(err, ErrNotFound) {
		key = layout.AdjacencyContainer(dir, r.g, node, uint32(t), layout.Container(other))
		id = other & 0xFFFF
		v, err = r.kv.Get(r.ctx, key, nil)
	}
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	weight, ok, err = layout.SetHas(v, id)
	if err != nil {
		return 0, false, corrupt(key, err)
	}
	return weight, ok, nil
}
