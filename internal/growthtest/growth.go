// Package growthtest tells a cost that grows with the size of what is read from
// one that grows with its square, on machines that are busy with other things.
//
// A cost is measured at a size and at 16 times the size: a line costs 16
// times as much there, sorting about 20 times and a square 256 times. [Check]
// fails above [Most], which is far from both, so that neither a slow machine
// nor a busy one decides.
package growthtest

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	// Times is how much larger the larger size is.
	Times = 16
	// Most is how much more the larger size may cost.
	Most = 96
	// least is what a cost counts for at least: below it clocks are too coarse.
	least = 100 * time.Microsecond
	// tries is how often a growth that is too large is measured again.
	tries = 10
)

// Sizes are the sizes that are measured.
type Sizes struct {
	// From is the least size, 64 if it is 0.
	From int
	// To is the greatest size, 1<<20 if it is 0.
	To int
	// Enough is the cost from which on a size is large enough, one millisecond
	// if it is 0.
	Enough time.Duration
}

// Result is what [Measure] found: what N and [Times] as much cost.
type Result struct {
	N        int
	One, Big time.Duration
}

// Growth returns how much more the larger size costs.
func (r Result) Growth() float64 { return float64(r.Big) / float64(r.One) }

// Check fails the test if [Times] the size costs more than [Most] times as much.
// It skips the test where the processor time is not known.
func Check(t *testing.T, s Sizes, cost func(n int) time.Duration) {
	t.Helper()
	if CPUTime() == 0 {
		t.Skip("the processor time is not known here")
	}
	r := Measure(s, cost)
	if r.Growth() > Most {
		t.Errorf("%d cost %v and %d cost %v: %.2f times as much", r.N, r.One, Times*r.N, r.Big, r.Growth())
	}
	t.Logf("%d: %.2f times as much", r.N, r.Growth())
}

// Measure doubles a size until it costs enough, and returns what it and [Times]
// as much cost. Noise makes costs larger and never smaller, so the least of a
// few runs counts, and a growth of more than [Most] is measured again: at twice
// the size if the size turned out not to cost enough.
func Measure(s Sizes, cost func(n int) time.Duration) Result {
	if s.To == 0 {
		s.To = 1 << 20
	}
	if s.From == 0 {
		s.From = 64
	}
	if s.Enough == 0 {
		s.Enough = time.Millisecond
	}
	n := max(1, min(s.From, s.To/Times))
	for 2*n*Times <= s.To && (cost(n) < s.Enough || cost(n) < s.Enough) {
		n *= 2
	}
	r := Result{N: n, One: math.MaxInt64, Big: math.MaxInt64}
	for try := 0; try < tries && (try == 0 || r.Growth() > Most); try++ {
		if r.One < s.Enough && 2*r.N*Times <= s.To {
			r = Result{N: 2 * r.N, One: math.MaxInt64, Big: math.MaxInt64}
		}
		for range 5 {
			r.One = max(min(r.One, cost(r.N)), least)
		}
		r.Big = min(r.Big, cost(Times*r.N))
	}
	return r
}

// Cost returns the processor time of a run. It collects garbage before the run,
// and none is collected during it unless the heap grows beyond a gigabyte.
func Cost(run func()) time.Duration {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	runtime.GC()
	before := CPUTime()
	run()
	return CPUTime() - before
}
