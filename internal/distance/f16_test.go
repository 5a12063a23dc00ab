package distance_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
)

// half is the value of a finite binary16 number by its definition.
func half(h uint16) float64 {
	v := math.Ldexp(float64(h&0x3FF), -24)
	if e := int(h >> 10 & 31); e > 0 {
		v = math.Ldexp(float64(h&0x3FF|0x400), e-25)
	}
	if h>>15 == 1 {
		v = -v
	}
	return v
}

// nearestHalf searches the binary16 number nearest to x, even in a tie.
func nearestHalf(x float32) uint16 {
	abs, sign := math.Abs(float64(x)), uint16(math.Float32bits(x)>>31<<15)
	if abs >= 65520 {
		return sign | 0x7C00
	}
	above := uint16(sort.Search(0x7C00, func(i int) bool { return half(uint16(i)) >= abs }))
	if above == 0 || above < 0x7C00 && half(above) == abs {
		return sign | above
	}
	// The number after the largest finite one would be 65,536.
	top := 65536.0
	if above < 0x7C00 {
		top = half(above)
	}
	low, high := abs-half(above-1), top-abs
	if low < high || low == high && above%2 == 1 {
		above--
	}
	return sign | above
}

func TestF16DecodesAll(t *testing.T) {
	src := make([]uint16, 1<<16)
	for i := range src {
		src[i] = uint16(i)
	}
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		dst, back := make([]float32, len(src)), make([]uint16, len(src))
		k.DecodeF16(dst, src)
		k.EncodeF16(back, dst)
		for i, h := range src {
			got, e := dst[i], h>>10&31
			switch {
			case e == 31 && h&0x3FF != 0:
				want := uint32(h)>>15<<31 | 0x7FC00000 | uint32(h&0x3FF)<<13
				if bits := math.Float32bits(got); bits != want {
					t.Fatalf("NaN %#x decoded to %#x, want %#x", h, bits, want)
				}
				h |= 0x200
			case e == 31:
				if !math.IsInf(float64(got), 1-2*int(h>>15)) {
					t.Fatalf("infinity %#x decoded to %g", h, got)
				}
			case float64(got) != half(h) || math.Signbit(float64(got)) != (h>>15 == 1):
				t.Fatalf("%#x decoded to %g, want %g", h, got, half(h))
			}
			if back[i] != h {
				t.Fatalf("%#x came back as %#x", h, back[i])
			}
		}
	})
}

func TestF16Encodes(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	var src []float32
	for h := uint16(0); h < 0x7C00; h++ {
		// The number itself, the middle to the next, and both sides of it.
		middle := float32((half(h) + half(h+1)) / 2)
		if h == 0x7BFF {
			middle = 65520
		}
		src = append(src, float32(half(h)), middle,
			math.Nextafter32(middle, 0), math.Nextafter32(middle, 1e9))
	}
	for range 100_000 {
		if x := math.Float32frombits(rng.Uint32()); x == x {
			src = append(src, x)
		}
	}
	src = append(src, float32(math.Inf(1)), 65519.996, 65536, math.MaxFloat32)
	for _, x := range src {
		src = append(src, -x)
	}
	want := make([]uint16, len(src))
	for i, x := range src {
		want[i] = nearestHalf(x)
	}
	nans := []float32{math.Float32frombits(0x7F800001), math.Float32frombits(0xFFFFFFFF)}
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		got := make([]uint16, len(src))
		k.EncodeF16(got, src)
		for i, x := range src {
			if got[i] != want[i] {
				t.Fatalf("%g (%#x) encoded to %#x, want %#x", x, math.Float32bits(x), got[i], want[i])
			}
		}
		k.EncodeF16(got, nans)
		if got[0] != 0x7E00 || got[1] != 0xFFFF {
			t.Errorf("NaNs encoded to %#x", got[:2])
		}
	})
}

func TestF16Lengths(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		for _, n := range lengths() {
			for offset := range 16 {
				values, bits := make([]float32, n+offset), make([]uint16, n+offset)
				for i := range values {
					values[i], bits[i] = float32(i), nearestHalf(float32(i))
				}
				got := slices.Repeat([]uint16{99}, n+offset+1)
				k.EncodeF16(got[offset:offset+n], values[offset:])
				if !slices.Equal(got[offset:offset+n], bits[offset:]) || got[offset+n] != 99 || offset > 0 && got[offset-1] != 99 {
					t.Fatalf("EncodeF16 of %d elements at %d is wrong", n, offset)
				}
				back := slices.Repeat([]float32{99.5}, n+offset+1)
				k.DecodeF16(back[offset:offset+n], bits[offset:])
				for i := offset; i < offset+n; i++ {
					if float64(back[i]) != half(bits[i]) {
						t.Fatalf("DecodeF16 of %d elements at %d is wrong at %d", n, offset, i-offset)
					}
				}
				if back[offset+n] != 99.5 || offset > 0 && back[offset-1] != 99.5 {
					t.Fatalf("DecodeF16 of %d elements at %d writes around", n, offset)
				}
			}
		}
	})
}
