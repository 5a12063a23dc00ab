package engine

import (
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
// A comparison costs a scan of the index entries between its bounds, OpExists
// and OpNotEqual one of the whole index, [Not] one of the sets of all nodes.
// Strings longer than 256 bytes, strings that are compared with
// [Comparison.Whole], and those that a [Test] is asked about are read node by
// node. An [And] asks its predicates that read nodes about those only that the
// others leave.
func (r *reader) Where(p Predicate) (*roaring.Bitmap, error) {
	err := r.checkPredicate(p, 0)
	if err != nil {
		return nil, r.wrap("where", err)
	}
	rb, err := r.where(p, nil)
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
	case Test:
		return r.checkTest(p)
	case OneOf:
		if p.Nodes == nil {
			return phase.Mark(ErrInvalid, "a set of nodes that is nil")
		}
		return nil
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
		return phase.Mark(ErrInvalid, "property %q: %s takes no values", name, c.Op)
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

// checkTest refuses a test without a function, and one of a property without an
// index: a misspelt name would be a property that all nodes lack.
func (r *reader) checkTest(t Test) error {
	if t.Holds == nil {
		return phase.Mark(ErrInvalid, "a test without a function")
	}
	for _, property := range t.Properties {
		name, err := checkName("property", property)
		if err != nil {
			return err
		}
		if name[0] == '_' {
			continue
		}
		if _, ok := r.propertyIndex(name); !ok {
			return &NoIndexError{Property: name, Indexed: r.Indexes()}
		}
	}
	return nil
}

// where evaluates a predicate that was checked. If among is not nil the
// result matters for its nodes only: it may have others besides.
func (r *reader) where(p Predicate, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	switch p := p.(type) {
	case Comparison:
		return r.whereComparison(p, among)
	case Test:
		return r.whereTest(p, among)
	case OneOf:
		return p.Nodes.Clone(), nil
	case And:
		return r.whereAll(p, among)
	case Or:
		return r.whereAny(p, among)
	case Not:
		return r.whereAll(And{p}, among)
	}
	return nil, phase.Mark(ErrInvalid, "no predicate")
}

// readsNodes reports whether a predicate may read nodes, beside its index.
func readsNodes(p Predicate) bool {
	switch p := p.(type) {
	case Comparison:
		return p.Whole
	case Test:
		return true
	case And:
		return slices.ContainsFunc(p, readsNodes)
	case Or:
		return slices.ContainsFunc(p, readsNodes)
	case Not:
		return readsNodes(p.Predicate)
	}
	return false
}

// whereAll intersects predicates: first those that are answered by an index
// alone, then those that read nodes. It subtracts negated predicates from the
// result of the others, and reads all nodes only if all are negated.
func (r *reader) whereAll(parts And, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	var out *roaring.Bitmap
	for _, reads := range []bool{false, true} {
		for _, part := range parts {
			if _, negated := part.(Not); negated || readsNodes(part) != reads {
				continue
			}
			within := among
			if out != nil {
				within = out
			}
			rb, err := r.where(part, within)
			if err != nil {
				return nil, err
			}
			if out == nil {
				out = rb
			} else {
				out.And(rb)
			}
		}
	}
	if out == nil {
		var err error
		if out, err = r.allOr(among); err != nil {
			return nil, err
		}
	}
	for _, part := range parts {
		not, negated := part.(Not)
		if !negated {
			continue
		}
		rb, err := r.where(not.Predicate, out)
		if err != nil {
			return nil, err
		}
		out.AndNot(rb)
	}
	return out, nil
}

// whereAny unites predicates: first those that are answered by an index alone,
// then those that read nodes, each among the nodes that none before it found.
func (r *reader) whereAny(parts Or, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	out := roaring.New()
	for _, reads := range []bool{false, true} {
		for _, part := range parts {
			if readsNodes(part) != reads {
				continue
			}
			within := among
			if reads {
				var err error
				if within, err = r.allOr(among); err != nil {
					return nil, err
				}
				within.AndNot(out)
			}
			rb, err := r.where(part, within)
			if err != nil {
				return nil, err
			}
			out.Or(rb)
		}
	}
	return out, nil
}

// allOr returns a copy of a set of nodes, or of all nodes if it is nil.
func (r *reader) allOr(among *roaring.Bitmap) (*roaring.Bitmap, error) {
	if among != nil {
		return among.Clone(), nil
	}
	return r.union(layout.GraphPrefix(layout.TagNodesOfType, r.g))
}

func (r *reader) whereComparison(c Comparison, among *roaring.Bitmap) (*roaring.Bitmap, error) {
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
		equal, err := r.whereComparison(c, among)
		if err != nil {
			return nil, err
		}
		out.AndNot(equal)
		return out, nil
	}
	strings := false
	for _, v := range c.Values {
		if err := w.find(out, c.Op, v, c.Whole); err != nil {
			return nil, err
		}
		strings = strings || v.kind == KindString
	}
	if c.Whole && strings { // the index marks the elements of other lists
		if among != nil {
			out.And(among)
		}
		err = w.dropLists(out)
	}
	return out, err
}
