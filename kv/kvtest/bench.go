package kvtest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// Bench measures a backend opened with [Schema] on n random keys of 18 bytes
// with values of 100: Set and Merge in batches of 1000, then point reads,
// MultiGet of 100 keys and a scan. Times are reported as ns/key.
func Bench(b *testing.B, n int, open func(b *testing.B) kv.Store) {
	rnd := rand.New(rand.NewPCG(1, 1))
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "%c/%016x", 'a'+rune(i%16), rnd.Uint64())
	}
	val := make([]byte, 100)
	for i := 0; i+8 <= len(val); i += 8 {
		binary.BigEndian.PutUint64(val[i:], rnd.Uint64()%1000)
	}
	load := func(b *testing.B, add func(batch kv.Batch, k []byte)) kv.Store {
		st := open(b)
		for from := 0; from < n; from += 1000 {
			batch := st.NewBatch()
			for _, k := range keys[from:min(n, from+1000)] {
				add(batch, k)
			}
			if err := st.Apply(b.Context(), batch, kv.NoSync); err != nil {
				b.Fatal(err)
			}
		}
		return st
	}
	set := func(batch kv.Batch, k []byte) { batch.Set(k, val) }
	operand := Delta("abc", "d")
	b.Run("Set", func(b *testing.B) {
		for b.Loop() {
			_ = load(b, set).Close()
		}
		perKey(b, n)
	})
	b.Run("Merge", func(b *testing.B) {
		for b.Loop() {
			_ = load(b, func(batch kv.Batch, k []byte) { batch.Merge(k, operand) }).Close()
		}
		perKey(b, n)
	})
	st := load(b, set)
	if m, ok := st.(kv.Maintainer); ok {
		if err := m.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := m.Compact(b.Context(), nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	benchReads(b, st, keys)
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchReads(b *testing.B, st kv.Store, keys [][]byte) {
	n := len(keys)
	b.Run("Get", func(b *testing.B) {
		var buf []byte
		i := 0
		for b.Loop() {
			buf, _ = st.Get(b.Context(), keys[i*7919%n], buf[:0])
			i++
		}
		perKey(b, 1)
	})
	b.Run("MultiGet", func(b *testing.B) {
		i := 0
		ask := make([][]byte, 100)
		for b.Loop() {
			for j := range ask {
				ask[j] = keys[(i*100+j)*7919%n]
			}
			i++
			if err := st.MultiGet(b.Context(), ask, func(int, []byte) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		perKey(b, len(ask))
	})
	b.Run("SeekPrefix", func(b *testing.B) {
		it, err := st.Iter(b.Context(), nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer it.Close()
		i := 0
		for b.Loop() {
			it.SeekPrefix(keys[i*7919%n])
			i++
		}
		perKey(b, 1)
	})
	b.Run("Scan", func(b *testing.B) {
		for b.Loop() {
			it, err := st.Iter(b.Context(), nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			for it.First(); it.Valid(); it.Next() {
			}
			if err := it.Close(); err != nil {
				b.Fatal(err)
			}
		}
		perKey(b, n)
	})
}

func perKey(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
}
