package engine

import (
	"bufio"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// termSpill holds the terms that a transaction writes beyond what it keeps in
// memory, sorted in temporary files. The transaction then commits as sorted
// tables ([kv.Ingester]), which is one commit too.
type termSpill struct {
	postings opSorter // postings key -> operand
	sums     opSorter // sums key -> operand
	lists    listFile // forward lists
	removes  bool     // some node loses a term
}

// Memory of a transaction's terms.
const (
	// spillShare is the part of Options.MaxTxBytes, 1 in so many, that buffered
	// postings take before a transaction moves them to files.
	spillShare = 4
	// spilledBytes bounds what is buffered, and what is sorted, from then on.
	spilledBytes = 8 << 20
)

// spillTerms moves buffered postings to files if they outgrow their memory, or
// the transaction what it may hold.
func (tx *Tx) spillTerms() error {
	limit := tx.db.opts.MaxTxBytes / spillShare
	if tx.spill != nil {
		limit = min(limit, spilledBytes)
	}
	if tx.termBytes <= limit && (tx.termBytes == 0 || tx.Bytes() <= tx.db.opts.MaxTxBytes) {
		return nil
	}
	if tx.spill == nil {
		if _, ok := tx.db.store.(kv.Ingester); !ok {
			return nil
		}
		tx.spill = &termSpill{}
		tx.spill.postings.limit, tx.spill.sums.limit = spilledBytes, spilledBytes/2
		dir := tx.db.spillDir()
		tx.spill.postings.spill.dir, tx.spill.sums.spill.dir, tx.spill.lists.file.dir = dir, dir, dir
	}
	for _, v := range tx.graphs {
		v.spillPostings()
	}
	return tx.spill.err()
}

func (s *termSpill) err() error { return firstError(s.postings.err, s.sums.err) }

func (s *termSpill) close() error {
	return firstError(s.postings.spill.close(), s.sums.spill.close(), s.lists.file.close())
}

// spillPostings moves the buffered postings and sums of the graph to files.
func (v *TxView) spillPostings() {
	s := v.transact.spill
	var value []byte
	for k, c := range v.postings {
		field, container, term := bufferKeyOf(k)
		s.removes = s.removes || c.removes()
		value = c.appendDelta(value[:0])
		s.postings.Merge(layout.Postings(v.g, field, term, container), value)
		s.sums.Merge(layout.LexSum(v.g, field, term), layout.AppendSum(nil, c.sum[0], c.sum[1]))
	}
	for k, sum := range v.lexsums {
		s.sums.Merge([]byte(k), layout.AppendSum(nil, sum[0], sum[1]))
	}
	clear(v.lexsums)
	v.clearPostings()
	v.postings = map[string]*postingsChange{} // the one before is large
}

// termList reads a forward list as the transaction has it.
func (v *TxView) termList(key []byte) ([]byte, error) {
	if s := v.transact.spill; s != nil {
		if b, ok, err := s.lists.get(key); ok || err != nil {
			return b, err
		}
	}
	return v.kv.Get(v.ctx, key, nil)
}

// setTermList writes a forward list; an empty one removes it.
func (v *TxView) setTermList(key, list []byte) error {
	switch s := v.transact.spill; {
	case s != nil:
		return s.lists.set(key, list)
	case len(list) == 0:
		v.transact.overlay.Delete(key)
	default:
		v.transact.overlay.Set(key, list)
	}
	return nil
}

// listFile keeps values in a file, the last of each key. An empty value says
// that the key is removed.
type listFile struct {
	file    spill
	at      map[string]span
	pending []byte // the end of the file, not written yet
}

// listBuffer is how many bytes of values are written at once.
const listBuffer = 1 << 20

func (l *listFile) set(key, value []byte) error {
	if l.at == nil {
		l.at = map[string]span{}
	}
	l.at[string(key)] = span{l.file.size + int64(len(l.pending)), int64(len(value))}
	if l.pending = append(l.pending, value...); len(l.pending) < listBuffer {
		return nil
	}
	err := l.file.write(func(w *bufio.Writer) error {
		_, err := w.Write(l.pending)
		return err
	})
	l.pending = l.pending[:0]
	return err
}

// get returns the value of a key, [ErrNotFound] for one that is removed; ok is
// false for a key that the file does not have.
func (l *listFile) get(key []byte) (b []byte, ok bool, err error) {
	at, ok := l.at[string(key)]
	switch {
	case !ok:
		return nil, false, nil
	case at.n == 0:
		return nil, true, ErrNotFound
	case at.from >= l.file.size:
		from := at.from - l.file.size
		return slices.Clone(l.pending[from : from+at.n]), true, nil
	}
	b = make([]byte, at.n)
	_, err = l.file.f.ReadAt(b, at.from)
	return b, true, err
}

// commitSpilled writes the transaction as sorted tables. The caller is the
// writer, and has flushed the graphs.
func (tx *Tx) commitSpilled() error {
	totals := spill{dir: tx.db.spillDir()}
	err := tx.spill.settleSums(tx, &totals)
	if err == nil {
		tx.overlay.Set(layout.Meta("epoch"), appendUint64(nil, tx.epoch))
		err = tx.db.ingest(tx.ctx, func(w kv.SortedWriter) error {
			t := &termWriter{tx: tx, w: w, sums: &totals}
			if err := tx.overlay.WriteSorted(tx.ctx, t); err != nil {
				return err
			}
			return t.end()
		})
	}
	if err = firstError(err, totals.close()); err == nil {
		tx.db.epoch.Store(tx.epoch)
	}
	return err
}

// settleSums writes the sums that change into out, in order; those of terms that
// no node has any more are removed.
func (s *termSpill) settleSums(tx *Tx, out *spill) error {
	return out.write(func(w *bufio.Writer) error {
		return s.sums.each(tx.ctx, func(op *sortedOp) error {
			var change [2]int64
			layout.ReadSum(op.value, change[:])
			gone := false
			if s.removes && change[0] <= 0 {
				total, err := tx.sumAfter(op)
				if err != nil {
					return err
				}
				gone = total[0] == 0
			}
			if !gone && change == [2]int64{} {
				return nil
			}
			return writeOp(w, &sortedOp{key: op.key, value: op.value, merge: !gone, gone: gone})
		})
	})
}

// sumAfter returns the sum of a key once an operand is folded in.
func (tx *Tx) sumAfter(op *sortedOp) ([2]uint64, error) {
	b, err := tx.folded(op)
	if err != nil {
		return [2]uint64{}, err
	}
	return decodeLexSum(op.key, b)
}

// folded returns the value of a key once an operand is folded in.
func (tx *Tx) folded(op *sortedOp) ([]byte, error) {
	f := layout.NewFold(op.key, op.value)
	b, err := tx.base.Get(tx.ctx, op.key, nil)
	switch {
	case err == nil:
		f.Older(b)
	case !errors.Is(err, ErrNotFound):
		return nil, err
	}
	return f.Finish(true), nil
}
