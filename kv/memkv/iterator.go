package memkv

import (
	"bytes"
	"context"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

// iterator implements kv.Iterator on one published tree.
type iterator struct {
	ctx     context.Context
	schema  *kv.Schema
	handles *lifetime.Handles
	cursor  cursor
	lo, hi  []byte // hi nil is open
	cur     *node  // nil where not valid
	prefix  []byte
	within  bool // confined to prefix
	err     error
	closed  bool
}

func (it *iterator) Valid() bool { return it.cur != nil }
func (it *iterator) Err() error  { return it.err }

func (it *iterator) Key() []byte {
	if it.cur == nil {
		return nil
	}
	return it.cur.key
}

func (it *iterator) Value() []byte {
	if it.cur == nil {
		return nil
	}
	return it.cur.val
}

func (it *iterator) Close() error {
	it.cur = nil
	if !it.closed {
		it.closed = true
		it.cursor = cursor{}
		it.handles.Iterators.Add(-1)
	}
	return nil
}

// begin prepares a positioning call and reports whether it may go on.
func (it *iterator) begin() bool {
	if it.err == nil {
		if it.closed {
			it.err = kv.ErrClosed
		} else {
			it.err = it.ctx.Err()
		}
	}
	if it.err != nil {
		it.cur = nil
		return false
	}
	return true
}

// settle makes n the current node where it is within the bounds and prefix.
func (it *iterator) settle(n *node) bool {
	it.cur = nil
	switch {
	case n == nil,
		bytes.Compare(n.key, it.lo) < 0,
		it.hi != nil && bytes.Compare(n.key, it.hi) >= 0,
		it.within && !bytes.Equal(prefix(it.schema, n.key), it.prefix):
		return false
	}
	it.cur = n
	return true
}

func (it *iterator) First() bool {
	if !it.begin() {
		return false
	}
	it.within = false
	return it.settle(it.cursor.seekGE(it.lo))
}

func (it *iterator) Last() bool {
	if !it.begin() {
		return false
	}
	it.within = false
	return it.settle(it.cursor.seekLT(it.hi))
}

func (it *iterator) SeekGE(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.within = false
	return it.settle(it.cursor.seekGE(it.clamp(k)))
}

func (it *iterator) SeekPrefix(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.within = true
	it.prefix = append(it.prefix[:0], prefix(it.schema, k)...)
	return it.settle(it.cursor.seekGE(it.clamp(k)))
}

func (it *iterator) clamp(k []byte) []byte {
	if bytes.Compare(k, it.lo) < 0 {
		return it.lo
	}
	return k
}

func (it *iterator) Next() bool {
	return it.cur != nil && it.begin() && it.settle(it.cursor.next())
}

func (it *iterator) Prev() bool {
	return it.cur != nil && it.begin() && it.settle(it.cursor.prev())
}

func prefix(s *kv.Schema, k []byte) []byte {
	if len(k) == 0 {
		return k
	}
	return k[:s.Split(k)]
}
