package vecindex

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// Element is the form in which the elements of vectors are stored.
type Element uint8

// The forms. F32 is the zero value.
const (
	// F32 is IEEE 754's binary32: vectors are stored as they are.
	F32 Element = iota
	// F16 is binary16, in half of the room: elements are rounded to 11 bits
	// when put, ties to even, and all that is computed is computed of what they
	// were rounded to. One that rounds beyond 65,504 is refused.
	F16
)

// String returns the form's name.
func (e Element) String() string {
	switch e {
	case F32:
		return "f32"
	case F16:
		return "f16"
	}
	return fmt.Sprintf("element(%d)", uint8(e))
}

// size returns the bytes of an element.
func (e Element) size() int {
	if e == F16 {
		return 2
	}
	return 4
}

// append appends a vector, whose elements the form has, as it is stored.
func (e Element) append(dst []byte, v []float32) []byte {
	if e == F16 {
		var part [halfPart]uint16
		for len(v) > 0 {
			h := part[:min(halfPart, len(v))]
			distance.EncodeF16(h, v[:len(h)])
			for _, bits := range h {
				dst = binary.LittleEndian.AppendUint16(dst, bits)
			}
			v = v[len(h):]
		}
		return dst
	}
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// read decodes b into dst, whose length is the dimension. Of a vector with an
// element that is not a finite number nothing is to be used.
func (e Element) read(key, b []byte, dst []float32) error {
	if len(b) != e.size()*len(dst) {
		return corrupt(key, "vector of %d bytes for %d elements of %s", len(b), len(dst), e)
	}
	if e == F16 {
		var part [halfPart]uint16
		for from := 0; from < len(dst); from += halfPart {
			h := part[:min(halfPart, len(dst)-from)]
			for i := range h {
				h[i] = binary.LittleEndian.Uint16(b[2*(from+i):])
				if h[i]&halfInf == halfInf {
					return corrupt(key, "element %d is not a finite number", from+i)
				}
			}
			distance.DecodeF16(dst[from:from+len(h)], h)
		}
		return nil
	}
	if readF32(dst, b) {
		return nil
	}
	clear(dst)
	for i := range dst {
		if bits := binary.LittleEndian.Uint32(b[4*i:]); bits&singleInf == singleInf {
			return corrupt(key, "element %d is not a finite number", i)
		}
	}
	return nil
}

// readF32 decodes b into dst, eight elements at a time, and reports whether all
// are finite numbers: adding 1 to an exponent that is all ones, and only to such
// a one, carries into the bit of the sign.
func readF32(dst []float32, b []byte) bool {
	const (
		exponents = singleInf<<32 | singleInf
		ones      = 1<<23<<32 | 1<<23
		signs     = 1<<31<<32 | 1<<31
	)
	carried := uint64(0)
	for len(dst) >= 8 && len(b) >= 32 {
		to, from := (*[8]float32)(dst), (*[32]byte)(b)
		for i := range 4 {
			two := binary.LittleEndian.Uint64(from[8*i:])
			carried |= two&exponents + ones
			to[2*i], to[2*i+1] = math.Float32frombits(uint32(two)), math.Float32frombits(uint32(two>>32))
		}
		dst, b = dst[8:], b[32:]
	}
	for i := range dst {
		bits := binary.LittleEndian.Uint32(b[4*i:])
		carried |= uint64(bits)&exponents + ones
		dst[i] = math.Float32frombits(bits)
	}
	return carried&signs == 0
}

// singleInf is the exponent of infinity and NaN in binary32.
const singleInf = 0x7F800000

// halfInf is the exponent of infinity and NaN in binary16.
const halfInf = 0x7C00

// halfPart is how many elements are converted to or from binary16 at a time.
const halfPart = 64
