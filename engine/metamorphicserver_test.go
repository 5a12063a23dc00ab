//go:build !nopostgres

package engine_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/kv/pgkv"
)

// TestMetamorphicServer does the stream of TestMetamorphic/follow to a database on a
// PostgreSQL server.
func TestMetamorphicServer(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{})
	for seed := range uint64(2) {
		r := newRound(t, 100+seed)
		r.add("memory", memoryOpener())
		url := server.NewDatabase(t)
		table := func(readOnly bool) func() (kv.Table, error) {
			return func() (kv.Table, error) {
				return pgkv.Open(background, url, pgkv.Options{ReadOnly: readOnly, Bounds: smallTable})
			}
		}
		r.add("postgres", func(*pebblekv.Options) opener { return tables(table(false), false) })
		r.follow(r.subjects[1], tables(table(true), true))
		r.run(120, r.plainOp)
		r.exports()
		r.end()
	}
}
