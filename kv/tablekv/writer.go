package tablekv

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

// writer implements kv.SortedWriter: it gathers changes, and writes before the commit what
// the table does not take at once.
type writer struct {
	s   *Store
	ctx context.Context
	err error // the first

	last   []byte // the last key
	until  []byte // end of the last range that is removed
	ranges []kv.Range

	// What is gathered: values as the store has them, nil for a key that
	// is removed. Those of merged are operands, to be folded over the table's value.
	pairs  []kv.Pair
	merged []int // places in pairs, ascending
	size   int

	// rest are changes as the table has them that wait for the commit, or to be staged.
	rest kv.Changes

	large  map[string]uint32 // the pieces of values that were written, 0 for none
	gaps   []kv.Range        // in which rows are in their place, ascending
	staged bool
}

func (w *writer) Set(k, v []byte) error    { return w.add(k, append([]byte{}, v...), false) }
func (w *writer) Merge(k, op []byte) error { return w.add(k, append([]byte{}, op...), true) }
func (w *writer) Delete(k []byte) error    { return w.add(k, nil, false) }

func (w *writer) DeleteRange(lo, hi []byte) error {
	if w.err != nil || bytes.Compare(lo, hi) >= 0 {
		return w.err
	}
	if w.last != nil && bytes.Compare(w.last, lo) >= 0 || bytes.Compare(w.until, lo) > 0 {
		w.err = fmt.Errorf("%w: a range from %x", kv.ErrOrder, lo)
		return w.err
	}
	w.until = bytes.Clone(hi)
	if hi = bounded(hi); bytes.Compare(lo, hi) < 0 {
		w.ranges = append(w.ranges, kv.Range{Lo: append([]byte{}, lo...), Hi: bytes.Clone(hi)})
	}
	return nil
}

func (w *writer) add(k, v []byte, merge bool) error {
	switch {
	case w.err != nil:
		return w.err
	case w.last != nil && bytes.Compare(w.last, k) >= 0:
		w.err = fmt.Errorf("%w: %x after %x", kv.ErrOrder, k, w.last)
		return w.err
	}
	if w.err = w.s.validate(k); w.err != nil {
		return w.err
	}
	if w.err = w.s.takes(k); w.err != nil {
		if v == nil { // no such key is there
			w.err = nil
		}
		return w.err
	}
	k = bytes.Clone(k)
	w.last = k
	switch {
	case merge && bytes.Compare(k, w.until) < 0: // what it is for is removed
		v = w.s.schema.NewFold(k, v).Finish(true)
	case merge:
		w.merged = append(w.merged, len(w.pairs))
	}
	w.pairs = append(w.pairs, kv.Pair{Key: k, Value: v})
	w.size += len(k) + len(v) + pairBytes
	if most := w.s.bounds.ChangeBytes; most > 0 && w.size > most/2 {
		w.err = w.spill()
	}
	return w.err
}

// pairBytes is what a change takes beside key and value, at most.
const pairBytes = 48

// fold makes values of the operands, which takes one round trip if the cache lacks any.
func (w *writer) fold() error {
	if len(w.merged) == 0 {
		return nil
	}
	fold := func(p *kv.Pair, base []byte) {
		f := w.s.schema.NewFold(p.Key, p.Value)
		if base != nil {
			f.Older(base)
		}
		p.Value = f.Finish(true)
	}
	// What the cache knows of the last commit is so: it is this writer's own.
	rec := w.s.record()
	last := w.s.cache.moment(rec.commit, rec.by)
	var keys [][]byte
	unknown := w.merged[:0]
	for _, at := range w.merged {
		p := &w.pairs[at]
		if base, ok := w.s.cache.value(last, p.Key); ok {
			fold(p, base)
			continue
		}
		keys, unknown = append(keys, p.Key), append(unknown, at)
	}
	w.merged = w.merged[:0]
	if len(keys) == 0 {
		return nil
	}
	return w.s.read(w.ctx, keys, func(i int, base []byte) error {
		fold(&w.pairs[unknown[i]], base)
		return nil
	})
}

// changes adds what is gathered to the rest, as the table has it, without the ranges.
func (w *writer) changes() error {
	if err := w.fold(); err != nil {
		return err
	}
	c := &w.rest
	for _, p := range w.pairs {
		old := w.s.large[string(p.Key)]
		var n uint32
		if p.Value == nil {
			c.Delete = append(c.Delete, p.Key)
		} else {
			c.Set, n = w.s.put(c.Set, p.Key, p.Value)
		}
		w.replace(c, p.Key, old, n)
	}
	w.pairs, w.size = nil, 0
	return nil
}

// replace takes the pieces away that a key no longer has.
func (w *writer) replace(c *kv.Changes, k []byte, old, n uint32) {
	if old == 0 && n == 0 {
		return
	}
	w.large[string(k)] = n
	c.Delete = dropPieces(c.Delete, k, n, old)
	if n == 0 {
		c.Delete = append(c.Delete, largeKey(k))
	}
}

