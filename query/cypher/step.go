package cypher

import (
	"errors"
	"time"
)

// step is a part of a compiled statement. Rows are pushed through steps: open
// connects a step to the receiver of its rows. A step belongs to one run.
type step interface {
	// open returns the receiver of the step's input rows.
	open(x *exec, next sink) sink
	// plan describes the step.
	plan() *PlanStep
}

// sink takes rows. A row is good until push returns: its places are written
// again for the next one.
type sink struct {
	push func(r row) error
	// done ends the input: no row follows.
	done func() error
}

// errEnough is returned by a step that wants no more rows. It ends the steps
// before it; done is still called.
var errEnough = errors.New("enough rows")

// enough returns nil for errEnough.
func enough(err error) error {
	if err == errEnough {
		return nil
	}
	return err
}

// openSteps opens steps that follow each other.
func openSteps(x *exec, steps []step, last sink) sink {
	for i := len(steps) - 1; i >= 0; i-- {
		if x.profile {
			last = profiled(steps[i], x, last)
			continue
		}
		last = steps[i].open(x, last)
	}
	return last
}

// profiled opens a step that records its rows and its own time in its plan.
func profiled(s step, x *exec, next sink) sink {
	p := s.plan()
	var since time.Time
	resume := func() { since = time.Now() }
	pause := func() { p.Time += time.Since(since) }
	own := s.open(x, sink{
		push: func(r row) error {
			pause()
			defer resume()
			p.Rows++
			return next.push(r)
		},
		done: func() error {
			pause()
			defer resume()
			return next.done()
		},
	})
	return sink{
		push: func(r row) error {
			resume()
			defer pause()
			return own.push(r)
		},
		done: func() error {
			resume()
			defer pause()
			return own.done()
		},
	}
}

// stream is a step that makes rows of one row at a time.
func stream(next sink, push func(r row) error) sink { return sink{push: push, done: next.done} }

// runSteps runs steps on one row. What the last makes goes to last.
func runSteps(x *exec, steps []step, r row, last sink) error {
	s := openSteps(x, steps, last)
	if err := enough(s.push(r)); err != nil {
		return err
	}
	return enough(s.done())
}

// segment is the set of variables between two projections. Its rows have a
// place for each, even before it is bound.
type segment struct{ scope }

// row returns an empty row.
func (s *segment) row() row { return make(row, s.size()) }

// tick counts a step of a loop over rows or edges and returns the context's
// error now and then.
func (x *exec) tick() error {
	x.ticks++
	if x.ticks&511 != 0 {
		return nil
	}
	return x.interrupted()
}
