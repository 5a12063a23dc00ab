package graphops

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
)

// dense applies a symmetric matrix held row by row.
type dense struct {
	n int
	a []float64
}

func (x *dense) apply(_ context.Context, dst, src, prev []float64, width int, alpha, beta, gamma float64) error {
	out := make([]float64, x.n*width)
	for i := range x.n {
		for j := range width {
			s := 0.0
			for k := range x.n {
				s += x.a[i*x.n+k] * src[k*width+j]
			}
			out[i*width+j] = alpha*s + beta*src[i*width+j] + gamma*prev[i*width+j]
		}
	}
	copy(dst, out)
	return nil
}

// withSpectrum returns a matrix of the given eigenvalues in a random basis,
// which reflections make.
func withSpectrum(values []float64, seed uint64) *dense {
	n := len(values)
	x := &dense{n, make([]float64, n*n)}
	for i, v := range values {
		x.a[i*n+i] = v
	}
	r := newStream(seed)
	for range 3 {
		h, square := make([]float64, n), 0.0
		for i := range h {
			h[i] = r.normal()
			square += h[i] * h[i]
		}
		for range 2 { // from the left, then from the right
			for i := range n {
				dot := 0.0
				for k := range n {
					dot += x.a[i*n+k] * h[k]
				}
				for k := range n {
					x.a[i*n+k] -= 2 * dot / square * h[k]
				}
			}
			if err := transposeSquare(context.Background(), x.a, n); err != nil {
				panic(err)
			}
		}
	}
	return x
}

func TestEigenSolver(t *testing.T) {
	fill := func(n int, fn func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = fn(i)
		}
		return x
	}
	for _, test := range []struct {
		name   string
		values []float64 // falling
		want   int
	}{
		{"one", []float64{3}, 1},
		{"all of few", []float64{5, 4, 4, 1, 0}, 5},
		{"spread", fill(120, func(i int) float64 { return float64(120 - i) }), 7},
		{"decades", fill(60, func(i int) float64 { return math.Pow(10, float64(4-i)) }), 8},
		{"two far above the others", fill(200, func(i int) float64 { return []float64{900, 700, 3 - float64(i)/100}[min(i, 2)] }), 9},
		{"many equal ones", fill(150, func(i int) float64 { return float64(1 - i/60) }), 20},
		{"equal ones across the end", fill(90, func(i int) float64 { return 1 / float64(1+i/4) }), 10},
		{"low rank", fill(100, func(i int) float64 { return float64(max(0, 3-i)) }), 9},
		{"zeros", make([]float64, 40), 4},
		{"identity", fill(50, func(int) float64 { return 1 }), 6},
		{"positive and negative", fill(80, func(i int) float64 { return math.Cos(float64(i) * math.Pi / 80) }), 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := len(test.values)
			x := withSpectrum(test.values, 5)
			low := min(0, test.values[n-1])
			s := &eigenSolver{n: n, want: test.want, apply: x.apply, low: low, enough: 1e-9, most: 200, workers: 1, random: newStream(1)}
			values, vectors, converged, err := s.solve(t.Context())
			if err != nil || !converged {
				t.Fatal(converged, err)
			}
			top := math.Abs(test.values[0])
			for k, v := range values {
				if !(math.Abs(v-test.values[k]) <= 1e-8*top) {
					t.Errorf("eigenvalue %d is %v, want %v", k, v, test.values[k])
				}
				// The residual, and the products with the others.
				left := 0.0
				for i := range n {
					y := -v * vectors[i*test.want+k]
					for j := range n {
						y += x.a[i*n+j] * vectors[j*test.want+k]
					}
					left += y * y
				}
				if !(math.Sqrt(left) <= 1e-6*top) {
					t.Errorf("vector %d has a residual of %v", k, math.Sqrt(left))
				}
				for j := range k + 1 {
					dot := 0.0
					for i := range n {
						dot += vectors[i*test.want+k] * vectors[i*test.want+j]
					}
					if j == k {
						dot--
					}
					if !(math.Abs(dot) < 1e-8) {
						t.Errorf("vectors %d and %d have product %v", k, j, dot)
					}
				}
			}
		})
	}
}

func TestSymmetricEigen(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 17, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := newStream(uint64(n))
			want := make([]float64, n)
			for i := range want {
				want[i] = math.Round(8 * r.normal())
			}
			slices.Sort(want)
			slices.Reverse(want)
			a := withSpectrum(want, 3)
			values, vectors, err := symmetricEigen(t.Context(), slices.Clone(a.a), n)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range values {
				if !(math.Abs(v-want[k]) < 1e-12) {
					t.Errorf("eigenvalue %d is %v, want %v", k, v, want[k])
				}
				for i := range n {
					if y := dotOf(a.a[i*n:(i+1)*n], vectors[k*n:]) - v*vectors[k*n+i]; !(math.Abs(y) < 1e-12) {
						t.Errorf("vector %d has a residual of %v", k, y)
					}
				}
			}
		})
	}
}

// Tiles give what single sums do.
func TestTiles(t *testing.T) {
	r := newStream(4)
	random := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.normal()
		}
		return x
	}
	for range 200 {
		rows, w1, w2 := int(r.below(12)), int(1+r.below(11)), int(1+r.below(11))
		a, b := random(rows*w1), random(rows*w2)
		got := random(w1 * w2)
		want := slices.Clone(got)
		addCross(got, a, w1, w1, b, w2, rows)
		for i := range w1 {
			for j := range w2 {
				for k := range rows {
					want[i*w2+j] += float64(a[k*w1+i] * b[k*w2+j])
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("cross of %d rows, %d and %d columns", rows, w1, w2)
		}
		c, got := random(w2*w1), random(rows*w2)
		want = slices.Clone(got)
		addTimesRows(got, w2, a, w1, w1, c, w1, w2, rows)
		for k := range rows {
			for j := range w2 {
				want[k*w2+j] += dotOf(a[k*w1:(k+1)*w1], c[j*w1:])
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("products of %d rows, %d and %d columns", rows, w1, w2)
		}
	}
}
