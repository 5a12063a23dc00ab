package tablekv

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

// Keys of the package begin with a byte that no key of a schema begins with. Their
// second byte says what they are. Keys of the store are as they are.
const own = 0xFF

const (
	tagState  = 0 // the state record
	tagStaged = 1 // a staged change; the key that it changes follows
	tagPiece  = 2 // a piece of a value; the escaped key and the number follow
	tagLarge  = 3 // says that a value is in pieces; the key follows
	tagLog    = 4 // what a commit has changed; its number follows
)

var (
	stateKey  = []byte{own, tagState}
	stagedLo  = []byte{own, tagStaged}
	stagedHi  = []byte{own, tagStaged + 1}
	largeLo   = []byte{own, tagLarge}
	largeHi   = []byte{own, tagLarge + 1}
	ownPrefix = []byte{own}
)

func stagedKey(k []byte) []byte { return append([]byte{own, tagStaged}, k...) }

func largeKey(k []byte) []byte { return append([]byte{own, tagLarge}, k...) }

func logKey(commit uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{own, tagLog}, commit)
}

// pieceKey returns the key of piece n of the value of k. Zero bytes of k are escaped, so
// that no piece of one key lies between those of another.
func pieceKey(k []byte, n uint32) []byte {
	out := make([]byte, 0, len(k)+8)
	out = append(out, own, tagPiece)
	for _, c := range k {
		if out = append(out, c); c == 0 {
			out = append(out, 0xFF)
		}
	}
	return binary.BigEndian.AppendUint32(append(out, 0, 0), n)
}

// takes refuses a key that is too long for the table. Its bound leaves room for the longest
// of the keys above, so that it does not depend on values and sizes of transactions.
func (s *Store) takes(k []byte) error {
	most := s.bounds.KeyBytes
	if most == 0 || 2*len(k)+pieceBytes <= most {
		return nil
	}
	size := len(k) + bytes.Count(k, []byte{0}) // as pieceKey escapes it
	if size+pieceBytes <= most {
		return nil
	}
	name := []rune(s.schema.Format(k))
	if len(name) > shownKey {
		name = append(name[:shownKey], '…')
	}
	return fmt.Errorf("%w: the key %s takes %d bytes, of %d", kv.ErrTooLarge, string(name), size, most-pieceBytes)
}

const (
	pieceBytes = 10  // what pieceKey and stagedKey add to a key without zero bytes
	shownKey   = 120 // the part of a key that is shown
)

// bounded returns the part of [lo, hi) that holds keys of the store, none of its own.
func bounded(hi []byte) []byte {
	if hi == nil || bytes.Compare(hi, ownPrefix) > 0 {
		return ownPrefix
	}
	return hi
}
