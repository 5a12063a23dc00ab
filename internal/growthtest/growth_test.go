package growthtest_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/growthtest"
)

// TestMeasure: a line and a sort pass and a square does not, whatever the
// machine does meanwhile: a fifth of the runs costs up to five times as much,
// and every run has a part that does not grow.
func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		name   string
		cost   func(n float64) float64 // microseconds
		passes bool
	}{
		{"line", func(n float64) float64 { return n }, true},
		{"cheap line", func(n float64) float64 { return n / 1000 }, true},
		{"sort", func(n float64) float64 { return n * math.Log2(n) / 10 }, true},
		{"square", func(n float64) float64 { return n * n / 100 }, false},
		{"cheap square", func(n float64) float64 { return n * n / 1e6 }, false},
		{"square beside a line", func(n float64) float64 { return n/10 + n*n/1e4 }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(200) {
				r := rand.New(rand.NewPCG(seed, 1))
				m := growthtest.Measure(growthtest.Sizes{}, func(n int) time.Duration {
					cost := 50 + c.cost(float64(n))
					if r.IntN(5) == 0 {
						cost *= 1 + 4*r.Float64()
					}
					return time.Duration(cost * float64(time.Microsecond))
				})
				if passes := m.Growth() <= growthtest.Most; passes != c.passes {
					t.Errorf("seed %d: %d: %.2f times as much", seed, m.N, m.Growth())
				}
			}
		})
	}
}

// TestSizes: no more than To is measured.
func TestSizes(t *testing.T) {
	for _, to := range []int{1, 7, 8, 100, 120, 1 << 12} {
		most := 0
		growthtest.Measure(growthtest.Sizes{To: to}, func(n int) time.Duration {
			most = max(most, n)
			return time.Microsecond
		})
		if most > max(to, growthtest.Times) || to > growthtest.Times && most < to/2 {
			t.Errorf("of %d at most %d are measured", to, most)
		}
	}
}

// TestCost measures work and no sleep.
func TestCost(t *testing.T) {
	if growthtest.CPUTime() == 0 {
		t.Skip("the processor time is not known here")
	}
	x := 0
	work := growthtest.Cost(func() {
		for i := range 50_000_000 {
			x += i
		}
	})
	if work <= 0 {
		t.Errorf("%d cost %v", x, work)
	}
}
