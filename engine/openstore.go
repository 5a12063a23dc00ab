//go:build !ragdb_limited

package engine

import (
	"context"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/stores"
)

// maxMemtableBytes bounds what the storage engine collects before it writes a
// table; more gains nothing.
const maxMemtableBytes = 64 << 20

func (o *Options) openDefault(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
	// Four memtables and the block cache share the caches' part of the budget.
	memtable := min(o.cacheBytes()/8, maxMemtableBytes)
	return stores.Open(ctx, path, s, stores.Options{
		ReadOnly:      o.ReadOnly,
		MustExist:     o.MustExist,
		CacheBytes:    o.cacheBytes() - 4*memtable,
		MemtableBytes: memtable,
		Logger:        o.Logger,
	})
}
