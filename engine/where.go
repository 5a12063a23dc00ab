package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// maxPredicateDepth bounds how deeply predicates may be nested.
const maxPredicateDepth = 1000

// Where returns the nodes that a predicate holds for; the caller owns the
// bitmap. Every property that it names must have an index, whatever the nodes
// are: the error is a [*NoIndexError] otherwise.
//
// A comparison costs a scan of the index entries between its bounds, EXISTS
// and != one of the whole index, NOT one of the sets of all nodes. Strings
// longer than 256 bytes are read node by node.
func (r *reader) Where(p Predicate) (*roaring.Bitmap, error) {
	err := r.checkPredicate(p, 0)
	if err != nil {
		return nil, r.wrap("where", err)
	}
	rb, err := r.where(p)
	return rb, r.wrap("where", err)
}

// checkPredicate refuses what has no meaning or no index.
func (r *reader) checkPredicate(p Predicate, depth int) error {
	if depth > maxPredicateDepth {
		return phase.Mark(ErrInvalid, "a predicate nested more than %d deep", maxPredicateDepth)
	}
	var parts []Predicate
	switch p := p.(type) {
	case Comparison:
		return r.checkComparison(p)
	case And:
		parts = p
	case Or:
		parts = p
	case Not:
		parts = []Predicate{p.Predicate}
	default:
		return phase.Mark(ErrInvalid, "no predicate")
	}
	for _, part := range parts {
		if err := r.checkPredicate(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) checkComparison(c Comparison) error {
	name, err := checkName("property", c.Property)
	if err != nil {
		return err
	}
	if _, ok := r.propertyIndex(name); !ok {
		return &NoIndexError{Property: name, Indexed: r.Indexes()}
	}
	switch {
	case c.Op > OpExists:
		return phase.Mark(ErrInvalid, "property %q: unknown operator %d", name, c.Op)
	case c.Op == OpExists && len(c.Values) > 0:
		return phase.Mark(ErrInvalid, "property %q: EXISTS takes no values", name)
	case c.Op != OpExists && len(c.Values) == 0:
		return phase.Mark(ErrInvalid, "property %q: %s without a value", name, c.Op)
	}
	for _, v := range c.Values {
		if _, ok := v.appendOrdered(nil); !ok || c.Op == OpPrefix && v.kind != KindString {
			return phase.Mark(ErrInvalid, "property %q: %s with %s", name, c.Op, v)
		}
	}
	return nil
}

// where evaluates a predicate that was checked.
func (r *reader) where(p Predicate) (*roaring.Bitmap, error) {
	switch p := p.(type) {
	case Comparison:
		return r.whereComparison(p)
	case And:
		return r.whereAll(p)
	case Or:
		out := roaring.New()
		for _, part := range p {
			rb, err := r.where(part)
			if err != nil {
				return nil, err
			}
			out.Or(rb)
		}
		return out, nil
	case Not:
		return r.whereAll(And{p})
	}
	return nil, phase.Mark(ErrInvalid, "no predicate")
}

// whereAll intersects predicates. What is negated is taken away from the
// others; all nodes are read only where there are no others.
func (r *reader) whereAll(parts And) (*roaring.Bitmap, error) {
	var out *roaring.Bitmap
	for _, part := range parts {
		if _, negated := part.(Not); negated {
			continue
		}
		rb, err := r.where(part)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = rb
		} else {
			out.And(rb)
		}
	}
	if out == nil {
		var err error
		if out, err = r.union(layout.GraphPrefix(layout.TagNodesOfType, r.g)); err != nil {
			return nil, err
		}
	}
	for _, part := range parts {
		not, negated := part.(Not)
		if !negated {
			continue
		}
		rb, err := r.where(not.Predicate)
		if err != nil {
			return nil, err
		}
		out.AndNot(rb)
	}
	return out, nil
}

func (r *reader) whereComparison(c Comparison) (*roaring.Bitmap, error) {
	name, err := checkName("property", c.Property)
	if err != nil {
		return nil, err
	}
	index, ok := r.propertyIndex(name)
	if !ok {
		return nil, &NoIndexError{Property: name, Indexed: r.Indexes()}
	}
	w := indexSearch{r: r, property: name, prefix: layout.SetIndexPrefix(r.g, index), index: index}
	out := roaring.New()
	switch c.Op {
	case OpExists:
		return r.union(w.prefix)
	case OpNotEqual:
		if out, err = r.union(w.prefix); err != nil {
			return nil, err
		}
		c.Op = OpEqual
		equal, err := r.whereComparison(c)
		if err != nil {
			return nil, err
		}
		out.AndNot(equal)
		return out, nil
	}
	for _, v := range c.Values {
		if err := w.find(out, c.Op, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

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

// find adds to out the nodes whose value is in the relation op to v.
func (w *indexSearch) find(out *roaring.Bitmap, op Op, v Value) error {
	value, _ := v.appendOrdered(nil)
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
	lo := append(slices.Clone(w.prefix), value[0])
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
	for it := set.Iterator(); it.HasNext(); {
		id := NodeID(it.Next())
		ok, err := w.holds(id, pid, op, v)
		if err != nil {
			return err
		}
		if ok {
			out.Add(uint32(id))
		}
	}
	return nil
}

// holds reports whether a node's own value is in the relation op to v.
func (w *indexSearch) holds(id NodeID, pid uint32, op Op, v Value) (bool, error) {
	rec, err := w.r.record(id, true)
	if errors.Is(err, ErrNotFound) {
		return false, corrupt(layout.Node(w.r.g, uint64(id)), errors.New("an indexed node has no record"))
	}
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(rec.props, func(p prop) bool { return p.id == pid })
	if i < 0 {
		return false, corrupt(layout.Node(w.r.g, uint64(id)), fmt.Errorf("no property %q, which is indexed", w.property))
	}
	have := rec.props[i].value
	switch have.kind {
	case KindText:
		s, err := w.r.externalText(id, pid, have.Size())
		return err == nil && op.holds(String(s), v), err
	case KindStrings:
		return slices.ContainsFunc(have.list, func(s string) bool { return op.holds(String(s), v) }), nil
	}
	return op.holds(have, v), nil
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
