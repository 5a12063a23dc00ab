package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
)

// eachTier runs test for the functions of every supported tier.
func eachTier(t *testing.T, test func(t *testing.T, s kernel.Set)) {
	for tier := distance.Portable; tier <= distance.AVX512; tier++ {
		t.Run(tier.String(), func(t *testing.T) {
			s := kernel.For(tier)
			if s.Tier() != tier {
				t.Skip("not supported here")
			}
			test(t, s)
		})
	}
}

func random(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// rows returns n rows of width elements each, zeros beyond them.
func randomRows(rng *rand.Rand, n, width int) []float32 {
	v := make([]float32, n*kernel.Padded(width))
	for i := range n {
		copy(v[i*kernel.Padded(width):], random(rng, width))
	}
	return v
}

var shapes = []struct{ rows, in, out int }{
	{1, 1, 1}, {1, 384, 384}, {2, 3, 33}, {3, 5, 31}, {5, 7, 64}, {6, 64, 32}, {7, 100, 96}, {11, 31, 65},
	{12, 384, 1536}, {13, 32, 32}, {23, 128, 40}, {24, 312, 100}, {47, 1536, 64}, {100, 17, 9}, {400, 384, 32},
}

// TestMul holds products to the same worked out in float64, at every tail of rows,
// inputs and columns.
func TestMul(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range shapes {
			a, w, bias := randomRows(rng, n.rows, n.in), random(rng, n.in*n.out), random(rng, n.out)
			m := kernel.Pack(n.in, n.out, func(j int) []float32 { return w[j*n.in:][:n.in] }, bias)
			lda, ldc := kernel.Padded(n.in), kernel.Padded(n.out)+kernel.Width
			c := make([]float32, n.rows*ldc)
			for i := range c {
				c[i] = 77
			}
			s.Mul(c, ldc, a, lda, n.rows, m)
			for i := range n.rows {
				for j := range ldc {
					got, want, size := c[i*ldc+j], 0., 1.
					switch {
					case j >= kernel.Padded(n.out):
						want = 77
					case j < n.out:
						want = float64(bias[j])
						for k := range n.in {
							p := float64(a[i*lda+k]) * float64(w[j*n.in+k])
							want += p
							size += math.Abs(p)
						}
					}
					if math.Abs(float64(got)-want) > size*float64(n.in+2)*0x1p-24 {
						t.Fatalf("%+v: element %d, %d is %v, want %v", n, i, j, got, want)
					}
				}
			}
		}
	})
}

// TestRowsAlone says that a row has the same bits alone and among others.
func TestRowsAlone(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(3, 4))
		const in, out, rows = 384, 100, 31
		a, w := randomRows(rng, rows, in), random(rng, in*out)
		row := func(j int) []float32 { return w[j*in:][:in] }
		m, m8 := kernel.Pack(in, out, row, nil), kernel.PackI8(in, out, row, nil)
		wide := kernel.Padded(out)
		all, one := make([]float32, rows*wide), make([]float32, wide)
		all8 := make([]float32, rows*wide)
		s.Mul(all, wide, a, in, rows, m)
		q := kernel.NewCodes(rows, in)
		q.Set(s, a, in, rows, m8)
		s.MulI8(all8, wide, q, rows, m8)
		for i := range rows {
			s.Mul(one, wide, a[i*in:], in, 1, m)
			if got := all[i*wide:][:wide]; fmt.Sprint(got) != fmt.Sprint(one) {
				t.Fatalf("row %d differs alone", i)
			}
			q.Set(s, a[i*in:], in, 1, m8)
			s.MulI8(one, wide, q, 1, m8)
			if got := all8[i*wide:][:wide]; fmt.Sprint(got) != fmt.Sprint(one) {
				t.Fatalf("row %d differs alone in 8 bits", i)
			}
		}
	})
}

