package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
)

// fill applies n random operations to a new memkv and a model.
func fill(t *testing.T, rnd *rand.Rand, s *kv.Schema, n int) (*memkv.Store, *kvtest.Model) {
	t.Helper()
	st, m := memkv.New(s), kvtest.NewModel(s)
	b := st.NewBatch()
	kvtest.Mutate(rnd, n, b, m)
	if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
	return st, m
}

// someKeys returns some of the keys of a store, and some that it may not have.
func someKeys(t *testing.T, rnd *rand.Rand, st *memkv.Store) (keys [][]byte) {
	t.Helper()
	it, err := st.Iter(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		if key := bytes.Clone(it.Key()); rnd.IntN(4) == 0 {
			keys = append(keys, key, append(key[:len(key):len(key)], byte(rnd.IntN(256))))
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestReadAhead: what was read ahead is not read again, neither a value nor that there is
// none; the overlay's own writes show all the same.
func TestReadAhead(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	base := kvtest.NewCounter(memkv.New(s))
	b := base.NewBatch()
	b.Set([]byte("a"), []byte("1"))
	b.Set([]byte("b"), nil)
	if err := base.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
	snap, err := base.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	o := kv.NewOverlay(snap, s)
	if err := o.ReadAhead(t.Context(), [][]byte{[]byte("a"), []byte("b"), []byte("c")}); err != nil {
		t.Fatal(err)
	}
	base.Take()
	check := func(key, want string, has bool) {
		t.Helper()
		if got, err := o.Get(t.Context(), []byte(key), nil); string(got) != want || has != (err == nil) || !has && !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("%s is %q, %v", key, got, err)
		}
	}
	check("a", "1", true)
	check("b", "", true)
	check("c", "", false)
	o.Set([]byte("c"), []byte("3"))
	o.Delete([]byte("a"))
	check("a", "", false)
	check("c", "3", true)
	if n := base.Take(); n.Calls != 0 {
		t.Errorf("read again: %+v", n)
	}
}

func TestOverlayAgainstModel(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	for seed := range uint64(150) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			st, m := fill(t, rnd, s, rnd.IntN(200))
			again := rand.New(rand.NewPCG(seed, 1))
			sorted, _ := fill(t, again, s, again.IntN(200))
			o := kv.NewOverlay(st, s)
			for range 1 + rnd.IntN(8) {
				kvtest.Mutate(rnd, rnd.IntN(40), o, m)
				if err := o.ReadAhead(t.Context(), someKeys(t, rnd, st)); err != nil {
					t.Fatal(err)
				}
				kvtest.CheckReader(t, rnd, o, m)
			}
			b := st.NewBatch()
			o.AppendTo(b)
			if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
				t.Fatal(err)
			}
			if err := m.Equal(t.Context(), st); err != nil {
				t.Fatalf("after AppendTo: %v", err)
			}
			if err := sorted.Ingest(t.Context(), func(w kv.SortedWriter) error {
				return o.WriteSorted(t.Context(), w)
			}); err != nil {
				t.Fatal(err)
			}
			if err := m.Equal(t.Context(), sorted); err != nil {
				t.Fatalf("after WriteSorted: %v", err)
			}
		})
	}
}

