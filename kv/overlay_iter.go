package kv

import (
	"bytes"
	"context"
)

// Iter returns an iterator over lo <= key < hi that sees the state of this
// moment.
func (o *Overlay) Iter(ctx context.Context, lo, hi []byte) (Iterator, error) {
	base, err := o.base.Iter(ctx, lo, hi)
	if err != nil {
		return nil, err
	}
	it := &overlayIterator{o: o, ctx: ctx, seq: o.ops.n, base: base, atRun: -1}
	for _, keys := range o.keys.sorted(lo, hi) {
		it.runs = append(it.runs, runCursor{keys: keys})
	}
	return it, nil
}

// runCursor is a place in one sorted run of pending keys; forward it may be
// len(keys), backward -1.
type runCursor struct {
	keys []string
	at   int
}

// overlayIterator merges a base iterator with the runs of pending keys. The
// cursors stand at the current key or, those without it, beyond it in the
// direction of travel.
type overlayIterator struct {
	o    *Overlay
	ctx  context.Context
	seq  int // operations from here on are not seen
	base Iterator
	runs []runCursor

	backward bool
	valid    bool
	atBase   bool // the base stands at the current key
	atRun    int  // the run that stands at the current key, or -1
	key, val []byte
	keyBuf   []byte

	prefixed bool // confined to prefix
	prefix   []byte
	err      error
	closed   bool
}

func (it *overlayIterator) Valid() bool { return it.valid }
func (it *overlayIterator) Err() error  { return it.err }

func (it *overlayIterator) Key() []byte {
	if !it.valid {
		return nil
	}
	return it.key
}

func (it *overlayIterator) Value() []byte {
	if !it.valid {
		return nil
	}
	return it.val
}

func (it *overlayIterator) Close() error {
	it.valid = false
	if it.closed {
		return nil
	}
	it.closed = true
	return it.base.Close()
}

// begin prepares a positioning call and reports whether it may go on.
func (it *overlayIterator) begin() bool {
	if it.err == nil {
		if it.closed {
			it.err = ErrClosed
		} else {
			it.err = it.ctx.Err()
		}
	}
	if it.err != nil {
		it.valid = false
		return false
	}
	return true
}

func (it *overlayIterator) First() bool {
	if !it.begin() {
		return false
	}
	it.prefixed, it.backward = false, false
	it.base.First()
	for i := range it.runs {
		it.runs[i].at = 0
	}
	return it.settle()
}

func (it *overlayIterator) Last() bool {
	if !it.begin() {
		return false
	}
	it.prefixed, it.backward = false, true
	it.base.Last()
	for i := range it.runs {
		it.runs[i].at = len(it.runs[i].keys) - 1
	}
	return it.settle()
}

func (it *overlayIterator) SeekGE(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.prefixed = false
	it.base.SeekGE(k)
	return it.seekRuns(k)
}

func (it *overlayIterator) SeekPrefix(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.prefixed = true
	it.prefix = append(it.prefix[:0], k[:it.o.schema.split(k)]...)
	it.base.SeekPrefix(k)
	return it.seekRuns(k)
}

func (it *overlayIterator) seekRuns(k []byte) bool {
	it.backward = false
	for i := range it.runs {
		it.runs[i].at = atLeast(it.runs[i].keys, k)
	}
	return it.settle()
}

func (it *overlayIterator) Next() bool {
	if !it.valid || !it.begin() {
		return false
	}
	if it.backward {
		it.turnForward()
	} else {
		it.advance()
	}
	return it.settle()
}

func (it *overlayIterator) Prev() bool {
	if !it.valid || !it.begin() {
		return false
	}
	if it.backward {
		it.advance()
	} else {
		it.turnBackward()
	}
	return it.settle()
}

// advance moves the cursors that stand at the current key one step in the
// iterator's direction.
func (it *overlayIterator) advance() {
	step := 1
	if it.backward {
		step = -1
	}
	if it.atRun >= 0 {
		it.runs[it.atRun].at += step
	}
	switch {
	case !it.atBase:
	case it.backward:
		it.base.Prev()
	default:
		it.base.Next()
	}
}

