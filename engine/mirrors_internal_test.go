package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex"
)

// TestMirrorsAreForgotten says that only the indexes of vector spaces that
// there are count against the budget.
func TestMirrorsAreForgotten(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	// put writes a vector to a new space, in one transaction that ends so.
	put := func(g *Graph, end error) {
		t.Helper()
		err := db.Update(ctx, func(tx *Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			id, _, err := v.PutNode(typ, "k", nil)
			if err != nil {
				return err
			}
			if err := v.MakeSpace("s", SpaceOptions{Dim: 2, Model: "m"}); err != nil {
				return err
			}
			if err := v.PutVector("s", id, []float32{1, 2}); err != nil {
				return err
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Fatal(err)
		}
	}
	search := func(s *Snapshot, g *Graph) {
		t.Helper()
		v, err := s.Graph(g).Vectors("s")
		if err != nil {
			t.Fatal(err)
		}
		if x, err := v.Vector(ctx, 1, nil); err != nil || len(x) != 2 {
			t.Fatal(x, err)
		}
	}
	count := func(when string, want int) {
		t.Helper()
		if have := len(db.mirrors.open); have != want {
			t.Errorf("%s: %d indexes, want %d", when, have, want)
		}
	}
	g, err := ns.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	put(g, boom)
	count("a transaction that failed", 0)
	put(g, nil)
	count("a space", 1)
	before, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(ctx, func(tx *Tx) error { return tx.Graph(g).DropSpace("s") })
	if err != nil {
		t.Fatal(err)
	}
	count("a space that was dropped", 0)
	search(before, g)
	put(g, nil)
	count("a space that was made again", 1)
	search(before, g)
	count("a snapshot from before it was", 1)
	if err := ns.Drop(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	count("a graph that was dropped", 0)
	search(before, g)
	count("a snapshot from before it was", 0)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestIdleMirrorsMakeRoom says that vectors which are searched now take the
// memory of those that were not for long, and of no others; and that what is
// found is the same from memory and disk.
func TestIdleMirrorsMakeRoom(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Memory, &Options{MemoryBudget: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	const dim, n = 78, 5000 // two fit into the 8 MB of vectors
	spaces := []string{"a", "b", "c"}
	err = db.Update(ctx, func(tx *Tx) error {
		v := tx.Graph(g)
		typ, err := v.MakeNodeType("n")
		if err != nil {
			return err
		}
		for _, s := range spaces {
			if err := v.MakeSpace(s, SpaceOptions{Dim: dim, Model: "m"}); err != nil {
				return err
			}
		}
		for i := range n {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
			if err != nil {
				return err
			}
			vec := make([]float32, dim)
			vec[i%dim], vec[(i*7+1)%dim] = float32(1+i%13), 1
			for _, s := range spaces {
				if err := v.PutVector(s, id, vec); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	query := make([]float32, dim)
	query[3], query[9] = 1, 0.5
	var first []vecindex.Hit
	search := func(s string) {
		t.Helper()
		err := db.View(ctx, func(snap *Snapshot) error {
			v, err := snap.Graph(g).Vectors(s)
			if err != nil {
				return err
			}
			hits, err := v.Search(ctx, vecindex.Search{Vector: query, K: 5}, nil)
			if first == nil {
				first = hits
			}
			if len(hits) != 5 || !slices.Equal(hits, first) {
				t.Errorf("%s: %v, at first %v", s, hits, first)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	held := func(want ...string) {
		t.Helper()
		db.mirrors.mu.Lock()
		open := slices.Clone(db.mirrors.open)
		db.mirrors.mu.Unlock()
		var have []string
		for i, x := range open {
			if s, err := x.Stats(ctx); err != nil {
				t.Fatal(err)
			} else if s.Source == "memory" {
				have = append(have, spaces[i])
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("wholly in memory are %v, want %v", have, want)
		}
	}
	for range 2 * idleUses { // by turns: no index gives way
		for _, s := range spaces {
			search(s)
		}
	}
	held("a", "b")
	for range idleUses + 2 {
		search("c")
	}
	held("b", "c") // a was used before b
	search("a")
	held("a", "c") // b is idle by now, c is not
	// Searches of one reader count too, one by one.
	for range 2 {
		search("c")
	}
	err = db.View(ctx, func(snap *Snapshot) error {
		v, err := snap.Graph(g).Vectors("b")
		if err != nil {
			return err
		}
		for range idleUses / 2 {
			hits, err := v.Search(ctx, vecindex.Search{Vector: query, K: 5}, nil)
			if err != nil || !slices.Equal(hits, first) {
				t.Fatalf("%v, %v; at first %v", hits, err, first)
			}
		}
		held("a", "c")
		for range idleUses / 2 {
			if _, err := v.Search(ctx, vecindex.Search{Vector: query, K: 5}, nil); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	held("b", "c")
}

// TestSettleTakesMemory settles an index beside one that was just searched and leaves
// no room: its links are there afterwards, as they are if it is alone.
func TestSettleTakesMemory(t *testing.T) {
	ctx := t.Context()
	const dim, n = 160, 5000 // two do not fit into the 8 MB of vectors
	links := func(spaces []string, budget int64) (out []vecindex.Link) {
		t.Helper()
		db, err := Open(ctx, Memory, &Options{MemoryBudget: budget})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		ns, err := db.Namespace(ctx, "main")
		if err != nil {
			t.Fatal(err)
		}
		g, err := ns.Graph(ctx, "g")
		if err != nil {
			t.Fatal(err)
		}
		vec := make([]float32, dim)
		err = db.Update(ctx, func(tx *Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			for _, s := range spaces {
				if err := v.MakeSpace(s, SpaceOptions{Dim: dim, Model: "m", Kind: vecindex.HNSW}); err != nil {
					return err
				}
			}
			for i := range n {
				id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
				if err != nil {
					return err
				}
				for k := range vec {
					vec[k] = float32((i*(k+3)+k*k)%101) - 50
				}
				for _, s := range spaces {
					if err := v.PutVector(s, id, vec); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spaces[:len(spaces)-1] {
			if err := db.FlushSpace(ctx, g, s); err != nil {
				t.Fatal(err)
			}
			err := db.View(ctx, func(snap *Snapshot) error {
				v, err := snap.Graph(g).Vectors(s)
				if err == nil {
					_, err = v.Search(ctx, vecindex.Search{Vector: vec, K: 5}, nil)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		last := spaces[len(spaces)-1]
		if err := db.SettleSpace(ctx, g, last); err != nil {
			t.Fatal(err)
		}
		err = db.View(ctx, func(snap *Snapshot) error {
			v, err := snap.Graph(g).Vectors(last)
			if err != nil {
				return err
			}
			for l, err := range v.Links(ctx) {
				if err != nil {
					return err
				}
				out = append(out, l)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := links([]string{"a"}, 16<<20)
	if got := links([]string{"b", "a"}, 16<<20); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d links, alone %d", len(got), len(want))
	}
}

// TestSpaceGenerations says that a space which was dropped as often as its
// generations have numbers is not made with the keys of an old one.
func TestSpaceGenerations(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	o := SpaceOptions{Dim: 2, Model: "m"}
	do := func(fn func(v *TxView) error) error {
		return db.Update(ctx, func(tx *Tx) error { return fn(tx.Graph(g)) })
	}
	made := func(v *TxView) error { return v.MakeSpace("s", o) }
	drop := func(v *TxView) error { return v.DropSpace("s") }
	last := func(v *TxView) error {
		v.transact.overlay.Set(layout.GraphMeta(v.g, "generation.s"), appendUint64(nil, math.MaxUint16))
		return nil
	}
	for _, fn := range []func(v *TxView) error{made, drop, last, made, drop} {
		if err := do(fn); err != nil {
			t.Fatal(err)
		}
	}
	if err := do(made); !errors.Is(err, ErrInvalid) {
		t.Errorf("made as generation 0 again: %v", err)
	}
	if err := do(func(v *TxView) error { return v.MakeSpace("other", o) }); err != nil {
		t.Error(err)
	}
}
