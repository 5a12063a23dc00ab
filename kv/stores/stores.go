// Package stores opens the storage engine that the name of a database stands for:
//
//	acme.ragdb                     a directory, kept by Pebble
//	:memory:                       memory, which vanishes when it is closed
//	postgres://user@host/acme      a table of a PostgreSQL database, or of one that
//	postgresql://user@host/acme    speaks as PostgreSQL does
//
// A program that is built with the tag nopostgres leaves the last ones out, and the
// driver with them. Names may have passwords: [Shown] is what may be printed.
package stores

import (
	"context"
	"log/slog"
	"strings"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// Memory is the name of a store in memory.
const Memory = ":memory:"

// phase is the phase of the errors that this package makes.
const phase = fault.Store

// Options say how a store is opened. The zero value opens for writing.
type Options struct {
	// ReadOnly opens without writing. On a server it takes no lease.
	ReadOnly bool
	// MustExist refuses to make the store.
	MustExist bool
	// CacheBytes bounds what is kept in memory of what was read, and MemtableBytes what a
	// directory's unwritten commits take there.
	CacheBytes, MemtableBytes int64
	// Logger receives the messages of a directory's store; nil drops them.
	Logger *slog.Logger
}

// Open opens the store of a name. Errors are those of the package that keeps it, and
// [kv.ErrNotFound] if it must exist and does not.
func Open(ctx context.Context, name string, s *kv.Schema, o Options) (kv.Store, error) {
	o.MustExist = o.MustExist || o.ReadOnly
	switch {
	case name == Memory:
		return memkv.New(s), nil
	case OnServer(name):
		return openServer(ctx, name, s, o)
	}
	return pebblekv.Open(ctx, name, s, &pebblekv.Options{
		ReadOnly: o.ReadOnly, MustExist: o.MustExist,
		CacheBytes: o.CacheBytes, MemtableBytes: o.MemtableBytes, Logger: o.Logger,
	})
}

// OnServer reports whether a name stands for a store on a server, which several
// machines share.
func OnServer(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}
