//go:build !ragdb_limited

package ragtest

import (
	"context"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

func newStore(context.Context) (kv.Store, error) { return memkv.New(layout.Schema()), nil }
