package kvtest_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
)

// TestTrips counts the round trips of calls and of the windows of scans.
func TestTrips(t *testing.T) {
	ctx := t.Context()
	c := kvtest.NewCounter(memkv.New(kvtest.Schema()))
	b := c.NewBatch()
	key := func(i int) []byte { return fmt.Appendf(nil, "s%04d", i) }
	for i := range 200 {
		b.Set(key(i), []byte("v"))
	}
	if err := c.Apply(ctx, b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	snap, err := c.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Take(); n.Trips != 1 || n.Snapshots != 1 {
		t.Errorf("a snapshot is %+v", n)
	}
	trips := func(what string, want int, do func(r kv.Reader, it kv.Iterator)) {
		t.Helper()
		it, err := snap.Iter(ctx, []byte("s"), []byte("t"))
		if err != nil {
			t.Fatal(err)
		}
		do(snap, it)
		if n := c.Take(); n.Trips != want || n.Snapshots != 0 {
			t.Errorf("%s: %+v, want %d round trips", what, n, want)
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
	}
	trips("a Get", 1, func(r kv.Reader, _ kv.Iterator) {
		if _, err := r.Get(ctx, key(0), nil); err != nil {
			t.Error(err)
		}
	})
	for _, n := range []int{0, 1, 50} {
		trips(fmt.Sprint("a MultiGet of ", n), min(n, 1), func(r kv.Reader, _ kv.Iterator) {
			keys := make([][]byte, n)
			for i := range keys {
				keys[i] = key(i)
			}
			if err := r.MultiGet(ctx, keys, func(int, []byte) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	trips("an iterator that is not used", 0, func(kv.Reader, kv.Iterator) {})
	trips("a scan", 3, func(_ kv.Reader, it kv.Iterator) { // 32, 128 and 40 rows
		for ok := it.First(); ok; ok = it.Next() {
		}
	})
	trips("a scan from the end", 3, func(_ kv.Reader, it kv.Iterator) {
		for ok := it.Last(); ok; ok = it.Prev() {
		}
	})
	trips("seeks within a window", 1, func(_ kv.Reader, it kv.Iterator) {
		for i := range 32 {
			it.SeekGE(key(i))
		}
	})
	trips("seeks elsewhere", 4, func(_ kv.Reader, it kv.Iterator) {
		for i := range 4 {
			it.SeekGE(key(199 - 50*i))
		}
	})
	trips("a step across the end of a window, and back", 3, func(_ kv.Reader, it kv.Iterator) {
		it.SeekGE(key(31))
		for range 32 {
			it.Next()
		}
		it.Prev()
		if string(it.Key()) != string(key(62)) {
			t.Errorf("at %s", it.Key())
		}
	})
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
}
