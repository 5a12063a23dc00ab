package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
)

// bucketKey returns the i-th key of one of some buckets.
func bucketKey(bucket, i int) []byte {
	return fmt.Appendf(nil, "%d/%04d", bucket, i)
}

// aheadStore returns a store of some keys, and a snapshot of it that keeps what is read.
func aheadStore(t *testing.T) (*kvtest.Counter, kv.Snapshot, *aheadReader) {
	t.Helper()
	s := kvtest.NewRemote(memkv.New(kvtest.Schema()))
	b := s.NewBatch()
	for bucket := range 4 {
		for i := range []int{0, 3, 31, 200}[bucket] {
			b.Set(bucketKey(bucket, i), fmt.Appendf(nil, "%d of %d", i, bucket))
		}
	}
	if err := s.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	raw, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	r, ok := newAheadReader(raw).(*aheadReader)
	if !ok {
		t.Fatal("the snapshot keeps nothing")
	}
	r.split = kvtest.Schema().Split
	return s, raw, r
}

// TestAheadReads compares random reads through what was read ahead with those of the
// store itself.
func TestAheadReads(t *testing.T) {
	t.Parallel()
	_, raw, r := aheadStore(t)
	rnd := rand.New(rand.NewPCG(22, 3))
	key := func() []byte { return bucketKey(rnd.IntN(5), rnd.IntN(210)) }
	walk := func(r kv.Reader, seed uint64) (out []string) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		key := func() []byte { return bucketKey(rnd.IntN(5), rnd.IntN(210)) }
		var lo, hi []byte
		if rnd.IntN(2) == 0 {
			lo = key()
		}
		if rnd.IntN(2) == 0 {
			hi = key()
		}
		it, err := r.Iter(t.Context(), lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			var ok bool
			switch n := rnd.IntN(24); n {
			case 0:
				ok = it.First()
			case 1:
				ok = it.Last()
			case 2:
				ok = it.SeekGE(key())
			case 3:
				ok = it.SeekPrefix(key())
			case 4:
				if it.SeekGE(key()) {
					ok = it.Prev()
				}
			default:
				ok = it.Next()
			}
			out = append(out, fmt.Sprintf("%v %v %q %q", ok, it.Valid(), it.Key(), it.Value()))
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for step := range uint64(3000) {
		if got, want := walk(r, step), walk(raw, step); !slices.Equal(got, want) {
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("walk %d, step %d: %s, want %s", step, i, got[i], want[i])
				}
			}
		}
		k := key()
		got, err := r.Get(t.Context(), k, []byte("x"))
		want, wantErr := raw.Get(t.Context(), k, []byte("x"))
		if !bytes.Equal(got, want) || !errors.Is(err, wantErr) {
			t.Fatalf("get %q: %q %v, want %q %v", k, got, err, want, wantErr)
		}
		keys := [][]byte{key(), key(), key()}
		values := func(r kv.Reader) map[int]string {
			out := map[int]string{}
			if err := r.MultiGet(t.Context(), keys, func(i int, v []byte) error {
				out[i] = fmt.Sprint(v == nil, string(v))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return out
		}
		if got, want := values(r), values(raw); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// TestAhead counts the round trips of reads that depend on each other.
func TestAhead(t *testing.T) {
	t.Parallel()
	store, _, r := aheadStore(t)
	s := &Snapshot{ctx: t.Context(), kv: r}
	store.Take()
	// Each read gets a key, then what another key that follows from it says, then a range.
	read := func(s *Snapshot, i int) error {
		v, err := s.kv.Get(t.Context(), bucketKey(3, i), nil)
		if err == nil {
			_, err = s.kv.Get(t.Context(), bucketKey(2, int(v[0]-'0')), nil)
		}
		if err != nil {
			return err
		}
		for _, err := range scan(context.WithoutCancel(t.Context()), s.kv, bucketKey(3, i)) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.Ahead(t.Context(), 100, read); err != nil {
		t.Fatal(err)
	}
	if n := store.Take(); n.Trips != 3 {
		t.Errorf("%d round trips, want 3", n.Trips)
	}
	for i := range 100 {
		if err := read(s, i); err != nil {
			t.Fatal(err)
		}
	}
	if n := store.Take(); n.Trips != 0 {
		t.Errorf("%d round trips after reading ahead", n.Trips)
	}
	// A call within another one reads along with it.
	err := s.Ahead(t.Context(), 10, func(s *Snapshot, i int) error {
		return s.Ahead(t.Context(), 5, func(s *Snapshot, j int) error {
			_, err := s.kv.Get(t.Context(), bucketKey(3, 100+5*i+j), nil)
			return err
		})
	})
	if n := store.Take(); err != nil || n.Trips != 1 {
		t.Errorf("%d round trips, want 1: %v", n.Trips, err)
	}
	// A store without round trips is read when it is asked.
	local := &Snapshot{ctx: t.Context(), kv: r.Snapshot.(kv.Snapshot)}
	local.kv = struct{ kv.Snapshot }{local.kv}
	if err := local.Ahead(t.Context(), 1, func(*Snapshot, int) error { t.Error("it read"); return nil }); err != nil {
		t.Error(err)
	}
}
