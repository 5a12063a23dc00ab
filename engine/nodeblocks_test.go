package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// blockCount returns how many blocks of nodes a graph has, and how many stale nodes.
func blockCount(t *testing.T, store kv.Store, g *engine.Graph) (blocks, stale int) {
	t.Helper()
	eachRaw(t, store, uint32(g.ID()), layout.TagNodeBlock, func(key, _ []byte) {
		if _, node := layout.NodeBlockOf(key); node == 0 {
			blocks++
		} else {
			stale++
		}
	})
	return blocks, stale
}

// allColumns compares all columns of a graph with the properties that its nodes have.
func allColumns(t *testing.T, g *engine.Graph, n int, have map[engine.NodeID]engine.Props) {
	t.Helper()
	var ids []engine.NodeID
	for id := range engine.NodeID(n) {
		ids = append(ids, id)
	}
	view(t, g, func(v *engine.View) { columnsAre(t, v.NodeColumns(nil), ids, have) })
}

// TestNodeBlocks follows blocks of nodes: a load writes those that it fills, writes make
// some of their nodes stale, many writes to one take it away, and Compact writes all
// again. The columns have what the records have all the time.
func TestNodeBlocks(t *testing.T) {
	t.Parallel()
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, store := raw(t)
		g := graph(t, db, "g")
		rnd := rand.New(rand.NewPCG(5, 6))
		have := bigColumns(t, g, 2500)
		expect := func(what string, blocks, stale int) {
			t.Helper()
			if b, s := blockCount(t, store, g); b != blocks || s != stale {
				t.Errorf("%s: %d blocks and %d stale nodes, want %d and %d", what, b, s, blocks, stale)
			}
			allColumns(t, g, 3200, have)
			sound(t, db, what)
		}
		write := func(ids ...engine.NodeID) {
			t.Helper()
			update(t, g, func(v *engine.TxView) {
				kind, _ := v.NodeType("thing")
				for _, id := range ids {
					p := columnProps(rnd, int(id))
					if _, _, err := v.PutNode(kind, fmt.Sprint("n", id-1), p); err != nil {
						t.Fatal(err)
					}
					have[id] = p
				}
			})
		}
		expect("load", 2, 0)
		write(1, 1023, 1024, 1024, 2047, 2048, 2500)
		expect("some written", 2, 4)
		update(t, g, func(v *engine.TxView) {
			for _, id := range []engine.NodeID{5, 6, 2400} {
				must2of(v.DeleteNode(id))
				delete(have, id)
			}
			label := must(t, must2of(v.MakeNodeType("other")), nil)
			if err := v.SetLabels(9, []engine.TypeID{label}); err != nil {
				t.Fatal(err)
			}
		})
		expect("some deleted", 2, 7)
		stop := errors.New("stop")
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			_, err := tx.Graph(g).DeleteNode(20)
			return errors.Join(err, stop)
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		expect("not committed", 2, 7)
		var many []engine.NodeID
		for id := engine.NodeID(30); id < 100; id++ {
			many = append(many, id)
		}
		before := snapshot(t, g)
		old := maps.Clone(have)
		write(many...)
		if b, _ := blockCount(t, store, g); b != 1 {
			t.Errorf("%d blocks after many writes to one", b)
		}
		allColumns(t, g, 3200, have)
		sound(t, db, "many written")
		for range 2 {
			if err := db.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			expect("compact", 2, 0)
		}
		columnsAre(t, before.Graph(g).NodeColumns(nil), many, old)
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		// Beyond the bound of stale nodes, over several commits.
		for id := engine.NodeID(1100); id < 1200; id++ {
			write(id)
		}
		allColumns(t, g, 3200, have)
		// The third block is filled by transactions: Compact alone writes it.
		update(t, g, func(v *engine.TxView) {
			kind, _ := v.NodeType("thing")
			for i := range 600 {
				p := columnProps(rnd, i)
				id, _, err := v.PutNode(kind, fmt.Sprint("more", i), p)
				if err != nil {
					t.Fatal(err)
				}
				have[id] = p
			}
		})
		expect("filled", 2, 100)
		if err := db.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		expect("compact again", 3, 0)
		if err := g.Namespace().Drop(t.Context(), "g"); err != nil {
			t.Fatal(err)
		}
		if n := countFamily(t, store, layout.TagNodeBlock); n > 0 {
			t.Errorf("%d keys of blocks of a dropped graph", n)
		}
	})
}

