package crew

import "sync"

// dispenser gives the items of a stage to its workers, in order, by number. Workers
// run ahead of what was applied by so many items at most. It counts a worker that has
// to wait for an item as one that does not work.
type dispenser struct {
	crew   *Crew     // its mu guards the fields below
	freed  sync.Cond // on crew.mu: limit or halted changed
	next   int       // item to give out
	limit  int       // items before this one may be given out
	end    int       // number of items
	idle   int       // workers that wait
	halted bool      // nothing more is given out
}

func NewDispenser(crew *Crew, items, ahead int) *dispenser {
	d := &dispenser{crew: crew, limit: ahead, end: items}
	d.freed.L = &crew.Mu
	return d
}

// Take returns the next item; ok is false if there is none.
func (d *dispenser) Take() (i int, ok bool) {
	d.crew.Mu.Lock()
	defer d.crew.Mu.Unlock()
	for !d.halted && d.next < d.end {
		if d.next < d.limit {
			d.next++
			return d.next - 1, true
		}
		d.idle++
		d.crew.Pause()
		d.freed.Wait()
	}
	return 0, false
}

// Free says that n items were applied.
func (d *dispenser) Free(n int) {
	d.crew.Mu.Lock()
	defer d.crew.Mu.Unlock()
	d.limit += n
	d.wake()
}

// Halt ends the giving out.
func (d *dispenser) Halt() {
	d.crew.Mu.Lock()
	defer d.crew.Mu.Unlock()
	d.halted = true
	d.wake()
}

// wake lets the workers that wait look again. They work from now on, so that the
// first of them does not take itself for the only one. The caller holds mu.
func (d *dispenser) wake() {
	d.crew.Working += d.idle
	d.idle = 0
	d.freed.Broadcast()
}
