package tablekv

import (
	"bytes"
	"encoding/binary"
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

// bounded returns the part of [lo, hi) that holds keys of the store, none of its own.
func bounded(hi []byte) []byte {
	if hi == nil || bytes.Compare(hi, ownPrefix) > 0 {
		return ownPrefix
	}
	return hi
}
