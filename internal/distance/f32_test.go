package distance_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
)

const eps = 1.0 / (1 << 24)

// reference computes both distances in float64, with the sum of the absolute
// products that the tolerance of the inner product is stated in.
func reference(a, b []float32) (dot, absDot, l2 float64) {
	for i := range a {
		p := float64(a[i]) * float64(b[i])
		dot += p
		absDot += math.Abs(p)
		d := float64(a[i]) - float64(b[i])
		l2 += d * d
	}
	return dot, absDot, l2
}

// inOrder repeats the documented order of additions one element at a time.
func inOrder(a, b []float32, term func(x, y float32) float32) float32 {
	var s [32]float32
	for i := range a {
		s[i%32] += term(a[i], b[i])
	}
	for _, half := range []int{16, 8, 4, 2, 1} {
		for j := 0; j < half; j++ {
			s[j] += s[j+half]
		}
	}
	return s[0]
}

func product(x, y float32) float32 { return float32(x * y) }

func squared(x, y float32) float32 {
	d := x - y
	return float32(d * d)
}

// checkPair compares both kernels with the reference in value and with the
// documented order in bits.
func checkPair(t *testing.T, k *distance.Kernels, a, b []float32) {
	t.Helper()
	dot, absDot, l2 := reference(a, b)
	n := float64(len(a))
	if got := k.Dot(a, b); math.Abs(float64(got)-dot) > (n/32+8)*eps*absDot {
		t.Errorf("Dot of %d elements = %g, want %g", len(a), got, dot)
	} else if want := inOrder(a, b, product); math.Float32bits(got) != math.Float32bits(want) {
		t.Errorf("Dot of %d elements = %x, documented order gives %x", len(a), got, want)
	}
	if got := k.L2Sq(a, b); math.Abs(float64(got)-l2) > (n/32+10)*eps*l2 {
		t.Errorf("L2Sq of %d elements = %g, want %g", len(a), got, l2)
	} else if want := inOrder(a, b, squared); math.Float32bits(got) != math.Float32bits(want) {
		t.Errorf("L2Sq of %d elements = %x, documented order gives %x", len(a), got, want)
	}
}

func randomVector(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * math.Ldexp(1, rng.IntN(12)-6))
	}
	return v
}

func TestF32AgainstReference(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed = 1
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, n := range lengths() {
			for offset := range 16 {
				a, b := randomVector(rng, n+15), randomVector(rng, n+15)
				checkPair(t, k, a[offset:offset+n], b[15-offset:15-offset+n])
			}
		}
	})
}

// TestTolerance has the greatest length that the tolerance is stated for, and
// products that all round the same way.
func TestTolerance(t *testing.T) {
	const n = 100_000
	a, b := make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = 1+1.0/(1<<12), 1+1.0/(1<<12)-1.0/(1<<23)
	}
	eachTier(t, func(t *testing.T, k *distance.Kernels) { checkPair(t, k, a, b) })
}

func TestKnownValues(t *testing.T) {
	for _, c := range []struct {
		name    string
		a, b    []float32
		dot, l2 float32
	}{
		{"empty", nil, nil, 0, 0},
		{"one", []float32{3}, []float32{-2}, -6, 25},
		{"orthogonal", []float32{1, 0}, []float32{0, 1}, 0, 2},
		{"nine", []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float32{9, 8, 7, 6, 5, 4, 3, 2, 1}, 165, 240},
		{"equal", []float32{.5, .25, 4}, []float32{.5, .25, 4}, 16.3125, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachTier(t, func(t *testing.T, k *distance.Kernels) {
				if got := k.Dot(c.a, c.b); got != c.dot {
					t.Errorf("Dot = %g, want %g", got, c.dot)
				}
				if got := k.L2Sq(c.a, c.b); got != c.l2 {
					t.Errorf("L2Sq = %g, want %g", got, c.l2)
				}
			})
		})
	}
}

