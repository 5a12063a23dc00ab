package engine

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// termWriter writes what an overlay holds with the spilled terms in their
// places between.
type termWriter struct {
	tx   *Tx
	w    kv.SortedWriter
	sums *spill // as settleSums wrote them, nil if no node loses a term

	begun bool
	lists []keptList // forward lists that are to be written, ascending
}

func (t *termWriter) Set(k, v []byte) error {
	if skip, err := t.upTo(k); skip || err != nil {
		return err
	}
	return t.w.Set(k, v)
}

func (t *termWriter) Merge(k, op []byte) error {
	if skip, err := t.upTo(k); skip || err != nil {
		return err
	}
	return t.w.Merge(k, op)
}

func (t *termWriter) Delete(k []byte) error {
	if skip, err := t.upTo(k); skip || err != nil {
		return err
	}
	return t.w.Delete(k)
}

func (t *termWriter) DeleteRange(lo, hi []byte) error {
	if _, err := t.upTo(lo); err != nil {
		return err
	}
	return t.w.DeleteRange(lo, hi)
}

// upTo writes the terms that come before a key. skip says that the key is a
// list that was written again since it went to the overlay.
func (t *termWriter) upTo(key []byte) (skip bool, err error) {
	if layout.Tag(key[0]) < layout.TagPostings {
		return false, nil
	}
	if err := t.begin(); err != nil {
		return false, err
	}
	for len(t.lists) > 0 {
		next := t.lists[0].key.key()
		if c := bytes.Compare(next, key); c >= 0 {
			return c == 0, nil
		}
		if err := t.writeList(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// begin writes postings and sums.
func (t *termWriter) begin() error {
	if t.begun {
		return nil
	}
	t.begun = true
	t.lists = t.tx.spill.lists.sorted()
	if err := t.writePostings(); err != nil {
		return err
	}
	return t.eachSum(func(op *sortedOp) error {
		if op.gone {
			return t.w.Delete(op.key)
		}
		return t.w.Merge(op.key, op.value)
	})
}

func (t *termWriter) end() error {
	if err := t.begin(); err != nil {
		return err
	}
	for len(t.lists) > 0 {
		if err := t.writeList(); err != nil {
			return err
		}
	}
	return nil
}

func (t *termWriter) writeList() error {
	next := t.lists[0]
	t.lists = t.lists[1:]
	key := next.key.key()
	b, err := t.tx.spill.lists.value(next.at)
	switch {
	case errors.Is(err, ErrNotFound):
		return t.w.Delete(key)
	case err != nil:
		return err
	}
	return t.w.Set(key, b)
}

// eachSum calls fn with the sums in order.
func (t *termWriter) eachSum(fn func(op *sortedOp) error) error {
	if t.sums == nil {
		return t.tx.spill.sums.each(t.tx.ctx, func(op *sortedOp) error {
			var change [2]int64
			if layout.ReadSum(op.value, change[:]) && change == [2]int64{} {
				return nil
			}
			return fn(op)
		})
	}
	next := t.sumReader()
	for {
		op, err := next()
		if op == nil || err != nil {
			return err
		}
		if err := fn(op); err != nil {
			return err
		}
	}
}

// sumReader returns what reads the sums in order, nil after the last one.
func (t *termWriter) sumReader() func() (*sortedOp, error) {
	readers := t.sums.readers(spillBuffer)
	op := &sortedOp{}
	return func() (*sortedOp, error) {
		if len(readers) == 0 {
			return nil, nil
		}
		ok, err := readOp(readers[0], op)
		if !ok || err != nil {
			return nil, err
		}
		return op, nil
	}
}

// writePostings writes the postings. If nodes lose terms the sums tell which
// terms have none left: their containers go.
func (t *termWriter) writePostings() error {
	s := t.tx.spill
	if !s.removes {
		return s.postings.each(t.tx.ctx, t.writeContainer)
	}
	next := t.sumReader()
	sum, err := next()
	if err != nil {
		return err
	}
	var dropped []byte // the last term whose containers were dropped
	return s.postings.each(t.tx.ctx, func(op *sortedOp) error {
		field, term, _ := layout.PostingsOf(op.key)
		g := binary.BigEndian.Uint32(op.key[1:])
		key := layout.LexSum(g, field, term)
		for sum != nil && bytes.Compare(sum.key, key) < 0 {
			if sum, err = next(); err != nil {
				return err
			}
		}
		switch {
		case sum == nil || !bytes.Equal(sum.key, key):
			return t.writeOrDrop(g, &sortedOp{key: key, value: layout.AppendSum(nil, 0, 0)}, op)
		case !sum.gone:
			return t.writeOrDrop(g, sum, op)
		case bytes.Equal(dropped, key):
			return nil
		}
		dropped = key
		return t.dropTerm(layout.PostingsTerm(g, field, term))
	})
}

// dropTerm removes all containers of a term.
func (t *termWriter) dropTerm(prefix []byte) error {
	for p, err := range scan(t.tx.ctx, t.tx.base, prefix) {
		if err != nil {
			return err
		}
		if err := t.w.Delete(p.key); err != nil {
			return err
		}
	}
	return nil
}

// writeOrDrop writes the change of a container, or removes the container if
// it loses its last node, as dropEmptyPostings does.
func (t *termWriter) writeOrDrop(g uint32, sum, op *sortedOp) error {
	if t.lastNode(g) > 1<<16 {
		total, err := t.tx.sumAfter(sum)
		if err != nil {
			return err
		}
		if total[0] <= fewPostings {
			b, err := t.tx.folded(op)
			if err != nil {
				return err
			}
			if layout.IsEmpty(layout.TagPostings, b) {
				return t.w.Delete(op.key)
			}
		}
	}
	return t.writeContainer(op)
}

// writeContainer writes the change of a container, as a whole value if no node of
// it had terms before.
func (t *termWriter) writeContainer(op *sortedOp) error {
	field, container := layout.PostingsContainer(op.key)
	if v := t.tx.graphs[binary.BigEndian.Uint32(op.key[1:])]; v == nil || !v.fresh(field, container) {
		return t.w.Merge(op.key, op.value)
	}
	b := wholePostings(op.key, op.value)
	if layout.IsEmpty(layout.TagPostings, b) {
		return t.w.Delete(op.key) // what is there has no nodes
	}
	return t.w.Set(op.key, b)
}

// lastNode returns the next node id of a graph of the transaction.
func (t *termWriter) lastNode(g uint32) uint64 {
	if v := t.tx.graphs[g]; v != nil {
		return v.nextNode
	}
	return 0
}
