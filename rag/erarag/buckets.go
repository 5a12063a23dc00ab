package erarag

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// gathering is a change of a layer's segments by buckets. The nodes whose codes begin
// alike are of one bucket. Those of a bucket that are in no segment wait; as soon as
// there are Min of them they are packed into segments of their own. A segment takes no
// other node after that. It loses those that leave, and takes the new version of a
// summary in the place of the old one. If it has fewer than half of Min, it is
// removed, and its nodes wait again.
type gathering struct {
	t     *treeTx
	layer uint8
	shift int                // a bucket is a rank without its lowest bits
	by    map[uint64]*moving // the segments that change, by number
	came  []runs.Item        // to wait; not written yet
}

// moving is a segment that changes, and the place where it stood.
type moving struct {
	segment
	from runs.Item
}

// keeps returns the least number of nodes of a segment.
func keeps(o *runs.Options) int { return (o.MinSize + 1) / 2 }

// shift returns how many of the lowest bits of a rank do not count for its bucket, if
// a layer has some nodes: there is one bucket for each t.bucket to 2 t.bucket of them.
func (t *tree) shift(nodes uint64) int {
	n := bits.Len64(nodes/uint64(max(t.bucket, t.sizes.MinSize))) - 1
	return 64 - min(max(n, 0), t.planes)
}

// gather puts nodes of the layer below into segments or lets them wait, and takes
// others out. back has the segment for each node that takes the place of another.
func (t *treeTx) gather(layer uint8, put, remove []runs.Item, back map[uint64]uint64) error {
	below, err := t.layer(layer - 1)
	if err != nil {
		return err
	}
	w := &gathering{t: t, layer: layer, shift: t.shift(below.nodes), by: map[uint64]*moving{}}
	for _, it := range remove {
		if err := w.remove(it); err != nil {
			return err
		}
	}
	for _, it := range put {
		if err := w.put(it, back[it.ID]); err != nil {
			return err
		}
	}
	if err := w.settle(); err != nil {
		return err
	}
	return w.pack()
}

// segment returns the segment of a number, to be changed; nil if there is none.
func (w *gathering) segment(number uint64) (*moving, error) {
	if g, ok := w.by[number]; ok {
		return g, nil
	}
	g, ok, err := w.t.numbered(w.layer, number)
	if err != nil || !ok {
		return nil, err
	}
	w.by[number] = &moving{g, g.items[0]}
	return w.by[number], nil
}

// remove takes a node out of where it is.
func (w *gathering) remove(it runs.Item) error {
	number, ok, err := w.t.member(w.layer, it.ID)
	if err != nil || !ok {
		return err
	}
	if err := w.t.w.Delete(idKey('m', w.layer, it.ID)); err != nil {
		return err
	}
	if number == 0 {
		return w.t.w.Delete(placeKey('w', w.layer, w.t.placeOf(it)))
	}
	g, err := w.segment(number)
	if err == nil && g == nil {
		err = fmt.Errorf("segment %d of layer %d: %w", number, w.layer, engine.ErrCorrupt)
	}
	if err != nil {
		return err
	}
	g.items = slices.DeleteFunc(slices.Clone(g.items), func(x runs.Item) bool { return x.ID == it.ID })
	return nil
}

// put lets a node wait, or puts it into a segment that is given.
func (w *gathering) put(it runs.Item, number uint64) error {
	if number > 0 {
		g, err := w.segment(number)
		if err != nil {
			return err
		}
		if g != nil {
			g.items = append(slices.Clone(g.items), it)
			return w.t.setMember(w.layer, it.ID, number)
		}
	}
	w.came = append(w.came, it)
	return nil
}

// settle writes the segments that changed. Places are left before they are taken.
func (w *gathering) settle() error {
	numbers := slices.Sorted(maps.Keys(w.by))
	for _, number := range numbers {
		if err := w.t.lift(w.layer, &segment{items: []runs.Item{w.by[number].from}}); err != nil {
			return err
		}
	}
	for _, number := range numbers {
		g := &w.by[number].segment
		if len(g.items) >= keeps(&w.t.sizes) {
			slices.SortFunc(g.items, w.t.inOrder)
			if err := w.t.insert(w.layer, g); err != nil {
				return err
			}
			if err := w.t.settle(w.layer, g); err != nil {
				return err
			}
			continue
		}
		if err := w.t.forget(w.layer, g); err != nil {
			return err
		}
		w.came = append(w.came, g.items...)
	}
	return nil
}

// pack makes segments of the nodes that wait in the buckets where some came, or in all
// if there are more or fewer buckets than there were.
func (w *gathering) pack() error {
	t := w.t
	stored, err := w.stored()
	if err != nil {
		return err
	}
	old := make(map[uint64]bool, len(stored))
	for _, it := range stored {
		old[it.ID] = true
	}
	waiting := append(stored, w.came...)
	slices.SortFunc(waiting, t.inOrder)
	st, err := t.layer(w.layer)
	if err != nil {
		return err
	}
	for len(waiting) > 0 {
		bucket, n := w.bucket(waiting[0]), 1
		for n < len(waiting) && w.bucket(waiting[n]) == bucket {
			n++
		}
		if n >= t.sizes.MinSize {
			st.next, err = w.packBucket(st.next, waiting[:n], old)
		} else {
			err = w.wait(waiting[:n], old)
		}
		if err != nil {
			return err
		}
		waiting = waiting[n:]
	}
	return t.setLayer(w.layer, st)
}

