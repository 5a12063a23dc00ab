//go:build !ragdb_limited

package ragtest

import (
	"context"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

func newStore(context.Context) (kv.Store, error) { return memkv.New(layout.Schema()), nil }

// NeedsDirectory skips a test whose processes share a directory, if the tests run on
// another store.
func NeedsDirectory(testing.TB) {}
