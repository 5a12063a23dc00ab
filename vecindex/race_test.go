package vecindex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// ledger is what an engine keeps: the epoch and the state that it stands for,
// changed together with the store.
type ledger struct {
	sync.RWMutex
	epoch uint64
	now   state
}

// TestReadersBesideAWriter runs readers over snapshots of several ages while
// one writer commits, and compares what each finds with the model's state of
// its epoch. Commits are published outside the ledger's lock, so snapshots of
// commits that are not published yet occur.
func TestReadersBesideAWriter(t *testing.T) {
	for _, c := range []struct {
		name    string
		dim     int
		limit   int64
		commits int
	}{{"all in memory", dim, 0, 300}, {"codes", 72, 150_000, 100}, {"packed codes", 72, 110_000, 100}} {
		t.Run(c.name, func(t *testing.T) {
			if *long {
				c.commits = 20000
			}
			readersBesideAWriter(t, c.dim, c.limit, c.commits)
		})
	}
}

func readersBesideAWriter(t *testing.T, dim int, limit int64, commits int) {
	const readers = 3
	st := memory(t)
	cfg := config(vecindex.InnerProduct)
	cfg.Dim = dim
	ix := mustOpen(t, st, cfg, &vecindex.Options{MaxMirrorBytes: limit})
	led := &ledger{now: state{}}
	const ids = 200
	var wg sync.WaitGroup
	stop := make(chan struct{})
	errs := make(chan error, readers)

	for r := range readers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(r), 77))
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := readOnce(t.Context(), st, ix, led, rng, ids); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 77))
	for range commits {
		led.RLock()
		next, seq := make(state, len(led.now)), led.epoch+1
		for id, e := range led.now {
			next[id] = e
		}
		led.RUnlock()
		b := st.NewBatch()
		w, err := ix.Begin(t.Context(), b, seq)
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + rng.IntN(20) {
			id := uint64(rng.IntN(ids))
			if rng.IntN(4) == 0 {
				_, err = w.Delete(t.Context(), id)
				delete(next, id)
			} else {
				v := randomVectorOf(rng, dim)
				err = w.Put(t.Context(), id, 0, v)
				next[id] = entry{vector: v}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if rng.IntN(5) == 0 {
			continue // abandoned
		}
		led.Lock()
		err = st.Apply(t.Context(), b, kv.NoSync)
		led.epoch, led.now = seq, next
		led.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		w.Publish()
	}
	close(stop)
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// readOnce takes a snapshot and asks it a few questions while time passes.
func readOnce(ctx context.Context, st kv.Store, ix *vecindex.Index, led *ledger, rng *rand.Rand, ids int) error {
	led.RLock()
	epoch, want := led.epoch, led.now
	snap, err := st.Snapshot(ctx)
	led.RUnlock()
	if err != nil {
		return err
	}
	defer snap.Close()
	for range 3 {
		v, err := ix.At(ctx, snap, epoch)
		if err != nil {
			return err
		}
		for range 3 {
			q := vecindex.Search{Vector: randomVectorOf(rng, ix.Config().Dim), K: 5}
			if rng.IntN(2) == 0 {
				q.Allow = roaring.BitmapOf(uint32(rng.IntN(ids)), uint32(rng.IntN(ids)), uint32(rng.IntN(ids)))
			}
			got, err := v.Search(ctx, q, nil)
			if err != nil {
				return err
			}
			if model := want.search(vecindex.InnerProduct, q); !slices.Equal(got, model) {
				return fmt.Errorf("epoch %d: found %v, want %v", epoch, got, model)
			}
		}
		n := 0
		for _, err := range v.All(ctx) {
			if n++; err != nil {
				return err
			}
		}
		if n != len(want) {
			return fmt.Errorf("epoch %d: %d vectors, want %d", epoch, n, len(want))
		}
		v.Close()
	}
	return nil
}
