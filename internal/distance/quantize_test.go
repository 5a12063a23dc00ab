package distance_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
)

// nearest is the code of x by the rounding of the math package.
func nearest(x float32) int8 {
	return int8(max(-127, min(127, math.RoundToEven(float64(x)))))
}

func TestQuantize(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed = 5
		rng := rand.New(rand.NewPCG(seed, seed))
		special := []float32{0, .5, -.5, 1.5, -1.5, 2.5, 126.5, -126.5, 127.5, -127.5, 128, -128,
			1e9, -1e9, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, .49999997}
		for _, n := range lengths() {
			for offset := range 16 {
				src := make([]float32, n+15)
				for i := range src {
					src[i] = float32(rng.NormFloat64() * 40)
					if rng.IntN(4) == 0 {
						src[i] = special[rng.IntN(len(special))]
					}
				}
				src = src[offset : offset+n]
				codes := randomCodes(rng, n)
				dst := sameCodes(n+17, 99)
				scale, a, b := float32(1), float32(1.25), float32(.4)
				if offset%2 == 1 {
					scale = 3.7
				}
				k.Quantize(dst[16:16+n], src, scale)
				for i, x := range src {
					if want := nearest(float32(x * scale)); dst[16+i] != want {
						t.Fatalf("code of %g = %d, want %d", x*scale, dst[16+i], want)
					}
				}
				checkAround(t, dst)
				k.QuantizeResidual(dst[16:16+n], src, codes, a, b)
				for i, x := range src {
					if want := nearest(float32(x*a) - float32(b*float32(codes[i]))); dst[16+i] != want {
						t.Fatalf("code of %g*a - %d*b = %d, want %d", x, codes[i], dst[16+i], want)
					}
				}
				checkAround(t, dst)
			}
		}
	})
}

// checkAround looks for writes around the destination of 16 codes and 1.
func checkAround(t *testing.T, dst []int8) {
	t.Helper()
	for i, x := range dst {
		if (i < 16 || i == len(dst)-1) && x != 99 {
			t.Fatalf("%d elements: written at %d", len(dst)-17, i-16)
		}
	}
}

func TestQuantizeNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		for _, n := range []int{3, 67} {
			src := slices.Repeat([]float32{nan, inf, -inf}, n)
			want := slices.Repeat([]int8{-127, 127, -127}, n)
			got := make([]int8, len(src))
			if k.Quantize(got, src, 2); !slices.Equal(got, want) {
				t.Errorf("Quantize of not finite = %d", got)
			}
			clear(got)
			if k.QuantizeResidual(got, src, make([]int8, len(src)), 2, 1); !slices.Equal(got, want) {
				t.Errorf("QuantizeResidual of not finite = %d", got)
			}
		}
	})
}

func TestMaxAbs(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		if got := k.MaxAbs(nil); math.Float32bits(got) != 0 {
			t.Errorf("MaxAbs of nothing = %g", got)
		}
		const seed = 6
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, n := range lengths()[1:] {
			for offset := range 16 {
				v := make([]float32, n+31)
				for i := range v {
					v[i] = 1e30 // outside it is larger
				}
				v = v[offset : offset+n]
				for i := range v {
					v[i] = rng.Float32() - .5
				}
				at := rng.IntN(n)
				v[at] = float32(rng.IntN(2)*6 - 3)
				if got := k.MaxAbs(v); got != 3 {
					t.Fatalf("MaxAbs of %d elements = %g, want 3 of element %d", n, got, at)
				}
				v[rng.IntN(n)] = float32(math.Inf(-1))
				if got := k.MaxAbs(v); !math.IsInf(float64(got), 1) {
					t.Fatalf("MaxAbs of %d elements with -Inf = %g", n, got)
				}
				v[rng.IntN(n)] = float32(math.NaN())
				if got := k.MaxAbs(v); got == got {
					t.Fatalf("MaxAbs of %d elements with NaN = %g", n, got)
				}
			}
		}
	})
}