// TestNodeBlocksReopened: a graph that is opened again knows its blocks.
func TestNodeBlocksReopened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := must(t, must2of(engine.Open(t.Context(), dir, nil)), nil)
	g := graph(t, db, "g")
	have := bigColumns(t, g, 1200)
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if db, err = engine.Open(t.Context(), dir, nil); err != nil {
			t.Fatal(err)
		}
		g = graph(t, db, "g")
		update(t, g, func(v *engine.TxView) {
			if err := v.SetProps(7, engine.Props{"city": engine.String("gone")}); err != nil {
				t.Fatal(err)
			}
		})
		have[7] = maps.Clone(have[7])
		have[7]["city"] = engine.String("gone")
		allColumns(t, g, 1300, have)
		sound(t, db, "reopened")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNodeBlocksStream: whatever is loaded, written, deleted, compacted and abandoned,
// columns have what the records have, now and at snapshots that stay open.
func TestNodeBlocksStream(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, o *engine.Options) {
		for seed := range seeds(2, 40) {
			nodeBlocksStream(t, seed, o)
		}
	})
}

func nodeBlocksStream(t *testing.T, seed uint64, o *engine.Options) {
	rnd := rand.New(rand.NewPCG(seed, 8))
	db := open(t, o)
	g := graph(t, db, "g")
	have := map[engine.NodeID]engine.Props{}
	keys, next := map[engine.NodeID]string{}, engine.NodeID(1)
	type moment struct {
		s    *engine.Snapshot
		have map[engine.NodeID]engine.Props
	}
	var open []moment
	t.Cleanup(func() {
		for _, m := range open {
			if err := m.s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	stop := errors.New("stop")
	some := func(n int) (ids []engine.NodeID) {
		for range n {
			ids = append(ids, engine.NodeID(rnd.IntN(int(next)+3)))
		}
		return ids
	}
	add := func(n int, put func(i int, key string, p engine.Props) (engine.NodeID, error)) {
		for i := range n {
			key, p := fmt.Sprint("k", next), columnProps(rnd, i)
			id, err := put(i, key, p)
			if err != nil || id != next {
				t.Fatal(id, next, err)
			}
			have[id], keys[id] = p, key
			next++
		}
	}
	for step := range 25 {
		was, wasKeys, wasNext := maps.Clone(have), maps.Clone(keys), next
		var err error
		switch rnd.IntN(6) {
		case 0:
			err = db.Load(t.Context(), g, func(l *engine.Loader) error {
				kind, err := l.MakeNodeType("thing")
				add(rnd.IntN(1500), func(_ int, key string, p engine.Props) (engine.NodeID, error) { return l.Node(kind, key, p) })
				if rnd.IntN(5) == 0 {
					err = stop
				}
				return err
			})
		case 1:
			err = db.Compact(t.Context())
		default:
			err = db.Update(t.Context(), func(tx *engine.Tx) error {
				v := tx.Graph(g)
				cols := v.NodeColumns(nil)
				kind, err := v.MakeNodeType("thing")
				if rnd.IntN(3) == 0 {
					add(rnd.IntN(300), func(_ int, key string, p engine.Props) (engine.NodeID, error) {
						id, _, err := v.PutNode(kind, key, p)
						return id, err
					})
				}
				at := rnd.IntN(int(next))
				for i := range rnd.IntN(150) {
					id := engine.NodeID(rnd.IntN(int(next)))
					if i%2 == 0 {
						id = engine.NodeID(at + i)
					}
					if have[id] == nil {
						continue
					}
					if rnd.IntN(4) == 0 {
						must2of(v.DeleteNode(id))
						delete(have, id)
						continue
					}
					p := columnProps(rnd, i)
					if _, _, err := v.PutNode(kind, keys[id], p); err != nil {
						t.Fatal(err)
					}
					have[id] = p
				}
				columnsAre(t, cols, some(50), have)
				if rnd.IntN(5) == 0 {
					err = stop
				}
				return err
			})
		}
		if errors.Is(err, stop) {
			have, keys, next = was, wasKeys, wasNext
		} else if err != nil {
			t.Fatal(err)
		}
		ids := some(300)
		for range rnd.IntN(1500) {
			ids = append(ids, ids[len(ids)-1]+1)
		}
		view(t, g, func(v *engine.View) { columnsAre(t, v.NodeColumns(nil), ids, have) })
		if step%8 == 0 {
			open = append(open, moment{snapshot(t, g), maps.Clone(have)})
		}
		for _, m := range open {
			columnsAre(t, m.s.Graph(g).NodeColumns(nil), some(100), m.have)
		}
	}
	sound(t, db, fmt.Sprint("seed ", seed))
}

// TestNodeBlocksDamaged: a check finds blocks that cannot be read, that have other values
// than the records or that are where none may be, and a repair removes them.
func TestNodeBlocksDamaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage damage
		want   string
	}{
		"unreadable": {onFirst(layout.TagNodeBlock, nil, become(1, 2, 3)), "malformed block"},
		"cut short": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagNodeBlock, nil)
			b.Set(k, v[:len(v)-1])
		}, "malformed block"},
		"of another block": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			_, v := first(t, s, g, layout.TagNodeBlock, nil)
			b.Set(layout.NodeBlock(g, 1), v)
		}, "the block has other values"},
		"out of date": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Delete(layout.StaleNode(g, 3))
		}, "the block has other values"},
		"of nodes to come": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			_, v := first(t, s, g, layout.TagNodeBlock, nil)
			b.Set(layout.NodeBlock(g, 2), v)
		}, "nodes that are not there yet"},
		"stale node with a value": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.StaleNode(g, 3), []byte{1})
		}, "a value of 1 bytes"},
		"stale node of another block": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(append(layout.NodeBlock(g, 1), 0, 0, 0, 3), nil)
		}, "a node of another block"},
	} {
		t.Run(name, func(t *testing.T) {
			store := memkv.New(layout.Schema())
			db := open(t, &engine.Options{OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil }})
			g := graph(t, db, "g")
			have := bigColumns(t, g, 2050)
			update(t, g, func(v *engine.TxView) {
				if err := v.SetProps(3, engine.Props{"city": engine.String("nowhere")}); err != nil {
					t.Fatal(err)
				}
			})
			have[3] = maps.Clone(have[3])
			have[3]["city"] = engine.String("nowhere")
			repaired(t, db, store, g, c.damage, c.want)
			allColumns(t, g, 2300, have)
		})
	}
}

// repaired damages a graph: a check finds what is wanted, and a repair of what it finds
// leaves a sound database.
func repaired(t *testing.T, db *engine.DB, store kv.Store, g *engine.Graph, d damage, want string) {
	t.Helper()
	write(t, store, func(b kv.Batch) { d(t, store, b, uint32(g.ID())) })
	kept := primary(t, store, uint32(g.ID()))
	found := check(t, db, engine.CheckOptions{Full: true})
	if !strings.Contains(fmt.Sprint(found), want) {
		t.Fatalf("found %v", found)
	}
	for _, f := range check(t, db, engine.CheckOptions{Repair: true}) {
		if !f.Repaired {
			t.Errorf("not repaired: %s", f)
		}
	}
	if primary(t, store, uint32(g.ID())) != kept {
		t.Error("the repair changed what is not derived")
	}
	sound(t, db, "after the repair")
}
