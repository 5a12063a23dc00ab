package tablekv

import (
	"bytes"
	"context"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

// An iterator reads windows of rows. Each further window of a scan is four times as
// large, up to most rows, or to what takes about mostBytes.
const (
	leastRows = 32
	mostRows  = 4096
	mostBytes = 2 << 20
)

// iterator implements kv.Iterator.
type iterator struct {
	ctx    context.Context
	v      *view
	lo, hi []byte

	// win has all pairs from winLo to winHi.
	win          []kv.Pair
	winLo, winHi []byte
	at           int
	rows         int // of the next window of the scan

	valid  bool
	prefix []byte
	within bool // confined to prefix
	err    error
	closed bool
}

// newIterator returns an iterator over a view that it releases.
func newIterator(ctx context.Context, v *view, lo, hi []byte) *iterator {
	v.s.handles.Iterators.Add(1)
	it := &iterator{ctx: ctx, v: v, lo: append([]byte{}, lo...), hi: bytes.Clone(bounded(hi)), rows: leastRows}
	if bytes.Compare(it.lo, it.hi) > 0 {
		it.lo = it.hi
	}
	it.winLo, it.winHi = it.lo, it.lo
	return it
}

func (it *iterator) Valid() bool { return it.valid }
func (it *iterator) Err() error  { return it.err }

func (it *iterator) Key() []byte {
	if !it.valid {
		return nil
	}
	return it.win[it.at].Key
}

func (it *iterator) Value() []byte {
	if !it.valid {
		return nil
	}
	return it.win[it.at].Value
}

func (it *iterator) Close() error {
	it.valid = false
	if !it.closed {
		it.closed = true
		it.win = nil
		it.v.s.handles.Iterators.Add(-1)
		it.v.release()
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
	it.valid = false
	return it.err == nil
}

// forward makes the first pair at or after k the current one. It reads on from the end of
// the window if k is there, else a window of its own that begins with k, up to end.
func (it *iterator) forward(k, end []byte) bool {
	for {
		if bytes.Compare(k, it.winLo) >= 0 && bytes.Compare(k, it.winHi) < 0 {
			at, _ := slices.BinarySearchFunc(it.win, k, func(p kv.Pair, k []byte) int { return bytes.Compare(p.Key, k) })
			if at < len(it.win) {
				it.at = at
				return it.settle()
			}
			k = it.winHi
		}
		if bytes.Compare(k, end) >= 0 {
			return false
		}
		if !bytes.Equal(k, it.winHi) {
			it.rows = leastRows
		}
		win, to, err := it.v.page(it.ctx, k, end, false, it.rows)
		if err != nil {
			it.err = err
			return false
		}
		it.win, it.winLo, it.winHi = win, k, to
		it.grow()
		if len(win) > 0 {
			it.at = 0
			return it.settle()
		}
		if k = to; bytes.Compare(k, end) >= 0 {
			return false
		}
	}
}

// backward makes the last pair before k the current one.
func (it *iterator) backward(k []byte) bool {
	for {
		if bytes.Compare(k, it.winLo) > 0 && bytes.Compare(k, it.winHi) <= 0 {
			at, _ := slices.BinarySearchFunc(it.win, k, func(p kv.Pair, k []byte) int { return bytes.Compare(p.Key, k) })
			if at > 0 {
				it.at = at - 1
				return it.settle()
			}
			k = it.winLo
		}
		if bytes.Compare(k, it.lo) <= 0 {
			return false
		}
		if !bytes.Equal(k, it.winLo) {
			it.rows = leastRows
		}
		win, from, err := it.v.page(it.ctx, it.lo, k, true, it.rows)
		if err != nil {
			it.err = err
			return false
		}
		it.win, it.winLo, it.winHi = win, from, k
		it.grow()
		if len(win) > 0 {
			it.at = len(win) - 1
			return it.settle()
		}
		if k = from; bytes.Compare(k, it.lo) <= 0 {
			return false
		}
	}
}

// grow sets the rows of the next window from those of the last.
func (it *iterator) grow() {
	size := 0
	for _, p := range it.win {
		size += len(p.Key) + len(p.Value)
	}
	it.rows = min(4*it.rows, mostRows)
	if size > 0 {
		it.rows = max(leastRows, min(it.rows, mostBytes*len(it.win)/size))
	}
}

// settle makes the pair at the current place valid if it has the prefix.
func (it *iterator) settle() bool {
	it.valid = !it.within || bytes.Equal(it.prefixOf(it.win[it.at].Key), it.prefix)
	return it.valid
}

func (it *iterator) prefixOf(k []byte) []byte {
	if len(k) == 0 {
		return k
	}
	return k[:it.v.s.schema.Split(k)]
}

func (it *iterator) First() bool {
	it.within = false
	return it.begin() && it.forward(it.lo, it.hi)
}

func (it *iterator) Last() bool {
	it.within = false
	return it.begin() && it.backward(it.hi)
}

func (it *iterator) SeekGE(k []byte) bool {
	it.within = false
	return it.begin() && it.forward(it.clamp(k), it.hi)
}

func (it *iterator) SeekPrefix(k []byte) bool {
	if !it.begin() {
		return false
	}
	it.within = true
	it.prefix = append(it.prefix[:0], it.prefixOf(k)...)
	return it.forward(it.clamp(k), it.prefixEnd())
}

// prefixEnd returns where the keys with the prefix end, within the bounds.
func (it *iterator) prefixEnd() []byte {
	end := bytes.Clone(it.prefix)
	for len(end) > 0 && end[len(end)-1] == 0xFF {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return it.hi
	}
	if end[len(end)-1]++; bytes.Compare(end, it.hi) > 0 {
		return it.hi
	}
	return end
}

func (it *iterator) clamp(k []byte) []byte {
	switch {
	case bytes.Compare(k, it.lo) < 0:
		return it.lo
	case bytes.Compare(k, it.hi) > 0:
		return it.hi
	}
	return bytes.Clone(k)
}

func (it *iterator) Next() bool {
	if !it.valid {
		return false
	}
	if !it.begin() {
		return false
	}
	if it.at+1 < len(it.win) {
		it.at++
		return it.settle()
	}
	end := it.hi
	if it.within {
		end = it.prefixEnd()
	}
	return it.forward(it.winHi, end)
}

func (it *iterator) Prev() bool {
	if !it.valid || !it.begin() {
		return false
	}
	if it.at > 0 {
		it.at--
		return it.settle()
	}
	return it.backward(it.winLo)
}
