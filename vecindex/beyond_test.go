package vecindex_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// beyond returns an index whose graph is over its bound.
func beyond(t *testing.T, kind vecindex.Kind, limit int64) *points {
	cfg := config(vecindex.Cosine)
	cfg.Kind, cfg.Dim, cfg.Seed, cfg.M, cfg.EfConstruction = kind, 40, 7, 8, 40
	return newPointsOf(t, memory(t), cfg, vecindex.Options{MaxMirrorBytes: limit, Rerank: vecindex.RerankStore})
}

func (p *points) stats() vecindex.Stats {
	p.t.Helper()
	s, err := p.ix.Stats(p.t.Context())
	p.must(err)
	return s
}

// inMemory returns what searches find in an index of the same store without a
// bound.
func (p *points) inMemory(queries []vecindex.Search) (out [][]vecindex.Hit) {
	p.t.Helper()
	o := p.opt
	o.MaxMirrorBytes = 0
	whole := *p
	whole.opt = o
	whole.reopen()
	whole.view(func(v *vecindex.View) {
		_, err := v.Search(p.t.Context(), vecindex.Search{Vector: queries[0].Vector, K: 1, Exact: true}, nil)
		p.must(err)
		if s := whole.stats(); s.Source != vecindex.Memory {
			p.t.Fatalf("without a bound: %+v", s)
		}
		out = whole.answers(v, queries)
	})
	return out
}

func (p *points) answers(v *vecindex.View, queries []vecindex.Search) (out [][]vecindex.Hit) {
	p.t.Helper()
	for _, q := range queries {
		hits, err := v.Search(p.t.Context(), q, nil)
		p.must(err)
		out = append(out, hits)
	}
	return out
}

// TestBeyondTheBound says that a graph which is over the bound is made, walked
// on disk to the results of the graph in memory, repaired and settled, that
// nothing of it stays in memory, and that Stats and Backlog tell.
func TestBeyondTheBound(t *testing.T) {
	for _, kind := range []vecindex.Kind{vecindex.HNSW, vecindex.CHNSW} {
		for _, limit := range []int64{-1, 64 << 10} {
			t.Run(fmt.Sprintf("%s/%d", kind, limit), func(t *testing.T) {
				t.Parallel()
				p := beyond(t, kind, limit)
				ctx := t.Context()
				p.put(upTo(5200)...)
				p.putLayered(upTo(900)...)
				if n := p.ix.Backlog(); n != 5200 {
					t.Errorf("backlog of %d", n)
				}
				if s := p.stats(); s.Source != vecindex.Disk || s.Pending != 5200 || s.Why == "" {
					t.Errorf("before it is linked: %+v", s)
				}
				p.must(p.ix.Tend(ctx, p.commit))
				s := p.stats()
				if s.Source != vecindex.Walk || s.Linked != 5120 || s.Pending != 80 || s.Why == "" || s.MemoryBytes != 0 || p.ix.MemoryBytes() != 0 {
					t.Errorf("after Tend: %+v", s)
				}
				if n := p.ix.Backlog(); n != 80 {
					t.Errorf("backlog of %d after Tend", n)
				}
				p.delete(upTo(60)...)
				p.put(5300, 5301)

				some := roaring.New()
				for id := uint32(1); id < 5300; id++ {
					if id%50 > 0 {
						some.Add(id)
					}
				}
				queries := []vecindex.Search{
					{Vector: p.draw(), K: 10},
					{Vector: p.live[5301], K: 3, Ef: 100},
					{Vector: p.draw(), K: 150},
					{Vector: p.draw(), Layers: []vecindex.LayerK{{Layer: 1, K: 5}, {Layer: 0, K: 7}, {Layer: 9, K: 2}}},
					{Vector: p.draw(), K: 5, Ef: 7, Layers: []vecindex.LayerK{{Layer: 0, K: 5}}, Allow: some},
				}
				same := func(when string, part float64) {
					t.Helper()
					want := p.inMemory(queries)
					p.view(func(v *vecindex.View) {
						for i, got := range p.answers(v, queries) {
							both := 0
							for _, h := range want[i] {
								if slices.ContainsFunc(got, func(o vecindex.Hit) bool { return o.ID == h.ID && (part < 1 || o == h) }) {
									both++
								}
							}
							if len(got) != len(want[i]) || float64(both) < part*float64(len(got)) {
								t.Errorf("%s, search %d: %d hits, %d of %d", when, i, len(got), both, len(want[i]))
							}
						}
						var n int
						q := queries[0]
						q.Distances = &n
						_, err := v.Search(ctx, q, nil)
						p.must(err)
						if n == 0 || n > 2600 {
							t.Errorf("%s: compared with %d vectors", when, n)
						}
					})
				}
				same("with dead nodes", 0.9)
				p.must(p.ix.Flush(ctx, p.commit))
				if s := p.stats(); s.Pending != 0 || s.Linked != len(p.live) || s.MemoryBytes != 0 {
					t.Errorf("after Flush: %+v", s)
				}
				same("flushed", 1)
				p.view(func(v *vecindex.View) {
					for _, err := range v.Links(ctx) {
						if !errors.Is(err, vecindex.ErrUnsettled) {
							t.Fatalf("links: %v", err)
						}
					}
				})
				p.settle()
				if s := p.stats(); s.Source != vecindex.Walk || s.Pending != 0 || s.Linked != len(p.live) {
					t.Errorf("after Settle: %+v", s)
				}
				same("settled", 1)
				var walked []vecindex.Link
				p.view(func(v *vecindex.View) { walked = linksOf(t, v) })
				whole := *p
				whole.opt.MaxMirrorBytes = 0
				whole.reopen()
				whole.settle()
				whole.view(func(v *vecindex.View) {
					if all := linksOf(t, v); len(all) == 0 || !slices.Equal(all, walked) {
						t.Errorf("%d links in memory, %d on disk", len(all), len(walked))
					}
				})
				p.must(p.ix.CheckGraph(ctx, p.st))
			})
		}
	}
}

