package graphops

import "time"

// Progress says how far an operation has come.
type Progress struct {
	// Phase names what is being done, such as "pagerank".
	Phase string
	// Done of Total steps are done. An operation may end before Total, where
	// it converges; its last report has Done equal to Total.
	Done, Total int
	// Elapsed is the time since the operation began.
	Elapsed time.Duration
}

// progressEvery is the shortest time between two reports, the last one aside.
const progressEvery = 100 * time.Millisecond

// reporter calls a progress function at most ten times a second and once at
// the end, always on the goroutine of the operation.
type reporter struct {
	fn          func(Progress)
	phase       string
	start, last time.Time
}

func newReporter(fn func(Progress), phase string) *reporter {
	if fn == nil {
		return nil
	}
	now := time.Now()
	return &reporter{fn: fn, phase: phase, start: now, last: now}
}

// step reports done of total steps where it is time to.
func (r *reporter) step(done, total int) {
	if r == nil {
		return
	}
	if now := time.Now(); done == total || now.Sub(r.last) >= progressEvery {
		r.last = now
		r.fn(Progress{Phase: r.phase, Done: done, Total: total, Elapsed: now.Sub(r.start)})
	}
}
