package modelhub

import (
	"context"
	"time"
)

// Hasten has a hub note the pauses that it would make, and wait no longer than idle for a
// server that says nothing.
func (h *Hub) Hasten(pauses *[]time.Duration, idle time.Duration) {
	h.idle = idle
	h.pause = func(ctx context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return ctx.Err()
	}
}
