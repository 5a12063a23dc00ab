package distance_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
)

// TestU4AgainstReference holds DotU4Block to its definition, for all lengths,
// random and extreme values.
func TestU4AgainstReference(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed, rows = 6, 3
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, half := range lengths() {
			for _, draw := range []func() (int8, uint8){
				func() (int8, uint8) { return int8(rng.IntN(256)), uint8(rng.IntN(256)) },
				func() (int8, uint8) { return -128, 255 },
				func() (int8, uint8) { return 127, 255 },
			} {
				q, block := make([]int8, 2*half), make([]uint8, rows*half)
				for i := range q {
					q[i], _ = draw()
				}
				for i := range block {
					_, block[i] = draw()
				}
				out := make([]int32, rows)
				k.DotU4Block(q, block, out)
				for r, got := range out {
					want := 0
					for i, b := range block[r*half : (r+1)*half] {
						want += int(q[i])*int(b&15) + int(q[half+i])*int(b>>4)
					}
					if int(got) != want {
						t.Fatalf("%d bytes, row %d: %d, want %d", half, r, got, want)
					}
				}
			}
		}
	})
}

// TestU2AgainstReference holds DotU2Block to its definition, for all lengths,
// random and extreme values.
func TestU2AgainstReference(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed, rows = 6, 3
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, quarter := range lengths() {
			for _, draw := range []func() (int8, uint8){
				func() (int8, uint8) { return int8(rng.IntN(256)), uint8(rng.IntN(256)) },
				func() (int8, uint8) { return -128, 255 },
				func() (int8, uint8) { return 127, 255 },
			} {
				q, block := make([]int8, 4*quarter), make([]uint8, rows*quarter)
				for i := range q {
					q[i], _ = draw()
				}
				for i := range block {
					_, block[i] = draw()
				}
				out := make([]int32, rows)
				k.DotU2Block(q, block, out)
				for r, got := range out {
					want := 0
					for i, b := range block[r*quarter : (r+1)*quarter] {
						for e := range 4 {
							want += int(q[e*quarter+i]) * int(b>>(2*e)&3)
						}
					}
					if int(got) != want {
						t.Fatalf("%d bytes, row %d: %d, want %d", quarter, r, got, want)
					}
				}
			}
		}
	})
}

func BenchmarkDotU4Block(b *testing.B) {
	const rows = 256
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		q, _ := benchCodes(dim)
		block, out := make([]uint8, 400*rows*dim/2), make([]int32, rows)
		at := 0
		return rows, func() {
			k.DotU4Block(q, block[at*rows*dim/2:], out)
			at = (at + 1) % 400
		}
	})
}

func BenchmarkDotU2Block(b *testing.B) {
	const rows = 256
	benchEach(b, func(k *distance.Kernels, dim int) (int, func()) {
		q, _ := benchCodes(dim)
		block, out := make([]uint8, 400*rows*dim/4), make([]int32, rows)
		at := 0
		return rows, func() {
			k.DotU2Block(q, block[at*rows*dim/4:], out)
			at = (at + 1) % 400
		}
	})
}
