package rag

import "sync"

// crew counts the workers of runs that do not wait: for a model, for a batch that
// another one sends, or for an item to work on. Work that is gathered from several of
// them goes on when none is left that could bring more.
type crew struct {
	// mu guards working, and what idle is told of.
	mu      sync.Mutex
	working int
	// idle is called, with mu held, when no worker is left that does not wait.
	idle func()
}

// pause counts a worker out. The caller holds mu.
func (c *crew) pause() {
	if c.working--; c.working <= 0 {
		c.idle()
	}
}

// work counts a worker of a run in, or out again.
func (c *crew) work(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		c.working++
	} else {
		c.pause()
	}
}
