package distance

import "math"

// EncodeF16 writes to dst[i] the IEEE 754 binary16 number nearest to src[i],
// even in a tie; numbers from 65,520 on become infinite, and a NaN stays one. A
// dst shorter than src panics.
func EncodeF16(dst []uint16, src []float32) { encodeF16(active, dst, src) }

// DecodeF16 writes to dst[i] the value of the IEEE 754 binary16 number src[i],
// which float32 holds exactly. A dst shorter than src panics.
func DecodeF16(dst []float32, src []uint16) { decodeF16(active, dst, src) }

func encodeF16Portable(dst []uint16, src []float32) {
	dst = dst[:len(src):len(dst)]
	for i, x := range src {
		dst[i] = f16(math.Float32bits(x))
	}
}

// f16 converts the bits of a float32.
func f16(bits uint32) uint16 {
	sign, abs := uint16(bits>>16&(1<<15)), bits&^(1<<31)
	switch {
	case abs > 0x7F80_0000: // NaN: made quiet, the top of its payload kept
		return sign | 0x7E00 | uint16(abs>>13&0x3FF)
	case abs >= 0x4780_0000: // 65,536 and above
		return sign | 0x7C00
	case abs >= 0x3880_0000: // 2^-14, the smallest normal number, and above
		// The exponent loses 112, and half of the last place less one unit,
		// or exactly half if the last place is odd, rounds up; a carry
		// out of the fraction is right, even into infinity.
		return sign | uint16((abs-112<<23+0xFFF+abs>>13&1)>>13)
	}
	// If the last place of a float32 is worth 2^-24, as it is of a
	// subnormal number, the sum is rounded to it.
	const half = 0.5
	return sign | uint16(math.Float32bits(math.Float32frombits(abs)+half)-math.Float32bits(half))
}

func decodeF16Portable(dst []float32, src []uint16) {
	dst = dst[:len(src):len(dst)]
	for i, h := range src {
		dst[i] = math.Float32frombits(f32(h))
	}
}

// f32 returns the bits of the float32 equal to h.
func f32(h uint16) uint32 {
	sign, abs := uint32(h)>>15<<31, uint32(h)&0x7FFF
	switch {
	case abs > 0x7C00:
		return sign | 0x7FC0_0000 | abs<<13
	case abs == 0x7C00:
		return sign | 0x7F80_0000
	case abs >= 0x400:
		return sign | (abs<<13 + 112<<23)
	}
	// A subnormal number is abs times 2^-24.
	const step = 1.0 / (1 << 24)
	return sign | math.Float32bits(float32(abs)*step)
}
