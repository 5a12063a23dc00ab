package hnsw_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// restore reads the nodes of a version that known takes, all if it is nil,
// into a new graph.
func restore(t testing.TB, w *world, v *hnsw.Version, known func(slot uint32) bool) *hnsw.Graph {
	t.Helper()
	return restoreLists(t, w, v, slices.Collect(maps.Values(lists(v))), v.Layers(), known)
}

func restoreLists(t testing.TB, w *world, v *hnsw.Version, all []hnsw.List, layers []hnsw.Layer, known func(slot uint32) bool) *hnsw.Graph {
	t.Helper()
	if known == nil {
		known = v.Held
	}
	g := hnsw.New(w.codec, w.p)
	r := g.Restore(v.Slots())
	var lives []hnsw.Life
	for s := range v.Slots() {
		if known(s) {
			r.Node(s, v.ID(s), v.LayerOf(s))
			copy(r.Version().Code(s), v.Code(s))
			copy(r.Version().Low(s), v.Low(s))
			born, died := v.Life(s)
			lives = append(lives, hnsw.Life{Slot: s, Born: born, Died: died})
		}
	}
	w.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, l := range all {
		if !known(l.Key.Slot) {
			continue
		}
		if err := r.List(l, known); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Done(layers); err != nil {
		t.Fatal(err)
	}
	g.Show(lives)
	return g
}

func TestRestore(t *testing.T) {
	for _, sh := range shapes {
		w := newWorld(t, 16, sh.d, sh.ip, params(sh.m))
		w.add(0, span(0, 500), 100)
		w.add(3, span(500, 600), 100)
		w.remove(w.some(0.2))
		for _, s := range w.some(0.1) {
			w.g.Kill(s, 90)
		}
		v := w.g.Version()
		g := restore(t, w, v, nil)
		got := g.Version()
		if err := got.Verify(); err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(lists(v), lists(got), sameList) || !slices.Equal(v.Layers(), got.Layers()) ||
			got.Linked() != v.Linked() || g.Dead() != w.g.Dead() || g.Newest() != w.g.Newest() {
			t.Fatal("another graph")
		}
		for s := range v.Slots() {
			if v.Held(s) != got.Held(s) || v.Open(s) != got.Open(s) && v.Held(s) {
				t.Fatalf("slot %d is another", s)
			}
			if !v.Held(s) {
				continue
			}
			slot, ok, known := got.Find(v.ID(s), 80)
			if slot != s || !ok || !known {
				t.Fatalf("node %d is in slot %d, %t, %t", v.ID(s), slot, ok, known)
			}
			if _, ok, known := got.Find(v.ID(s), 90); ok != got.Open(s) || !known {
				t.Fatalf("node %d: alive %t, known %t", v.ID(s), ok, known)
			}
		}
		a, b := w.g.Searcher(), g.Searcher()
		for range 20 {
			q := w.query()
			if !slices.Equal(a.Search(v, q, 0, nil, 40), b.Search(got, q, 0, nil, 40)) {
				t.Fatal("another result")
			}
		}
		// It goes on as the first one does.
		first := w.g
		slots := span(600, 700)
		w.link(3, slots)
		w.g.Show([]hnsw.Life{{Slot: 600, Born: 95}})
		g.Reserve(700)
		var nodes []hnsw.Node
		for _, s := range slots {
			copy(g.Version().Code(s), first.Version().Code(s))
			nodes = append(nodes, hnsw.Node{Slot: s, ID: first.Version().ID(s)})
		}
		if _, err := g.Link(t.Context(), 3, nodes, 1); err != nil {
			t.Fatal(err)
		}
		for s := range uint32(700) {
			for level := range first.Version().Level(s) + 1 {
				k := hnsw.ListKey{Slot: s, Level: uint8(level)}
				if !sameList(first.Version().List(k, nil), g.Version().List(k, nil)) {
					t.Fatalf("%v is another list", k)
				}
			}
		}
	}
}

// TestRestoreTornLink reads lists of which some are from after a batch whose
// nodes are not there.
func TestRestoreTornLink(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(t, 20+seed, 8, false, params([]int{2, 4, 8}[seed%3]))
		w.add(0, span(0, 300), 100)
		old, layers := lists(w.g.Version()), w.g.Version().Layers()
		known := func(slot uint32) bool { return slot < 300 }
		w.add(0, span(300, 450), 150)
		var mixed []hnsw.List
		for k, l := range lists(w.g.Version()) {
			if o, ok := old[k]; ok && w.rng.IntN(2) == 0 {
				l = o
			}
			mixed = append(mixed, l)
		}
		g := restoreLists(t, w, w.g.Version(), mixed, layers, known)
		g.Adopt()
		if err := g.Version().Verify(); err != nil {
			t.Fatal(err)
		}
		if g.Version().Linked() != 300 {
			t.Fatalf("%d nodes", g.Version().Linked())
		}
	}
}

