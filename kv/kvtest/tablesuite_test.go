package kvtest_test

import (
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
)

func TestServer(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]kv.Bounds{"none": {}, "bounds": {ValueBytes: 100 << 10, ChangeBytes: 1 << 20, RemoveKeys: 10_000}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kvtest.RunTable(t, func(t *testing.T) kv.Table { return kvtest.NewServer(1).Table(b) })
		})
	}
}
