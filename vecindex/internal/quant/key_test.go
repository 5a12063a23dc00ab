package quant_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

func TestKeyOrder(t *testing.T) {
	rng := rngOf(6)
	all := []float32{
		0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
		1e-40, -1e-40, 1.1754944e-38, -1.1754944e-38, 1, -1, math.MaxFloat32, -math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), math.Nextafter32(1, 2), math.Nextafter32(-1, -2),
	}
	for len(all) < 3000 {
		if f := math.Float32frombits(rng.Uint32()); f == f {
			all = append(all, f)
		}
	}
	for _, f := range all {
		if got := quant.KeyOf(f).Distance(); math.Float32bits(got) != math.Float32bits(f) {
			t.Fatalf("%g comes back as %g", f, got)
		}
	}
	slices.Sort(all)
	for i := range all[1:] {
		x, y := all[i], all[i+1]
		if kx, ky := quant.KeyOf(x), quant.KeyOf(y); x < y && kx >= ky {
			t.Fatalf("keys of %g and %g are %d and %d", x, y, kx, ky)
		}
	}
	if quant.KeyOf(0) <= quant.KeyOf(float32(math.Copysign(0, -1))) {
		t.Error("keys of the two zeros")
	}
}
