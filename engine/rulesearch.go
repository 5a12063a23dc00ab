package engine

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// Span says which values of the index of a [Rule] are looked up: those whose first
// components are Equal, and whose next component is within all Bounds.
type Span struct {
	Equal  []Value
	Bounds []Bound
}

// Bound is a condition on one component: OpEqual, OpLess, OpLessEqual, OpGreater,
// OpGreaterEqual, OpPrefix, or OpExists, which takes no value.
type Bound struct {
	Op    Op
	Value Value
}

// span returns the range of keys that a search reads. Strings longer than 256
// bytes have no place in the order: other says that those under it are to be read
// too, nil if there is none.
func (x *ruleState) span(g uint32, w *Span) (lo, hi, other []byte, err error) {
	n := len(w.Equal)
	if len(w.Bounds) > 0 {
		n++
	}
	if n == 0 || n > len(x.props) {
		return nil, nil, nil, phase.Mark(ErrInvalid, "rule %s: %d values for %d properties", x.Name, n, len(x.props))
	}
	at := x.prefix(g)
	for i, v := range w.Equal {
		if v.IsNull() {
			return nil, nil, nil, phase.Mark(ErrInvalid, "rule %s: null for %s", x.Name, x.Properties[i])
		}
		at = layout.AppendComponent(at, v.appendComponent(nil), i == len(x.props)-1)
	}
	lo, hi = at, layout.Next(at)
	last := n == len(x.props)
	for _, b := range w.Bounds {
		from, to, long, err := x.boundSpan(at, b, last)
		if err != nil {
			return nil, nil, nil, err
		}
		if bytes.Compare(from, lo) > 0 {
			lo = from
		}
		if bytes.Compare(to, hi) < 0 {
			hi = to
		}
		if long {
			other = append(bytes.Clone(at), orderLong)
		}
	}
	return lo, hi, other, nil
}

// boundSpan returns the range of keys of one bound of the component that follows at,
// and whether longer strings than the index keeps may be within it.
func (x *ruleState) boundSpan(at []byte, b Bound, last bool) (lo, hi []byte, long bool, err error) {
	at = bytes.Clone(at)
	if b.Op == OpExists {
		// 00 begins the empty component.
		return append(at, 1), layout.Next(at), false, nil
	}
	form, ok := b.Value.appendOrdered(nil)
	if !ok || b.Op == OpPrefix && b.Value.kind != KindString || b.Op == OpNotEqual || b.Op > OpExists {
		return nil, nil, false, phase.Mark(ErrInvalid, "rule %s: %s with %s", x.Name, b.Op, b.Value)
	}
	if b.Op != OpEqual && b.Value.onlyEqual() {
		return layout.Next(at), at, false, nil // nothing compares with it
	}
	if b.Op == OpEqual || b.Value.kind != KindString {
		form = b.Value.appendComponent(nil)
	}
	kind := append(bytes.Clone(at), form[0])
	if b.Value.kind == KindTemporal { // whose kinds do not compare
		kind = append(kind, form[1])
	}
	exact := layout.AppendComponent(at, form, last)
	lo, hi = kind, layout.Next(kind)
	switch b.Op {
	case OpEqual:
		return exact, layout.Next(exact), false, nil
	case OpLess:
		hi = exact
	case OpLessEqual:
		hi = layout.Next(exact)
	case OpGreater:
		lo = layout.Next(exact)
	case OpGreaterEqual:
		lo = exact
	case OpPrefix:
		lo = exact[:len(exact)-2] // without what closes the component
		hi = layout.Next(lo)
	}
	return lo, hi, b.Value.kind == KindString, nil
}

// ranges returns the ranges of keys that a search reads.
func (r *reader) ranges(rule string, w *Span, edges bool) (*ruleState, [][2][]byte, error) {
	x, err := r.rule(rule)
	if err != nil {
		return nil, nil, err
	}
	if !x.Indexed() || x.Edges != edges {
		return nil, nil, phase.Mark(ErrInvalid, "rule %s has no index of such values", rule)
	}
	lo, hi, other, err := x.span(r.g, w)
	if err != nil {
		return nil, nil, err
	}
	out := [][2][]byte{{lo, hi}}
	if other != nil {
		out = append(out, [2][]byte{other, layout.Next(other)})
	}
	return x, out, nil
}

