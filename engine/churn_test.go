package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

// keptFamilies are the families that may have keys in a graph without nodes:
// what the database knows of itself and of its graphs, the names that were ever
// given, and for each vector space its record and what its index knows of itself.
func keptFamilies() map[layout.Tag]bool {
	return map[layout.Tag]bool{
		layout.TagMeta: true, layout.TagDirectory: true, layout.TagGraphMeta: true, layout.TagCatalog: true, layout.TagName: true,
		layout.TagSpace: true, layout.TagIndexMeta: true,
	}
}

// families counts the keys of a store by family.
func families(t testing.TB, store kv.Store) map[layout.Tag]int {
	t.Helper()
	out := map[layout.Tag]int{}
	it, err := store.Iter(background, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		out[layout.Tag(it.Key()[0])]++
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRemovedIsGone does a random stream of operations, several times: nodes,
// edges, contributions, terms, vectors, indexes, entries, loads. Each time it
// then removes all nodes and entries, and compacts: no key is left but those of
// an empty graph, however often that is done.
func TestRemovedIsGone(t *testing.T) {
	eachSeed(t, 4, func(t *testing.T, seed uint64) {
		r := newRound(t, seed)
		r.add("memory", memoryOpener())
		fs := vfs.NewMem()
		r.add("pebble", func(o *pebblekv.Options) opener { o.FS = fs; return pebbleOpener(o) })
		for range 3 {
			r.run(50, r.plainOp)
			for len(r.held) > 0 {
				r.release()
			}
			r.removeAll()
			r.verify()
			for _, s := range r.subjects {
				r.line(s, "compact", "ok", fault(s.db.Compact(background)))
				for tag, n := range families(t, s.store) {
					if !keptFamilies()[tag] {
						r.fail("%s: %d keys of the family %s are left", s.name, n, tag)
					}
				}
				if n, most := families(t, s.store)[layout.TagIndexMeta], 4*families(t, s.store)[layout.TagSpace]; n > most {
					r.fail("%s: %d keys of vector indexes, at most %d", s.name, n, most)
				}
			}
		}
		r.end()
	})
}

// removeAll removes all nodes and entries of all graphs in one transaction.
func (r *round) removeAll() {
	next := r.state.successor()
	nodes, entries := map[uint32][]engine.NodeID{}, map[uint32][]modelEntry{}
	some := false
	for _, id := range r.state.ids() {
		m := r.state.graphs[id].begin(next.epoch)
		nodes[id] = slices.Sorted(maps.Keys(m.nodes))
		for _, node := range nodes[id] {
			m.deleteNode(node)
		}
		for e := range m.entries {
			entries[id] = append(entries[id], e)
		}
		clear(m.entries)
		some = some || len(nodes[id])+len(entries[id]) > 0
		m.commit()
		next.graphs[id] = m
	}
	if !some {
		return
	}
	r.committed(next, kv.Sync)
	r.note("remove all")
	for _, s := range r.subjects {
		err := s.db.Update(background, func(tx *engine.Tx) error {
			for id := range nodes {
				v := tx.Graph(s.graphs[id])
				for _, node := range nodes[id] {
					if _, err := v.DeleteNode(node); err != nil && !errors.Is(err, engine.ErrNotFound) {
						return err
					}
				}
				for _, e := range entries[id] {
					b, err := v.MakeBucket(e.bucket)
					if err != nil {
						return err
					}
					if err := b.Delete([]byte(e.key)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		r.line(s, "remove all", "ok", fault(err))
	}
}

// TestCompactRemovesEmptyLists compacts a database with keys of empty lists, which
// older versions left.
func TestCompactRemovesEmptyLists(t *testing.T) {
	needsDirectory(t)
	path := filepath.Join(t.TempDir(), "db")
	if err := engine.Restore(t.Context(), filepath.Join(goldenDir, "backup"), path); err != nil {
		t.Fatal(err)
	}
	o, store := captured(&engine.Options{})
	db, err := engine.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	empty := func() (n int) {
		it, err := (*store).Iter(t.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer it.Close()
		for ok := it.First(); ok; ok = it.Next() {
			if layout.IsEmpty(layout.Tag(it.Key()[0]), it.Value()) {
				n++
			}
		}
		return n
	}
	before, epoch := export(t, db, "main", canonical), db.Epoch()
	b := (*store).NewBatch()
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		b.Set(layout.Adjacency(dir, 1, 1<<20, 1), layout.AppendSet(nil, nil, nil))
	}
	if err := (*store).Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
	if n := empty(); n == 0 {
		t.Fatal("the database has no empty list")
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := empty(); n > 0 || db.Epoch() != epoch {
		t.Errorf("%d empty lists after a compaction, at commit %d, not %d", n, db.Epoch(), epoch)
	}
	sameText(t, "compacted", export(t, db, "main", canonical), before)
	sound(t, db, "compacted")
}

// TestCompactDropsDeadVectors removes some nodes of a vector space that is a
// graph, fewer than the background work cares for, and then all: a compaction
// leaves no key of a vector that is gone.
func TestCompactDropsDeadVectors(t *testing.T) {
	o, store := captured(&engine.Options{OpenStore: memory, NoBackground: true})
	db := open(t, o)
	g := graph(t, db, "g")
	var ids []engine.NodeID
	rnd := rand.New(rand.NewPCG(3, 3))
	update(t, g, func(v *engine.TxView) {
		typ := nodeType(t, v)
		if err := v.MakeSpace("s", engine.SpaceOptions{Dim: 8, Model: "m", Kind: vecindex.HNSW}); err != nil {
			t.Fatal(err)
		}
		for i := range 1500 {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
			if err != nil {
				t.Fatal(err)
			}
			vec := make([]float32, 8)
			for j := range vec {
				vec[j] = float32(rnd.NormFloat64())
			}
			if err := v.PutVector("s", id, vec); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
	})
	if err := db.FlushSpace(t.Context(), g, "s"); err != nil {
		t.Fatal(err)
	}
	if families(t, *store)[layout.TagLinks] == 0 {
		t.Fatal("the space has no graph")
	}
	for _, n := range []int{100, 1400} {
		update(t, g, func(v *engine.TxView) {
			for _, id := range ids[:n] {
				if _, err := v.DeleteNode(id); err != nil {
					t.Fatal(err)
				}
			}
		})
		ids = ids[n:]
		if err := db.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		have := families(t, *store)
		if have[layout.TagPending] > 0 || have[layout.TagCode] != len(ids) || have[layout.TagVector] != len(ids) || len(ids) == 0 && have[layout.TagLinks] > 0 {
			t.Errorf("%d vectors are left: keys %v", len(ids), have)
		}
	}
}

// TestEmptyPostingsContainer removes the nodes of one container that have a term
// which others have still.
func TestEmptyPostingsContainer(t *testing.T) {
	for _, c := range []struct{ nodes, left int }{
		{3, 1},
		{1100, 2}, // more than a transaction looks at: until the compaction
	} {
		store := kept{memkv.New(layout.Schema())}
		reopen := func() *engine.Graph {
			return graph(t, open(t, &engine.Options{OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil }}), "g")
		}
		put := func(g *engine.Graph, from, to int) {
			update(t, g, func(v *engine.TxView) {
				typ := nodeType(t, v)
				if err := v.MakeField("f", engine.FieldOptions{Analyzer: "standard"}); err != nil {
					t.Fatal(err)
				}
				for i := from; i < to; i++ {
					id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
					if err != nil {
						t.Fatal(err)
					}
					if err := v.PutTerms("f", id, []text.Term{{Text: "pier"}}); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
		g := reopen()
		put(g, 0, 3)
		// As if many nodes had been made and deleted.
		write(t, store, func(b kv.Batch) { b.Set(layout.GraphMeta(uint32(g.ID()), "next_node"), []byte{0, 0, 0, 0, 0, 1, 0, 1}) })
		g = reopen()
		put(g, 3, 3+c.nodes)
		update(t, g, func(v *engine.TxView) {
			for id := engine.NodeID(1); id <= 3; id++ {
				if _, err := v.DeleteNode(id); err != nil {
					t.Fatal(err)
				}
			}
		})
		if have := families(t, store)[layout.TagPostings]; have != c.left {
			t.Errorf("%d nodes: %d containers of the term, want %d", c.nodes, have, c.left)
		}
		sound(t, g.DB(), "removed")
		if err := g.DB().Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if have := families(t, store)[layout.TagPostings]; have != 1 {
			t.Errorf("%d nodes, compacted: %d containers of the term, want 1", c.nodes, have)
		}
	}
}

func nodeType(t testing.TB, v *engine.TxView) engine.TypeID {
	t.Helper()
	typ, err := v.MakeNodeType("n")
	if err != nil {
		t.Fatal(err)
	}
	return typ
}
