package corpus

import (
	"context"
	"math"
	"slices"
	"time"

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
	if t, ok := base.NodeType(TypeDocument); ok {
		var err error
		if all, err = base.Nodes(t); err != nil {
			return nil, err
		}
	}
	w := &where{base: base, indexed: base.Indexes()}
	p, err := w.resolve(f.where, 0)
	if err != nil {
		return nil, err
	}
	return base.Where(engine.And{engine.OneOf{Nodes: all}, p})
}

// where turns a filter into a predicate on the nodes of documents.
type where struct {
	base    *engine.View
	indexed []string
}

// field reports whether a name is that of a field of every document.
func (w *where) field(name string) bool {
	return (name == fieldKey || name == fieldFormat) && !slices.Contains(w.indexed, name)
}

// resolve returns the predicate with tests of key and format in place of the
// properties that they are not.
func (w *where) resolve(p engine.Predicate, depth int) (engine.Predicate, error) {
	if depth > maxWhereDepth {
		return nil, phase.Mark(engine.ErrInvalid, "a filter nested more than %d deep", maxWhereDepth)
	}
	switch p := p.(type) {
	case engine.And:
		parts, err := w.resolveAll(p, depth)
		return engine.And(parts), err
	case engine.Or:
		parts, err := w.resolveAll(p, depth)
		return engine.Or(parts), err
	case engine.Not:
		inner, err := w.resolve(p.Predicate, depth+1)
		return engine.Not{Predicate: inner}, err
	case engine.Comparison:
		if w.field(p.Property) {
			return fieldComparison(p)
		}
		return p, w.checkTimes(p)
	case engine.Test:
		return w.fieldTest(p), nil
	}
	return p, nil
}

func (w *where) resolveAll(parts []engine.Predicate, depth int) ([]engine.Predicate, error) {
	out := make([]engine.Predicate, len(parts))
	for i, part := range parts {
		var err error
		if out[i], err = w.resolve(part, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkTimes refuses to compare metadata that holds points in time with texts
// that are written like dates: they would equal none.
func (w *where) checkTimes(c engine.Comparison) error {
	for _, v := range c.Values {
		s := v.AsString()
		if v.Kind() != engine.KindString || len(s) < len(time.DateOnly) {
			continue
		}
		if _, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)]); err != nil {
			continue
		}
		first := engine.Time(time.Unix(0, math.MinInt64))
		times, err := w.base.Where(engine.Comparison{Property: c.Property, Op: engine.OpGreaterEqual, Values: []engine.Value{first}})
		if err != nil {
			return err
		}
		if !times.IsEmpty() {
			return phase.Mark(engine.ErrInvalid, "%s holds points in time: write datetime('%s') for the text '%s'", c.Property, s, s)
		}
	}
	return nil
}

// fieldTest lets a test read the fields of documents.
func (w *where) fieldTest(t engine.Test) engine.Predicate {
	if !slices.ContainsFunc(t.Properties, w.field) {
		return t
	}
	inner := t.Holds
	names := t.Properties
	t.Properties = nil
	for _, name := range names {
		switch {
		case !w.field(name):
			t.Properties = append(t.Properties, name)
		case name == fieldFormat:
			t.Properties = append(t.Properties, propFormat)
		}
	}
	t.Holds = func(ctx context.Context, key string, values []engine.Value) (bool, error) {
		all := make([]engine.Value, len(names))
		for i, name := range names {
			if w.field(name) && name == fieldKey {
				all[i] = engine.String(key)
				continue
			}
			all[i], values = values[0], values[1:]
		}
		return inner(ctx, key, all)
	}
	return t
}

// fieldComparison compares a field of each document.
func fieldComparison(c engine.Comparison) (engine.Predicate, error) {
	for _, v := range c.Values {
		if v.Kind() != engine.KindString {
			return nil, phase.Mark(engine.ErrInvalid, "%s is text, and compared with text in quotes", c.Property)
		}
	}
	if c.Op > engine.OpExists || c.Op != engine.OpExists && len(c.Values) == 0 {
		return nil, phase.Mark(engine.ErrInvalid, "%s %s without a value", c.Property, c.Op)
	}
	t := engine.Test{Text: c.String()}
	if c.Property == fieldFormat {
		t.Properties = []string{propFormat}
	}
	t.Holds = func(_ context.Context, key string, values []engine.Value) (bool, error) {
		if len(values) > 0 {
			key = values[0].AsString()
		}
		return c.Holds(engine.String(key)), nil
	}
	return t, nil
}
