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
}

func (w writer) Set(k, v []byte) error    { return w.add(opSet, k, v) }
func (w writer) Merge(k, op []byte) error { return w.add(opMerge, k, op) }

func (w writer) add(kind opKind, k, v []byte) error {
	b := w.batch
	if n := len(b.ops); n > 0 && b.err == nil && bytes.Compare(b.ops[n-1].key, k) >= 0 {
		b.err = fmt.Errorf("%w: %x after %x", kv.ErrOrder, k, b.ops[n-1].key)
	}
	b.point(kind, k, v)
	return b.err
}
