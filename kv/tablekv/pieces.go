package tablekv

import (
	"context"
	"encoding/binary"

	"github.com/ragdb/ragdb/kv"
)

// A value in the table begins with a byte that says whether it is there as a whole or in
// pieces; then its value is the number of pieces and of bytes.
const (
	valueWhole  = 0
	valuePieces = 1
)

const piecesBytes = 9 // of a value in pieces

// pieceBytes is the size of a piece, 0 if values have no bound. Staging adds a byte.
func (s *Store) pieceBytes() int {
	if s.bounds.ValueBytes == 0 {
		return 0
	}
	return max(s.bounds.ValueBytes-1, 16)
}

// put appends what sets a key to a value, in pieces if it has to be, and returns the
// number of pieces, 0 for a whole value.
func (s *Store) put(set []kv.Pair, k, v []byte) ([]kv.Pair, uint32) {
	size := s.pieceBytes()
	if size == 0 || len(v)+1 <= size {
		val := make([]byte, 0, len(v)+1)
		return append(set, kv.Pair{Key: k, Value: append(append(val, valueWhole), v...)}), 0
	}
	n := uint32((len(v) + size - 1) / size)
	val := binary.BigEndian.AppendUint32([]byte{valuePieces}, n)
	val = binary.BigEndian.AppendUint32(val, uint32(len(v)))
	set = append(set, kv.Pair{Key: k, Value: val})
	for i := range n {
		at := int(i) * size
		set = append(set, kv.Pair{Key: pieceKey(k, i), Value: v[at:min(at+size, len(v))]})
	}
	return append(set, kv.Pair{Key: largeKey(k), Value: binary.BigEndian.AppendUint32(nil, n)}), n
}

// dropPieces appends the keys of pieces from some number on.
func dropPieces(del [][]byte, k []byte, from, n uint32) [][]byte {
	for i := from; i < n; i++ {
		del = append(del, pieceKey(k, i))
	}
	return del
}

// whole makes the values of pairs what was written, reading the pieces of those that are
// in pieces in one round trip. A nil value stays nil. A key that the schema refuses is
// damage: the layers above take keys apart without looking.
func (v *view) whole(ctx context.Context, pairs []kv.Pair) error {
	var (
		keys [][]byte
		of   []int // the pair of each key
	)
	for i := range pairs {
		b := pairs[i].Value
		if b == nil {
			continue
		}
		if err := v.s.schema.ValidateKey(pairs[i].Key); err != nil {
			return v.s.corrupt(pairs[i].Key, err.Error())
		}
		switch {
		case len(b) > 0 && b[0] == valueWhole:
			pairs[i].Value = b[1:]
		case len(b) == piecesBytes && b[0] == valuePieces:
			for n := range binary.BigEndian.Uint32(b[1:]) {
				keys, of = append(keys, pieceKey(pairs[i].Key, n)), append(of, i)
			}
		default:
			return v.s.corrupt(pairs[i].Key, "its value has no kind")
		}
	}
	if len(keys) == 0 {
		return nil
	}
	vals, err := v.raw(ctx, keys)
	if err != nil {
		return err
	}
	for j := 0; j < len(of); {
		p := &pairs[of[j]]
		size := binary.BigEndian.Uint32(p.Value[5:])
		var out []byte
		for i := of[j]; j < len(of) && of[j] == i; j++ {
			out = append(out, vals[j]...)
		}
		if uint32(len(out)) != size {
			return v.s.corrupt(p.Key, "a piece of its value is missing")
		}
		p.Value = out
	}
	return nil
}

func (s *Store) corrupt(key []byte, why string) error {
	at := ""
	if s.schema.Format != nil {
		at = s.schema.Format(key)
	}
	return phase.Errorf("read: %w", &kv.CorruptError{Key: at, Why: why})
}

// loadLarge reads which values are in pieces.
func (s *Store) loadLarge(ctx context.Context) error {
	if s.bounds.ValueBytes == 0 {
		return nil
	}
	return s.reading(ctx, nil, func(v *view) error { return s.largeOf(ctx, v) })
}

func (s *Store) largeOf(ctx context.Context, v *view) error {
	clear(s.large)
	for lo := largeLo; ; {
		pairs, err := v.t.Scan(ctx, lo, largeHi, false, mostRows)
		if err != nil {
			return err
		}
		for _, p := range pairs {
			if len(p.Value) != 4 {
				return s.corrupt(p.Key, "the number of pieces is missing")
			}
			s.large[string(p.Key[len(largeLo):])] = binary.BigEndian.Uint32(p.Value)
		}
		if len(pairs) < mostRows {
			return nil
		}
		lo = append(pairs[len(pairs)-1].Key, 0)
	}
}
