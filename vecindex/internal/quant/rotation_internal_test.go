package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRotationIsOrthonormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	dot := func(x, y []float32) (s float64) {
		for i, v := range x {
			s += float64(v) * float64(y[i])
		}
		return s
	}
	dims := []int{64, 100, 127, 128, 129, 300, 768, 1000, 1024, 1536}
	for d := 1; d <= 40; d++ {
		dims = append(dims, d)
	}
	for _, d := range dims {
		r := NewRotation(d, uint64(d))
		var before, after [][]float32
		for range 6 {
			x := make([]float32, d)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			y := slices.Clone(x)
			r.Apply(y, make([]float32, d))
			before, after = append(before, x), append(after, y)
		}
		for i := range before {
			for j := range before {
				want, got := dot(before[i], before[j]), dot(after[i], after[j])
				size := math.Sqrt(dot(before[i], before[i]) * dot(before[j], before[j]))
				if math.Abs(got-want) > 1e-4*size {
					t.Fatalf("%d dimensions: product %g, not %g", d, got, want)
				}
			}
		}
	}
}

// TestRotationSpreads: one large element, of a crest of sqrt(d), becomes many of
// about the same size.
func TestRotationSpreads(t *testing.T) {
	for _, d := range []int{128, 300, 768, 1024} {
		r := NewRotation(d, 9)
		var crests float64
		for i := range d {
			x := make([]float32, d)
			x[i] = 1
			r.Apply(x, make([]float32, len(x)))
			var largest float64
			for _, v := range x {
				largest = max(largest, math.Abs(float64(v)))
			}
			if largest > 0.75 {
				t.Errorf("%d dimensions: element %d still has %g", d, i, largest)
			}
			crests += largest * math.Sqrt(float64(d))
		}
		if mean := crests / float64(d); mean > 7 {
			t.Errorf("%d dimensions: the mean crest of unit vectors is %g", d, mean)
		}
	}
}

func TestRotationIsOfItsSeed(t *testing.T) {
	apply := func(seed uint64) []float32 {
		x := make([]float32, 100)
		for i := range x {
			x[i] = float32(i)
		}
		NewRotation(100, seed).Apply(x, make([]float32, 100))
		return x
	}
	if !slices.Equal(apply(3), apply(3)) {
		t.Error("one seed, two rotations")
	}
	if slices.Equal(apply(3), apply(4)) {
		t.Error("two seeds, one rotation")
	}
}