// TestRestoreTornRepair reads the lists of a repair of which only the first
// ones were written.
func TestRestoreTornRepair(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(t, 40+seed, 8, false, params([]int{2, 4, 8}[seed%3]))
		w.add(0, span(0, 300), 100)
		// A second graph stays as it was before.
		before := restore(t, w, w.g.Version(), nil).Version()
		dead := w.some([]float64{0.1, 0.4, 0.8}[seed%3])
		keys := w.remove(dead)
		now := lists(before)
		for _, k := range keys[:w.rng.IntN(len(keys))] {
			now[k] = w.g.Version().List(k, nil)
		}
		g := restoreLists(t, w, before, slices.Collect(maps.Values(now)), before.Layers(), nil)
		g.Adopt()
		if err := g.Version().Verify(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, s := range dead {
			g.Kill(s, 1000)
		}
		if _, err := g.Repair(t.Context(), dead, 2); err != nil {
			t.Fatal(err)
		}
		if err := g.Version().Verify(); err != nil {
			t.Fatalf("seed %d, repaired: %v", seed, err)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	w := newWorld(t, 17, 4, false, hnsw.Params{M: 4, EfConstruction: 10})
	g := hnsw.New(w.codec, w.p)
	r := g.Restore(20)
	for s := range uint32(20) {
		r.Node(s, uint64(s), 0)
	}
	known := func(slot uint32) bool { return slot < 20 && slot != 9 }
	key := func(slot uint32, level uint8) hnsw.ListKey { return hnsw.ListKey{Slot: slot, Level: level} }
	const none = math.MaxUint32
	for name, l := range map[string]hnsw.List{
		"level":                {Key: key(1, hnsw.MaxLevel+1), Parent: none},
		"many links":           {Key: key(1, 0), Parent: none, Links: span(2, 11)},
		"many links above":     {Key: key(1, 1), Parent: none, Links: span(2, 7)},
		"parent":               {Key: key(1, 0), Parent: 9},
		"parent out of range":  {Key: key(1, 0), Parent: 20},
		"parent far out there": {Key: key(1, 0), Parent: none - 1},
	} {
		if err := r.List(l, known); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, l := range map[string]hnsw.List{
		"full":          {Key: key(2, 0), Parent: 1, Links: []uint32{1, 3, 4, 5, 6, 7, 8, 10}},
		"full above":    {Key: key(2, 1), Parent: none, Links: []uint32{1, 3, 4, 5}},
		"unknown links": {Key: key(3, 0), Parent: none, Links: []uint32{9, 4, 9, 20, none - 1, 5}},
		"highest":       {Key: key(4, hnsw.MaxLevel), Parent: none, Links: []uint32{1}},
	} {
		if err := r.List(l, known); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := r.Version().List(key(3, 0), nil).Links; !slices.Equal(got, []uint32{4, 5}) {
		t.Errorf("links %v", got)
	}
	if got := r.Version().List(key(4, hnsw.MaxLevel-1), nil).Links; len(got) != 0 {
		t.Errorf("links %v", got)
	}
	for name, l := range map[string]hnsw.Layer{
		"entry": {Entry: 7, Root: 2, Linked: 1},
		"root":  {Entry: 2, Root: 7, Linked: 1},
		"top":   {Entry: 2, Root: 2, Top: 2, Linked: 1},
	} {
		if err := r.Done([]hnsw.Layer{{}, l}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := r.Done([]hnsw.Layer{{}, {Entry: 2, Root: 3, Top: 1, Linked: 3}, {Entry: 99, Root: 99}}); err != nil {
		t.Error(err)
	}
}

// TestVerifyFinds: Verify sees what is wrong with a graph that was read.
func TestVerifyFinds(t *testing.T) {
	const none = math.MaxUint32
	type lists = map[hnsw.ListKey]hnsw.List
	key := func(slot uint32, level uint8) hnsw.ListKey { return hnsw.ListKey{Slot: slot, Level: level} }
	good := func() lists {
		return lists{
			key(0, 0): {Parent: none, Links: []uint32{1, 2}},
			key(1, 0): {Parent: 0, Links: []uint32{0, 3}},
			key(2, 0): {Parent: 0, Links: []uint32{0}},
			key(3, 0): {Parent: 1, Links: []uint32{1}},
			key(0, 1): {Parent: none, Links: []uint32{1}},
			key(1, 1): {Parent: none, Links: []uint32{0}},
			key(4, 0): {Parent: none},
		}
	}
	layers := []hnsw.Layer{{Entry: 0, Root: 0, Top: 1, Linked: 4}, {Entry: 4, Root: 4, Linked: 1}}
	for _, tt := range []struct {
		name  string
		spoil func(l lists, layers []hnsw.Layer)
		bad   bool
	}{
		{"nothing", func(lists, []hnsw.Layer) {}, false},
		{"a loop", func(l lists, _ []hnsw.Layer) { l[key(2, 0)] = hnsw.List{Parent: 0, Links: []uint32{2}} }, true},
		{"twice", func(l lists, _ []hnsw.Layer) { l[key(2, 0)] = hnsw.List{Parent: 0, Links: []uint32{1, 0, 1}} }, true},
		{"another layer", func(l lists, _ []hnsw.Layer) { l[key(2, 0)] = hnsw.List{Parent: 0, Links: []uint32{4}} }, true},
		{"below", func(l lists, _ []hnsw.Layer) { l[key(1, 1)] = hnsw.List{Parent: none, Links: []uint32{2}} }, true},
		{"no parent", func(l lists, _ []hnsw.Layer) { l[key(2, 0)] = hnsw.List{Parent: none, Links: []uint32{0}} }, true},
		{"parent without link", func(l lists, _ []hnsw.Layer) { l[key(2, 0)] = hnsw.List{Parent: 3, Links: []uint32{0}} }, true},
		{"circle", func(l lists, _ []hnsw.Layer) {
			l[key(1, 0)] = hnsw.List{Parent: 3, Links: []uint32{3}}
			l[key(3, 0)] = hnsw.List{Parent: 1, Links: []uint32{1}}
		}, true},
		{"count", func(_ lists, layers []hnsw.Layer) { layers[0].Linked = 5 }, true},
		{"top", func(_ lists, layers []hnsw.Layer) { layers[0].Top = 0 }, true},
		{"root", func(_ lists, layers []hnsw.Layer) { layers[0].Root = 2 }, true},
	} {
		w := newWorld(t, 18, 4, false, hnsw.Params{M: 2, EfConstruction: 10})
		g := hnsw.New(w.codec, w.p)
		r := g.Restore(6)
		var lives []hnsw.Life
		for s := range uint32(5) {
			r.Node(s, uint64(s)+1, uint8(s/4))
			lives = append(lives, hnsw.Life{Slot: s, Born: 1})
		}
		l, ls := good(), slices.Clone(layers)
		tt.spoil(l, ls)
		for k, list := range l {
			list.Key = k
			if err := r.List(list, func(slot uint32) bool { return slot < 5 }); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Done(ls); err != nil {
			t.Fatal(err)
		}
		g.Show(lives)
		if err := g.Version().Verify(); (err != nil) != tt.bad {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
