package cypher

import "context"

// watch looks at a context while a statement is read, checked and planned. A nil
// watch looks at none.
type watch struct {
	ctx context.Context
	n   int
}

// look counts a step and returns the context's error now and then.
func (w *watch) look() error {
	if w == nil {
		return nil
	}
	if w.n++; w.n&1023 != 0 {
		return nil
	}
	return w.now()
}

// now returns the context's error.
func (w *watch) now() error {
	if w == nil || w.ctx == nil {
		return nil
	}
	return w.ctx.Err()
}
