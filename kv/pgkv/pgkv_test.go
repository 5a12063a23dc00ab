package pgkv_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pgkv"
)

var shared pgtest.Shared

func TestMain(m *testing.M) {
	code := m.Run()
	if err := shared.Stop(); err != nil {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}

// open opens a table, and closes it with the test.
func open(t testing.TB, url string, o pgkv.Options) *pgkv.Table {
	t.Helper()
	tab, err := pgkv.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tab.Close(); err != nil {
			t.Error(err)
		}
	})
	return tab
}

var tables atomic.Int64

// fresh returns the URL of a table that no other test has. It is faster than a database.
func fresh(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("%s&table=fresh%d", shared.Server(t).URL(), tables.Add(1))
}

func TestTable(t *testing.T) {
	t.Parallel()
	kvtest.RunTable(t, func(t *testing.T) kv.Table {
		return open(t, fresh(t), pgkv.Options{})
	})
}
