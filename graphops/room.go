package graphops

import (
	"context"
	"errors"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
)

// room is what building a projection has drawn from the database's memory budget.
type room struct {
	mu    sync.Mutex
	share *memory.Share
}

// newRoom returns a room of nothing. The caller closes its share.
func newRoom(v *engine.View) *room { return &room{share: v.Graph().DB().Memory().Begin()} }

// fits draws what is needed in all, and reports whether there is as much. It waits for
// others who have it; the error is [engine.ErrBusy] if they keep it.
func (r *room) fits(ctx context.Context, need int64) (bool, error) {
	if r == nil {
		return true, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	more := need - r.share.Used()
	if more <= 0 {
		return true, nil
	}
	err := r.share.Grow(ctx, more)
	if errors.Is(err, engine.ErrMemory) {
		return false, nil
	}
	return err == nil, err
}
