package vecindex

import (
	"encoding/binary"
	"fmt"
	"math"
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
		for _, x := range v {
			h, _ := halfOf(x)
			dst = binary.LittleEndian.AppendUint16(dst, h)
		}
		return dst
	}
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// read decodes b into dst, whose length is the dimension.
func (e Element) read(key, b []byte, dst []float32) error {
	if len(b) != e.size()*len(dst) {
		return corrupt(key, "vector of %d bytes for %d elements of %s", len(b), len(dst), e)
	}
	if e == F16 {
		for i := range dst {
			h := binary.LittleEndian.Uint16(b[2*i:])
			if h&halfInf == halfInf {
				return corrupt(key, "element %d is not a finite number", i)
			}
			dst[i] = ofHalf(h)
		}
		return nil
	}
	for i := range dst {
		bits := binary.LittleEndian.Uint32(b[4*i:])
		if bits&0x7F800000 == 0x7F800000 {
			return corrupt(key, "element %d is not a finite number", i)
		}
		dst[i] = math.Float32frombits(bits)
	}
	return nil
}

// halfInf is the exponent of infinity and NaN in binary16.
const halfInf = 0x7C00

// halfOf returns the bits of the binary16 number nearest to x, ties to even; ok
// is false where x is NaN or that number is not finite.
func halfOf(x float32) (h uint16, ok bool) {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7FFFFFFF
	if b >= 0x38800000 { // a normal number, of 2^-14 or more
		// The exponent is another one, and 13 bits go: half of the last that
		// stays is added, less one bit where it is even.
		b += 0xC8000FFF + b>>13&1
		return sign | uint16(b>>13), b < halfInf<<13
	}
	// Adding 1/2 leaves the multiples of 2^-24, rounded as they are to be.
	f := math.Float32frombits(b) + 0.5
	return sign | uint16(math.Float32bits(f)-0x3F000000), true
}

// ofHalf returns the number of finite binary16 bits.
func ofHalf(h uint16) float32 {
	// The bits are those of a number 2^112 times as small.
	f := math.Float32frombits(uint32(h&0x7FFF)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
}
