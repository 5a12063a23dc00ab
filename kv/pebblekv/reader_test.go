package pebblekv_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
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
				for range 2 * n {
					of := rng.IntN(len(snaps))
					if err := check(snaps[of], of, rng.IntN(n)); err != nil {
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
