package rag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// CommunityStats is implemented by systems whose communities can be judged by
// the vectors of their members.
type CommunityStats interface {
	// CommunityStats returns the figures in a fixed order, by level. v reads
	// the system's graph.
	CommunityStats(ctx context.Context, v *engine.View) ([]Figure, error)
}
