package cypher

import "context"

// watch looks at a context while a statement is read, checked and planned. A nil
// watch looks at none.
type watch struct {
	ctx context.Context
	n   int
}

// look counts a step and returns the context's error now and then.
func (w *watch) look() error { return w.looks(1) }

// looks counts steps and returns the context's error now and then.
func (w *watch) looks(steps int) error {
	if w == nil {
		return nil
	}
	if w.n += steps; w.n < 1024 {
		return nil
	}
	w.n = 0
	return w.now()
}

// context returns the context that is watched.
func (w *watch) context() context.Context {
	if w == nil || w.ctx == nil {
		return context.Background()
	}
	return w.ctx
}

// now returns the context's error.
func (w *watch) now() error {
	if w == nil || w.ctx == nil {
		return nil
	}
	return w.ctx.Err()
}
