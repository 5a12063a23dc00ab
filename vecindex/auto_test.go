package vecindex_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex"
)

// TestAuto: an Auto index is exact until a Flush finds it large, and goes by lists from then
// on; what a View of before sees stays exact, and a flat index of the same records becomes one.
func TestAuto(t *testing.T) {
	s := newSurvivor(t, vecindex.Flat, vecindex.Cosine)
	s.put(1, span(0, 600)...)
	s.cfg.Kind = vecindex.Auto
	s.reopen()
	s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
	look := func(v *vecindex.View, lists bool) {
		t.Helper()
		have, err := v.ByLists(t.Context())
		s.must(err)
		if have != lists {
			t.Fatalf("by lists: %t", have)
		}
	}
	before, err := s.st.Snapshot(t.Context())
	s.must(err)
	defer before.Close()
	old, err := s.ix.At(t.Context(), before, s.seq)
	s.must(err)
	defer old.Close()
	look(old, false)
	if r := s.recallOf(4, nil); r != 1 {
		t.Errorf("recall %.3f of an exact search", r)
	}
	s.must(s.ix.Tend(t.Context(), commitTo(s.st)))
	s.put(1, 600)
	s.must(s.ix.Tend(t.Context(), commitTo(s.st)))
	for _, flushed := range []bool{false, true} {
		v, err := s.ix.At(t.Context(), s.st, s.seq)
		s.must(err)
		look(v, flushed)
		v.Close()
		if !flushed {
			s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
		}
	}
	if n := s.ix.MemoryBytes(); n > 40<<10 {
		t.Errorf("%d bytes in memory beside lists", n)
	}
	look(old, false)
	q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 700}
	hits, err := old.Search(t.Context(), q, nil)
	s.must(err)
	if len(hits) != 600 || slices.ContainsFunc(hits, func(h vecindex.Hit) bool { return h.ID == 600 }) {
		t.Errorf("a View of before has %d hits", len(hits))
	}
	s.check("large")
}

// TestAutoHistory makes the same changes in commits of other sizes, with background work at
// other times, in other processes: what is found is the same if Flushes came at the same
// places.
func TestAutoHistory(t *testing.T) {
	play := func(seed uint64) *survivor {
		s := newSurvivor(t, vecindex.Auto, vecindex.Cosine)
		how := rand.New(rand.NewPCG(seed, 9))
		vectors := rand.New(rand.NewPCG(5, 5))
		for from := uint64(0); from < 3000; from += 300 {
			// A run: some vectors are deleted, some replaced, many are new.
			gone := span(from/2, from/2+uint64(vectors.IntN(40)))
			s.delete(gone...)
			ids := append(span(from/3, from/3+30), span(from, from+300)...)
			made := map[uint64][]float32{}
			for _, id := range ids {
				made[id] = s.shape.draw(vectors)
			}
			for len(ids) > 0 {
				n := min(len(ids), 1+how.IntN(90))
				s.update(func(w *vecindex.Write) {
					for _, id := range ids[:n] {
						s.must(w.Put(t.Context(), id, 0, made[id]))
						s.now[id], s.raw[id] = entry{0, storedForm(s.metric, made[id])}, made[id]
					}
				})
				ids = ids[n:]
				switch how.IntN(8) {
				case 0, 1:
					s.must(s.ix.Tend(t.Context(), commitTo(s.st)))
				case 2:
					s.reopen()
				}
			}
			s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
		}
		return s
	}
	one, other := play(1), play(2)
	one.check("one")
	same := func(when string) {
		t.Helper()
		a, err := one.ix.At(t.Context(), one.st, one.seq)
		one.must(err)
		defer a.Close()
		b, err := other.ix.At(t.Context(), other.st, other.seq)
		other.must(err)
		defer b.Close()
		lists, err := b.ByLists(t.Context())
		if err != nil || !lists {
			t.Fatal(lists, err)
		}
		for range 50 {
			var compared [2]int
			q := vecindex.Search{Vector: one.shape.draw(one.rng), K: 10, Ef: 3, Distances: &compared[0]}
			x, err := a.Search(t.Context(), q, nil)
			one.must(err)
			q.Distances = &compared[1]
			y, err := b.Search(t.Context(), q, nil)
			other.must(err)
			if !slices.Equal(x, y) || compared[0] != compared[1] {
				t.Fatalf("%s: %v of %d, and %v of %d", when, x, compared[0], y, compared[1])
			}
		}
	}
	same("flushed")
	if r := one.recallOf(0, nil); r < 0.97 {
		t.Errorf("recall %.3f", r)
	}
}
