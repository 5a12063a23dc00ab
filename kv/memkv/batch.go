package memkv

import (
	"bytes"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

type opKind uint8

const (
	opSet opKind = iota
	opDelete
	opDeleteRange
	opMerge
)

// op is one operation of a batch; val is the end of a range delete.
type op struct {
	kind     opKind
	key, val []byte
}

// batch implements kv.Batch. Its keys and values become the tree's.
type batch struct {
	store *Store
	ops   []op
	size  int
	err   error // the first key the schema refuses
	used  bool
}

func (b *batch) Set(k, v []byte)    { b.point(opSet, k, v) }
func (b *batch) Delete(k []byte)    { b.point(opDelete, k, nil) }
func (b *batch) Merge(k, op []byte) { b.point(opMerge, k, op) }
func (b *batch) Bytes() int         { return b.size }

func (b *batch) point(kind opKind, k, v []byte) {
	if b.err == nil {
		b.err = b.store.schema.ValidateKey(k)
	}
	b.add(kind, k, v)
}

func (b *batch) DeleteRange(lo, hi []byte) {
	if bytes.Compare(lo, hi) < 0 {
		b.add(opDeleteRange, lo, hi)
	}
}

func (b *batch) add(kind opKind, k, v []byte) {
	buf := make([]byte, 0, len(k)+len(v))
	buf = append(append(buf, k...), v...)
	b.ops = append(b.ops, op{kind, buf[:len(k):len(k)], buf[len(k):]})
	b.size += len(buf) + 16
}

// writer implements kv.SortedWriter on a batch. Its error is the batch's.
type writer struct {
	batch *batch
	last  []byte // the last key
	until []byte // end of the last range that is removed
}

func (w *writer) Set(k, v []byte) error    { return w.add(opSet, k, v) }
func (w *writer) Merge(k, op []byte) error { return w.add(opMerge, k, op) }
func (w *writer) Delete(k []byte) error    { return w.add(opDelete, k, nil) }

func (w *writer) DeleteRange(lo, hi []byte) error {
	b := w.batch
	if b.err != nil || bytes.Compare(lo, hi) >= 0 {
		return b.err
	}
	if w.last != nil && bytes.Compare(w.last, lo) >= 0 || bytes.Compare(w.until, lo) > 0 {
		b.err = fmt.Errorf("%w: a range from %x", kv.ErrOrder, lo)
		return b.err
	}
	w.until = bytes.Clone(hi)
	b.DeleteRange(lo, hi)
	return b.err
}

func (w *writer) add(kind opKind, k, v []byte) error {
	b := w.batch
	if w.last != nil && b.err == nil && bytes.Compare(w.last, k) >= 0 {
		b.err = fmt.Errorf("%w: %x after %x", kv.ErrOrder, k, w.last)
	}
	b.point(kind, k, v)
	if b.err == nil {
		w.last = b.ops[len(b.ops)-1].key
	}
	return b.err
}
