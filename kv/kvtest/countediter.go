package kvtest

import (
	"bytes"
	"context"

	"github.com/ragdb/ragdb/kv"
)

// The windows of a scan: the first has leastRows, each further one four times as many, up
// to mostRows or about mostBytes.
const (
	leastRows = 32
	mostRows  = 4096
	mostBytes = 2 << 20
)

// iter returns an iterator of r that counts.
func (c *Counter) iter(ctx context.Context, r kv.Reader, lo, hi []byte) (kv.Iterator, error) {
	c.note(1)
	it, err := r.Iter(ctx, lo, hi)
	if err != nil {
		return nil, err
	}
	ahead, err := r.Iter(ctx, lo, hi)
	if err != nil {
		_ = it.Close()
		return nil, err
	}
	return &countedIterator{Iterator: it, c: c, ahead: ahead, rows: leastRows}, nil
}

// countedIterator counts the keys that it comes to, and the windows that a store behind
// a server would have read for them.
type countedIterator struct {
	kv.Iterator
	c     *Counter
	ahead kv.Iterator // finds where windows end
	rows  int         // of the next window
	// The window has all keys from first to last, and to the end of the range, or of a
	// prefix, if end is set, and from its start if start is.
	first, last []byte
	start, end  bool
	within      bool // the window ends with a prefix
}

// at notes a positioning that ended at a key, or at none.
func (it *countedIterator) at(ok bool) bool {
	if ok {
		it.c.note(0, it.Key())
	}
	return ok
}

// has reports whether the window tells what a seek of k finds.
func (it *countedIterator) has(k []byte) bool {
	if it.first == nil || bytes.Compare(k, it.first) < 0 {
		return false
	}
	return bytes.Compare(k, it.last) <= 0 || it.end && !it.within
}

// read reads a window that begins, or ends if back is set, where position brings an
// iterator.
func (it *countedIterator) read(from []byte, back bool, position func(kv.Iterator) bool) {
	it.c.trip()
	step := it.ahead.Next
	if back {
		step = it.ahead.Prev
	}
	near, far := bytes.Clone(from), bytes.Clone(from)
	n, size := 0, 0
	for ok := position(it.ahead); ok && n < it.rows; ok = step() {
		if n == 0 && near == nil {
			near = bytes.Clone(it.ahead.Key())
		}
		far = append(far[:0], it.ahead.Key()...)
		n++
		size += len(it.ahead.Key()) + len(it.ahead.Value())
	}
	short := n < it.rows
	it.first, it.last, it.start, it.end = near, far, false, short
	if back {
		it.first, it.last, it.start, it.end = far, near, short, false
	}
	it.rows = min(4*it.rows, mostRows)
	if size > 0 {
		it.rows = max(leastRows, min(it.rows, mostBytes*n/size))
	}
}

func (it *countedIterator) First() bool {
	if !it.start {
		it.rows, it.within = leastRows, false
		it.read(nil, false, kv.Iterator.First)
		it.start = true
	}
	return it.at(it.Iterator.First())
}

func (it *countedIterator) Last() bool {
	if !it.end || it.within {
		it.rows, it.within = leastRows, false
		it.read(nil, true, kv.Iterator.Last)
		it.end = true
	}
	return it.at(it.Iterator.Last())
}

func (it *countedIterator) SeekGE(k []byte) bool {
	if !it.has(k) {
		it.rows, it.within = leastRows, false
		it.read(k, false, func(i kv.Iterator) bool { return i.SeekGE(k) })
	}
	return it.at(it.Iterator.SeekGE(k))
}

func (it *countedIterator) SeekPrefix(k []byte) bool {
	if !it.has(k) {
		it.rows, it.within = leastRows, true
		it.read(k, false, func(i kv.Iterator) bool { return i.SeekPrefix(k) })
	}
	return it.at(it.Iterator.SeekPrefix(k))
}

func (it *countedIterator) Next() bool {
	was := it.Valid()
	ok := it.Iterator.Next()
	if was && (!ok && !it.end || ok && bytes.Compare(it.Key(), it.last) > 0) {
		from := append(bytes.Clone(it.last), 0)
		it.read(from, false, func(i kv.Iterator) bool {
			if it.within {
				return i.SeekPrefix(it.last) && i.Next()
			}
			return i.SeekGE(from)
		})
	}
	return it.at(ok)
}

func (it *countedIterator) Prev() bool {
	was := it.Valid()
	ok := it.Iterator.Prev()
	if was && (!ok && !it.start || ok && bytes.Compare(it.Key(), it.first) < 0) {
		to := bytes.Clone(it.first)
		it.read(to, true, func(i kv.Iterator) bool { return i.SeekGE(to) && i.Prev() })
	}
	return it.at(ok)
}

// Close implements [kv.Iterator].
func (it *countedIterator) Close() error {
	err := it.ahead.Close()
	if got := it.Iterator.Close(); got != nil {
		return got
	}
	return err
}
