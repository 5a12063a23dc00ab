package rag

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// The fields of every document that a filter may name beside its metadata, if
// no document has metadata of that name.
const (
	fieldKey    = "key"
	fieldFormat = "format"
)

// maxWhereDepth bounds how deeply a filter may be nested, as [engine.View.Where]
// does.
const maxWhereDepth = 1000

// documents returns the documents that pass the filter. What is negated is taken
// away from the documents alone: the chunks of the base graph have no metadata,
// and each would pass a NOT.
func (f *filter) documents(base *engine.View) (*roaring.Bitmap, error) {
	all := roaring.New()
	if t, ok := base.NodeType(typeDocument); ok {
		var err error
		if all, err = base.Nodes(t); err != nil {
			return nil, err
		}
	}
	w := &where{c: f.c, base: base, all: all}
	return w.passing(f.where, 0)
}

// where evaluates a filter on the documents of a snapshot.
type where struct {
	c    *Corpus
	base *engine.View
	all  *roaring.Bitmap
	docs []Document // all of them, once a field of theirs is asked for
}

// passing returns the documents that a predicate holds for; the caller owns the
// set.
func (w *where) passing(p engine.Predicate, depth int) (*roaring.Bitmap, error) {
	if depth > maxWhereDepth {
		return nil, phase.Mark(engine.ErrInvalid, "a filter nested more than %d deep", maxWhereDepth)
	}
	switch p := p.(type) {
	case engine.And:
		out := w.all.Clone()
		for _, part := range p {
			set, err := w.passing(part, depth+1)
			if err != nil {
				return nil, err
			}
			out.And(set)
		}
		return out, nil
	case engine.Or:
		out := roaring.New()
		for _, part := range p {
			set, err := w.passing(part, depth+1)
			if err != nil {
				return nil, err
			}
			out.Or(set)
		}
		return out, nil
	case engine.Not:
		set, err := w.passing(p.Predicate, depth+1)
		if err != nil {
			return nil, err
		}
		return roaring.AndNot(w.all, set), nil
	case engine.Comparison:
		if (p.Property == fieldKey || p.Property == fieldFormat) && !slices.Contains(w.base.Indexes(), p.Property) {
			return w.byField(p)
		}
	}
	set, err := w.base.Where(p)
	if err != nil {
		return nil, err
	}
	set.And(w.all)
	return set, nil
}

// byField compares a field of each document. It reads all documents once.
func (w *where) byField(c engine.Comparison) (*roaring.Bitmap, error) {
	for _, v := range c.Values {
		if v.Kind() != engine.KindString {
			return nil, phase.Mark(engine.ErrInvalid, "%s is text, and compared with text in quotes", c.Property)
		}
	}
	if c.Op > engine.OpExists || c.Op != engine.OpExists && len(c.Values) == 0 {
		return nil, phase.Mark(engine.ErrInvalid, "%s %s without a value", c.Property, c.Op)
	}
	if w.docs == nil {
		for d, err := range w.c.Documents(w.base) {
			if err != nil {
				return nil, err
			}
			w.docs = append(w.docs, d)
		}
	}
	out := roaring.New()
	for i := range w.docs {
		have := w.docs[i].Key
		if c.Property == fieldFormat {
			have = w.docs[i].Format
		}
		if textHolds(c, have) {
			out.Add(uint32(w.docs[i].ID))
		}
	}
	return out, nil
}

// textHolds reports whether a comparison with texts holds for a text.
func textHolds(c engine.Comparison, have string) bool {
	is := func(v engine.Value) bool {
		order := strings.Compare(have, v.AsString())
		switch c.Op {
		case engine.OpLess:
			return order < 0
		case engine.OpLessEqual:
			return order <= 0
		case engine.OpGreater:
			return order > 0
		case engine.OpGreaterEqual:
			return order >= 0
		case engine.OpPrefix:
			return strings.HasPrefix(have, v.AsString())
		}
		return order == 0
	}
	switch c.Op {
	case engine.OpExists:
		return true
	case engine.OpNotEqual:
		return !slices.ContainsFunc(c.Values, is)
	}
	return slices.ContainsFunc(c.Values, is)
}
