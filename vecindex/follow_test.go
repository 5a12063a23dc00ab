package vecindex_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

// reader is an index that follows the one that a stream drives.
type reader struct {
	*stream
	of *stream
}

// newReader opens an index that follows s.
func newReader(s *stream, seed uint64) *reader {
	s.t.Helper()
	own := &stream{t: s.t, rng: rand.New(rand.NewPCG(seed, 77)), st: s.st, cfg: s.cfg, shape: s.shape, ids: s.ids, layers: s.layers, exact: s.exact}
	own.opt = vecindex.Options{Follow: true, Rerank: vecindex.RerankPlane, ExactElements: int64(s.exact * s.cfg.Dim)}
	switch own.rng.IntN(4) {
	case 0:
		own.opt.MaxMirrorBytes = -1
	case 1:
		own.opt.MaxMirrorBytes = 1 << (14 + own.rng.IntN(8))
	}
	r := &reader{own, s}
	r.ix = r.openIndex(true)
	return r
}

func (r *reader) openIndex(follow bool) *vecindex.Index {
	r.t.Helper()
	o := r.opt
	o.Follow = follow
	ix := mustOpen(r.t, r.st, r.cfg, &o)
	ix.WalkFew()
	return ix
}

// look compares what the index finds with the model and with what an index finds that
// is opened now, and sometimes keeps a snapshot, or looks at one that it keeps.
func (r *reader) look() {
	r.t.Helper()
	r.now, r.seq = r.of.now, r.of.seq
	switch {
	case len(r.held) < 4 && r.rng.IntN(3) == 0:
		r.hold()
	case len(r.held) > 0 && r.rng.IntN(3) == 0:
		r.release(r.rng.IntN(len(r.held)))
	}
	r.stream.look()
	h := r.hold()
	defer r.release(len(r.held) - 1)
	r.open(h)
	fresh, err := r.openIndex(false).At(r.t.Context(), h.snap, h.seq)
	r.must(err)
	defer fresh.Close()
	for range 3 {
		q := r.query()
		got, err := h.view.Search(r.t.Context(), q, nil)
		r.must(err)
		want, err := fresh.Search(r.t.Context(), q, nil)
		r.must(err)
		if !slices.Equal(got, want) {
			r.t.Fatalf("commit %d, K %d, Layers %v: found %v; opened now %v", h.seq, q.K, q.Layers, got, want)
		}
	}
}

// TestFollow says that an index which another one of the same store writes shows each
// commit, and the work of linkers, as one that is opened then.
func TestFollow(t *testing.T) {
	steps, seeds := 30, 1
	if *long {
		steps, seeds = 400, 4
	}
	ties := shape{"ties", dim, true, randomVector}
	n := 0
	for _, kind := range []vecindex.Kind{vecindex.Flat, vecindex.HNSW, vecindex.CHNSW, vecindex.IVF, vecindex.Auto} {
		for _, sh := range []shape{clustered(8), clustered(70), ties} {
			for seed := range seeds {
				n++
				metric := []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2}[n%3]
				s := &stream{shape: sh, ids: []int{40, 900, 3000}[n/2%3], exact: []int{30, 500}[n/2%2], layers: 1 + n/3%3, cfg: config(metric)}
				s.cfg.Kind, s.cfg.Dim, s.cfg.Seed = kind, sh.dim, 7
				t.Run(fmt.Sprintf("%v/%s/%s/ids=%d/seed=%d", kind, sh.name, metric, s.ids, seed), func(t *testing.T) {
					t.Parallel()
					s.t, s.st = t, memory(t)
					s.rng = rand.New(rand.NewPCG(uint64(seed), uint64(s.ids)))
					s.now, s.raw = state{}, map[uint64][]float32{}
					s.reopen()
					r := newReader(s, uint64(n))
					s.between = func() {
						if s.rng.IntN(8) == 0 {
							r.look()
						}
					}
					for range steps {
						switch p := s.rng.IntN(10); {
						case p < 5:
							s.commit(true)
						case p == 5:
							s.tend("tend", s.ix.Tend)
						case p == 6:
							s.tend("flush", s.ix.Flush)
						case p == 7:
							s.tend("settle", s.ix.Settle)
						}
						if s.rng.IntN(2) == 0 {
							r.look()
						}
						if limit := r.opt.MaxMirrorBytes; limit > 0 && r.ix.MemoryBytes() > limit {
							t.Fatalf("%d bytes over the limit %d", r.ix.MemoryBytes(), limit)
						}
					}
					r.look()
					for len(r.held) > 0 {
						r.release(0)
					}
				})
			}
		}
	}
}

// TestFollowConcurrently has several Views at a time search an index that follows, while
// another one of the store writes vectors and links them. Run it with -race.
func TestFollowConcurrently(t *testing.T) {
	for _, kind := range []vecindex.Kind{vecindex.Flat, vecindex.HNSW, vecindex.IVF} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			cfg := config(vecindex.L2)
			cfg.Kind, cfg.Dim, cfg.Seed, cfg.EfConstruction = kind, 8, 7, 32
			p := newPointsOf(t, memory(t), cfg, vecindex.Options{})
			p.put(upTo(1500)...)
			p.must(p.ix.Flush(t.Context(), p.commit))
			follower := mustOpen(t, p.st, cfg, &vecindex.Options{Follow: true})
			follower.WalkFew()
			query := p.draw()
			var done atomic.Bool
			var all sync.WaitGroup
			look := func() error {
				snap, err := p.st.Snapshot(context.Background())
				if err != nil {
					return err
				}
				defer snap.Close()
				v, err := follower.At(context.Background(), snap, math.MaxInt32)
				if err != nil {
					return err
				}
				defer v.Close()
				for _, exact := range []bool{true, false} {
					hits, err := v.Search(context.Background(), vecindex.Search{Vector: query, K: 20, Exact: exact}, nil)
					if err != nil {
						return err
					}
					ids := make([]uint64, len(hits))
					for i, h := range hits {
						ids[i] = h.ID
					}
					scores, err := v.Score(context.Background(), query, ids, nil)
					if err != nil {
						return err
					}
					for i, h := range hits {
						if math.Abs(float64(scores[i]-h.Score)) > 0.05*math.Abs(float64(h.Score))+0.05 {
							return fmt.Errorf("node %d was found with score %g and has %g", h.ID, h.Score, scores[i])
						}
					}
					if len(hits) != 20 {
						return fmt.Errorf("%d hits of %d", len(hits), v.Len())
					}
				}
				return nil
			}
			for range 3 {
				all.Go(func() {
					for !done.Load() {
						if err := look(); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			for n := range uint64(25) {
				p.put(2000+n, n*7, n*11)
				p.delete(1000 + n)
				if n%5 == 4 {
					p.must(p.ix.Flush(t.Context(), p.commit))
				}
			}
			p.must(p.ix.Settle(t.Context(), p.commit))
			done.Store(true)
			all.Wait()
			p.must(look())
		})
	}
}
