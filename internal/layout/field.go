package layout

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

func put32(dst []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(dst, v) }
func put64(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }

// put48 appends the low 48 bits of v.
func put48(dst []byte, v uint64) []byte {
	return append(dst, byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func get48(b []byte) uint64 {
	_ = b[5]
	return uint64(b[0])<<40 | uint64(b[1])<<32 | uint64(b[2])<<24 |
		uint64(b[3])<<16 | uint64(b[4])<<8 | uint64(b[5])
}

// Container returns the container of an id: its upper 48 bits.
func Container(id uint64) uint64 { return id >> 16 }

// appendEscaped appends b with 00 written as 00 FF and closed by 00 00.
func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			return append(append(dst, b...), 0, 0)
		}
		dst = append(append(dst, b[:i]...), 0, 0xFF)
		b = b[i+1:]
	}
}

// escapedLen returns the length of the escaped field at the start of b, its
// terminator included, or -1 if none closes it.
func escapedLen(b []byte) int {
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], 0)
		if j < 0 || i+j+1 >= len(b) {
			return -1
		}
		i += j
		switch b[i+1] {
		case 0:
			return i + 2
		case 0xFF, tupleNext:
			i += 2
		default:
			return -1
		}
	}
	return -1
}

// unescape returns the bytes of an escaped field, terminator included in b,
// appended to dst.
func unescape(dst, b []byte) []byte {
	for i := 0; i < len(b)-2; i++ {
		dst = append(dst, b[i])
		if b[i] == 0 {
			i++
		}
	}
	return dst
}

// Next returns the smallest key greater than every key with the given prefix,
// or nil if the prefix is all FF.
func Next(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			out := bytes.Clone(prefix[:i+1])
			out[i]++
			return out
		}
	}
	return nil
}

func graphKey(t Tag, g uint32, room int) []byte {
	b := make([]byte, 5, 5+room)
	b[0] = byte(t)
	binary.BigEndian.PutUint32(b[1:], g)
	return b
}

// GraphPrefix returns the prefix of all keys of a family in one graph.
func GraphPrefix(t Tag, g uint32) []byte { return graphKey(t, g, 0) }

// KeyTag returns the family of a key and, if it has one, its graph.
func KeyTag(key []byte) (t Tag, g uint32, err error) {
	if len(key) == 0 {
		return 0, 0, fmt.Errorf("empty key")
	}
	t = Tag(key[0])
	f, ok := familyOf(t)
	if !ok {
		return t, 0, fmt.Errorf("unknown tag %02x", key[0])
	}
	if f.fixed >= 4 && len(key) >= 5 {
		g = binary.BigEndian.Uint32(key[1:])
	}
	return t, g, nil
}

// Uint64 reads the big-endian number at the start of b, which must hold one.
func Uint64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
