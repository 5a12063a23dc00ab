package pebblekv

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ragdb/ragdb/kv"
)

// iterator implements kv.Iterator.
type iterator struct {
	store  *Store
	ctx    context.Context
	it     *pebble.Iterator
	shared *readers // of a snapshot; nil for an iterator of its own
	rd     *reader  // that it is, where of is not nil
	lo, hi []byte   // hi nil is open
	empty  bool     // hi <= lo

	valid    bool
	prefixed bool // confined to prefix
	native   bool // Pebble's own prefix mode, which has no Prev
	prefix   []byte
	err      error
	closed   bool
}

// iter returns an iterator of src, of the readers of a snapshot if shared is not
// nil.
func (s *Store) iter(ctx context.Context, src source, shared *readers, lo, hi []byte) (kv.Iterator, error) {
	it := &iterator{store: s, ctx: ctx, shared: shared}
	it.lo = append(it.lo, lo...)
	if hi != nil {
		it.hi = append([]byte{}, hi...)
		it.empty = bytes.Compare(hi, lo) <= 0
	}
	if err := it.open(src); err != nil {
		return nil, s.wrapRead("iter", err)
	}
	s.handles.Iterators.Add(1)
	return it, nil
}

// open gets Pebble's iterator. A prefix without a key is mostly found absent by
// the filters, those of the last level too.
func (it *iterator) open(src source) (err error) {
	if it.shared != nil {
		if it.rd, err = it.shared.take(src); err != nil {
			return err
		}
		if it.it = it.rd.it; !it.empty {
			it.it.SetBounds(it.lo, it.hi)
		}
		return nil
	}
	opts := &pebble.IterOptions{LowerBound: it.lo, UpperBound: it.hi, UseL6Filters: true}
	if it.empty {
		opts = nil
	}
	it.it, err = src.NewIter(opts)
	return err
}

func (it *iterator) Valid() bool { return it.valid }
func (it *iterator) Err() error  { return it.err }

func (it *iterator) Key() []byte {
	if !it.valid {
		return nil
	}
	return it.it.Key()
}

// Value returns the value; if it cannot be read the iterator ends and Err
// tells why.
func (it *iterator) Value() []byte {
	if !it.valid {
		return nil
	}
	v, err := it.it.ValueAndErr()
	if err != nil {
		it.valid = false
		it.err = it.store.wrapRead("read", err)
		return nil
	}
	return v
}

func (it *iterator) Close() error {
	if it.closed {
		return nil
	}
	it.closed, it.valid = true, false
	err := it.release()
	it.store.handles.Iterators.Add(-1)
	return it.store.wrap("close iterator of", err)
}

// release closes Pebble's iterator, or gives it back without bounds.
func (it *iterator) release() error {
	if it.shared == nil {
		return it.it.Close()
	}
	it.rd.reads++
	if it.err == nil {
		it.it.SetBounds(nil, nil)
	}
	return it.shared.put(it.rd, it.err)
}

// begin prepares a positioning call and reports whether it may go on.
func (it *iterator) begin() bool {
	if it.err == nil {
		if it.closed {
			it.err = kv.ErrClosed
		} else if err := it.ctx.Err(); err != nil {
			it.err = it.store.wrapRead("read", err)
		}
	}
	if it.err != nil || it.empty {
		it.valid = false
		return false
	}
	return true
}

// settle ends a positioning call that found a key or not.
func (it *iterator) settle(found bool) bool {
	it.valid = found
	if !found {
		it.err = it.store.wrapRead("read", it.it.Error())
	} else if it.prefixed && !it.native {
		k := it.it.Key()
		it.valid = bytes.Equal(k[:split(it.store.schema, k)], it.prefix)
	}
	return it.valid
}

func (it *iterator) First() bool {
	if !it.begin() {
		return false
	}
	it.prefixed, it.native = false, false
	return it.settle(it.it.First())
}

func (it *iterator) Last() bool {
	if !it.begin() {
		return false
	}
	it.prefixed, it.native = false, false
	return it.settle(it.it.Last())
}

func (it *iterator) SeekGE(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.prefixed, it.native = false, false
	return it.settle(it.seekGE(k))
}

// seekGE seeks in Pebble, whose assertions do not take an empty key.
func (it *iterator) seekGE(k []byte) bool {
	if len(k) == 0 {
		return it.it.First()
	}
	return it.it.SeekGE(k)
}

func (it *iterator) SeekPrefix(k []byte) bool {
	if !it.begin() {
		return false
	}
	n := split(it.store.schema, k)
	it.prefix = append(it.prefix[:0], k[:n]...)
	it.prefixed, it.native = true, n > 0
	if n == 0 {
		return it.settle(it.seekGE(k))
	}
	// Pebble refuses a seek outside its bounds.
	if bytes.Compare(k, it.lo) < 0 {
		if !bytes.Equal(it.lo[:split(it.store.schema, it.lo)], it.prefix) {
			it.valid = false
			return false
		}
		k = it.lo
	}
	if it.hi != nil && bytes.Compare(k, it.hi) >= 0 {
		it.valid = false
		return false
	}
	return it.settle(it.it.SeekPrefixGE(k))
}

func (it *iterator) Next() bool {
	return it.valid && it.begin() && it.settle(it.it.Next())
}

func (it *iterator) Prev() bool {
	if !it.valid || !it.begin() {
		return false
	}
	if it.native {
		it.native = false
		return it.settle(it.it.SeekLT(bytes.Clone(it.it.Key())))
	}
	return it.settle(it.it.Prev())
}
