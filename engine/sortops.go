package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// sortedOp is one write of a key.
type sortedOp struct {
	key, value []byte
	merge      bool
	gone       bool // the key is removed
}

func compareOps(a, b *sortedOp) int { return bytes.Compare(a.key, b.key) }

// opSorter sorts writes by key, in memory up to limit bytes of them and in runs
// on disk beyond. Those of one key keep the order in which they were made. It
// is a [kv.Batch] that does not delete.
type opSorter struct {
	arena []byte
	ops   []opRef
	limit int
	spill spill
	err   error // sticky
}

// opRef is an operation whose key and value lie in the arena, one after the
// other.
type opRef struct {
	at, key, value int
	merge          bool
}

// opRefBytes is what an operation takes beside its key and value.
const opRefBytes = 32

var _ kv.Batch = (*opSorter)(nil)

func (s *opSorter) Set(k, v []byte)    { s.add(k, v, false) }
func (s *opSorter) Merge(k, op []byte) { s.add(k, op, true) }

// Delete and DeleteRange fail the load: sorted input cannot delete.
func (s *opSorter) Delete(k []byte)          { s.refuse(k) }
func (s *opSorter) DeleteRange(lo, _ []byte) { s.refuse(lo) }

func (s *opSorter) refuse(k []byte) {
	if s.err == nil {
		s.err = phase.Mark(ErrInvalid, "a load deletes %s", layout.Format(k))
	}
}

// Bytes is the memory in use.
func (s *opSorter) Bytes() int { return len(s.arena) + opRefBytes*len(s.ops) }

func (s *opSorter) empty() bool { return len(s.ops) == 0 && len(s.spill.runs) == 0 }

func (s *opSorter) add(k, v []byte, merge bool) {
	if s.err != nil {
		return
	}
	s.ops = append(s.ops, opRef{at: len(s.arena), key: len(k), value: len(v), merge: merge})
	s.arena = append(append(s.arena, k...), v...)
	if s.Bytes() >= s.limit {
		s.err = s.flush()
	}
}

func (s *opSorter) at(i int) sortedOp {
	op := &s.ops[i]
	value := op.at + op.key
	return sortedOp{key: s.arena[op.at:value], value: s.arena[value : value+op.value], merge: op.merge}
}

func (s *opSorter) sort() {
	slices.SortFunc(s.ops, func(a, b opRef) int {
		c := bytes.Compare(s.arena[a.at:a.at+a.key], s.arena[b.at:b.at+b.key])
		return cmp.Or(c, cmp.Compare(a.at, b.at))
	})
}

// flush writes what is in memory as a run.
func (s *opSorter) flush() error {
	s.sort()
	err := s.spill.write(func(w *bufio.Writer) error {
		for i := range s.ops {
			op := s.at(i)
			if err := writeOp(w, &op); err != nil {
				return err
			}
		}
		return nil
	})
	s.arena, s.ops = s.arena[:0], s.ops[:0]
	return err
}

// writeOp writes an operation of a run:
//
//	uvarint key length | uvarint value length<<2 | gone<<1 | merge | key | value
func writeOp(w *bufio.Writer, op *sortedOp) error {
	kind := uint64(0)
	if op.merge {
		kind = 1
	}
	if op.gone {
		kind |= 2
	}
	head := binary.AppendUvarint(w.AvailableBuffer(), uint64(len(op.key)))
	head = binary.AppendUvarint(head, uint64(len(op.value))<<2|kind)
	for _, b := range [][]byte{head, op.key, op.value} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// each calls fn with every key once, ascending: the operands of a key are
// folded into one. A key that is set twice is [ErrExists], unless it is that of an edge's
// record, of which the last counts.
func (s *opSorter) each(ctx context.Context, fn func(op *sortedOp) error) error {
	if s.err != nil {
		return s.err
	}
	s.sort()
	var runs []*run[sortedOp]
	for i, r := range s.spill.readers(s.limit / 4) {
		runs = append(runs, &run[sortedOp]{rank: i, next: func(op *sortedOp) (bool, error) { return readOp(r, op) }})
	}
	n := 0
	runs = append(runs, &run[sortedOp]{rank: len(runs), next: func(op *sortedOp) (bool, error) {
		if n == len(s.ops) {
			return false, nil
		}
		*op = s.at(n)
		n++
		return true, nil
	}})
	var last opFold
	err := mergeRuns(ctx, runs, compareOps, func(op *sortedOp) error {
		if last.begun && bytes.Equal(op.key, last.key) {
			return last.add(op)
		}
		if err := last.end(fn); err != nil {
			return err
		}
		last.begin(op)
		return nil
	})
	if err != nil {
		return err
	}
	return last.end(fn)
}

// opFold collects the operations of one key.
type opFold struct {
	sortedOp
	begun bool
	fold  kv.Fold // of several operands
}

func (f *opFold) begin(op *sortedOp) {
	f.key = append(f.key[:0], op.key...)
	f.value = append(f.value[:0], op.value...)
	f.merge, f.begun, f.fold = op.merge, true, nil
}

func (f *opFold) add(op *sortedOp) error {
	switch {
	case !f.merge && !op.merge && layout.Tag(f.key[0]) == layout.TagEdge: // an edge may come twice
		f.value = append(f.value[:0], op.value...)
		return nil
	case !f.merge || !op.merge:
		return fmt.Errorf("%s: %w", layout.Format(op.key), ErrExists)
	case f.fold == nil:
		f.fold = layout.NewFold(f.key, f.value)
	}
	f.fold.Newer(op.value)
	return nil
}

func (f *opFold) end(fn func(op *sortedOp) error) error {
	if !f.begun {
		return nil
	}
	f.begun = false
	if f.fold != nil {
		// What the store holds of the key is older.
		return fn(&sortedOp{key: f.key, value: f.fold.Finish(false), merge: true})
	}
	return fn(&f.sortedOp)
}

// readOp reads an operation of a run into op, whose memory it uses again.
func readOp(r *bufio.Reader, op *sortedOp) (bool, error) {
	n, err := binary.ReadUvarint(r)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	kind, err := binary.ReadUvarint(r)
	if err != nil {
		return false, err
	}
	op.merge, op.gone = kind&1 == 1, kind&2 == 2
	op.key = slices.Grow(op.key[:0], int(n))[:n]
	op.value = slices.Grow(op.value[:0], int(kind>>2))[:kind>>2]
	if _, err = io.ReadFull(r, op.key); err == nil {
		_, err = io.ReadFull(r, op.value)
	}
	return true, err
}
