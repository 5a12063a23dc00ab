package engine

import (
	"bufio"
	"errors"

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
	// spilledBytes bounds what is buffered from then on.
	spilledBytes = 16 << 20
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
		if tx.loads {
			return nil // the load sorts them with the rest
		}
		if _, ok := tx.db.store.(kv.Ingester); !ok {
			return nil
		}
		tx.spill = &termSpill{}
		tx.spill.postings.limit, tx.spill.sums.limit = spilledBytes, spilledBytes/2
		dir := tx.db.spillDir()
		tx.spill.postings.spill.dir, tx.spill.sums.spill.dir, tx.spill.lists.file.dir = dir, dir, dir
	}
	for _, v := range tx.graphs {
		if err := v.spillPostings(); err != nil {
			return err
		}
	}
	return nil
}

func (s *termSpill) close() error {
	return firstError(s.postings.spill.close(), s.sums.spill.close(), s.lists.file.close())
}

// spillPostings moves the buffered postings and sums of the graph to files: a
// sorted run of each.
func (v *TxView) spillPostings() error {
	s, b := v.transact.spill, &v.terms.buffer
	if b.empty() {
		return nil
	}
	b.sort()
	s.removes = s.removes || b.removes
	err := s.postings.spill.write(func(w *bufio.Writer) error {
		return b.each(v.g, func(c *containerChange) error {
			return writeOp(w, &sortedOp{key: c.key, value: c.value, merge: true})
		})
	})
	if err != nil {
		return err
	}
	var value []byte
	err = s.sums.spill.write(func(w *bufio.Writer) error {
		return b.eachSum(v.g, func(key []byte, sum [2]int64, _ *bufferedTerm) error {
			value = layout.AppendSum(value[:0], sum[0], sum[1])
			return writeOp(w, &sortedOp{key: key, value: value, merge: true})
		})
	})
	v.clearPostings()
	return err
}

// termList reads a forward list as the transaction has it.
func (v *TxView) termList(key []byte) ([]byte, error) {
	if s := v.transact.spill; s != nil {
		if b, ok, err := s.lists.get(key, nil); ok || err != nil {
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

// commitSpilled writes the transaction as sorted tables. The caller is the
// writer, and has flushed the graphs.
func (tx *Tx) commitSpilled() error {
	totals := spill{dir: tx.db.spillDir()}
	var sums *spill
	var err error
	if tx.spill.removes {
		sums = &totals
		err = tx.spill.settleSums(tx, sums)
	}
	if err == nil {
		tx.overlay.Set(layout.Meta("epoch"), appendUint64(nil, tx.epoch))
		err = tx.db.ingest(tx.ctx, func(w kv.SortedWriter) error {
			t := &termWriter{tx: tx, w: w, sums: sums}
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

// settleSums writes the sums that change into out, in order, if nodes lose terms; those
// of terms that no node has any more are removed.
func (s *termSpill) settleSums(tx *Tx, out *spill) error {
	return out.write(func(w *bufio.Writer) error {
		return s.sums.each(tx.ctx, func(op *sortedOp) error {
			var change [2]int64
			layout.ReadSum(op.value, change[:])
			gone := false
			if change[0] <= 0 {
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