// TestOverdraftIsTold says what Stats and MemoryBytes tell while a graph that
// is over the bound is linked, and that searches find what is there.
func TestOverdraftIsTold(t *testing.T) {
	p := beyond(t, vecindex.HNSW, 64<<10)
	p.put(upTo(3000)...)
	p.must(p.ix.Flush(t.Context(), p.commit))
	p.put(3001, 3002)
	told := false
	p.must(p.ix.Flush(t.Context(), func(ctx context.Context, fn func(b kv.Batch) error) error {
		s := p.stats()
		if s.Source != vecindex.Memory || s.Why == "" || s.MemoryBytes < 300_000 || p.ix.MemoryBytes() != 0 {
			t.Errorf("while it is linked: %+v, %d bytes", s, p.ix.MemoryBytes())
		}
		told = true
		if r := p.recall(3, 5, 60); r < 0.8 {
			t.Errorf("recall %.2f", r)
		}
		return p.commit(ctx, fn)
	}))
	if !told {
		t.Error("nothing was linked")
	}
}

// TestTendWaits says that Tend reads a graph which is not in memory only if there
// is enough to do, and more if it is over the bound.
func TestTendWaits(t *testing.T) {
	for _, tt := range []struct {
		limit  int64
		before uint64 // vectors that it leaves
		after  uint64
	}{{0, 1000, 1100}, {64 << 10, 4000, 4200}} {
		p := beyond(t, vecindex.HNSW, tt.limit)
		p.put(upTo(2100)...)
		p.must(p.ix.Flush(t.Context(), p.commit))
		p.reopen()
		refuse := errors.New("there is nothing to do")
		never := func(context.Context, func(b kv.Batch) error) error { return refuse }
		from := uint64(2200)
		add := func(n uint64) {
			ids := upTo(int(n))
			for i := range ids {
				ids[i] += from
			}
			from += n
			p.put(ids...)
		}
		add(tt.before)
		if err := p.ix.Tend(t.Context(), never); err != nil || p.stats().MemoryBytes != 0 {
			t.Errorf("limit %d, %d vectors: %v", tt.limit, tt.before, err)
		}
		add(tt.after - tt.before)
		if err := p.ix.Tend(t.Context(), never); !errors.Is(err, refuse) {
			t.Errorf("limit %d, %d vectors: %v", tt.limit, tt.after, err)
		}
		if err := p.ix.Flush(t.Context(), p.commit); err != nil || p.stats().Pending != 0 {
			t.Errorf("limit %d: %v, %+v", tt.limit, err, p.stats())
		}
		p.reopen()
		if err := p.ix.Flush(t.Context(), never); err != nil || p.stats().MemoryBytes != 0 {
			t.Errorf("limit %d, flushed again: %v", tt.limit, err)
		}
		p.settle()
		p.reopen()
		if err := p.ix.Settle(t.Context(), never); err != nil || p.stats().MemoryBytes != 0 {
			t.Errorf("limit %d, settled again: %v", tt.limit, err)
		}
	}
}

