package openai

import (
	"context"
	"time"
)

// Clock is time as retries and limits see it.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with the context's error as soon as that is
	// over.
	Sleep(ctx context.Context, d time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
