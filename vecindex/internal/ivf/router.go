package ivf

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/internal/distance"
)

// List is a list of vectors of one layer: the row of its centroid, and the group
// that it is in.
type List struct {
	ID, Group uint32
	Layer     uint8
	Row       Row
}

// Router finds the lists that are nearest to a row. It is immutable and safe for
// concurrent use.
type Router struct {
	dim    int
	layers [256]*layer
	lists  int
}

// layer has the groups of a layer, by id.
type layer struct {
	groups  []*group
	centres *Rows
	lists   int
}

// group has lists that are near each other, by id.
type group struct {
	id     uint32
	ids    []uint32
	rows   *Rows
	centre Row // of the mean of rows
}

// NewRouter returns the router of lists, which it keeps no reference to.
func NewRouter(dim int, lists []List) *Router {
	r := &Router{dim: dim}
	return r.With(nil, lists)
}

// Lists returns the number of lists.
func (r *Router) Lists() int { return r.lists }

// All returns the lists of a layer, by group and id; their rows alias the router's.
func (r *Router) All(layer uint8) (out []List) {
	l := r.layers[layer]
	if l == nil {
		return nil
	}
	for _, g := range l.groups {
		for i, id := range g.ids {
			out = append(out, List{ID: id, Group: g.id, Layer: layer, Row: g.rows.Row(i)})
		}
	}
	return out
}

// Find returns a list of which ID, Group and Layer are given.
func (r *Router) Find(x List) (List, bool) {
	l := r.layers[x.Layer]
	if l == nil {
		return x, false
	}
	if i, ok := l.find(x.Group); ok {
		g := l.groups[i]
		if j, ok := slices.BinarySearch(g.ids, x.ID); ok {
			x.Row = g.rows.Row(j)
			return x, true
		}
	}
	return x, false
}

// Count returns the number of lists of a layer.
func (r *Router) Count(layer uint8) int {
	if l := r.layers[layer]; l != nil {
		return l.lists
	}
	return 0
}

// Crowded reports whether the groups of a layer have many more lists than there are
// groups, so that they have to be made again.
func (r *Router) Crowded(layer uint8) bool {
	l := r.layers[layer]
	return l != nil && l.lists > 64 && l.lists > 4*len(l.groups)*len(l.groups)
}

// Layers returns the layers that have lists, ascending.
func (r *Router) Layers() (out []uint8) {
	for i, l := range r.layers {
		if l != nil {
			out = append(out, uint8(i))
		}
	}
	return out
}

// Bytes returns the memory that the router takes.
func (r *Router) Bytes() int64 {
	n := int64(4096)
	for _, l := range r.layers {
		if l != nil {
			n += int64(l.lists)*int64(r.dim+12) + int64(len(l.groups))*int64(r.dim+128)
		}
	}
	return n
}

// With returns the router without some lists and with others; the ids of the former
// need no more than ID, Group and Layer.
func (r *Router) With(gone, more []List) *Router {
	out := *r
	type place struct {
		layer uint8
		group uint32
	}
	type change struct{ gone, more []List }
	changes := map[place]*change{}
	at := func(l List) *change {
		p := place{l.Layer, l.Group}
		if changes[p] == nil {
			changes[p] = &change{}
		}
		return changes[p]
	}
	for _, l := range gone {
		c := at(l)
		c.gone = append(c.gone, l)
	}
	for _, l := range more {
		c := at(l)
		c.more = append(c.more, l)
	}
	touched := map[uint8]map[uint32]*group{}
	for p, c := range changes {
		if touched[p.layer] == nil {
			touched[p.layer] = map[uint32]*group{}
		}
		var old *group
		if l := r.layers[p.layer]; l != nil {
			if i, ok := l.find(p.group); ok {
				old = l.groups[i]
			}
		}
		touched[p.layer][p.group] = old.changed(r.dim, p.group, c.gone, c.more)
	}
	for i, groups := range touched {
		out.layers[i] = r.layers[i].changed(r.dim, groups)
	}
	out.lists = 0
	for _, l := range out.layers {
		if l != nil {
			out.lists += l.lists
		}
	}
	return &out
}

func (l *layer) find(id uint32) (int, bool) {
	return slices.BinarySearchFunc(l.groups, id, func(g *group, id uint32) int { return cmp.Compare(g.id, id) })
}

// changed returns the layer with some groups in place of those of their ids, nil if
// it has none.
func (l *layer) changed(dim int, groups map[uint32]*group) *layer {
	out := &layer{}
	if l != nil {
		for _, g := range l.groups {
			if _, ok := groups[g.id]; !ok {
				out.groups = append(out.groups, g)
			}
		}
	}
	for _, g := range groups {
		if len(g.ids) > 0 {
			out.groups = append(out.groups, g)
		}
	}
	if len(out.groups) == 0 {
		return nil
	}
	slices.SortFunc(out.groups, func(a, b *group) int { return cmp.Compare(a.id, b.id) })
	out.centres = NewRows(dim, len(out.groups))
	for _, g := range out.groups {
		out.centres.Add(g.centre)
		out.lists += len(g.ids)
	}
	return out
}

