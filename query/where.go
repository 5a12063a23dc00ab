package query

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// maxWhereDepth bounds how deeply a condition may be nested, as
// [engine.View.Where] does.
const maxWhereDepth = 1000

// Where returns the nodes of a set for which a condition holds. Only nodes of the
// set are read: a failing condition tells nothing of others. The condition may use
// the names in fields although no property of the name has an index: each stands
// for a stored property, "" for the key of the node.
func Where(v *engine.View, among *roaring.Bitmap, p engine.Predicate, fields map[string]string) (*roaring.Bitmap, error) {
	w := &where{v: v, fields: fields, indexed: v.Indexes(), among: engine.OneOf{Nodes: among}}
	p, err := w.resolve(p, 0)
	if err != nil {
		return nil, err
	}
	return v.Where(engine.And{w.among, p})
}

// where is a condition that is evaluated.
type where struct {
	v       *engine.View
	fields  map[string]string
	indexed []string
	among   engine.OneOf
}

// field returns the property that a name stands for if it is a field.
func (w *where) field(name string) (property string, ok bool) {
	property, ok = w.fields[name]
	return property, ok && !slices.Contains(w.indexed, name)
}

// resolve returns the condition with tests of fields in place of comparisons.
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
		if property, ok := w.field(p.Property); ok {
			return fieldComparison(p, property)
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

// checkTimes refuses to compare a property that holds points in time with texts
// that are written like dates, since no point in time equals a text.
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
		times, err := w.v.Where(engine.And{w.among, engine.Comparison{Property: c.Property, Op: engine.OpGreaterEqual, Values: []engine.Value{first}}})
		if err != nil {
			return err
		}
		if !times.IsEmpty() {
			return phase.Mark(engine.ErrInvalid, "%s holds points in time: write datetime('%s') for the text '%s'", c.Property, s, s)
		}
	}
	return nil
}

// fieldTest lets a test read fields.
func (w *where) fieldTest(t engine.Test) engine.Predicate {
	inner, keys := t.Holds, make([]bool, len(t.Properties))
	var read []string
	for i, name := range t.Properties {
		property, ok := w.field(name)
		if keys[i] = ok && property == ""; keys[i] {
			continue
		}
		if ok {
			name = property
		}
		read = append(read, name)
	}
	t.Properties = read
	t.Holds = func(ctx context.Context, key string, values []engine.Value) (bool, error) {
		all := make([]engine.Value, len(keys))
		for i := range all {
			if keys[i] {
				all[i] = engine.String(key)
			} else {
				all[i], values = values[0], values[1:]
			}
		}
		return inner(ctx, key, all)
	}
	return t
}

// fieldComparison compares a field of each node.
func fieldComparison(c engine.Comparison, property string) (engine.Predicate, error) {
	for _, v := range c.Values {
		if v.Kind() != engine.KindString {
			return nil, phase.Mark(engine.ErrInvalid, "%s is text, and compared with text in quotes", c.Property)
		}
	}
	if c.Op > engine.OpExists || c.Op != engine.OpExists && len(c.Values) == 0 {
		return nil, phase.Mark(engine.ErrInvalid, "%s %s without a value", c.Property, c.Op)
	}
	t := engine.Test{Text: c.String()}
	if property != "" {
		t.Properties = []string{property}
	}
	t.Holds = func(_ context.Context, key string, values []engine.Value) (bool, error) {
		if property == "" {
			return c.Holds(engine.String(key)), nil
		}
		return c.Holds(values[0]), nil
	}
	return t, nil
}
