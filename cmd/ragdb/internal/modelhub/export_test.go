package modelhub

import (
	"context"
	"net/http"
	"time"
)

// Trust has a hub reach servers as a client does.
func (h *Hub) Trust(c *http.Client) { h.client.Transport = c.Transport }

// Hasten has a hub note the pauses that it would make, and wait no longer than idle for a
// server that says nothing.
func (h *Hub) Hasten(pauses *[]time.Duration, idle time.Duration) {
	h.idle = idle
	h.pause = func(ctx context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return ctx.Err()
	}
}