// changed returns the group without some lists and with others; g may be nil.
func (g *group) changed(dim int, id uint32, gone, more []List) *group {
	var all []List
	if g != nil {
		for i, list := range g.ids {
			all = append(all, List{ID: list, Row: g.rows.Row(i)})
		}
	}
	all = slices.DeleteFunc(all, func(l List) bool {
		return slices.ContainsFunc(gone, func(x List) bool { return x.ID == l.ID })
	})
	all = append(all, more...)
	slices.SortFunc(all, func(a, b List) int { return cmp.Compare(a.ID, b.ID) })
	out := &group{id: id, rows: NewRows(dim, len(all))}
	mean := make([]float32, dim)
	for _, l := range all {
		out.ids = append(out.ids, l.ID)
		out.rows.Add(l.Row)
		for i, q := range l.Row.Q {
			mean[i] += float32(l.Row.Scale * float32(q))
		}
	}
	for i := range mean {
		mean[i] /= float32(max(len(all), 1))
	}
	out.centre.Q = make([]int8, dim)
	out.centre.Set(mean)
	return out
}

// Near is a list at a distance.
type Near struct {
	List
	Distance float32
}

// Route is the room that a search for lists takes. It is not safe for concurrent
// use.
type Route struct {
	kernel  kernel
	out     []float32
	groups  []near
	members []near
	from    []*group // of members
	row     []int    // of members, in their group
	r8      Row      // see Pick
	diff    []float32
}

// Nearest appends to dst the n lists of a layer nearest to q, nearest first; those of
// equal distance by their place. ip says that near is what has a large inner product.
// It looks at the lists of the few groups that are nearest, twice as many as hold n and
// at least least.
func (r *Router) Nearest(w *Route, q Row, ip bool, layer uint8, n, least int, dst []Near) []Near {
	l := r.layers[layer]
	if l == nil || n <= 0 {
		return dst
	}
	w.groups = w.distances(&q, l.centres, ip, w.groups[:0])
	want := max(least, 2*n*len(l.groups)/max(l.lists, 1))
	some := nearest(w.groups, min(want, len(w.groups)))
	w.members, w.from, w.row = w.members[:0], w.from[:0], w.row[:0]
	for _, g := range some {
		from := len(w.members)
		group := l.groups[g.at]
		w.members = w.distances(&q, group.rows, ip, w.members)
		for i := range w.members[from:] {
			w.members[from+i].at = int32(from + i)
			w.from, w.row = append(w.from, group), append(w.row, i)
		}
	}
	for _, m := range nearest(w.members, min(n, len(w.members))) {
		g, i := w.from[m.at], w.row[m.at]
		dst = append(dst, Near{Distance: m.d, List: List{ID: g.ids[i], Group: g.id, Layer: layer, Row: g.rows.Row(i)}})
	}
	return dst
}

// distances appends the distances of q and all rows.
func (w *Route) distances(q *Row, s *Rows, ip bool, dst []near) []near {
	if cap(w.out) < s.Len() {
		w.out = make([]float32, s.Len()+s.Len()/2)
	}
	out := w.out[:s.Len()]
	w.kernel.distances(q, s, ip, out)
	for i, d := range out {
		dst = append(dst, near{d, int32(i)})
	}
	return dst
}

// Pick returns the place in all, lists in order of distance from a turned vector t, of
// the second list that t goes to beside the first: the one whose squared distance
// from t is least, with what of the difference is along the first difference counted
// twice. It is -1 if there is but one list.
func (w *Route) Pick(t []float32, all []Near) int {
	if len(all) < 2 {
		return -1
	}
	if len(w.diff) != len(t) {
		w.diff, w.r8.Q = make([]float32, len(t)), make([]int8, len(t))
	}
	first := all[0].Row
	for i, q := range first.Q {
		w.diff[i] = t[i] - float32(first.Scale*float32(q))
	}
	rr := float64(distance.Dot(w.diff, w.diff))
	if !(rr > tiny) {
		return 1
	}
	w.r8.Set(w.diff)
	tr := float64(distance.Dot(t, w.diff))
	best, least := -1, 0.0
	for i, n := range all[1:] {
		along := tr - float64(float64(w.r8.Scale)*float64(n.Row.Scale)*float64(distance.DotI8(w.r8.Q, n.Row.Q)))
		if d := float64(n.Distance) + along*along/rr; best < 0 || d < least {
			best, least = i+1, d
		}
	}
	return best
}
