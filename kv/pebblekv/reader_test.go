package pebblekv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/kv"
)

// A snapshot's reads, which share iterators, find what was there when it was
// made, whatever is written, flushed and compacted between them and however
// many goroutines read.
func TestSnapshotReads(t *testing.T) {
	t.Parallel()
	st := open(t, "db", small(vfs.NewMem()))
	const n = 2000
	key := func(i int) []byte { return fmt.Appendf(nil, "k%05d", i) }
	write := func(round int) {
		b := st.NewBatch()
		for i := range n {
			if (i+round)%3 == 0 {
				b.Delete(key(i))
			} else {
				b.Set(key(i), binary.BigEndian.AppendUint64(nil, uint64(round*n+i)))
			}
		}
		if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	check := func(sn kv.Snapshot, round, i int) error {
		v, err := sn.Get(t.Context(), key(i), nil)
		if (i+round)%3 == 0 {
			if !errors.Is(err, kv.ErrNotFound) {
				return fmt.Errorf("key %d of round %d: %q, %v; was deleted", i, round, v, err)
			}
			return nil
		}
		if err != nil || binary.BigEndian.Uint64(v) != uint64(round*n+i) {
			return fmt.Errorf("key %d of round %d: %x, %w", i, round, v, err)
		}
		return nil
	}
	checkRange := func(sn kv.Snapshot, round, i int) error {
		var want, got [][]byte
		for j := i; j < min(i+5, n); j++ {
			if (j+round)%3 != 0 {
				want = append(want, key(j))
			}
		}
		it, err := sn.Iter(t.Context(), key(i), key(i+5))
		if err != nil {
			return err
		}
		for ok := it.First(); ok; ok = it.Next() {
			got = append(got, bytes.Clone(it.Key()))
		}
		if err := errors.Join(it.Err(), it.Close()); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("keys from %d of round %d: %q, want %q", i, round, got, want)
		}
		return nil
	}
	var snaps []kv.Snapshot
	for round := range 6 {
		write(round)
		sn, err := st.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		snaps = append(snaps, sn)
		var g errgroup.Group
		for worker := range 4 {
			g.Go(func() error {
				rng := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				for range n {
					of, i := rng.IntN(len(snaps)), rng.IntN(n)
					if err := check(snaps[of], of, i); err != nil {
						return err
					}
					if err := checkRange(snaps[of], of, i); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := st.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if round%2 == 1 {
			if err := st.Compact(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	for _, sn := range snaps {
		if err := sn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}