// IndexedNodes implements [Reader].
func (r *reader) IndexedNodes(rule string, w Span) (*roaring.Bitmap, error) {
	out := roaring.New()
	_, ranges, err := r.ranges(rule, &w, false)
	for _, s := range ranges {
		if err == nil && bytes.Compare(s[0], s[1]) < 0 {
			err = r.addSets(out, s[0], s[1])
		}
	}
	if err != nil {
		return nil, r.wrap("indexed nodes", err)
	}
	return out, nil
}

// IndexedEdges implements [Reader].
func (r *reader) IndexedEdges(rule string, w Span) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		_, ranges, err := r.ranges(rule, &w, true)
		if err == nil {
			err = r.settle()
		}
		if err != nil {
			yield(Edge{}, r.wrap("indexed edges", err))
			return
		}
		for _, s := range ranges {
			if bytes.Compare(s[0], s[1]) >= 0 {
				continue
			}
			for p, err := range scanRange(r.ctx, r.kv, s[0], s[1]) {
				if err != nil {
					yield(Edge{}, r.wrap("indexed edges", err))
					return
				}
				_, e := layout.CutEdgeEntry(p.key)
				found := edgeAt(e)
				if found.Weight = 1; !yield(found, nil) {
					return
				}
			}
		}
	}
}

// indexSamples is how many keys at each end of an index are looked at to learn how
// often values repeat.
const indexSamples = 32

// IndexedCount implements [Reader].
func (r *reader) IndexedCount(rule string, w Span, limit int) (n int, err error) {
	x, err := r.rule(rule)
	if err != nil {
		return 0, r.wrap("count", err)
	}
	_, ranges, err := r.ranges(rule, &w, x.Edges)
	for _, s := range ranges {
		if err != nil || bytes.Compare(s[0], s[1]) >= 0 {
			continue
		}
		for p, scanErr := range scanRange(r.ctx, r.kv, s[0], s[1]) {
			if scanErr != nil {
				err = scanErr
				break
			}
			some, lenErr := x.entries(p)
			if err = lenErr; err != nil {
				break
			}
			if n += some; n >= limit {
				return n, nil
			}
		}
	}
	return n, r.wrap("count", err)
}

// entries returns how many nodes or edges a key of the index stands for.
func (x *ruleState) entries(p pair) (int, error) {
	if x.Edges {
		return 1, nil
	}
	n, err := layout.SetLen(p.value)
	if err != nil {
		return 0, corrupt(p.key, err)
	}
	return n, nil
}

// IndexedShare implements [Reader].
func (r *reader) IndexedShare(rule string, properties int) (float64, error) {
	x, err := r.rule(rule)
	if err != nil {
		return 0, r.wrap("share", err)
	}
	if properties < 1 || properties > len(x.props) || !x.Indexed() {
		return 0, r.wrap("share", phase.Mark(ErrInvalid, "rule %s has no index of %d properties", rule, properties))
	}
	if x.unique() && properties == len(x.props) {
		return 1, nil
	}
	share, err := r.sampleIndex(x, properties)
	return share, r.wrap("share", err)
}

// sampleIndex returns the mean number of nodes or edges of one value, among those
// at both ends of the index.
func (r *reader) sampleIndex(x *ruleState, properties int) (share float64, err error) {
	prefix := x.prefix(r.g)
	it, err := r.kv.Iter(r.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return 0, err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	values, entries := 0, 0
	var last []byte
	sample := func(ok bool, next func() bool) error {
		for range indexSamples {
			if !ok {
				return nil
			}
			value := layout.TuplePrefix(it.Key(), properties)
			if !bytes.Equal(value, last) {
				values++
				last = append(last[:0], value...)
			}
			n, err := x.entries(pair{it.Key(), it.Value()})
			if err != nil {
				return err
			}
			entries += n
			ok = next()
		}
		return nil
	}
	if err := sample(it.First(), it.Next); err != nil {
		return 0, err
	}
	if err := sample(it.Last(), it.Prev); err != nil {
		return 0, err
	}
	if values == 0 {
		return 0, nil
	}
	return float64(entries) / float64(values), nil
}

// ruleText names a rule for findings.
func (x *ruleState) ruleText() string { return fmt.Sprintf("the constraint %s", x.Name) }