func (w *gathering) bucket(it runs.Item) uint64 { return w.t.sizes.Rank(it.Code) >> w.shift }

func (t *tree) inOrder(a, b runs.Item) int { return t.placeOf(a).compare(t.placeOf(b)) }

// stored returns the nodes that have waited in the buckets which pack looks at.
func (w *gathering) stored() (out []runs.Item, err error) {
	t, key, shift := w.t, layerKey('b', w.layer), []byte{byte(w.shift)}
	b, err := t.Get(key, nil)
	if err != nil && !graph.IsMissing(err) {
		return nil, err
	}
	if !slices.Equal(b, shift) {
		if err := t.w.Set(key, shift); err != nil {
			return nil, err
		}
		return t.waiting(w.layer, layerKey('w', w.layer), layerKey('w', w.layer+1))
	}
	slices.SortFunc(w.came, t.inOrder)
	for i, it := range w.came {
		bucket := w.bucket(it)
		if i > 0 && bucket == w.bucket(w.came[i-1]) {
			continue
		}
		lo, hi := placeKey('w', w.layer, place{rank: bucket << w.shift}), layerKey('w', w.layer+1)
		if next := (bucket + 1) << w.shift; next > 0 {
			hi = placeKey('w', w.layer, place{rank: next})
		}
		some, err := t.waiting(w.layer, lo, hi)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// wait notes the nodes of a bucket that wait, but those that have waited before.
func (w *gathering) wait(items []runs.Item, old map[uint64]bool) error {
	for _, it := range items {
		if old[it.ID] {
			continue
		}
		key := placeKey('w', w.layer, w.t.placeOf(it))
		if err := w.t.w.Set(key, binary.BigEndian.AppendUint64(nil, it.Code)); err != nil {
			return err
		}
		if err := w.t.setMember(w.layer, it.ID, 0); err != nil {
			return err
		}
	}
	return nil
}

// packBucket makes segments of nodes, numbered from next on, and returns the number
// after them. old are those that have waited before.
func (w *gathering) packBucket(next uint64, items []runs.Item, old map[uint64]bool) (uint64, error) {
	t := w.t
	segments, err := runs.Restore(t.sizes, runs.State{Next: next})
	if err != nil {
		return 0, err
	}
	changes, err := segments.Apply(items, nil)
	if err != nil {
		return 0, err
	}
	for _, it := range items {
		if !old[it.ID] {
			continue
		}
		if err := t.w.Delete(placeKey('w', w.layer, t.placeOf(it))); err != nil {
			return 0, err
		}
	}
	for _, number := range changes.Created {
		made, _ := segments.Segment(number)
		g := segment{number: number, items: made.Items}
		for _, it := range g.items {
			if err := t.setMember(w.layer, it.ID, number); err != nil {
				return 0, err
			}
		}
		if err := t.insert(w.layer, &g); err != nil {
			return 0, err
		}
		if err := t.settle(w.layer, &g); err != nil {
			return 0, err
		}
	}
	return segments.Next(), nil
}

// waiting returns the nodes that wait, from a key to another.
func (t *tree) waiting(layer uint8, lo, hi []byte) (out []runs.Item, err error) {
	for e, err := range t.Scan(lo, hi) {
		if err == nil && (len(e.Key) != 18 || len(e.Value) != 8) {
			err = fmt.Errorf("a node that waits for layer %d: %w", layer, engine.ErrCorrupt)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, runs.Item{ID: binary.BigEndian.Uint64(e.Key[10:]), Code: binary.BigEndian.Uint64(e.Value)})
	}
	return out, nil
}

// member returns the segment of a layer that a node is in, 0 if it waits; ok is false
// if the layer does not have it.
func (t *tree) member(layer uint8, id uint64) (number uint64, ok bool, err error) {
	b, err := t.Get(idKey('m', layer, id), nil)
	if graph.IsMissing(err) {
		return 0, false, nil
	}
	if err == nil && len(b) != 8 {
		err = fmt.Errorf("a number of a segment of %d bytes: %w", len(b), engine.ErrCorrupt)
	}
	if err != nil {
		return 0, false, err
	}
	return binary.BigEndian.Uint64(b), true, nil
}

func (t *treeTx) setMember(layer uint8, id, number uint64) error {
	return t.w.Set(idKey('m', layer, id), binary.BigEndian.AppendUint64(nil, number))
}

// scatter forgets which nodes of a layer are in which segment and which wait.
func (t *treeTx) scatter(layer uint8) error {
	for _, kind := range []byte{'b', 'm', 'w'} {
		if err := t.w.DeletePrefix(layerKey(kind, layer)); err != nil {
			return err
		}
	}
	return nil
}
