package layout

import "encoding/binary"

// damagedKind is the first byte of a set or of postings in which a fold keeps
// operands, or a base, of which it cannot read one. No reader takes it for a
// value, so what was damaged stays damaged until a whole value replaces it:
//
//	kind u8 | for each part, the oldest first: length uvarint, bytes
const damagedKind = 0x7E

// damagedSum begins a damaged value of a family of sums, which has no kinds: it
// is not a varint. Parts follow as after damagedKind.
const damagedSum = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

// keepDamaged returns the value that keeps operands of which one cannot be read.
// The parts of an operand that is such a value itself become parts of the
// result.
func keepDamaged(ops [][]byte) []byte {
	out := []byte{damagedKind}
	for _, op := range ops {
		if len(op) > 0 && op[0] == damagedKind {
			out = append(out, op[1:]...)
			continue
		}
		out = appendPart(out, op)
	}
	return out
}

func appendPart(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}
