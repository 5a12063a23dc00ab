package vecindex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// TestConcurrentHNSW writes, links and searches at the same time. What a
// snapshot shows is exact whatever the linker is at.
func TestConcurrentHNSW(t *testing.T) {
	testConcurrent(t, vecindex.HNSW, vecindex.Options{}, vecindex.Options{Rerank: vecindex.RerankStore, MaxMirrorBytes: 300 << 10})
}

func TestConcurrentIVF(t *testing.T) {
	testConcurrent(t, vecindex.IVF, vecindex.Options{}, vecindex.Options{Rerank: vecindex.RerankStore, MaxMirrorBytes: -1})
}

func TestConcurrentAuto(t *testing.T) {
	few := int64(500 * 8)
	testConcurrent(t, vecindex.Auto, vecindex.Options{ExactElements: few}, vecindex.Options{Rerank: vecindex.RerankStore, MaxMirrorBytes: -1, ExactElements: few})
}

func testConcurrent(t *testing.T, kind vecindex.Kind, options ...vecindex.Options) {
	for name, open := range stores() {
		for _, o := range options {
			t.Run(fmt.Sprintf("%s/%s", name, o.Rerank), func(t *testing.T) {
				t.Parallel()
				concurrent(t, open(t), kind, o)
			})
		}
	}
}

func concurrent(t *testing.T, st kv.Store, kind vecindex.Kind, o vecindex.Options) {
	commits, ids := 40, 2500
	if *long {
		commits = 2000
	}
	cfg := config(vecindex.L2)
	cfg.Kind, cfg.Dim, cfg.EfConstruction, cfg.M = kind, 8, 24, 8
	ix := mustOpen(t, st, cfg, &o)
	sh := clustered(8)
	var r roll
	r.now = state{}
	commit := func(ctx context.Context, fn func(b kv.Batch) error) error {
		r.writer.Lock()
		defer r.writer.Unlock()
		return commitTo(st)(ctx, fn)
	}
	stop := make(chan struct{})
	errs := make(chan error, 8)
	var wg sync.WaitGroup
	loop := func(seed uint64, fn func(rng *rand.Rand) error) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 5))
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := fn(rng); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	loop(1, func(rng *rand.Rand) error {
		if rng.IntN(3) == 0 {
			return ix.Flush(t.Context(), commit)
		}
		return ix.Tend(t.Context(), commit)
	})
	for i := range uint64(2) {
		loop(10+i, func(rng *rand.Rand) error {
			r.RLock()
			epoch, want := r.epoch, r.now
			snap, err := st.Snapshot(t.Context())
			r.RUnlock()
			if err != nil {
				return err
			}
			defer snap.Close()
			v, err := ix.At(t.Context(), snap, epoch)
			if err != nil {
				return err
			}
			defer v.Close()
			for range 1 + rng.IntN(6) {
				q := vecindex.Search{Vector: sh.draw(rng), K: 1 + rng.IntN(12), Ef: 64}
				switch rng.IntN(5) {
				case 0:
					q.K = 2 * ids
				case 1:
					q.Allow = roaring.New()
					for range 1 + rng.IntN(40) {
						q.Allow.Add(uint32(rng.IntN(ids)))
					}
				}
				got, err := v.Search(t.Context(), q, nil)
				if err != nil {
					return err
				}
				if _, err := judge(cfg.Metric, 1e-2, want, q, got); err != nil {
					return fmt.Errorf("epoch %d: %w", epoch, err)
				}
			}
			return nil
		})
	}
	rng := rand.New(rand.NewPCG(2, 5))
	for range commits {
		if err := r.update(t.Context(), st, ix, rng, sh, ids); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	if err := ix.Flush(t.Context(), commit); err != nil {
		t.Fatal(err)
	}
	if err := ix.CheckGraph(t.Context(), st); err != nil {
		t.Error(err)
	}
	s, err := ix.Stats(t.Context())
	if err != nil || s.Vectors != len(r.now) || o.MaxMirrorBytes == 0 && (s.Linked != s.Vectors || s.Dead != 0 || s.Pending != 0) {
		t.Errorf("stats %+v of %d vectors, %v", s, len(r.now), err)
	}
}

// roll is what an engine keeps: one writer at a time, and the epoch and state
// that the store stands for.
type roll struct {
	writer sync.Mutex // held for a Write or a linker's commit
	ledger
}

