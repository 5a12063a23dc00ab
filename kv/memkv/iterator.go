package memkv

import (
	"bytes"
	"context"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
	"github.com/tidwall/btree"
)

// iterator implements kv.Iterator on one published tree.
type iterator struct {
	ctx     context.Context
	schema  *kv.Schema
	handles *lifetime.Handles
	at      btree.IterG[*item]
	lo, hi  []byte // hi nil is open
	cur     *item  // that at is on, if valid
	valid   bool
	prefix  []byte
	within  bool // confined to prefix
	err     error
	closed  bool
}

func (it *iterator) Valid() bool { return it.valid }
func (it *iterator) Err() error  { return it.err }

func (it *iterator) Key() []byte {
	if !it.valid {
		return nil
	}
	return it.cur.key
}

func (it *iterator) Value() []byte {
	if !it.valid {
		return nil
	}
	return it.cur.val
}

func (it *iterator) Close() error {
	it.valid = false
	if !it.closed {
		it.closed = true
		it.at.Release()
		it.cur = nil
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
		it.valid = false
		return false
	}
	return true
}

// settle makes the item that at has moved to the current one if it is within
// the bounds and the prefix. moved is false if there is none.
func (it *iterator) settle(moved bool) bool {
	it.valid = false
	if !moved {
		return false
	}
	it.cur = it.at.Item()
	it.valid = bytes.Compare(it.cur.key, it.lo) >= 0 &&
		(it.hi == nil || bytes.Compare(it.cur.key, it.hi) < 0) &&
		(!it.within || bytes.Equal(prefix(it.schema, it.cur.key), it.prefix))
	return it.valid
}

// seekLast moves to the last key below the upper bound.
func (it *iterator) seekLast() bool {
	if it.hi != nil && it.at.Seek(&item{key: it.hi}) {
		return it.at.Prev()
	}
	return it.at.Last()
}

func (it *iterator) First() bool {
	if !it.begin() {
		return false
	}
	it.within = false
	return it.settle(it.at.Seek(&item{key: it.lo}))
}

func (it *iterator) Last() bool {
	if !it.begin() {
		return false
	}
	it.within = false
	return it.settle(it.seekLast())
}

func (it *iterator) SeekGE(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.within = false
	return it.settle(it.at.Seek(&item{key: it.clamp(k)}))
}

func (it *iterator) SeekPrefix(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.within = true
	it.prefix = append(it.prefix[:0], prefix(it.schema, k)...)
	return it.settle(it.at.Seek(&item{key: it.clamp(k)}))
}

func (it *iterator) clamp(k []byte) []byte {
	if bytes.Compare(k, it.lo) < 0 {
		return it.lo
	}
	return k
}

func (it *iterator) Next() bool {
	return it.valid && it.begin() && it.settle(it.at.Next())
}

func (it *iterator) Prev() bool {
	return it.valid && it.begin() && it.settle(it.at.Prev())
}

func prefix(s *kv.Schema, k []byte) []byte {
	if len(k) == 0 {
		return k
	}
	return k[:s.Split(k)]
}
