package pebblekv_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// TestHoldCache scans more than the cache takes while it is held, by two, and after: it
// grows to an eighth, and then to all.
func TestHoldCache(t *testing.T) {
	const cache, memtable = 4 << 20, 256 << 10
	s, err := pebblekv.Open(t.Context(), t.TempDir(), kvtest.Schema(), &pebblekv.Options{CacheBytes: cache, MemtableBytes: memtable, NoCompression: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := rand.NewChaCha8([32]byte{1})
	for i := range uint32(80) {
		b := s.NewBatch()
		for j := range uint32(100) {
			value := make([]byte, 1000)
			r.Read(value)
			b.Set(binary.BigEndian.AppendUint32([]byte("key/"), i*100+j), value)
		}
		if err := s.Apply(t.Context(), b, kv.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	scan := func() uint64 {
		t.Helper()
		it, err := s.Iter(context.WithoutCancel(t.Context()), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ok := it.First(); ok; ok = it.Next() {
			n++
		}
		if err := it.Err(); err != nil || n < 8000 {
			t.Fatalf("%d keys: %v", n, err)
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
		return s.Metrics().CacheBytes
	}
	all := uint64(cache + 4*memtable)
	before := s.Metrics().CacheBytes
	held := max(before, all/8) + memtable // which may be given back meanwhile
	release, other := s.HoldCache(), s.HoldCache()
	if got := scan(); got > held {
		t.Errorf("%d of %d bytes in the cache while it is held; before it had %d", got, all, before)
	}
	release()
	release() // does nothing
	if got := scan(); got > held {
		t.Errorf("%d of %d bytes in the cache while another holds it", got, all)
	}
	other()
	if got := scan(); got < all/2 {
		t.Errorf("%d of %d bytes in the cache once it is not held", got, all)
	}
}
