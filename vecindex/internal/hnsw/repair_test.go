package hnsw_test

import (
	"fmt"
	"slices"
	"testing"
)

func TestRepair(t *testing.T) {
	sets := []struct {
		name string
		dead func(w *world) []uint32
	}{
		{"none", func(w *world) []uint32 { return nil }},
		{"10 %", func(w *world) []uint32 { return w.some(0.1) }},
		{"50 %", func(w *world) []uint32 { return w.some(0.5) }},
		{"99 %", func(w *world) []uint32 { return w.some(0.99) }},
		{"root", func(w *world) []uint32 { return []uint32{w.g.Version().Layer(0).Root} }},
		{"entry", func(w *world) []uint32 { return []uint32{w.g.Version().Layer(0).Entry} }},
		{"upper levels", func(w *world) (out []uint32) {
			for _, s := range w.slots() {
				if w.g.Version().Level(s) > 0 {
					out = append(out, s)
				}
			}
			return out
		}},
		{"cluster", func(w *world) (out []uint32) {
			for _, s := range w.slots() {
				if w.cluster[s] == 3 {
					out = append(out, s)
				}
			}
			return out
		}},
		{"layer", func(w *world) (out []uint32) {
			for _, s := range w.slots() {
				if w.g.Version().LayerOf(s) == 2 {
					out = append(out, s)
				}
			}
			return out
		}},
		{"neighbours of the root", func(w *world) []uint32 {
			return slices.Clone(w.g.Version().Neighbours(w.g.Version().Layer(0).Root))
		}},
		{"all", func(w *world) []uint32 { return w.slots() }},
	}
	for _, sh := range shapes {
		for _, set := range sets {
			t.Run(fmt.Sprintf("M%d/d%d/%s", sh.m, sh.d, set.name), func(t *testing.T) {
				w := newWorld(t, 7, sh.d, sh.ip, params(sh.m))
				w.add(0, span(0, 300), 100)
				w.add(2, span(300, 360), 60)
				dead := set.dead(w)
				n := len(w.ids)
				before := lists(w.g.Version())
				keys := w.remove(dead)
				w.verify()
				w.changed(before, keys)
				if len(w.ids) != n-len(dead) || w.g.Dead() != 0 {
					t.Fatalf("%d nodes of %d without %d; %d dead", len(w.ids), n, len(dead), w.g.Dead())
				}
				// The slots are taken again, by other nodes of another layer.
				for batch := range slices.Chunk(dead, 50) {
					before := lists(w.g.Version())
					keys := w.link(1, batch)
					w.show(batch)
					w.changed(before, keys)
					w.verify()
				}
			})
		}
	}
}

// TestChurn removes and adds in turn, and expects a graph as good as a new one.
func TestChurn(t *testing.T) {
	w := newWorld(t, 8, 16, false, params(8))
	w.add(0, span(0, 800), 200)
	for range 12 {
		gone := w.some(0.3)
		w.remove(gone)
		w.verify()
		w.add(0, gone, 60)
		w.verify()
	}
	if r := w.recall(64, 10, 100); r < 0.97 {
		t.Errorf("recall %.3f", r)
	}
	fresh := newWorld(t, 8, 16, false, params(8))
	fresh.add(0, span(0, 800), 200)
	if got, want := w.g.Version().Bytes(), fresh.g.Version().Bytes(); got > want+want/10 {
		t.Errorf("%d bytes, %d of a new graph", got, want)
	}
}

// TestDeadAreWalked: until the repair, nodes behind dead ones are found.
func TestDeadAreWalked(t *testing.T) {
	w := newWorld(t, 9, 8, false, params(4))
	w.add(0, span(0, 500), 100)
	dead := map[uint32]bool{}
	for _, s := range w.some(0.9) {
		w.g.Kill(s, 100)
		dead[s] = true
	}
	if w.g.Dead() != len(dead) || w.g.Plain(1<<60) {
		t.Errorf("%d dead of %d", w.g.Dead(), len(dead))
	}
	v, s := w.g.Version(), w.g.Searcher()
	all, ok := s.SearchAccepted(v, w.query(), 0, nil, 500, 1<<30, func(slot uint32) bool { return v.Visible(slot, 100) })
	if !ok || len(all) != 500-len(dead) {
		t.Errorf("%d of %d found", len(all), 500-len(dead))
	}
	slots, last := v.DeadBefore(99)
	if len(slots) != 0 || last != 0 {
		t.Errorf("%d died before they did", len(slots))
	}
	if slots, last = v.DeadBefore(100); len(slots) != len(dead) || last != 100 {
		t.Errorf("%d dead, the last in %d", len(slots), last)
	}
	w.remove(slots)
	w.verify()
}
