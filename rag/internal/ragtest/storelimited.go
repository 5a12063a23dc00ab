//go:build ragdb_limited

package ragtest

import (
	"context"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// newStore opens a store with bounds: see package engine's tests with this tag.
func newStore(ctx context.Context) (kv.Store, error) {
	return new(kvtest.Limited).Open(ctx, "memory", layout.Schema(), tablekv.Options{})
}

// NeedsDirectory skips the test.
func NeedsDirectory(t testing.TB) {
	t.Helper()
	t.Skip("the store is on a server, not in a directory")
}
