package vecindex

import (
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// A packed code has four bits an element, half of a code's bytes: where codes
// do not fit either, they are made of codes. Byte i has the element i in its
// low bits and the one half a vector on in its high ones.

// packedBytes returns the bytes of a packed code.
func packedBytes(dim int) int { return (dim + 1) / 2 }

// packedStep is the step of four bits that leaves least of a normal variable of
// variance 1.
const packedStep = 0.3352

// pack writes the packed code of a vector whose code is given to dst and
// returns what that leaves out of the vector.
func pack(dst []uint8, code []int8, r residue) residue {
	half := len(dst)
	square := 0
	for _, c := range code {
		square += int(c) * int(c)
	}
	if square == 0 {
		clear(dst)
		r.step = 0
		return r
	}
	per := 1 / (packedStep * math.Sqrt(float64(square)/float64(len(code))))
	clear(dst)
	// With the sixteen values u, the element is near a multiple of v = 2u - 15.
	var vv, vc int
	for i, c := range code {
		u := min(max(int(math.Floor(float64(c)*per))+8, 0), 15)
		if i < half {
			dst[i] = uint8(u)
		} else {
			dst[i-half] |= uint8(u) << 4
		}
		v := 2*u - 15
		vv += v * v
		vc += v * int(c)
	}
	step := float32(float64(r.step) * float64(vc) / float64(vv))
	rest := 0.0
	for i, c := range code {
		u := dst[i%half]
		if i >= half {
			u >>= 4
		}
		d := float64(r.step)*float64(c) - float64(step)*float64(2*int(u&15)-15)
		rest += d * d
	}
	r.step = step
	r.rest = float32((math.Sqrt(rest) + float64(r.rest)) * upward)
	return r
}

// packedBounds is bounds for packed codes.
func (s *sieve) packedBounds(c *chunk, from, to int) {
	half := packedBytes(len(s.coder.diff))
	dots := s.dots[:to-from]
	distance.DotU4Block(s.code, c.packed[from*half:to*half], dots)
	for i := range dots {
		dots[i] = 2*dots[i] - 15*s.sum
	}
}