// TestMulI8 holds the product in 8 bits to that in float64: the error of each
// rounding is at most half a step, and those of a sum must not add up in one
// direction.
func TestMulI8(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, n := range shapes {
			a, w, bias := randomRows(rng, n.rows, n.in), random(rng, n.in*n.out), random(rng, n.out)
			lda, ldc := kernel.Padded(n.in), kernel.Padded(n.out)
			for k := range n.in { // a row of zeros, and one on one side of 0
				a[k] = 0
				if n.rows > 1 {
					a[lda+k] = 2 + a[lda+k]/8
				}
			}
			m := kernel.PackI8(n.in, n.out, func(j int) []float32 { return w[j*n.in:][:n.in] }, bias)
			q := kernel.NewCodes(n.rows, n.in)
			q.Set(s, a, lda, n.rows, m)
			c := make([]float32, n.rows*ldc)
			s.MulI8(c, ldc, q, n.rows, m)
			for i := range n.rows {
				for j := range ldc {
					got, want, size := c[i*ldc+j], 0., 1e-6
					if j < n.out {
						want = float64(bias[j])
						for k := range n.in {
							x, y := float64(a[i*lda+k]), float64(w[j*n.in+k])
							want += x * y
							size += (math.Abs(x) + .02) * .02
							size += math.Abs(y) * .04
						}
						size = size/math.Sqrt(float64(n.in))*3 + 1e-3
					}
					if math.Abs(float64(got)-want) > size {
						t.Fatalf("%+v: element %d, %d is %v, want %v (to %v)", n, i, j, got, want, size)
					}
				}
			}
		}
	})
}

// TestMulI8Tiers says that products in 8 bits differ between tiers by no more than
// the rounding of the last two operations.
func TestMulI8Tiers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const rows, in, out = 17, 1536, 70
	a, w, bias := randomRows(rng, rows, in), random(rng, in*out), random(rng, out)
	m := kernel.PackI8(in, out, func(j int) []float32 { return w[j*in:][:in] }, bias)
	var first []float32
	eachTier(t, func(t *testing.T, s kernel.Set) {
		q := kernel.NewCodes(rows, in)
		q.Set(s, a, in, rows, m)
		c := make([]float32, rows*kernel.Padded(out))
		s.MulI8(c, kernel.Padded(out), q, rows, m)
		if first == nil {
			first = c
		}
		for i := range c {
			if d := math.Abs(float64(c[i] - first[i])); d > 2e-5 {
				t.Fatalf("element %d is %v, portable has %v", i, c[i], first[i])
			}
		}
	})
}

func TestBlock(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, rows := range []int{1, 2, 9, 12, 27} {
			for _, k := range []int{1, 2, 31, 64} {
				const lda, ldb, ldc = 70, 99, 40
				a, b, bias := random(rng, rows*lda), random(rng, k*ldb), random(rng, kernel.Width)
				c := make([]float32, rows*ldc)
				s.Block(c, ldc, a, lda, rows, b, ldb, k, bias)
				for i := range rows {
					for j := range kernel.Width {
						want := float64(bias[j])
						for n := range k {
							want += float64(a[i*lda+n]) * float64(b[n*ldb+j])
						}
						if got := float64(c[i*ldc+j]); math.Abs(got-want) > 1e-4 {
							t.Fatalf("%d rows, %d steps: element %d, %d is %v, want %v", rows, k, i, j, got, want)
						}
					}
				}
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, n := range []int{0, 32, 64, 96, 512, 544} {
			for _, size := range []float32{0, 1, 10, 300} {
				x := random(rng, n)
				for i := range x {
					if x[i] *= size; i%7 == 3 {
						x[i] = -1e30
					}
				}
				y := append([]float32(nil), x...)
				s.Softmax(y)
				top, sum := math.Inf(-1), 0.
				for _, v := range x {
					top = max(top, float64(v))
				}
				for _, v := range x {
					sum += math.Exp(float64(v) - top)
				}
				for i, v := range x {
					slack := 2e-6 + (top-float64(v))*0x1p-23 // of the difference, which is rounded
					if want := math.Exp(float64(v)-top) / sum; math.Abs(float64(y[i])-want) > slack*want+1e-36 {
						t.Fatalf("%d elements: element %d is %v, want %v", n, i, y[i], want)
					}
				}
			}
		}
	})
}