// TestRelinkWithinTheBound settles an index of which one graph fits in memory
// and not two: the one in use gives way.
func TestRelinkWithinTheBound(t *testing.T) {
	p := beyond(t, vecindex.HNSW, 0)
	ids := upTo(3000)
	slices.Reverse(ids)
	for batch := range slices.Chunk(ids, 1500) {
		p.put(batch...)
	}
	p.must(p.ix.Flush(t.Context(), p.commit))
	one := p.stats().MemoryBytes
	p.opt.MaxMirrorBytes = one * 8 / 5 // of which three quarters are given out
	p.reopen()
	walked, most := 0, int64(0)
	p.must(p.ix.Settle(t.Context(), func(ctx context.Context, fn func(b kv.Batch) error) error {
		s := p.stats()
		if s.Source == vecindex.Walk || s.Source == vecindex.Unloaded {
			walked++
		}
		if p.ix.MemoryBytes() != s.MemoryBytes {
			t.Errorf("%d bytes of %d are beyond the bound", s.MemoryBytes-p.ix.MemoryBytes(), s.MemoryBytes)
		}
		most = max(most, s.MemoryBytes)
		if r := p.recall(2, 5, 60); r < 0.8 {
			t.Errorf("recall %.2f", r)
		}
		return p.commit(ctx, fn)
	}))
	if walked == 0 || most == 0 || most > p.opt.MaxMirrorBytes {
		t.Errorf("%d commits without the graph in use, up to %d bytes of %d", walked, most, p.opt.MaxMirrorBytes)
	}
	p.view(func(v *vecindex.View) { linksOf(t, v) })

	// Both fit: both are counted.
	p.opt.MaxMirrorBytes = one * 8
	p.reopen()
	p.delete(5, 6)
	most = 0
	p.must(p.ix.Settle(t.Context(), func(ctx context.Context, fn func(b kv.Batch) error) error {
		most = max(most, p.ix.MemoryBytes())
		return p.commit(ctx, fn)
	}))
	if most < one*3/2 {
		t.Errorf("%d bytes are counted of two graphs of %d", most, one)
	}
}

// TestWalksOfOlderSnapshots searches a snapshot from before nodes were linked
// and dead ones taken out, which changes nothing but that, after one from
// after it.
func TestWalksOfOlderSnapshots(t *testing.T) {
	p := beyond(t, vecindex.HNSW, -1)
	p.put(upTo(2500)...)
	p.must(p.ix.Flush(t.Context(), p.commit))
	for round := range 3 {
		p.put(7, 8, 9) // are dead and pending
		before, err := p.st.Snapshot(t.Context())
		p.must(err)
		find := func(when string, v *vecindex.View) {
			t.Helper()
			for _, id := range []uint64{7, 8, 9} {
				n := 0
				hits, err := v.Search(t.Context(), vecindex.Search{Vector: p.live[id], K: 1, Distances: &n}, nil)
				p.must(err)
				if len(hits) != 1 || hits[0].ID != id || n > 2000 {
					t.Errorf("round %d, %s: %d is not found among %d: %v", round, when, id, n, hits)
				}
			}
		}
		p.view(func(v *vecindex.View) { find("not linked", v) })
		p.must(p.ix.Flush(t.Context(), p.commit))
		p.view(func(v *vecindex.View) { find("linked", v) })
		v, err := p.ix.At(t.Context(), before, p.seq)
		p.must(err)
		find("before it was linked", v)
		v.Close()
		p.must(before.Close())
	}
}
