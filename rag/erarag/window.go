package erarag

import (
	"slices"

	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
)

// window is the part of a layer's segments that a change touches, and the
// neighbours of that part. A change of these alone gives what a change of all
// segments would: an item goes to its nearest predecessor, and a segment that
// got too small joins one of its two neighbours, which is large enough. If
// two parts meet that are not neighbours in the layer nothing is joined, as
// both ends there are untouched.
type window struct {
	t     *treeTx
	layer uint8
	by    map[uint64]segment // by number
}

// load reads the segments that a change of items touches, with the neighbours
// of each.
func (w *window) load(items []runs.Item) error {
	places := make([]place, len(items))
	for i, it := range items {
		places[i] = w.t.placeOf(it)
	}
	slices.SortFunc(places, place.compare)
	var next place // of the segment after the last one read
	read, last := false, false
	for _, p := range places {
		if read && (last || p.compare(next) < 0) {
			continue // goes to the segment that was read last
		}
		g, ok, err := w.t.upTo(w.layer, p, false)
		if err == nil && !ok {
			g, ok, err = w.t.from(w.layer, place{}, false)
		}
		if err != nil || !ok {
			return err
		}
		w.by[g.number] = g
		first := w.t.placeOf(g.items[0])
		lower, ok, err := w.t.upTo(w.layer, first, true)
		if err != nil {
			return err
		}
		if ok {
			w.by[lower.number] = lower
		}
		upper, ok, err := w.t.from(w.layer, first, true)
		if err != nil {
			return err
		}
		if read, last = true, !ok; ok {
			w.by[upper.number] = upper
			next = w.t.placeOf(upper.items[0])
		}
	}
	return nil
}

// regroup puts nodes of the layer below into the segments of a layer and takes
// others out, by the rules of [runs.Segments]: it reads and writes the
// segments that this touches, and reads their neighbours.
func (t *treeTx) regroup(layer uint8, put, remove []runs.Item) error {
	w := &window{t: t, layer: layer, by: map[uint64]segment{}}
	if err := w.load(append(slices.Clone(put), remove...)); err != nil {
		return err
	}
	st, err := t.layer(layer)
	if err != nil {
		return err
	}
	state := runs.State{Next: st.next}
	for _, g := range w.by {
		state.Segments = append(state.Segments, runs.Segment{ID: g.number, Items: g.items})
	}
	slices.SortFunc(state.Segments, func(a, b runs.Segment) int {
		return t.placeOf(a.Items[0]).compare(t.placeOf(b.Items[0]))
	})
	segments, err := runs.Restore(t.sizes, state)
	if err != nil {
		return err
	}
	gone := make([]uint64, len(remove))
	for i, it := range remove {
		gone[i] = it.ID
	}
	changes, err := segments.Apply(put, gone)
	if err != nil {
		return err
	}
	st.next = segments.Next()
	if err := t.setLayer(layer, st); err != nil {
		return err
	}
	return w.write(segments, changes)
}

// write writes what changed. Places are left before they are taken: one
// segment may begin where another did.
func (w *window) write(segments *runs.Segments, changes runs.Changes) error {
	t := w.t
	changed := slices.Concat(changes.Created, changes.Changed)
	for _, number := range slices.Concat(changes.Changed, changes.Removed) {
		g := w.by[number]
		if err := t.lift(w.layer, &g); err != nil {
			return err
		}
	}
	for _, number := range changed {
		g := w.by[number] // none for a new one
		now, _ := segments.Segment(number)
		g.number, g.items = number, now.Items
		if err := t.insert(w.layer, &g); err != nil {
			return err
		}
		if err := t.settle(w.layer, &g); err != nil {
			return err
		}
	}
	for _, number := range changes.Removed {
		g := w.by[number]
		if err := t.forget(w.layer, &g); err != nil {
			return err
		}
	}
	return nil
}

// settle notes whether a segment's summary is of its items.
func (t *treeTx) settle(layer uint8, g *segment) error {
	if g.summary == 0 || g.of != g.digest() {
		return t.markDirty(layer, g)
	}
	if err := t.w.Delete(idKey('d', layer, g.number)); err != nil {
		return err
	}
	return t.w.Delete(idKey('x', layer, g.number))
}
