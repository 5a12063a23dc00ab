package hnsw_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// tower is a world whose layers are linked.
type tower struct {
	*world
}

func newTower(t *testing.T, seed uint64, m int) *tower {
	p := hnsw.Params{M: m, EfConstruction: 40, Seed: seed, Down: true}
	return &tower{world: newWorld(t, seed, 8, false, p)}
}

// put links slots in a layer, down too, and shows them.
func (w *tower) put(layer uint8, slots []uint32) {
	w.t.Helper()
	before := w.all()
	keys := w.link(layer, slots)
	var nodes []hnsw.Node
	for _, s := range slots {
		nodes = append(nodes, hnsw.Node{Slot: s, ID: w.ids[s]})
	}
	down, err := w.g.LinkDown(context.Background(), nodes, w.workers)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, k := range down {
		if k.Level != hnsw.DownLevel {
			w.t.Fatalf("%v is no link down", k)
		}
	}
	w.show(slots)
	w.named(before, slices.Concat(keys, down))
}

// all returns the lists with the links down.
func (w *tower) all() map[hnsw.ListKey]hnsw.List {
	v := w.g.Version()
	out := lists(v)
	for s := range v.Slots() {
		if v.Held(s) {
			k := hnsw.ListKey{Slot: s, Level: hnsw.DownLevel}
			out[k] = v.List(k, nil)
		}
	}
	return out
}

// named fails the test if a list changed that is not among keys.
func (w *tower) named(before map[hnsw.ListKey]hnsw.List, keys []hnsw.ListKey) {
	w.t.Helper()
	for k, l := range w.all() {
		if old, ok := before[k]; (!ok && len(l.Links) > 0 || ok && !sameList(old, l)) && !slices.Contains(keys, k) {
			w.t.Fatalf("%v changed from %v to %v and is not named", k, old.Links, l.Links)
		}
	}
}

// check fails the test if a node leads to none of the layer below that is
// alive though there are some, and counts those that lead to the nearest.
func (w *tower) check() (nearest, nodes int) {
	w.t.Helper()
	w.verify()
	v, s := w.g.Version(), w.g.Searcher()
	defer w.g.Release(s)
	byLayer := map[uint8][]uint32{}
	for _, slot := range w.slots() {
		byLayer[v.LayerOf(slot)] = append(byLayer[v.LayerOf(slot)], slot)
	}
	q := w.codec.NewStored()
	for layer, slots := range byLayer {
		for _, slot := range slots {
			below, ok := v.Down(slot)
			candidates := []uint32(nil)
			if layer > 0 {
				candidates = byLayer[layer-1]
			}
			if ok != (len(candidates) > 0) {
				w.t.Fatalf("slot %d of layer %d: leads down %t, with %d nodes below", slot, layer, ok, len(candidates))
			}
			if !ok {
				continue
			}
			if !slices.Contains(candidates, below) {
				w.t.Fatalf("slot %d of layer %d leads to slot %d", slot, layer, below)
			}
			q.FillStored(v.Code(slot))
			best := slices.Min(s.Measure(v, &q, candidates, nil))
			if nodes++; s.Measure(v, &q, []uint32{below}, nil)[0].Distance() == best.Distance() {
				nearest++
			}
		}
	}
	return nearest, nodes
}

func TestDown(t *testing.T) {
	for _, m := range []int{4, 12} {
		// Layers come in one order or another, and in parts.
		for i, order := range [][]uint8{{0, 1, 2}, {2, 1, 0}, {1, 0, 2, 1, 0, 2}, {3, 1, 0, 2, 0, 0}} {
			t.Run(fmt.Sprintf("M%d/%d", m, i), func(t *testing.T) {
				w := newTower(t, uint64(i), m)
				next := uint32(0)
				for _, layer := range order {
					n := []uint32{400, 120, 30, 5}[layer]
					w.put(layer, span(next, next+n))
					next += n
					w.check()
				}
				if nearest, nodes := w.check(); float64(nearest) < 0.97*float64(nodes) {
					t.Errorf("%d of %d nodes lead to the nearest", nearest, nodes)
				}
				// A restored graph has the same links.
				v := w.g.Version()
				g := restoreLists(t, w.world, v, slices.Collect(maps.Values(w.all())), v.Layers(), nil)
				if err := g.Version().Verify(); err != nil {
					t.Fatal(err)
				}
				for s := range v.Slots() {
					a, aok := v.Down(s)
					if b, bok := g.Version().Down(s); a != b || aok != bok {
						t.Fatalf("slot %d leads to %d, not %d", s, b, a)
					}
				}
				for range 4 {
					before := w.all()
					dead := w.some(0.4)
					keys := w.remove(dead)
					w.named(before, keys)
					w.check()
					w.put(uint8(w.rng.IntN(3)), dead[:len(dead)/2])
				}
				if nearest, nodes := w.check(); float64(nearest) < 0.95*float64(nodes) {
					t.Errorf("after repairs %d of %d nodes lead to the nearest", nearest, nodes)
				}
				// A layer goes, and comes again.
				var layer0 []uint32
				for _, s := range w.slots() {
					if w.g.Version().LayerOf(s) == 0 {
						layer0 = append(layer0, s)
					}
				}
				w.remove(layer0)
				w.check()
				w.put(0, layer0[:1]) // all above lead to it
				w.check()
				w.put(0, layer0[1:])
				w.check()
			})
		}
	}
}

// TestDownPastDead: the one node that is alive is found behind all the others.
func TestDownPastDead(t *testing.T) {
	for seed := range uint64(60) {
		w := newTower(t, seed, 4)
		w.put(0, span(0, 200))
		alive := w.rng.Uint32N(200)
		for s := range uint32(200) {
			if s != alive {
				w.g.Kill(s, 50)
			}
		}
		w.put(1, []uint32{200})
		if below, ok := w.g.Version().Down(200); !ok || below != alive {
			t.Errorf("seed %d: leads to %d, %t, not to %d", seed, below, ok, alive)
		}
	}
}

// TestDownAdopt finds the links down that were not read.
func TestDownAdopt(t *testing.T) {
	w := newTower(t, 3, 8)
	w.put(0, span(0, 200))
	w.put(1, span(200, 260))
	v := w.g.Version()
	g := restoreLists(t, w.world, v, slices.Collect(maps.Values(lists(v))), v.Layers(), nil)
	if g.Version().Verify() == nil {
		t.Fatal("no link down is missing")
	}
	g.Adopt()
	if err := g.Version().Verify(); err != nil {
		t.Fatal(err)
	}
	w.g = g
	if nearest, nodes := w.check(); nodes != 60 || nearest < 57 {
		t.Errorf("%d of %d nodes lead to the nearest", nearest, nodes)
	}
}

func TestDownWorkers(t *testing.T) {
	build := func(workers int) map[hnsw.ListKey]hnsw.List {
		w := newTower(t, 5, 6)
		w.workers = workers
		w.put(0, span(0, 300))
		w.put(1, span(300, 400))
		w.put(0, span(400, 600))
		w.remove(w.some(0.3))
		return w.all()
	}
	one := build(1)
	for _, workers := range []int{2, 8} {
		if !maps.EqualFunc(one, build(workers), sameList) {
			t.Errorf("%d workers give other links", workers)
		}
	}
}