// TestGELU holds both functions to the error of float32 over the range in which
// they bend, and far beyond it.
func TestGELU(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		x := make([]float32, 1<<16)
		for i := range x {
			x[i] = float32(i-len(x)/2) / float32(len(x)) * 24
		}
		copy(x, []float32{-1e30, -100, 100, 1e30, 0, 1e-30})
		y, z := append([]float32(nil), x...), append([]float32(nil), x...)
		s.GELU(y)
		s.GELUTanh(z)
		for i, v := range x {
			v := float64(v)
			slack := 1e-6 * (math.Abs(v) + 1)
			if v < -10 {
				slack = 3e-7 * -v
			}
			if want := .5 * v * math.Erfc(-v/math.Sqrt2); math.Abs(float64(y[i])-want) > slack {
				t.Fatalf("GELU of %v is %v, want %v", v, y[i], want)
			}
			if want := .5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+.044715*v*v*v))); math.Abs(float64(z[i])-want) > slack {
				t.Fatalf("GELUTanh of %v is %v, want %v", v, z[i], want)
			}
		}
	})
}

func TestAddNorm(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, n := range []int{0, 1, 8, 15, 16, 32, 48, 312, 384, 768, 1024} {
			x, r, gamma, beta := random(rng, n), random(rng, n), random(rng, n), random(rng, n)
			y := append([]float32(nil), x...)
			s.AddNorm(y, r, gamma, beta, 1e-12)
			mean, vary := 0., 1e-12
			for i := range x {
				mean += float64(x[i]+r[i]) / float64(n)
			}
			for i := range x {
				vary += (float64(x[i]+r[i]) - mean) * (float64(x[i]+r[i]) - mean) / float64(n)
			}
			for i := range x {
				want := (float64(x[i]+r[i])-mean)/math.Sqrt(vary)*float64(gamma[i]) + float64(beta[i])
				if math.Abs(float64(y[i])-want) > 1e-5 {
					t.Fatalf("%d elements: element %d is %v, want %v", n, i, y[i], want)
				}
			}
		}
	})
}

// TestLargeInput gives one input weights 40 times as large as the others', as
// trained models have them. The other inputs must keep their weights: with a step
// of the largest weight / 127 their error would be four times as large.
func TestLargeInput(t *testing.T) {
	eachTier(t, func(t *testing.T, s kernel.Set) {
		rng := rand.New(rand.NewPCG(15, 16))
		const rows, in, out, large = 5, 1536, 40, 700
		a, w := randomRows(rng, rows, in), random(rng, in*out)
		for j := range out {
			w[j*in+large] *= 40
		}
		for i := range rows {
			a[i*in+large] = 0
		}
		m := kernel.PackI8(in, out, func(j int) []float32 { return w[j*in:][:in] }, nil)
		q := kernel.NewCodes(rows, in)
		q.Set(s, a, in, rows, m)
		c := make([]float32, rows*kernel.Padded(out))
		s.MulI8(c, kernel.Padded(out), q, rows, m)
		sum := 0.
		for i := range rows {
			for j := range out {
				want := 0.
				for k := range in {
					want += float64(a[i*in+k]) * float64(w[j*in+k])
				}
				sum += math.Pow(float64(c[i*kernel.Padded(out)+j])-want, 2)
			}
		}
		// The products have a spread of 39.
		if off := math.Sqrt(sum / rows / out); off > .6 {
			t.Errorf("a product is off by %v in the mean", off)
		}
	})
}
