package main

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// settle returns when the index of a vector space has nothing pending.
func settle(ctx context.Context, db *engine.DB, g *engine.Graph, space string) error {
	return db.FlushSpace(ctx, g, space)
}
