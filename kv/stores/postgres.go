//go:build !nopostgres

package stores

import (
	"context"
	"fmt"
	"os"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pgkv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// Shown returns a name without its passwords.
func Shown(name string) string {
	if OnServer(name) {
		return pgkv.Redact(name)
	}
	return name
}

func openServer(ctx context.Context, name string, s *kv.Schema, o Options) (kv.Store, error) {
	table, err := pgkv.Open(ctx, name, pgkv.Options{ReadOnly: o.ReadOnly, MustExist: o.MustExist})
	if err != nil {
		return nil, err
	}
	return tablekv.Open(ctx, table, s, &tablekv.Options{
		ReadOnly: o.ReadOnly, MustExist: o.MustExist, Name: Shown(name), Owner: owner(),
		CacheBytes: o.CacheBytes,
	})
}

// owner is what others are told of this process while it writes.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a host without a name"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}
