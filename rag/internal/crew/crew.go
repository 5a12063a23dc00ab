package crew

import "sync"

// Crew counts the workers of runs that are working. A worker that waits for a model,
// for a batch that another worker sends, or for an item is not counted. Work that is
// gathered from several workers goes on when none is left that could bring more. The
// lock of a crew also guards what is gathered.
type Crew struct {
	mu      sync.Mutex // guards working, and what idle reads and changes
	working int
	idle    func()
}

// New returns a crew without workers. It calls idle, with the crew's lock held, each
// time its last busy worker stops.
func New(idle func()) *Crew { return &Crew{idle: idle} }

// Lock takes the crew's lock.
func (c *Crew) Lock() { c.mu.Lock() }

// Unlock releases the crew's lock.
func (c *Crew) Unlock() { c.mu.Unlock() }

// Pause counts a worker out. The caller holds the lock.
func (c *Crew) Pause() {
	if c.working--; c.working <= 0 {
		c.idle()
	}
}

// Resume counts n workers in. The caller holds the lock.
func (c *Crew) Resume(n int) { c.working += n }

// Work counts a worker in, or out if on is false.
func (c *Crew) Work(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		c.Resume(1)
	} else {
		c.Pause()
	}
}
