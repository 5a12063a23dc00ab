package pebblekv_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

var long = flag.Bool("long", false, "run the long random tests")

// small are options for a store of a test.
func small(fs vfs.FS) *pebblekv.Options {
	return &pebblekv.Options{FS: fs, CacheBytes: 1 << 20, MemtableBytes: 256 << 10}
}

func open(t *testing.T, path string, o *pebblekv.Options) *pebblekv.Store {
	t.Helper()
	st, err := pebblekv.Open(t.Context(), path, kvtest.Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestConformance(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	for name, fs := range map[string]func() vfs.FS{
		"memory": func() vfs.FS { return vfs.NewMem() },
		"disk":   func() vfs.FS { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kvtest.Run(t, func(t *testing.T) kv.Store {
				return open(t, t.TempDir()+"/db", small(fs()))
			}, s)
		})
	}
}

func Benchmark(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			kvtest.Bench(b, n, func(b *testing.B) kv.Store {
				st, err := pebblekv.Open(b.Context(), b.TempDir()+"/db", kvtest.Schema(), nil)
				if err != nil {
					b.Fatal(err)
				}
				return st
			})
		})
	}
}
