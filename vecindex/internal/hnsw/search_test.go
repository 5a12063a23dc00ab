package hnsw_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// recall returns the share of the k nearest, by estimates, that searches find.
func (w *world) recall(ef, k, queries int) float64 {
	s := w.g.Searcher()
	defer w.g.Release(s)
	var all []uint32
	for _, slot := range w.slots() {
		if w.g.Version().LayerOf(slot) == 0 {
			all = append(all, slot)
		}
	}
	found := 0
	for range queries {
		q := w.query()
		got := s.Search(w.g.Version(), q, 0, nil, ef)
		ascending(w.t, got)
		if len(got) != min(ef, len(all)) {
			w.t.Fatalf("%d candidates of %d", len(got), min(ef, len(all)))
		}
		for _, slot := range w.nearest(q, all, k) {
			if slices.Contains(slotsOf(got[:k]), slot) {
				found++
			}
		}
	}
	return float64(found) / float64(k*queries)
}

func TestRecall(t *testing.T) {
	for _, ip := range []bool{false, true} {
		w := newWorld(t, 10, 32, ip, hnsw.Params{M: 16, EfConstruction: 100, Seed: 3})
		w.add(0, span(0, 2500), 500)
		w.add(1, span(2500, 2600), 100)
		if r := w.recall(128, 10, 200); r < 0.98 {
			t.Errorf("inner product %t: recall %.3f", ip, r)
		}
		if r := w.recall(10, 10, 200); r < 0.6 {
			t.Errorf("inner product %t: recall %.3f with ef 10", ip, r)
		}
		s := w.g.Searcher()
		if all := s.Search(w.g.Version(), w.query(), 0, nil, 128); s.Spent() > 2000 || s.Spent() < len(all) {
			t.Errorf("%d distances", s.Spent())
		}
	}
}

// TestSearchOfSmallGraphs: all nodes are found if ef is no less.
func TestSearchOfSmallGraphs(t *testing.T) {
	for _, n := range []uint32{1, 2, 5, 40, 300} {
		for _, m := range []int{2, 16} {
			w := newWorld(t, 11, 6, false, params(m))
			if all := w.g.Searcher().Search(w.g.Version(), w.query(), 0, nil, 5); len(all) != 0 {
				t.Fatal("found something in an empty graph")
			}
			w.add(0, span(0, n), 50)
			for _, ef := range []uint32{1, 3, n, n + 10} {
				q := w.query()
				all := w.g.Searcher().Search(w.g.Version(), q, 0, nil, int(ef))
				ascending(t, all)
				if len(all) != int(min(ef, n)) {
					t.Fatalf("%d of %d nodes, ef %d", len(all), n, ef)
				}
				if ef >= n && !slices.Equal(slotsOf(all), w.nearest(q, w.slots(), int(n))) {
					t.Fatalf("%d nodes: another order than measured one by one", n)
				}
			}
			for _, layer := range []uint8{1, 200} {
				if all := w.g.Searcher().Search(w.g.Version(), w.query(), layer, nil, 5); len(all) != 0 {
					t.Fatal("found something in an empty layer")
				}
				if all, ok := w.g.Searcher().SearchAccepted(w.g.Version(), w.query(), layer, nil, 5, 9, nil); len(all) != 0 || !ok {
					t.Fatal("accepted something in an empty layer")
				}
			}
		}
	}
}

func TestSearchAccepted(t *testing.T) {
	const n = 1500
	w := newWorld(t, 12, 16, false, params(8))
	w.add(0, span(0, n), 300)
	s := w.g.Searcher()
	v := w.g.Version()
	one := func(slot uint32) bool { return slot == 777 }
	for _, set := range []struct {
		name   string
		accept func(slot uint32) bool
	}{
		{"1 %", func(slot uint32) bool { return slot%100 == 7 }},
		{"5 %", func(slot uint32) bool { return slot%20 == 7 }},
		{"50 %", func(slot uint32) bool { return slot%2 == 1 }},
		{"all", func(slot uint32) bool { return true }},
		{"none", func(slot uint32) bool { return false }},
		{"cluster", func(slot uint32) bool { return w.cluster[slot] == 5 }},
		{"one", one},
	} {
		name, accept := set.name, set.accept
		var accepted []uint32
		for slot := range uint32(n) {
			if accept(slot) {
				accepted = append(accepted, slot)
			}
		}
		for _, ef := range []int{1, 10, 64, 3 * n} {
			missed, all := 0, 0
			for range 10 {
				q := w.query()
				got, ok := s.SearchAccepted(v, q, 0, nil, ef, 1<<30, accept)
				ascending(t, got)
				if !ok || len(got) != min(ef, len(accepted)) {
					t.Fatalf("%s: %d of %d, gave up %t", name, len(got), min(ef, len(accepted)), !ok)
				}
				for _, c := range got {
					if !accept(c.Slot()) {
						t.Fatalf("%s: slot %d is not accepted", name, c.Slot())
					}
				}
				for _, slot := range w.nearest(q, accepted, ef) {
					if all++; !slices.Contains(slotsOf(got), slot) {
						missed++
					}
				}
			}
			if ef >= 64 && missed > all/25 {
				t.Errorf("%s, ef %d: %d of %d missed", name, ef, missed, all)
			}
		}
	}
	got, ok := s.SearchAccepted(v, w.query(), 0, nil, 10, 50, one)
	if ok || len(got) > 1 {
		t.Errorf("%d found, gave up %t with a small budget", len(got), !ok)
	}
	if s.Spent() > 50+2*2*8 {
		t.Errorf("%d distances of a budget of 50", s.Spent())
	}
}

func TestMeasure(t *testing.T) {
	w := newWorld(t, 13, 16, true, params(4))
	w.add(0, span(0, 700), 350)
	q, s := w.query(), w.g.Searcher()
	slots := w.some(0.9)
	first := s.Measure(w.g.Version(), q, slots, nil)
	if !slices.Equal(slotsOf(first), slots) {
		t.Fatal("not as given")
	}
	for i, slot := range slots {
		one := s.Measure(w.g.Version(), q, []uint32{slot}, first[:0:0])
		if len(one) != 1 || one[0] != first[i] {
			t.Fatalf("slot %d is at %g and %g", slot, one[0].Distance(), first[i].Distance())
		}
	}
	if got := s.Measure(w.g.Version(), q, nil, first[:3]); len(got) != 3 {
		t.Errorf("%d candidates", len(got))
	}
}
