//go:build !nopostgres

package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/kv/pgkv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// serverOpener opens a store in a real PostgreSQL, with bounds that part large commits.
func serverOpener(url string) func(*pebblekv.Options) opener {
	return func(*pebblekv.Options) opener {
		return func(ctx context.Context, _ string, s *kv.Schema) (kv.Store, error) {
			tab, err := pgkv.Open(ctx, url, pgkv.Options{Bounds: kv.Bounds{ValueBytes: 2 << 10, ChangeBytes: 32 << 10, RemoveKeys: 50}})
			if err != nil {
				return nil, err
			}
			return tablekv.Open(ctx, tab, s, &tablekv.Options{Lease: 2 * time.Second})
		}
	}
}

// TestMetamorphicServer does the stream of TestMetamorphic/plain to a database on a server.
func TestMetamorphicServer(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{})
	for seed := range uint64(2) {
		r := newRound(t, 100+seed)
		r.add("memory", memoryOpener())
		r.add("postgres", serverOpener(server.NewDatabase(t)))
		r.run(120, r.plainOp)
		r.exports()
		r.end()
	}
}
