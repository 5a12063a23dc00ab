package rag

import "sync"

// dispenser gives the items of a stage to its workers, in order, by number. Workers
// run ahead of what was applied by so many items at most. It counts a worker that has
// to wait for an item as one that does not work.
type dispenser struct {
	crew   *crew     // its mu guards the fields below
	freed  sync.Cond // on crew.mu: limit or halted changed
	next   int       // item to give out
	limit  int       // items before this one may be given out
	end    int       // number of items
	idle   int       // workers that wait
	halted bool      // nothing more is given out
}

func newDispenser(crew *crew, items, ahead int) *dispenser {
	d := &dispenser{crew: crew, limit: ahead, end: items}
	d.freed.L = &crew.mu
	return d
}

// take returns the next item; ok is false if there is none.
func (d *dispenser) take() (i int, ok bool) {
	d.crew.mu.Lock()
	defer d.crew.mu.Unlock()
	for !d.halted && d.next < d.end {
		if d.next < d.limit {
			d.next++
			return d.next - 1, true
		}
		d.idle++
		d.crew.pause()
		d.freed.Wait()
	}
	return 0, false
}

// free says that n items were applied.
func (d *dispenser) free(n int) {
	d.crew.mu.Lock()
	defer d.crew.mu.Unlock()
	d.limit += n
	d.wake()
}

// halt ends the giving out.
func (d *dispenser) halt() {
	d.crew.mu.Lock()
	defer d.crew.mu.Unlock()
	d.halted = true
	d.wake()
}

// wake lets the workers that wait look again. They work from now on, so that the
// first of them does not take itself for the only one. The caller holds mu.
func (d *dispenser) wake() {
	d.crew.working += d.idle
	d.idle = 0
	d.freed.Broadcast()
}
