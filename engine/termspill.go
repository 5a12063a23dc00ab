package engine

import (
	"bufio"
	"cmp"
	"encoding/binary"
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

// listFile keeps values in a file, the last of each key. An empty value says
// that the key is removed.
type listFile struct {
	file    spill
	at      map[forwardKey]span
	pending []byte // the end of the file, not written yet

	window []byte // a part of the file, which begins at from
	from   int64
}

// forwardKey is the key of a forward list as numbers, in the same order.
type forwardKey struct {
	g, field uint32
	node     uint64
}

func forwardKeyOf(key []byte) forwardKey {
	field, node := layout.TermsOfID(key)
	return forwardKey{binary.BigEndian.Uint32(key[1:]), field, node}
}

func (k forwardKey) key() []byte { return layout.TermsOf(k.g, k.field, k.node) }

func compareForwardKeys(a, b forwardKey) int {
	return cmp.Or(cmp.Compare(a.g, b.g), cmp.Compare(a.field, b.field), cmp.Compare(a.node, b.node))
}

// listBuffer is how many bytes of values are written at once.
const listBuffer = 1 << 20

func (l *listFile) set(key, value []byte) error {
	if l.at == nil {
		l.at = map[forwardKey]span{}
	}
	l.at[forwardKeyOf(key)] = span{l.file.size + int64(len(l.pending)), int64(len(value))}
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

// get appends the value of a key to dst, [ErrNotFound] for one that is removed; ok
// is false for a key that the file does not have.
func (l *listFile) get(key, dst []byte) (b []byte, ok bool, err error) {
	at, ok := l.at[forwardKeyOf(key)]
	switch {
	case !ok:
		return dst, false, nil
	case at.n == 0:
		return dst, true, ErrNotFound
	case at.from >= l.file.size:
		from := at.from - l.file.size
		return append(dst, l.pending[from:from+at.n]...), true, nil
	}
	b, err = l.read(at)
	return append(dst, b...), true, err
}

// read returns a part of the file until the next call. If it lies a little after
// the one before, which is so where lists are read as they were written, the
// file is read through a buffer.
func (l *listFile) read(at span) ([]byte, error) {
	const buffer = 64 << 10
	end := l.from + int64(len(l.window))
	if at.from < l.from || at.from+at.n > end {
		n := at.n
		if at.from >= l.from && at.from < end+buffer {
			n = min(max(n, buffer), l.file.size-at.from)
		}
		l.from, l.window = at.from, slices.Grow(l.window[:0], int(n))[:n]
		if _, err := l.file.f.ReadAt(l.window, at.from); err != nil {
			l.window = l.window[:0]
			return nil, err
		}
	}
	return l.window[at.from-l.from:][:at.n], nil
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
