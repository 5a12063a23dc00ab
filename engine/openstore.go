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
	return stores.Open(ctx, path, s, stores.Options{
		ReadOnly:   o.ReadOnly,
		MustExist:  o.MustExist,
		CacheBytes: o.cacheBytes(),
		// One is filled while another is written out.
		MemtableBytes: min(o.MemoryBudget/16, maxMemtableBytes),
		Logger:        o.Logger,
	})
}
