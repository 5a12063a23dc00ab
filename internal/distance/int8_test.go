package distance_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
)

// lengths holds every length up to two groups of the widest kernel and the
// usual dimensions of embeddings.
func lengths() []int {
	var ns []int
	for n := 0; n <= 130; n++ {
		ns = append(ns, n)
	}
	return append(ns, 255, 384, 512, 768, 1000, 1536, 4096)
}

// referenceI8 computes the inner product in int64.
func referenceI8(a, b []int8) (dot int64) {
	for i := range a {
		dot += int64(a[i]) * int64(b[i])
	}
	return dot
}

func randomCodes(rng *rand.Rand, n int) []int8 {
	v := make([]int8, n)
	for i := range v {
		v[i] = int8(rng.IntN(256))
	}
	return v
}

func sameCodes(n int, x int8) []int8 {
	v := make([]int8, n)
	for i := range v {
		v[i] = x
	}
	return v
}

func checkI8(t *testing.T, k *distance.Kernels, a, b []int8) {
	t.Helper()
	if got, want := k.DotI8(a, b), referenceI8(a, b); int64(got) != want {
		t.Errorf("DotI8 of %d elements = %d, want %d", len(a), got, want)
	}
}

func TestI8AgainstReference(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed = 3
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, n := range lengths() {
			for offset := range 16 {
				a, b := randomCodes(rng, n+15), randomCodes(rng, n+15)
				checkI8(t, k, a[offset:offset+n], b[15-offset:15-offset+n])
			}
		}
		for _, n := range []int{1, 63, 64, 65, 768, 1 << 15, 1 << 16} {
			for _, x := range []int8{-128, -127, 0, 127} {
				for _, y := range []int8{-128, -1, 127} {
					checkI8(t, k, sameCodes(n, x), sameCodes(n, y))
				}
			}
		}
	})
}

func TestI8Rows(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed = 4
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, n := range lengths() {
			for _, count := range []int{0, 1, 2, 3, 4, 5, 7, 32} {
				q, arena := randomCodes(rng, n), randomCodes(rng, 64*(n+8)+1)
				rows, out := make([]*int8, count), make([]int32, count+1)
				for i := range rows {
					rows[i] = &arena[rng.IntN(64*(n+8)+1-n)]
					if i%3 == 0 {
						rows[i] = &arena[rng.IntN(64)*(n+8)]
					}
				}
				out[count] = 42
				k.DotI8Rows(q, rows, out[:count])
				for i, p := range rows {
					want := referenceI8(q, unsafe.Slice(p, n))
					if int64(out[i]) != want {
						t.Fatalf("row %d of %d, %d elements: %d, want %d", i, count, n, out[i], want)
					}
				}
				if out[count] != 42 {
					t.Fatalf("%d rows: written beyond out", count)
				}
			}
		}
	})
}

// TestI8RowsOfNothing has rows without elements, which need no address.
func TestI8RowsOfNothing(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		out := []int32{7, 7}
		if k.DotI8Rows(nil, make([]*int8, 2), out); out[0] != 0 || out[1] != 0 {
			t.Errorf("inner products of nothing = %d", out)
		}
	})
}

func FuzzI8(f *testing.F) {
	f.Add([]byte{128, 128, 127, 129})
	f.Add(make([]byte, 131))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := min(len(data)/2, 1<<15)
		a, b := make([]int8, n), make([]int8, n)
		for i := range n {
			a[i], b[i] = int8(data[i]), int8(data[n+i])
		}
		eachTier(t, func(t *testing.T, k *distance.Kernels) {
			checkI8(t, k, a, b)
			if n == 0 {
				return
			}
			dot := referenceI8(a, b)
			norm := referenceI8(a, a)
			out := make([]int32, 3)
			k.DotI8Rows(a, []*int8{&b[0], &a[0], &b[0]}, out)
			if int64(out[0]) != dot || int64(out[1]) != norm || int64(out[2]) != dot {
				t.Errorf("DotI8Rows of %d elements = %d, want %d, %d, %d", n, out, dot, norm, dot)
			}
		})
	})
}
