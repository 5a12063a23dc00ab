package crew

import "sync"

// Dispenser gives the items of a stage to its workers, in order, by number. Workers run
// ahead of what was applied by a bounded number of items. A worker that has to wait for
// an item does not count as working.
type Dispenser struct {
	crew   *Crew     // its lock guards the fields below
	freed  sync.Cond // on the crew's lock: limit or halted changed
	next   int       // item to give out
	limit  int       // items before this one may be given out
	end    int       // number of items
	idle   int       // workers that wait
	halted bool      // nothing more is given out
}

// NewDispenser returns a dispenser of so many items to a crew. The first ahead items
// may be taken at once, and each later one after an earlier one was freed.
func NewDispenser(crew *Crew, items, ahead int) *Dispenser {
	d := &Dispenser{crew: crew, limit: ahead, end: items}
	d.freed.L = crew
	return d
}

// Take returns the next item; ok is false if there is none.
func (d *Dispenser) Take() (i int, ok bool) {
	d.crew.Lock()
	defer d.crew.Unlock()
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
func (d *Dispenser) Free(n int) {
	d.crew.Lock()
	defer d.crew.Unlock()
	d.limit += n
	d.wake()
}

// Halt ends the giving out.
func (d *Dispenser) Halt() {
	d.crew.Lock()
	defer d.crew.Unlock()
	d.halted = true
	d.wake()
}

// wake lets the workers that wait look again. It counts all of them as working at
// once, so that the first of them does not take itself for the only one. The caller
// holds the lock.
func (d *Dispenser) wake() {
	d.crew.Resume(d.idle)
	d.idle = 0
	d.freed.Broadcast()
}
