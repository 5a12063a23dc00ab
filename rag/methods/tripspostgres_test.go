//go:build !nopostgres

package methods_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv/pgkv"
)

// TestRoundTripsPostgres counts the round trips that an ask of each method takes on
// PostgreSQL.
func TestRoundTripsPostgres(t *testing.T) {
	t.Parallel()
	table, err := pgkv.Open(t.Context(), pgtest.Start(t, pgtest.Options{}).NewDatabase(t), pgkv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkRoundTrips(t, table)
}
