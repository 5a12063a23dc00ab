// Package varint reads variable-length numbers, accepting each in its shortest
// form only, so that a value has one encoding. [binary.AppendUvarint] and
// [binary.AppendVarint] write that form.
package varint

import "encoding/binary"

// Uvarint reads a number from the front of b. ok is false where b begins with
// none, with one above 64 bits, or with a form that is longer than it need be.
func Uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

// Varint is [Uvarint] for a signed number in zigzag form.
func Varint(b []byte) (v int64, rest []byte, ok bool) {
	u, rest, ok := Uvarint(b)
	return int64(u>>1) ^ -int64(u&1), rest, ok
}
