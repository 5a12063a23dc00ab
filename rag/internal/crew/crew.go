package crew

import "sync"

// Crew counts the workers of runs that do not wait: for a model, for a batch that
// another one sends, or for an item to work on. Work that is gathered from several of
// them goes on when none is left that could bring more.
type Crew struct {
	// Mu guards working, and what idle is told of.
	Mu      sync.Mutex
	Working int
	// Idle is called, with mu held, when no worker is left that does not wait.
	Idle func()
}

// Pause counts a worker out. The caller holds mu.
func (c *Crew) Pause() {
	if c.Working--; c.Working <= 0 {
		c.Idle()
	}
}

// Work counts a worker of a run in, or out again.
func (c *Crew) Work(on bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if on {
		c.Working++
	} else {
		c.Pause()
	}
}
