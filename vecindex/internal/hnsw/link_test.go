package hnsw_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

var shapes = []struct {
	m, d int
	ip   bool
}{
	{2, 3, false}, {2, 16, true}, {3, 8, false}, {4, 64, true}, {8, 16, false}, {16, 32, false}, {32, 24, true},
}

func params(m int) hnsw.Params {
	return hnsw.Params{M: m, EfConstruction: max(4*m, 20), Seed: uint64(m), Low: m%4 == 0}
}

// TestLink links batches of many sizes in several layers.
func TestLink(t *testing.T) {
	for _, sh := range shapes {
		t.Run(fmt.Sprintf("M%d/d%d", sh.m, sh.d), func(t *testing.T) {
			w := newWorld(t, 1, sh.d, sh.ip, params(sh.m))
			next := uint32(0)
			for i, n := range []int{1, 1, 2, 30, 300, 7, 120, 1, 200} {
				layer := uint8([]int{0, 0, 3, 0, 3, 1, 0, 1, 3}[i])
				slots := span(next, next+uint32(n))
				w.rng.Shuffle(n, func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
				next += uint32(n)
				before := lists(w.g.Version())
				keys := w.link(layer, slots)
				if w.g.Version().Held(slots[0]) {
					t.Fatal("a node is seen before it is shown")
				}
				w.show(slots)
				w.changed(before, keys)
				w.verify()
				for _, s := range slots {
					if got := w.g.Version().LayerOf(s); got != layer {
						t.Fatalf("layer %d, not %d", got, layer)
					}
				}
			}
			v := w.g.Version()
			want := map[int]int{0: 152 + 0, 1: 8, 3: 502}
			for layer := range 6 {
				n := 0
				for s := range v.Slots() {
					if int(v.LayerOf(s)) == layer {
						n++
					}
				}
				if got := v.Layer(uint8(layer)).Linked; got != n || n != want[layer] {
					t.Errorf("layer %d has %d nodes and says %d", layer, n, got)
				}
			}
		})
	}
}

// TestLinkDuplicates has equal vectors only, among which no link is better.
func TestLinkDuplicates(t *testing.T) {
	w := newWorld(t, 2, 8, false, params(4))
	x, _ := w.draw()
	e := w.codec.NewEncoder()
	w.g.Reserve(600)
	for from := uint32(0); from < 600; from += 150 {
		slots := span(from, from+150)
		var nodes []hnsw.Node
		for _, s := range slots {
			e.Encode(w.g.Version().Code(s), w.g.Version().Low(s), x)
			w.ids[s] = uint64(s) + 1
			nodes = append(nodes, hnsw.Node{Slot: s, ID: uint64(s) + 1})
		}
		if _, err := w.g.Link(t.Context(), 0, nodes, 2); err != nil {
			t.Fatal(err)
		}
		w.show(slots)
		w.verify()
	}
	s := w.g.Searcher()
	q := w.codec.NewQuery()
	q.Fill(e, x)
	if all := s.Search(w.g.Version(), q, 0, nil, 600); len(all) != 600 {
		t.Errorf("%d of 600 found", len(all))
	}
	w.remove(span(0, 590))
	w.verify()
}

// TestWorkers: the graph is the same for any number of goroutines.
func TestWorkers(t *testing.T) {
	build := func(workers int) map[hnsw.ListKey]hnsw.List {
		w := newWorld(t, 3, 12, false, params(6))
		w.workers = workers
		w.add(0, span(0, 900), 300)
		w.add(2, span(900, 1200), 100)
		gone := w.some(0.3)
		w.remove(gone)
		w.add(0, gone[:200], 77)
		w.verify()
		return lists(w.g.Version())
	}
	one := build(1)
	for _, workers := range []int{2, 8} {
		if got := build(workers); !maps.EqualFunc(one, got, sameList) {
			t.Errorf("%d workers give another graph", workers)
		}
	}
}

func TestLinkCancelled(t *testing.T) {
	w := newWorld(t, 4, 8, false, params(4))
	w.add(0, span(0, 200), 100)
	before := lists(w.g.Version())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.g.Reserve(300)
	if _, err := w.g.Link(ctx, 0, []hnsw.Node{{Slot: 250, ID: 9}}, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Link: %v", err)
	}
	w.g.Kill(5, 9)
	if _, err := w.g.Repair(ctx, []uint32{5}, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Repair: %v", err)
	}
	w.verify()
	if !maps.EqualFunc(before, lists(w.g.Version()), sameList) {
		t.Error("the graph changed")
	}
	if n := w.g.Dead(); n != 1 {
		t.Errorf("%d dead", n)
	}
}

// TestLevel: a share of M^-l of the nodes has level l or a higher one.
func TestLevel(t *testing.T) {
	const n = 400_000
	for _, m := range []int{2, 3, 16, 32} {
		c := quant.New(4, false)
		g := hnsw.New(c, hnsw.Params{M: m, EfConstruction: 10, Seed: 7})
		same := hnsw.New(c, hnsw.Params{M: m, EfConstruction: 99, Seed: 7})
		other := hnsw.New(c, hnsw.Params{M: m, EfConstruction: 10, Seed: 8})
		atLeast := make([]int, hnsw.MaxLevel+2)
		differ := 0
		for id := range uint64(n) {
			level := g.Level(id)
			if level < 0 || level > hnsw.MaxLevel || same.Level(id) != level {
				t.Fatalf("M %d: level %d of node %d", m, level, id)
			}
			if other.Level(id) != level {
				differ++
			}
			for l := range level + 1 {
				atLeast[l]++
			}
		}
		for l, got := range atLeast {
			want := n * math.Pow(float64(m), -float64(l))
			if math.Abs(float64(got)-want) > 5*math.Sqrt(want)+1 {
				t.Errorf("M %d: %d nodes of level %d and above, not %.0f", m, got, l, want)
			}
		}
		if differ < n/100 {
			t.Errorf("M %d: another seed changes %d levels", m, differ)
		}
	}
}

// TestBytes: the memory of a graph is what it says, and within what BytesFor
// says of its size.
func TestBytes(t *testing.T) {
	for _, n := range []uint32{1, 64, 65, 1000, 2048, 2500} {
		p := params(8)
		p.EfConstruction = 8
		w := newWorld(t, 5, 16, false, p)
		w.add(0, span(0, n), 1024)
		if got, limit := w.g.Version().Bytes(), w.g.BytesFor(int(n)); got > limit || got < limit/4 {
			t.Errorf("%d nodes take %d bytes, BytesFor says %d", n, got, limit)
		}
		again := restore(t, w, w.g.Version(), nil)
		if got, limit := again.Version().Bytes(), w.g.BytesFor(int(n)); got > limit || got < limit/4 {
			t.Errorf("%d nodes read back take %d bytes, BytesFor says %d", n, got, limit)
		}
	}
}

// TestReserveKeepsNodes grows the first chunk through its sizes.
func TestReserveKeepsNodes(t *testing.T) {
	w := newWorld(t, 6, 8, true, params(4))
	w.add(1, span(0, 60), 20)
	w.g.Kill(7, 9)
	old := w.g.Version()
	want := lists(old)
	code := slices.Clone(old.Code(11))
	for _, n := range []uint32{60, 64, 65, 200, 2048, 2049, 6000, 10} {
		w.g.Reserve(n)
		v := w.g.Version()
		if v.Slots() < n || !maps.EqualFunc(want, lists(v), sameList) || !slices.Equal(v.Code(11), code) ||
			!slices.Equal(v.Low(11), old.Low(11)) {
			t.Fatalf("%d slots: another graph", n)
		}
		for s := range uint32(60) {
			born, died := old.Life(s)
			if b, d := v.Life(s); b != born || d != died || v.Open(s) != old.Open(s) || v.LayerOf(s) != 1 {
				t.Fatalf("%d slots: slot %d lives from %d to %d", n, s, b, d)
			}
		}
		w.verify()
	}
}