// An iterator keeps the state of its opening through any later writes.
func TestOverlayIteratorIsFrozen(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		st, m := fill(t, rnd, s, 100)
		o := kv.NewOverlay(st, s)
		type opened struct {
			it   kv.Iterator
			want *kvtest.Model
		}
		var its []opened
		for range 6 {
			kvtest.Mutate(rnd, 30, o, m)
			it, err := o.Iter(t.Context(), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			its = append(its, opened{it, m.Clone()})
		}
		for _, i := range its {
			if err := i.want.Equal(t.Context(), fixed{i.it}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

// fixed is a Reader whose only iterator is open already.
type fixed struct{ it kv.Iterator }

func (f fixed) Get(context.Context, []byte, []byte) ([]byte, error) { return nil, kv.ErrNotFound }
func (f fixed) MultiGet(context.Context, [][]byte, func(int, []byte) error) error {
	return errors.New("not used")
}
func (f fixed) Iter(context.Context, []byte, []byte) (kv.Iterator, error) { return f.it, nil }

func TestOverlayCopiesItsInput(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	o := kv.NewOverlay(memkv.New(s), s)
	k, v := []byte("k"), []byte("value")
	o.Set(k, v)
	lo, hi := []byte("x"), []byte("y")
	o.Set([]byte("x1"), v)
	o.DeleteRange(lo, hi)
	k[0], v[0], lo[0], hi[0] = 'q', 'q', 'q', 'q'
	if got, err := o.Get(t.Context(), []byte("k"), nil); string(got) != "value" || err != nil {
		t.Errorf("get k: %q, %v", got, err)
	}
	if _, err := o.Get(t.Context(), []byte("x1"), nil); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("get x1: %v", err)
	}
}

func TestOverlayCancelled(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	o := kv.NewOverlay(memkv.New(s), s)
	o.Set([]byte("a"), nil)
	o.Set([]byte("b"), nil)
	ctx, cancel := context.WithCancel(t.Context())
	it, err := o.Iter(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	if !it.First() {
		t.Fatal("no first key")
	}
	cancel()
	if it.Next() || !errors.Is(it.Err(), context.Canceled) {
		t.Errorf("next after cancel: %v", it.Err())
	}
	if _, err := o.Get(ctx, []byte("a"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("get: %v", err)
	}
	if err := o.MultiGet(ctx, [][]byte{[]byte("a")}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("multiget: %v", err)
	}
}

func ExampleOverlay() {
	ctx := context.Background()
	s := kvtest.Schema()
	st := memkv.New(s)
	o := kv.NewOverlay(st, s)
	o.Set([]byte("tags/1"), kvtest.Elements("ab"))
	o.Merge([]byte("tags/1"), kvtest.Delta("c", "a"))
	v, _ := o.Get(ctx, []byte("tags/1"), nil)
	fmt.Printf("%s\n", v)

	b := st.NewBatch()
	o.AppendTo(b)
	_ = st.Apply(ctx, b, kv.Sync)
	v, _ = st.Get(ctx, []byte("tags/1"), nil)
	fmt.Printf("%s\n", v)
	// Output:
	// bbc
	// bbc
}

func BenchmarkOverlay(b *testing.B) {
	s := kvtest.Schema()
	const n = 100_000
	keys := make([][]byte, n)
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "%c/%016x", 'a'+rune(i%8), rnd.Uint64())
	}
	val := kvtest.Delta("abc", "d")
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
	}
	b.Run("Set", func(b *testing.B) {
		for b.Loop() {
			o := kv.NewOverlay(memkv.New(s), s)
			for _, k := range keys {
				o.Set(k, val)
			}
		}
		report(b)
	})
	b.Run("Merge", func(b *testing.B) {
		for b.Loop() {
			o := kv.NewOverlay(memkv.New(s), s)
			for _, k := range keys {
				o.Merge(k, val)
			}
		}
		report(b)
	})
	o := kv.NewOverlay(memkv.New(s), s)
	for _, k := range keys {
		o.Set(k, val)
	}
	b.Run("Get", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			for _, k := range keys {
				buf, _ = o.Get(b.Context(), k, buf[:0])
			}
		}
		report(b)
	})
	b.Run("Scan", func(b *testing.B) {
		for b.Loop() {
			it, _ := o.Iter(b.Context(), nil, nil)
			for it.First(); it.Valid(); it.Next() {
			}
			it.Close()
		}
		report(b)
	})
	b.Run("SetThenSeek", func(b *testing.B) {
		for b.Loop() {
			o := kv.NewOverlay(memkv.New(s), s)
			for _, k := range keys {
				o.Set(k, val)
				it, _ := o.Iter(b.Context(), k, nil)
				it.First()
				it.Close()
			}
		}
		report(b)
	})
}
