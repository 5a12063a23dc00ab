package tablekv

import (
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/kv"
)

// record is the state record: who writes, and what every snapshot has to know.
type record struct {
	comparer, merger string // of the schema
	fence            uint64 // moves when another writer takes the lease
	beat             uint64 // moves with each transaction of the writer
	owner            string // of the lease, "" if there is none
	// commit counts the commits that changed what the store shows, and by is the writer
	// that made the last one: a number that each writer draws for itself.
	commit, by uint64
	// staged says that the staged changes count, and removed has the ranges that are to
	// be removed before them.
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
	if bad || len(b) > 0 {
		return r, errRecord
	}
	return r, nil
}

// hidden reports whether a key of the table is in a range that is to be removed.
func (r *record) hidden(k []byte) bool {
	for _, x := range r.removed {
		if string(x.Lo) <= string(k) && string(k) < string(x.Hi) {
			return true
		}
	}
	return false
}
