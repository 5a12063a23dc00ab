package kv

import (
	"cmp"
	"context"
	"slices"
)

// WriteSorted writes what the operations make of each key into w, in the order of
// the keys. A state of the base with that ingested reads as the overlay does.
// The error is that of w or of ctx.
func (o *Overlay) WriteSorted(ctx context.Context, w SortedWriter) error {
	const every = 1024 // keys between looks at ctx
	removed := o.removed()
	runs := o.keys.sorted(nil, nil)
	for n := 0; ; n++ {
		if n%every == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		least := -1
		for i, r := range runs {
			if len(r) > 0 && (least < 0 || r[0] < runs[least][0]) {
				least = i
			}
		}
		for len(removed) > 0 && (least < 0 || removed[0].lo <= runs[least][0]) {
			if err := w.DeleteRange([]byte(removed[0].lo), []byte(removed[0].hi)); err != nil {
				return err
			}
			removed = removed[1:]
		}
		if least < 0 {
			return nil
		}
		key := runs[least][0]
		runs[least] = runs[least][1:]
		if err := o.writeKey(w, key); err != nil {
			return err
		}
	}
}

// writeKey writes what the operations make of a key.
func (o *Overlay) writeKey(w SortedWriter, key string) error {
	switch p := o.lookup(key, o.ops.n); p.state {
	case absent:
		return w.Delete([]byte(key))
	case final:
		return w.Set([]byte(key), p.val)
	case operand:
		return w.Merge([]byte(key), p.val)
	}
	return nil
}

// keyRange is lo <= key < hi.
type keyRange struct{ lo, hi string }

// removed returns the ranges that are deleted, ascending and apart.
func (o *Overlay) removed() []keyRange {
	all := make([]keyRange, len(o.ranges))
	for i, r := range o.ranges {
		op := o.ops.at(r)
		all[i] = keyRange{op.key, string(op.val)}
	}
	slices.SortFunc(all, func(a, b keyRange) int { return cmp.Compare(a.lo, b.lo) })
	var out []keyRange
	for _, r := range all {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return out
}
