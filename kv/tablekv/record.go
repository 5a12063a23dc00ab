package tablekv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

// record is the state record: who writes, and what every snapshot has to know.
type record struct {
	comparer, merger string // of the schema
	fence            uint64 // moves when another writer takes the lease
	beat             uint64 // drawn by each writer; moves with each of its transactions
	owner            string // of the lease, "" if there is none
	// commit counts the commits that changed what the store shows, and by is the writer
	// that made the last one: a number that each writer draws for itself.
	commit, by uint64
	// staged says that the staged changes count. Rows in the ranges of removed, which
	// ascend, do not, and are to be removed: a commit removes them, or a transaction that
	// is not committed has written them in their place.
	staged  bool
	removed []kv.Range
}

const (
	recordVersion = 2
	recordBytes   = 34 // of what is before the names
)

func (r *record) encode() []byte {
	b := []byte{recordVersion, 0}
	if r.staged {
		b[1] = 1
	}
	for _, n := range []uint64{r.fence, r.beat, r.commit, r.by} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	for _, s := range []string{r.comparer, r.merger, r.owner} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(len(r.removed)))
	for _, x := range r.removed {
		for _, k := range [][]byte{x.Lo, x.Hi} {
			b = binary.AppendUvarint(b, uint64(len(k)))
			b = append(b, k...)
		}
	}
	return b
}

// errRecord is damage that no store opens with. Package service knows it by its key.
var errRecord = &kv.CorruptError{Key: "state record", Why: "cannot be read"}

func decodeRecord(b []byte) (r record, err error) {
	if len(b) < 2 {
		return r, errRecord
	}
	if b[0] != recordVersion {
		return r, errors.Join(kv.ErrIncompatible, errors.New("the table was written by another version of ragdb"))
	}
	if len(b) < recordBytes || b[1] > 1 {
		return r, errRecord
	}
	r.staged = b[1] == 1
	r.fence, r.beat = binary.BigEndian.Uint64(b[2:]), binary.BigEndian.Uint64(b[10:])
	r.commit, r.by = binary.BigEndian.Uint64(b[18:]), binary.BigEndian.Uint64(b[26:])
	b = b[recordBytes:]
	bad := false
	next := func() []byte {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			bad, b = true, nil
			return nil
		}
		s := b[w : w+int(n)]
		b = b[w+int(n):]
		return s
	}
	r.comparer, r.merger, r.owner = string(next()), string(next()), string(next())
	n, w := binary.Uvarint(b)
	if bad || w <= 0 || n > uint64(len(b)) {
		return r, errRecord
	}
	b = b[w:]
	for range n {
		r.removed = append(r.removed, kv.Range{Lo: next(), Hi: next()})
	}
	var last []byte
	for _, x := range r.removed {
		bad = bad || bytes.Compare(last, x.Lo) > 0 || bytes.Compare(x.Lo, x.Hi) >= 0
		last = x.Hi
	}
	if bad || len(b) > 0 {
		return r, errRecord
	}
	return r, nil
}

// hidden reports whether the table's row of a key does not count.
func (r *record) hidden(k []byte) bool { return contain(r.removed, k) }

// shown returns the part of a range that is left if a scan of the table does not begin,
// or end if reverse is set, with rows that do not count.
func (r *record) shown(lo, hi []byte, reverse bool) ([]byte, []byte) {
	if reverse {
		for _, x := range slices.Backward(r.removed) {
			if bytes.Compare(x.Lo, hi) < 0 && bytes.Compare(hi, x.Hi) <= 0 {
				hi = x.Lo
			}
		}
		return lo, hi
	}
	for _, x := range r.removed {
		if bytes.Compare(x.Lo, lo) <= 0 && bytes.Compare(lo, x.Hi) < 0 {
			lo = x.Hi
		}
	}
	return lo, hi
}

// touches reports whether rows of ranges may not count.
func (r *record) touches(ranges []kv.Range) bool {
	return slices.ContainsFunc(ranges, func(x kv.Range) bool {
		i, in := rangeOf(r.removed, x.Lo)
		return in || i < len(r.removed) && bytes.Compare(r.removed[i].Lo, bounded(x.Hi)) < 0
	})
}
