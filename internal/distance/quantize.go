package distance

import "math"

// codeLimit bounds the codes of [Quantize]: -128 is not used, so that a code
// can be negated.
const codeLimit = 127

// MaxAbs returns the largest absolute value in v, 0 of an empty v. It is a NaN
// or +Inf if and only if v has one, and a NaN if v has both.
func MaxAbs(v []float32) float32 { return maxAbs(active, v) }

// Quantize writes to dst[i] the integer nearest to src[i]*scale, even in a tie,
// and at most 127 in absolute value. The product is rounded to float32 before.
// A NaN gives -127. A dst shorter than src panics.
func Quantize(dst []int8, src []float32, scale float32) { quantize(active, dst, src, scale) }

// QuantizeResidual writes to dst[i] the integer nearest to
// src[i]*a - b*codes[i], even in a tie, and at most 127 in absolute value. Both
// products and the difference are rounded to float32 before. With codes from
// [Quantize], a the scale of the second code and b the step of the first times
// a, it is the second code of what the first one leaves. A NaN gives -127. A
// dst or codes shorter than src panics.
func QuantizeResidual(dst []int8, src []float32, codes []int8, a, b float32) {
	quantizeResidual(active, dst, src, codes, a, b)
}

func maxAbsPortable(v []float32) float32 {
	// Without its sign, a float32 compares as its bits do, and NaN is above
	// infinity.
	var most uint32
	for _, x := range v {
		if bits := math.Float32bits(x) &^ (1 << 31); bits > most {
			most = bits
		}
	}
	return math.Float32frombits(most)
}

// code rounds x to the nearest integer within the limit.
func code(x float32) int8 {
	if !(x > -codeLimit) {
		x = -codeLimit
	}
	if x > codeLimit {
		x = codeLimit
	}
	// If the last place of a float32 is worth 1, the sum is rounded to an
	// integer, which is what its low bits then hold.
	const ones = 3 << 22
	return int8(math.Float32bits(x + ones))
}

func quantizePortable(dst []int8, src []float32, scale float32) {
	dst = dst[:len(src):len(dst)]
	for i, x := range src {
		// The conversion forbids fusing the product into an addition.
		dst[i] = code(float32(x * scale))
	}
}

func quantizeResidualPortable(dst []int8, src []float32, codes []int8, a, b float32) {
	dst, codes = dst[:len(src):len(dst)], codes[:len(src):len(codes)]
	for i, x := range src {
		dst[i] = code(float32(x*a) - float32(b*float32(codes[i])))
	}
}