// update makes a commit of random changes.
func (r *roll) update(ctx context.Context, st kv.Store, ix *vecindex.Index, rng *rand.Rand, sh shape, ids int) error {
	r.writer.Lock()
	defer r.writer.Unlock()
	next, seq := make(state, len(r.now)), r.epoch+1
	for id, e := range r.now {
		next[id] = e
	}
	b := st.NewBatch()
	w, err := ix.Begin(ctx, b, seq)
	if err != nil {
		return err
	}
	for range 1 + rng.IntN(250) {
		id := uint64(rng.IntN(ids))
		if rng.IntN(4) == 0 {
			if _, err := w.Delete(ctx, id); err != nil {
				return err
			}
			delete(next, id)
			continue
		}
		v := sh.draw(rng)
		if err := w.Put(ctx, id, 0, v); err != nil {
			return err
		}
		next[id] = entry{vector: v}
	}
	r.Lock()
	err = st.Apply(ctx, b, kv.NoSync)
	r.epoch, r.now = seq, next
	r.Unlock()
	if err != nil {
		return err
	}
	w.Publish()
	return nil
}

// during runs a function after the nth snapshot is taken.
type during struct {
	kv.Store
	n  int
	do func()
}

func (d *during) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	s, err := d.Store.Snapshot(ctx)
	if d.n--; d.n == 0 {
		d.do()
	}
	return s, err
}

// TestHNSWChangesDuringSettle commits right after each of the snapshots that
// Settle takes.
func TestHNSWChangesDuringSettle(t *testing.T) {
	base := newSurvivor(t, vecindex.HNSW, vecindex.L2)
	base.put(2, span(500, 1100)...)
	base.must(base.ix.Flush(t.Context(), commitTo(base.st)))
	base.put(2, span(0, 600)...)
	all := records(t, base.st)
	for n := 1; ; n++ {
		s := base.copied(all)
		st := &during{Store: s.st}
		s.st = st
		s.reopen()
		s.answers("before")
		st.n, st.do = n, func() {
			s.put(2, span(700, 720)...)
			s.delete(span(800, 820)...)
		}
		s.must(s.ix.Settle(t.Context(), commitTo(s.st)))
		if st.n > 0 {
			if n < 4 {
				t.Errorf("only %d snapshots", n-1)
			}
			return
		}
		when := fmt.Sprintf("commit after snapshot %d", n)
		s.answers(when)
		s.check(when)
		s.finish(when)
	}
}

// TestHNSWSearchBetweenCommits searches right before and after each of a
// linker's commits, while there is no room for pending vectors in memory.
func TestHNSWSearchBetweenCommits(t *testing.T) {
	s := newSurvivor(t, vecindex.HNSW, vecindex.L2)
	s.shape, s.cfg.Dim, s.cfg.M = clustered(64), 64, 4
	s.reopen()
	s.put(1, span(0, 1100)...)
	s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
	s.ix = mustOpen(t, s.st, s.cfg, &vecindex.Options{Rerank: vecindex.RerankStore, MaxMirrorBytes: 500 << 10})
	s.all("linked")
	s.put(1, span(1100, 2000)...)
	commit, calls := commitTo(s.st), 0
	s.must(s.ix.Flush(t.Context(), func(ctx context.Context, fn func(b kv.Batch) error) error {
		calls++
		s.all(fmt.Sprintf("before commit %d", calls))
		err := commit(ctx, fn)
		s.all(fmt.Sprintf("after commit %d", calls))
		return err
	}))
	st, err := s.ix.Stats(t.Context())
	if err != nil || st.Linked != 2000 || calls < 2 {
		t.Errorf("stats %+v after %d commits, %v", st, calls, err)
	}
	s.all("at last")
}

// all searches for as many as there are.
func (s *survivor) all(when string) {
	s.t.Helper()
	v, err := s.ix.At(s.t.Context(), s.st, s.seq)
	s.must(err)
	defer v.Close()
	q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 2 * len(s.now)}
	got, err := v.Search(s.t.Context(), q, nil)
	s.must(err)
	if _, err := judge(s.metric, 1e-2, s.now, q, got); err != nil {
		s.t.Errorf("%s: %v", when, err)
	}
}
