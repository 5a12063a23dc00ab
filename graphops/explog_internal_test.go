package graphops

import (
	"math"
	"testing"
)

func TestExpOfAndLogOf(t *testing.T) {
	s := newStream(3)
	for range 200_000 {
		x := -700 * s.float() * s.float() * s.float()
		if got, want := expOf(x), math.Exp(x); !(math.Abs(got-want) <= 4e-16*want) {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
		y := math.Ldexp(1+s.float(), int(s.below(2000))-1000)
		if s.below(2) == 0 {
			y = 0.5 + s.float()
		}
		if got, want := logOf(y), math.Log(y); !(math.Abs(got-want) <= 4e-16*math.Abs(want)) {
			t.Fatalf("log(%v) = %v, want %v", y, got, want)
		}
	}
	for _, x := range []float64{0, -701, math.Inf(-1)} {
		if got, want := expOf(x), math.Exp(x); math.Abs(got-want) > 1e-300 {
			t.Errorf("exp(%v) = %v", x, got)
		}
	}
	for x, want := range map[float64]float64{1: 0, math.SmallestNonzeroFloat64: -744.4400719213812, math.MaxFloat64: math.Log(math.MaxFloat64)} {
		if got := logOf(x); got != want {
			t.Errorf("log(%v) = %v, want %v", x, got, want)
		}
	}
}
