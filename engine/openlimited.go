//go:build ragdb_limited

package engine

import (
	"context"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// limited has the stores of the tests that run with the tag ragdb_limited: those of the
// engine and of all layers above then show that a store with bounds is enough.
var limited kvtest.Limited

func (o *Options) openDefault(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
	of := &limited
	if path == Memory {
		of = new(kvtest.Limited)
	}
	return of.Open(ctx, path, s, tablekv.Options{ReadOnly: o.ReadOnly, MustExist: o.MustExist || o.ReadOnly})
}
