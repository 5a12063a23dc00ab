package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// indexSearch searches the index of one property.
type indexSearch struct {
	r        *reader
	property string
	prefix   []byte // of the index's keys
	index    uint32
}

// exactInts is where integers beyond stop having a place of their own in an
// index: those there are shared with their neighbours.
const exactInts = 1 << 53

// find adds to out the nodes whose value is in the relation op to v, and unless
// whole is set those with a list that has such an element.
func (w *indexSearch) find(out *roaring.Bitmap, op Op, v Value, whole bool) error {
	if op != OpEqual && v.onlyEqual() {
		return nil
	}
	if !whole && v.kind != KindString {
		if err := w.findUnder(orderElement, out, op, v); err != nil {
			return err
		}
	}
	return w.findUnder(0, out, op, v)
}

// findUnder is find for the scalars, or with orderElement for the elements of
// lists of other than strings.
func (w *indexSearch) findUnder(mark byte, out *roaring.Bitmap, op Op, v Value) error {
	value, _ := v.appendOrdered(nil)
	value[0] |= mark
	exact := layout.SetIndexValue(w.r.g, w.index, value)
	if isNumber(v) && math.Abs(v.AsFloat()) >= exactInts {
		if err := w.reread(out, exact, op, v); err != nil {
			return err
		}
		switch op {
		case OpEqual:
			return nil
		case OpLessEqual:
			op = OpLess
		case OpGreaterEqual:
			op = OpGreater
		}
	}
	kind := 1
	if v.kind == KindTemporal { // whose kinds do not compare
		kind = 2
	}
	lo := append(slices.Clone(w.prefix), value[:kind]...)
	hi := layout.Next(lo)
	switch op {
	case OpEqual:
		lo, hi = exact, layout.Next(exact)
	case OpLess:
		hi = exact
	case OpLessEqual:
		hi = layout.Next(exact)
	case OpGreater:
		lo = layout.Next(exact)
	case OpGreaterEqual:
		lo = exact
	case OpPrefix:
		lo = exact[:len(exact)-2] // without what closes the value
		hi = layout.Next(lo)
	}
	if err := w.r.addSets(out, lo, hi); err != nil {
		return err
	}
	if v.kind != KindString || op == OpEqual && len(v.str) <= maxIndexedString {
		return nil
	}
	return w.reread(out, layout.SetIndexValue(w.r.g, w.index, []byte{orderLong}), op, v)
}

// reread adds to out those nodes under one index value whose own value is in
// the relation op to v: the index does not tell.
func (w *indexSearch) reread(out *roaring.Bitmap, prefix []byte, op Op, v Value) error {
	set, err := w.r.union(prefix)
	if err != nil || set.IsEmpty() {
		return err
	}
	pid, ok := w.r.lookupName(layout.KindProperty, w.property)
	if !ok {
		return nil
	}
	set.AndNot(out)
	return w.eachValue(pid, set, func(id NodeID, have Value) error {
		ok, err := w.holds(id, have, pid, op, v)
		if ok {
			out.Add(uint32(id))
		}
		return err
	})
}

// holds reports whether a node's own value is in the relation op to v.
func (w *indexSearch) holds(id NodeID, have Value, pid uint32, op Op, v Value) (bool, error) {
	if have.kind == KindText {
		s, err := w.r.externalText(id, pid, have.Size())
		if err != nil {
			return false, err
		}
		have = String(s)
	}
	return Comparison{Op: op, Values: []Value{v}}.Holds(have), nil
}

// dropLists removes the nodes from a set whose value is a list.
func (w *indexSearch) dropLists(set *roaring.Bitmap) error {
	pid, ok := w.r.lookupName(layout.KindProperty, w.property)
	if !ok {
		return nil
	}
	lists := roaring.New()
	err := w.eachValue(pid, set, func(id NodeID, have Value) error {
		if have.isList() {
			lists.Add(uint32(id))
		}
		return nil
	})
	set.AndNot(lists)
	return err
}

// eachValue calls fn with the own values of nodes that the index has.
func (w *indexSearch) eachValue(pid uint32, nodes *roaring.Bitmap, fn func(id NodeID, have Value) error) error {
	return w.r.eachListed(nodes, []uint32{pid}, func(id NodeID, _ string, values []Value) error {
		if values[0].IsNull() {
			return corrupt(layout.Node(w.r.g, uint64(id)), fmt.Errorf("no property %q, which is indexed", w.property))
		}
		return fn(id, values[0])
	})
}

// addSets adds the ids in all containers of lo <= key < hi to out.
func (r *reader) addSets(out *roaring.Bitmap, lo, hi []byte) error {
	for p, err := range scanRange(r.ctx, r.kv, lo, hi) {
		if err != nil {
			return err
		}
		if err := layout.AddSetTo(p.value, layout.LastContainer(p.key)<<16, out); err != nil {
			return corrupt(p.key, err)
		}
	}
	return nil
}