// TestNoFusing holds the kernels to products that are rounded before they are
// added: with a fused addition the result would be -2^-24 and not 0.
func TestNoFusing(t *testing.T) {
	x := float32(1 + 1.0/(1<<12))
	rounded := float32(x * x)
	a, b := make([]float32, 64), make([]float32, 64)
	a[0], b[0] = -rounded, 1
	a[32], b[32] = x, x
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		if got := k.Dot(a, b); got != 0 {
			t.Errorf("Dot = %g: a product was fused into its addition", got)
		}
	})
}

// TestBlocks checks that a block function gives the bits of the one-to-one
// function and writes nothing beyond out.
func TestBlocks(t *testing.T) {
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		const seed = 2
		rng := rand.New(rand.NewPCG(seed, seed))
		for _, dim := range []int{0, 1, 3, 8, 31, 32, 64, 100, 513} {
			for _, rows := range []int{0, 1, 2, 5, 33} {
				q, block := randomVector(rng, dim), randomVector(rng, dim*rows+7)
				out := make([]float32, rows+1)
				out[rows] = 42
				k.DotBlock(q, block, out[:rows])
				for r := range rows {
					if want := k.Dot(q, block[r*dim:(r+1)*dim]); out[r] != want {
						t.Fatalf("DotBlock %dx%d row %d = %g, want %g", rows, dim, r, out[r], want)
					}
				}
				k.L2SqBlock(q, block, out[:rows])
				for r := range rows {
					if want := k.L2Sq(q, block[r*dim:(r+1)*dim]); out[r] != want {
						t.Fatalf("L2SqBlock %dx%d row %d = %g, want %g", rows, dim, r, out[r], want)
					}
				}
				if out[rows] != 42 {
					t.Fatalf("a block of %d rows wrote beyond out", rows)
				}
			}
		}
	})
}

// TestManyRows has more rows than one call of a kernel takes.
func TestManyRows(t *testing.T) {
	const dim, rows, seed = 3, 300_000, 9
	rng := rand.New(rand.NewPCG(seed, seed))
	q, block, out := randomVector(rng, dim), randomVector(rng, dim*rows), make([]float32, rows)
	code, codes, dots := randomCodes(rng, dim), randomCodes(rng, rows+dim), make([]int32, rows)
	at := make([]*int8, rows)
	for i := range at {
		at[i] = &codes[i]
	}
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		k.DotBlock(q, block, out)
		k.DotI8Rows(code, at, dots)
		for r := range rows {
			if want := inOrder(q, block[r*dim:(r+1)*dim], product); out[r] != want {
				t.Fatalf("DotBlock: row %d = %g, want %g", r, out[r], want)
			}
			if want := referenceI8(code, codes[r:r+dim]); int64(dots[r]) != want {
				t.Fatalf("DotI8Rows: row %d = %d, want %d", r, dots[r], want)
			}
		}
		k.L2SqBlock(q, block, out)
		for r := range rows {
			if want := inOrder(q, block[r*dim:(r+1)*dim], squared); out[r] != want {
				t.Fatalf("L2SqBlock: row %d = %g, want %g", r, out[r], want)
			}
		}
	})
}

func FuzzF32(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 0, 64})
	f.Add(make([]byte, 8*19))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 8
		a, b := make([]float32, n), make([]float32, n)
		for i := range n {
			a[i] = tame(binary.LittleEndian.Uint32(data[8*i:]))
			b[i] = tame(binary.LittleEndian.Uint32(data[8*i+4:]))
		}
		eachTier(t, func(t *testing.T, k *distance.Kernels) { checkPair(t, k, a, b) })
	})
}

// tame turns any bits into a number whose products and squared differences
// neither overflow nor fall below the normal range.
func tame(bits uint32) float32 {
	exponent := bits >> 23 & 0xFF
	bits = bits&^(0xFF<<23) | (127-15+exponent%31)<<23
	return math.Float32frombits(bits)
}

func ExampleDotBlock() {
	query := []float32{1, 2}
	block := []float32{1, 0, 0, 1, 3, 3}
	scores := make([]float32, 3)
	distance.DotBlock(query, block, scores)
	fmt.Println(scores)
	// Output: [1 2 9]
}
