package hnsw_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// TestConcurrentSearch searches while nodes are linked, shown, killed and taken
// out. A walk sees a mixture of lists, so it may miss a node; nearly all are
// found, and what is found was alive.
func TestConcurrentSearch(t *testing.T) {
	w := newWorld(t, 30, 8, false, hnsw.Params{M: 4, EfConstruction: 20, Low: true})
	w.add(0, span(0, 100), 50)
	var seq atomic.Uint64 // the latest commit
	seq.Store(w.seq)
	const always = 20 // slots that stay
	var done atomic.Bool
	var searches, missed atomic.Int64
	var wg sync.WaitGroup
	queries := make(chan struct{}, 3)
	for range 3 {
		x, _ := w.draw()
		wg.Go(func() {
			q := w.codec.NewQuery()
			q.Fill(w.codec.NewEncoder(), x)
			for n := 0; !done.Load(); n++ {
				at := seq.Load()
				v := w.g.Version()
				s := w.g.Searcher()
				alive := func(slot uint32) bool { return v.Visible(slot, at) }
				all, ok := s.SearchAccepted(v, q, 0, nil, 1000, 1<<30, alive)
				stay := 0
				for _, c := range all {
					if c.Slot() < always {
						stay++
					}
				}
				if met := map[uint32]bool{}; !ok || stay < always/2 {
					t.Errorf("%d of %d nodes found", stay, always)
				} else {
					for _, c := range all {
						if _, died := v.Life(c.Slot()); met[c.Slot()] || died != 0 && died <= at {
							t.Errorf("slot %d twice, or dead since %d", c.Slot(), died)
						}
						met[c.Slot()] = true
					}
				}
				searches.Add(1)
				missed.Add(int64(always - stay))
				if len(s.Search(v, q, 0, nil, 10)) != 10 {
					t.Error("fewer than 10 nodes")
				}
				s.Doubtful(v, q, all, 5)
				if _, err := s.Refine(v, q, all, 5, v.LowPlane); err != nil {
					t.Error(err)
				}
				if _, ok, known := v.Find(uint64(n%always)+1, at); !ok || !known {
					t.Errorf("node %d is not found", n%always+1)
				}
				w.g.Plain(at)
				w.g.Dead()
				w.g.Release(s)
				if n == 0 {
					queries <- struct{}{}
				}
			}
		})
	}
	for range 3 {
		<-queries
	}
	next := uint32(100)
	for round := range 12 {
		slots := span(next, next+80)
		next += 80
		w.link(0, slots)
		w.show(slots)
		seq.Store(w.seq)
		if round%3 != 2 {
			continue
		}
		var dead []uint32
		for _, s := range w.some(0.5) {
			if s >= always {
				dead = append(dead, s)
			}
		}
		w.remove(dead)
		seq.Store(w.seq)
	}
	done.Store(true)
	wg.Wait()
	w.verify()
	if n := searches.Load(); missed.Load() > n*always/100 {
		t.Errorf("%d searches missed %d nodes", n, missed.Load())
	}
}
