package hnsw_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// TestFind compares the table of ids with a map, while slots go from one id to
// another and the table grows.
func TestFind(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := hnsw.New(quant.New(2, false), hnsw.Params{M: 2, EfConstruction: 4, Seed: seed})
		at := map[uint64]uint32{} // live ids
		died := map[uint64]uint64{}
		born := map[uint64]uint64{}
		var free []uint32
		next, seq := uint32(0), uint64(0)
		ids := uint64(30 + 60*seed)
		for range 400 {
			seq++
			earlier := g.Version()
			// Each commit moves some ids to other slots, and drops some.
			var gone []uint32
			kill := func(id uint64) {
				if s, ok := at[id]; ok {
					g.Kill(s, seq)
					gone = append(gone, s)
					delete(at, id)
					died[id] = seq
				}
			}
			for range rng.IntN(3) {
				kill(rng.Uint64N(ids) * 1000)
			}
			put := map[uint64]uint32{}
			for range rng.IntN(6) {
				id := rng.Uint64N(ids) * 1000
				if _, ok := put[id]; ok {
					continue
				}
				kill(id)
				s := next
				if len(free) > 0 && rng.IntN(4) > 0 {
					i := rng.IntN(len(free))
					s = free[i]
					free[i] = free[len(free)-1]
					free = free[:len(free)-1]
				} else {
					next++
				}
				put[id] = s
			}
			var nodes []hnsw.Node
			var lives []hnsw.Life
			for id, s := range put {
				nodes = append(nodes, hnsw.Node{Slot: s, ID: id})
				lives = append(lives, hnsw.Life{Slot: s, Born: seq})
				at[id], born[id] = s, seq
				delete(died, id)
			}
			if len(nodes) > 0 {
				g.Reserve(next)
				if _, err := g.Link(t.Context(), 0, nodes, 1); err != nil {
					t.Fatal(err)
				}
				for _, n := range nodes {
					if s, ok, _ := g.Version().Find(n.ID, seq); ok && s == n.Slot {
						t.Fatal("found before it is shown")
					}
				}
				g.Show(lives)
			}
			v := g.Version()
			for id, at := range put {
				// A version from before has no room for it or cannot tell.
				if s, ok, _ := earlier.Find(id, seq-1); ok && s == at {
					t.Fatalf("id %d is found before it came", id)
				}
			}
			for i := range ids {
				id := i * 1000
				s, ok, known := v.Find(id, seq)
				if want, live := at[id]; ok != live || !known || live && s != want {
					t.Fatalf("seed %d, commit %d: id %d is in slot %d, %t, %t; it is %d, %t", seed, seq, id, s, ok, known, want, live)
				}
				// Before it came, the version cannot tell.
				if _, live := at[id]; live {
					if _, ok, known := v.Find(id, born[id]-1); ok || known {
						t.Fatalf("id %d found before it came", id)
					}
				} else if d, ok := died[id]; ok {
					if _, ok, known := v.Find(id, d-1); known && !ok {
						t.Fatalf("id %d is not found before it died", id)
					}
				}
			}
			if _, err := g.Repair(t.Context(), gone, 1); err != nil {
				t.Fatal(err)
			}
			for id, d := range died {
				if d == seq {
					delete(died, id) // no view sees it any more
				}
			}
			free = append(free, gone...)
			if seq%40 == 0 {
				if err := g.Version().Verify(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestLives(t *testing.T) {
	w := newWorld(t, 19, 4, false, params(4))
	w.g.Reserve(5)
	w.link(0, span(0, 4))
	g := w.g
	g.Kill(2, 3) // not shown: nothing to end
	g.Kill(4, 3)
	g.Kill(4000, 3)
	if g.Dead() != 0 {
		t.Error("dead before it is shown")
	}
	g.Show([]hnsw.Life{{Slot: 0, Born: 5}, {Slot: 1, Born: 6}, {Slot: 2, Born: 5, Died: 7}, {Slot: 3, Born: 7}})
	if g.Newest() != 7 || g.Dead() != 1 {
		t.Errorf("newest %d, dead %d", g.Newest(), g.Dead())
	}
	g.Kill(0, 8)
	g.Kill(0, 9) // once only
	v := g.Version()
	for _, tt := range []struct {
		slot      uint32
		seq       uint64
		alive, is bool // in the latest commit, in the one given
	}{
		{0, 4, false, false}, {0, 5, false, true}, {0, 7, false, true}, {0, 8, false, false}, {0, 9, false, false},
		{1, 5, true, false}, {1, 6, true, true}, {1, 99, true, true},
		{2, 5, false, true}, {2, 7, false, false}, {4, 9, false, false},
	} {
		if v.Open(tt.slot) != tt.alive || v.Visible(tt.slot, tt.seq) != tt.is {
			t.Errorf("slot %d in %d: open %t, visible %t", tt.slot, tt.seq, v.Open(tt.slot), v.Visible(tt.slot, tt.seq))
		}
	}
	if b, d := v.Life(0); b != 5 || d != 8 {
		t.Errorf("from %d to %d", b, d)
	}
	if g.Dead() != 2 || g.Plain(9) {
		t.Errorf("dead %d", g.Dead())
	}
	if _, err := g.Repair(t.Context(), []uint32{0, 2}, 1); err != nil {
		t.Fatal(err)
	}
	if g.Dead() != 0 || !g.Plain(7) || g.Plain(6) {
		t.Errorf("dead %d, plain %t, %t", g.Dead(), g.Plain(7), g.Plain(6))
	}
}