// commit makes everything that was written the state of the store.
func (w *writer) commit() error {
	from := len(w.rest.Set)
	if err := w.changes(); err != nil {
		return err
	}
	c := &w.rest
	for k, old := range w.s.large {
		if _, written := w.large[k]; !written && contain(w.ranges, []byte(k)) {
			w.replace(c, []byte(k), old, 0)
		}
	}
	var (
		what   changed
		commit uint64
		row    kv.Pair
		drop   [][]byte
	)
	closing := func() (bool, error) {
		what = changedBy(w.s.id, c, slices.Concat(w.ranges, w.gaps))
		commit, row, drop = w.s.logged(&what)
		return w.fits(len(row.Key) + len(row.Value) + 2*pairBytes)
	}
	fits, err := closing()
	if err == nil && !fits {
		if err = w.place(from); err == nil {
			fits, err = closing()
		}
	}
	if err != nil {
		return err
	}
	// Rows in gaps count from now on. Before them the table had none there.
	removed := without(w.ranges, w.gaps)
	if fits {
		c.Remove = removed
		if len(c.Remove)+len(c.Delete)+len(c.Set)+len(w.gaps) == 0 {
			return nil
		}
		c.Set, c.Delete = append(c.Set, row), append(c.Delete, drop...)
		order(c)
		err := w.s.write(w.ctx, c, func(r *record) {
			r.removed = nil
			r.commit, r.by = commit, w.s.id
		})
		if err != nil {
			return err
		}
		w.known()
		w.s.note(commit, what, c)
		return nil
	}
	if err := w.stageRest(); err != nil {
		return err
	}
	what = everything(w.s.id)
	_, row, drop = w.s.logged(&what)
	err = w.s.write(w.ctx, &kv.Changes{Set: []kv.Pair{row}, Delete: drop}, func(r *record) {
		r.staged, r.removed = true, removed
		r.commit, r.by = commit, w.s.id
	})
	if err != nil {
		return err
	}
	w.known()
	w.s.note(commit, what, &kv.Changes{})
	// It is committed. What fails now is done before the next commit.
	if err := w.s.finish(w.ctx); errors.Is(err, kv.ErrLease) {
		return err
	}
	return nil
}

// known notes which values are in pieces now.
func (w *writer) known() {
	for k, n := range w.large {
		if n == 0 {
			delete(w.s.large, k)
		} else {
			w.s.large[k] = n
		}
	}
}

// fits reports whether the table takes the rest and the ranges in one transaction, with
// some bytes more.
func (w *writer) fits(more int) (bool, error) {
	b := w.s.bounds
	all := w.rest
	all.Remove = without(w.ranges, w.gaps)
	if w.staged || b.ChangeBytes > 0 && all.Bytes()+more > b.ChangeBytes {
		return false, nil
	}
	if b.RemoveKeys == 0 || len(all.Remove) == 0 {
		return true, nil
	}
	left := b.RemoveKeys
	err := w.s.reading(w.ctx, nil, func(v *view) error {
		left = b.RemoveKeys
		for _, r := range all.Remove {
			got, err := v.t.Scan(w.ctx, r.Lo, r.Hi, false, left+1)
			if left -= len(got); err != nil || left < 0 {
				return err
			}
		}
		return nil
	})
	return left >= 0, err
}

// order sorts the keys of changes.
func order(c *kv.Changes) {
	slices.SortFunc(c.Delete, bytes.Compare)
	slices.SortFunc(c.Set, func(a, b kv.Pair) int { return bytes.Compare(a.Key, b.Key) })
}

// spill makes room: it writes what is gathered where no snapshot reads it yet, and keeps
// a part for the commit.
func (w *writer) spill() error {
	from := len(w.rest.Set)
	if err := w.changes(); err != nil {
		return err
	}
	if err := w.place(from); err != nil || w.rest.Bytes() <= w.s.bounds.ChangeBytes/2 {
		return err
	}
	return w.stageRest()
}

// stageRest stages the rest.
func (w *writer) stageRest() error {
	if !w.staged {
		if err := w.s.clean(w.ctx); err != nil {
			return err
		}
		w.staged, w.s.dirty = true, true
	}
	all := make([]kv.Pair, 0, len(w.rest.Set)+len(w.rest.Delete))
	for _, p := range w.rest.Set {
		all = append(all, kv.Pair{Key: stagedKey(p.Key), Value: append([]byte{stagedSet}, p.Value...)})
	}
	for _, k := range w.rest.Delete {
		all = append(all, kv.Pair{Key: stagedKey(k), Value: []byte{stagedDelete}})
	}
	w.rest = kv.Changes{}
	slices.SortFunc(all, func(a, b kv.Pair) int { return cmp.Compare(string(a.Key), string(b.Key)) })
	return w.writeAll(kv.Changes{Set: all}, nil)
}

// writeAll sets pairs in as many transactions as the table needs.
func (w *writer) writeAll(c kv.Changes, change func(r *record)) error {
	for all := c.Set; len(all) > 0; {
		n, size := 0, 0
		for n < len(all) {
			size += len(all[n].Key) + len(all[n].Value) + pairBytes
			if most := w.s.bounds.ChangeBytes; n > 0 && most > 0 && size > most {
				break
			}
			n++
		}
		if err := w.s.write(w.ctx, &kv.Changes{Set: all[:n], New: c.New}, change); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}