// turnForward moves every cursor to its first key after the current one.
func (it *overlayIterator) turnForward() {
	it.backward = false
	cur := bytes.Clone(it.key)
	for i := range it.runs {
		c := &it.runs[i]
		c.at = atLeast(c.keys, cur)
		if c.at < len(c.keys) && c.keys[c.at] == string(cur) {
			c.at++
		}
	}
	if it.base.SeekGE(cur) && bytes.Equal(it.base.Key(), cur) {
		it.base.Next()
	}
}

// turnBackward moves every cursor to its last key before the current one.
func (it *overlayIterator) turnBackward() {
	it.backward = true
	cur := bytes.Clone(it.key)
	for i := range it.runs {
		it.runs[i].at = atLeast(it.runs[i].keys, cur) - 1
	}
	switch {
	case it.base.SeekGE(cur):
		it.base.Prev()
	case it.base.Err() == nil:
		it.base.Last()
	}
}

func (it *overlayIterator) end() bool {
	it.valid = false
	return false
}

// settle finds, from the cursors on in the iterator's direction, the first key
// with a value.
func (it *overlayIterator) settle() bool {
	for {
		run, key := it.nearest()
		if !it.base.Valid() {
			if it.err = it.base.Err(); it.err != nil || run < 0 {
				return it.end()
			}
		}
		if !it.choose(run, key) {
			return it.end()
		}
		if it.load() {
			return true
		}
		if it.err != nil {
			return it.end()
		}
		if it.atRun < 0 && !it.backward {
			// A base key that only a range delete hides: go to the range's end.
			r := it.o.covering(string(it.key), -1, it.seq)
			it.base.SeekGE(it.o.ops.at(r).val)
			continue
		}
		it.advance()
	}
}

// nearest returns the run whose pending key comes first in the iterator's
// direction, and the key; -1 if no run has any.
func (it *overlayIterator) nearest() (run int, key string) {
	if it.backward {
		return it.largest()
	}
	return it.smallest()
}

func (it *overlayIterator) smallest() (run int, key string) {
	run = -1
	for i := range it.runs {
		c := &it.runs[i]
		if c.at < len(c.keys) && (run < 0 || c.keys[c.at] < key) {
			run, key = i, c.keys[c.at]
		}
	}
	return run, key
}

func (it *overlayIterator) largest() (run int, key string) {
	run = -1
	for i := range it.runs {
		c := &it.runs[i]
		if c.at >= 0 && (run < 0 || c.keys[c.at] > key) {
			run, key = i, c.keys[c.at]
		}
	}
	return run, key
}

// choose makes the nearer of the base's key and the pending key the current
// one, both if they are equal. It returns false beyond the prefix.
func (it *overlayIterator) choose(run int, key string) bool {
	it.atBase, it.atRun = it.base.Valid(), run
	if it.atBase && run >= 0 {
		k := it.base.Key()
		switch {
		case string(k) == key:
		case (string(k) < key) != it.backward:
			it.atRun = -1
		default:
			it.atBase = false
		}
	}
	if it.atRun >= 0 {
		it.keyBuf = append(it.keyBuf[:0], key...)
		it.key = it.keyBuf
	} else {
		it.key = it.base.Key()
	}
	if !it.prefixed {
		return true
	}
	return bytes.Equal(it.key[:it.o.schema.split(it.key)], it.prefix)
}

// load resolves the current key and reports whether it has a value.
func (it *overlayIterator) load() bool {
	p := pending{state: untouched}
	if it.atRun >= 0 {
		p = it.o.lookup(it.runs[it.atRun].keys[it.runs[it.atRun].at], it.seq)
	} else if it.o.covered(string(it.key), -1, it.seq) {
		p.state = absent
	}
	var base []byte
	if it.atBase {
		base = it.base.Value()
		if it.err = it.base.Err(); it.err != nil {
			return false
		}
	}
	switch p.state {
	case untouched:
		it.val, it.valid = base, it.atBase
	case absent:
		it.valid = false
	case final:
		it.val, it.valid = p.val, true
	case operand:
		it.val, it.valid = it.o.over(it.key, p.val, base, it.atBase), true
	}
	return it.valid
}

// split is Split, for an empty key too.
func (s *Schema) split(k []byte) int {
	if len(k) == 0 {
		return 0
	}
	return s.Split(k)
}
