package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// onRawStores is onStores for tests that change keys behind the engine's
// back: raw opens a database and returns its store too.
func onRawStores(t *testing.T, test func(t *testing.T, raw func(t testing.TB) (*engine.DB, kv.Store))) {
	for name, make := range map[string]func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error){
		"memory": func(_ context.Context, _ string, s *kv.Schema) (kv.Store, error) { return memkv.New(s), nil },
		"pebble": func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
			return pebblekv.Open(ctx, path, s, &pebblekv.Options{CacheBytes: 1 << 20})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t testing.TB) (*engine.DB, kv.Store) {
				var store kv.Store
				db := open(t, &engine.Options{
					PromoteAt: 4, BlockEdges: 2,
					OpenStore: func(ctx context.Context, path string, s *kv.Schema) (_ kv.Store, err error) {
						store, err = make(ctx, path, s)
						return store, err
					},
				})
				return db, store
			})
		})
	}
}

// check returns what a check finds.
func check(t testing.TB, db *engine.DB, o engine.CheckOptions) []engine.Finding {
	t.Helper()
	var out []engine.Finding
	for f, err := range db.Check(context.Background(), o) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func sound(t testing.TB, db *engine.DB, what string) {
	t.Helper()
	for _, f := range check(t, db, engine.CheckOptions{Full: true}) {
		t.Errorf("%s: %s", what, f)
	}
}

// library fills a graph with three documents, of which one is deleted, and a
// hub whose lists are in containers both ways.
func library(t testing.TB, db *engine.DB) *engine.Graph {
	t.Helper()
	g := graph(t, db, engine.Base)
	for d := range 3 {
		indexDocument(t, g, d)
	}
	deleteDocument(t, g, 1)
	update(t, g, func(v *engine.TxView) {
		typ, _ := v.MakeNodeType("hub")
		spoke, _ := v.MakeEdgeType("spoke", true)
		near, _ := v.MakeEdgeType("near", false)
		var ids []engine.NodeID
		for i := range 12 {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), engine.Props{"lang": engine.Strings("xx", fmt.Sprint(i%2))})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		for range 3 {
			made, err := v.AddParallel(ids[2], ids[3], spoke, 2)
			if err == nil {
				err = v.SetEdgeProps(made, engine.Props{"n": engine.Int(int64(made.N))})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, id := range ids {
			for _, err := range []error{
				v.AddEdge(ids[0], id, spoke, 1), v.AddEdge(id, ids[1], spoke, float32(i)), v.AddEdge(id, ids[6], near, 0.5),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	return g
}

// eachRaw calls fn with every key of a family of a graph and its value.
func eachRaw(t testing.TB, store kv.Store, g uint32, tag layout.Tag, fn func(key, value []byte)) {
	t.Helper()
	prefix := layout.GraphPrefix(tag, g)
	it, err := store.Iter(context.Background(), prefix, layout.Next(prefix))
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		fn(slices.Clone(it.Key()), slices.Clone(it.Value()))
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		t.Fatal(err)
	}
}

// write changes a store behind the engine's back.
func write(t testing.TB, store kv.Store, fn func(b kv.Batch)) {
	t.Helper()
	b := store.NewBatch()
	fn(b)
	if err := store.Apply(context.Background(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
}

// primary renders the keys that no repair may touch.
func primary(t testing.TB, store kv.Store, g uint32) string {
	var out strings.Builder
	layout.GraphTags(func(tag layout.Tag) {
		switch tag {
		case layout.TagNodesOfType, layout.TagNodeBlock, layout.TagIn, layout.TagPromoted, layout.TagSources, layout.TagSetIndex, layout.TagLexSum, layout.TagGraphMeta, layout.TagChange:
			return
		}
		eachRaw(t, store, g, tag, func(key, value []byte) {
			if !layout.IsEmpty(tag, value) { // which a repair removes
				fmt.Fprintf(&out, "%x %x\n", key, value)
			}
		})
	})
	return out.String()
}

func TestCheckFindsNothingInASoundDatabase(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, _ := raw(t)
		sound(t, db, "empty")
		g := library(t, db)
		sound(t, db, "library")
		before := db.Epoch()
		if found := check(t, db, engine.CheckOptions{Repair: true}); len(found) > 0 || db.Epoch() != before {
			t.Errorf("repair of nothing: %v, epoch %d after %d", found, db.Epoch(), before)
		}
		deleteDocument(t, g, 0)
		deleteDocument(t, g, 2)
		if err := g.Namespace().Drop(t.Context(), "none"); !errors.Is(err, engine.ErrNotFound) {
			t.Error(err)
		}
		sound(t, db, "deleted")
		graph(t, db, "other")
		if err := g.Namespace().Drop(t.Context(), engine.Base); err != nil {
			t.Fatal(err)
		}
		sound(t, db, "dropped")
	})
}

// first returns the first key of a family for which ok holds, with its value.
func first(t testing.TB, store kv.Store, g uint32, tag layout.Tag, ok func(key, value []byte) bool) (k, v []byte) {
	t.Helper()
	eachRaw(t, store, g, tag, func(key, value []byte) {
		if k == nil && (ok == nil || ok(key, value)) {
			k, v = key, value
		}
	})
	if k == nil {
		t.Fatalf("no such key of %s", tag)
	}
	return k, v
}

func setOf(t testing.TB, value []byte) layout.Set {
	t.Helper()
	var s layout.Set
	if err := layout.ReadSet(value, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// damage changes the store of a graph by a batch.
type damage func(t testing.TB, s kv.Store, b kv.Batch, g uint32)

// onFirst changes the first key of a family for which ok holds.
func onFirst(tag layout.Tag, ok func(key, value []byte) bool, change func(b kv.Batch, key []byte)) damage {
	return func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
		t.Helper()
		k, _ := first(t, s, g, tag, ok)
		change(b, k)
	}
}

func lose(b kv.Batch, key []byte) { b.Delete(key) }

func become(value ...byte) func(b kv.Batch, key []byte) {
	return func(b kv.Batch, key []byte) { b.Set(key, value) }
}

func merge(operand []byte) func(b kv.Batch, key []byte) {
	return func(b kv.Batch, key []byte) { b.Merge(key, operand) }
}

// lostContribution is found if a source has lost a contribution that may
// not be missed otherwise: what is derived is repaired, the content is not as
// before.
const lostContribution = "is listed, but contributes nothing"

// TestCheckFindsDamage damages one thing at a time.
func TestCheckFindsDamage(t *testing.T) {
	nonEmpty := func(_, v []byte) bool { n, _ := layout.SetLen(v); return n > 0 }
	inline := func(key, v []byte) bool { return len(key) == 17 && nonEmpty(key, v) }
	contained := func(key, v []byte) bool { return len(key) == 23 && nonEmpty(key, v) }
	for name, c := range map[string]struct {
		damage damage
		want   string // in one of the findings
		repair bool   // all findings can be repaired, and the content is as before
	}{
		"identity": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Meta("uuid"), []byte("short"))
		}, "an identity of 5 bytes", false},
		"bulk load": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Meta("dirty"), nil)
		}, "did not finish", false},
		"graph of no namespace": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Directory("main", "x"), []byte{0, 0, 0, 99, 0, 0, 0, 98})
		}, "a graph of namespace id 98", false},
		"two graphs of one id": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Directory("main", "x"), []byte{0, 0, 0, byte(g), 0, 0, 0, 1})
		}, "is that of main/base too", false},
		"key of no graph": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Node(77, 1), []byte{1})
			b.Set(layout.Node(77, 2), []byte{1})
		}, "a key of graph 77", false},
		"empty lists": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Adjacency(layout.Out, g, 1, 90), layout.AppendSet(nil, nil, nil))
			b.Merge(layout.Adjacency(layout.Out, g, 2, 90), layout.AppendRemove(nil, 3))
		}, "the first of 2 lists that hold nothing", true},
		"promoted set with a node that is gone": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Merge(layout.Promoted(g, layout.Out, 2, layout.Container(60000)), layout.AppendAdd(nil, 60000, 1))
		}, "node 60000 is not there", true},
		"name without entry": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Name(g, layout.KindNodeType, "ghost"), []byte{0, 0, 0, 9})
		}, "leads to no catalog entry", false},
		"name of another id": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Name(g, layout.KindNodeType, "chunk"), []byte{0, 0, 0, 99})
		}, "does not lead to id", false},
		"next node": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.GraphMeta(g, "next_node"), []byte{0, 0, 0, 0, 0, 0, 0, 2})
		}, "the next node would be 2", false},
		"record": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagNode, nil)
			b.Set(k, v[:len(v)/2])
		}, "malformed", false},
		"record lost": {onFirst(layout.TagNode, nil, lose), "which is not there", false},
		"key lost":    {onFirst(layout.TagExternalKey, nil, lose), "the key does not lead to node", false},
		"key of nothing": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.ExternalKey(g, 1, "ghost"), []byte{0, 0, 0, 0, 0, 0, 9, 9})
		}, "leads to node 2313", false},
		"text part lost": {onFirst(layout.TagText, nil, lose), "part of a text is missing", false},
		"text too short": {onFirst(layout.TagText, nil, become(0, 0, 0, 'x')), "a text of 1 bytes", false},
		"text of nothing": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Text(g, 999, 1, 0), []byte{0, 0, 0})
		}, "part of a text that no record has", false},
		"type set lost":       {onFirst(layout.TagNodesOfType, nonEmpty, lose), "is not listed", true},
		"type set unreadable": {onFirst(layout.TagNodesOfType, nonEmpty, become(0x7F)), "malformed set", true},
		"type set too large":  {onFirst(layout.TagNodesOfType, nonEmpty, merge(layout.AppendAdd(nil, 4000, 1))), "node 4000 is listed", true},
		"out-edge lost": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagOut, inline)
			b.Merge(k, layout.AppendRemove(nil, setOf(t, v).IDs[0]))
		}, "is not among the out-edges", false},
		"out-list unreadable": {onFirst(layout.TagOut, inline, become()), "malformed set", false},
		"edge to nothing":     {onFirst(layout.TagOut, inline, merge(layout.AppendAdd(nil, 5000, 1))), "an edge to node 5000", false},
		"weight not finite": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagOut, inline)
			var inf float32 = 3e38
			b.Merge(k, layout.AppendAdd(nil, setOf(t, v).IDs[0], inf*10))
		}, "weight +Inf", false},
		"in-edge lost": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagIn, inline)
			b.Merge(k, layout.AppendRemove(nil, setOf(t, v).IDs[0]))
		}, "is not among the in-edges", true},
		"in-list lost":       {onFirst(layout.TagIn, contained, lose), "is not among the in-edges", true},
		"in-list unreadable": {onFirst(layout.TagIn, contained, become(2, 1, 2, 3)), "malformed set", true},
		"in-edge too many":   {onFirst(layout.TagIn, inline, merge(layout.AppendAdd(nil, 6000, 1))), "is not among the out-edges of 6000", true},
		"in-weight": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagIn, inline)
			b.Merge(k, layout.AppendAdd(nil, setOf(t, v).IDs[0], 123))
		}, "it has 123", true},
		"in-list in two forms": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagIn, contained)
			b.Set(k[:17], layout.AppendSet(nil, []uint64{1}, nil))
		}, "under one key and in containers too", true},
		"out-list in two forms": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, v := first(t, s, g, layout.TagOut, contained)
			b.Set(k[:17], v)
		}, "under one key and in containers too", false},
		"not in promoted set":     {onFirst(layout.TagPromoted, nonEmpty, lose), "but not in the set of those", true},
		"promoted set unreadable": {onFirst(layout.TagPromoted, nonEmpty, become(9, 9)), "malformed set", true},
		"wrongly in promoted set": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagIn, inline)
			a, _ := layout.ReadAdjacency(k)
			b.Merge(layout.Promoted(g, layout.In, a.Type, 0), layout.AppendAdd(nil, a.Node, 1))
		}, "but in the set of those", true},
		"edge record": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			_, v := first(t, s, g, layout.TagEdge, nil)
			b.Set(layout.Edge(g, 1, 2, 999, 0), v)
		}, "properties of an edge that is not there", false},
		"record of a parallel edge": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagParallel, nil)
			p := layout.ParallelOf(k)
			_, v := first(t, s, g, layout.TagEdge, nil)
			b.Set(layout.Edge(g, p.Node, p.Type, p.Other, 99), v)
		}, "properties of an edge that is not there", false},
		"a parallel edge lost at one end": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagParallel, nil)
			b.Delete(k)
		}, "the other end has another weight, or none", false},
		"weight of a parallel edge": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagParallel, nil)
			p := layout.ParallelOf(k)
			b.Set(k, []byte{0, 0, 0, 0})
			b.Set(layout.Parallel(1-p.Dir, g, p.Other, p.Type, p.Node, p.N), []byte{0, 0, 0, 0})
		}, "the list of neighbours has", false},
		"weight of a parallel edge unreadable": {onFirst(layout.TagParallel, nil, become(1)), "a weight of 1 bytes", false},
		"contribution lost": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagContribution, func(k, _ []byte) bool {
				_, target := layout.ContributionOf(k)
				return target.Kind == layout.OfNode
			})
			b.Delete(k)
		}, lostContribution, false},
		"contribution to nothing": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			_, v := first(t, s, g, layout.TagContribution, nil)
			b.Set(layout.Contribution(g, 1, layout.Target{Kind: layout.OfNode, A: 999}), v)
		}, "the node is not there", false},
		"sources lost": {onFirst(layout.TagSources, nonEmpty, lose), "not among those of its target", true},
		"weight of a contributed edge": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagSources, func(k, v []byte) bool {
				target, _ := layout.SourcesOf(k)
				return target.Kind == layout.OfEdge && nonEmpty(k, v)
			})
			target, _ := layout.SourcesOf(k)
			b.Merge(layout.Adjacency(layout.Out, g, target.A, target.Type), layout.AppendAdd(nil, target.B, 77))
			b.Merge(layout.Adjacency(layout.In, g, target.B, target.Type), layout.AppendAdd(nil, target.A, 77))
		}, "its sources add up to", false},
		"contributed edge lost": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagSources, func(k, v []byte) bool {
				target, _ := layout.SourcesOf(k)
				return target.Kind == layout.OfEdge && nonEmpty(k, v)
			})
			target, _ := layout.SourcesOf(k)
			b.Merge(layout.Adjacency(layout.Out, g, target.A, target.Type), layout.AppendRemove(nil, target.B))
			b.Merge(layout.Adjacency(layout.In, g, target.B, target.Type), layout.AppendRemove(nil, target.A))
		}, "to which sources contribute", false},
		"derived without source": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			eachRaw(t, s, g, layout.TagContribution, func(key, _ []byte) { b.Delete(key) })
			eachRaw(t, s, g, layout.TagSources, func(key, _ []byte) { b.Delete(key) })
		}, "a derived node without a source", false},
		"index lost":      {onFirst(layout.TagSetIndex, nonEmpty, lose), "is not in the index", true},
		"index too large": {onFirst(layout.TagSetIndex, nonEmpty, merge(layout.AppendAdd(nil, 4000, 1))), "does not have the value", true},
		"lexical sum": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			k, _ := first(t, s, g, layout.TagLexSum, func(k, v []byte) bool { _, term := layout.LexSumOf(k); return term == "the" })
			b.Merge(k, layout.AppendSum(nil, 1, 1))
		}, "counted are", true},
		"lexical sum of a field": {onFirst(layout.TagLexSum, nil, lose), "0 nodes and 0 words", true},
		"lexical sum unreadable": {onFirst(layout.TagLexSum, nil, become(0xFF)), "impossible counts", true},
		"postings lost":          {onFirst(layout.TagPostings, nil, lose), "has no such posting", false},
		"terms lost":             {onFirst(layout.TagTermsOf, nil, lose), "which does not list the term", false},
		"vector lost":            {onFirst(layout.TagVector, nil, lose), "vector of 0 bytes for 3 elements", false},
		"vector too many": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			_, v := first(t, s, g, layout.TagVector, nil)
			b.Set(layout.Table{Graph: g, Space: 1}.Slot(layout.TagVector, 9999), v)
		}, "keys of vector", false},
		"vectors of no space": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Table{Graph: g, Space: 88, Generation: 1}.Meta("index"), []byte{1})
		}, "no such space or generation", false},
		"changes unreadable": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.GraphMeta(g, "changes"), make([]byte, 8))
			b.Set(layout.Change(g, 1), []byte{5})
		}, "changes: a number of nodes", true},
		"bucket": {func(t testing.TB, s kv.Store, b kv.Batch, g uint32) {
			b.Set(layout.Bucket(g, 55, []byte("k")), nil)
		}, "bucket 55 has no name", false},
	} {
		t.Run(name, func(t *testing.T) {
			onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
				db, store := raw(t)
				g := library(t, db)
				id := uint32(g.ID())
				want := export(t, db, "main", canonical)
				write(t, store, func(b kv.Batch) { c.damage(t, store, b, id) })
				kept := primary(t, store, id)

				found := check(t, db, engine.CheckOptions{Full: true})
				all, repairable := fmt.Sprint(found), true
				for _, f := range found {
					repairable = repairable && f.Repairable
					if f.Repaired {
						t.Errorf("repaired without being asked: %s", f)
					}
				}
				if !strings.Contains(all, c.want) || c.repair != repairable && c.want != lostContribution {
					t.Fatalf("found, all repairable %t: %s", repairable, all)
				}
				found = check(t, db, engine.CheckOptions{Repair: true})
				for _, f := range found {
					if f.Repaired != f.Repairable {
						t.Errorf("not repaired: %s", f)
					}
				}
				if got := primary(t, store, id); got != kept {
					t.Error("the repair changed what is not derived")
				}
				if !c.repair {
					return
				}
				sound(t, db, "after the repair")
				sameText(t, "repair", export(t, db, "main", canonical), want)
				// The writer goes on from what was repaired.
				indexDocument(t, g, 1)
				sound(t, db, "after more writes")
			})
		})
	}
}

// TestRepairRestoresDerivedData loses and alters derived keys at random.
func TestRepairRestoresDerivedData(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, store := raw(t)
		g := uint32(library(t, db).ID())
		want := export(t, db, "main", canonical)
		for seed := range seeds(8, 1000) {
			r := rand.New(rand.NewPCG(seed, 7))
			write(t, store, func(b kv.Batch) {
				for _, tag := range []layout.Tag{layout.TagNodesOfType, layout.TagIn, layout.TagPromoted, layout.TagSources, layout.TagSetIndex, layout.TagLexSum} {
					eachRaw(t, store, g, tag, func(key, value []byte) {
						if len(value) == 0 {
							return
						}
						switch r.IntN(8) {
						case 0:
							b.Delete(key)
						case 1:
							value[r.IntN(len(value))] ^= byte(1 << r.IntN(8))
							b.Set(key, value)
						case 2:
							b.Set(key, value[:r.IntN(len(value))])
						case 3:
							if tag != layout.TagLexSum {
								b.Merge(key, layout.AppendAdd(nil, r.Uint64N(60), float32(r.IntN(3))))
							}
						}
					})
				}
			})
			check(t, db, engine.CheckOptions{Repair: true})
			sound(t, db, fmt.Sprint("seed ", seed))
			sameText(t, fmt.Sprint("seed ", seed), export(t, db, "main", canonical), want)
		}
	})
}

// TestWriteOverDamage writes edges to a list that cannot be read, and compacts the
// store: reads and a check still find the damage, and what is left of the list is
// still there. The compaction once replaced it with the new edges alone.
func TestWriteOverDamage(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, store := raw(t)
		g := library(t, db)
		key, value := first(t, store, uint32(g.ID()), layout.TagOut, func(key, value []byte) bool {
			n, _ := layout.SetLen(value)
			return len(key) == 23 && n > 4
		})
		a, _ := layout.ReadAdjacency(key)
		damaged := append([]byte{9}, value[1:]...)
		write(t, store, func(b kv.Batch) { b.Set(key, damaged) })
		if err := store.(kv.Maintainer).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, _ := v.MakeNodeType("hub")
			for i := range 5 {
				id, _, err := v.PutNode(typ, fmt.Sprint("new", i), nil)
				if err == nil {
					err = v.AddEdge(engine.NodeID(a.Node), id, engine.EdgeType(a.Type), 1)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		// A build with ragdb_invariants reads what it has committed.
		if err != nil && !errors.Is(err, engine.ErrCorrupt) {
			t.Fatal(err)
		}
		for _, when := range []string{"written", "compacted"} {
			view(t, g, func(v *engine.View) {
				if _, err := v.Neighbors(engine.NodeID(a.Node), engine.EdgeFilter{}, 0, make([]engine.Edge, 0, 50)); !errors.Is(err, engine.ErrCorrupt) {
					t.Errorf("%s: neighbours: %v, want ErrCorrupt", when, err)
				}
				if _, err := v.Degree(engine.NodeID(a.Node), engine.EdgeFilter{Types: []engine.EdgeType{engine.EdgeType(a.Type)}}); !errors.Is(err, engine.ErrCorrupt) {
					t.Errorf("%s: degree: %v, want ErrCorrupt", when, err)
				}
			})
			if found := check(t, db, engine.CheckOptions{Full: true}); !slices.ContainsFunc(found, func(f engine.Finding) bool { return f.Key == layout.Format(key) }) {
				t.Errorf("%s: check finds %v", when, found)
			}
			if got, err := store.Get(t.Context(), key, nil); err != nil || !bytes.Contains(got, damaged) {
				t.Errorf("%s: %x is gone: %x, %v", when, damaged, got, err)
			}
			if err := db.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestCheckSurvivesAnything flips bits of any value: whatever that makes of
// it, a check finds it or finds nothing, and neither fails nor panics.
func TestCheckSurvivesAnything(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, store := raw(t)
		g := uint32(library(t, db).ID())
		want := export(t, db, "main", canonical)
		for seed := range seeds(10, 2000) {
			r := rand.New(rand.NewPCG(seed, 8))
			undo := map[string][]byte{}
			write(t, store, func(b kv.Batch) {
				layout.GraphTags(func(tag layout.Tag) {
					eachRaw(t, store, g, tag, func(key, value []byte) {
						if len(value) == 0 || r.IntN(12) > 0 {
							return
						}
						undo[string(key)] = slices.Clone(value)
						value[r.IntN(len(value))] ^= byte(1 << r.IntN(8))
						b.Set(key, value)
					})
				})
			})
			check(t, db, engine.CheckOptions{Full: true})
			kept := primary(t, store, g)
			check(t, db, engine.CheckOptions{Repair: true})
			if primary(t, store, g) != kept {
				t.Fatalf("seed %d: the repair changed what is not derived", seed)
			}
			write(t, store, func(b kv.Batch) {
				for k, v := range undo {
					b.Set([]byte(k), v)
				}
			})
		}
		check(t, db, engine.CheckOptions{Repair: true})
		sound(t, db, "restored")
		sameText(t, "restored", export(t, db, "main", canonical), want)
	})
}

// TestCheckWhileWriting checks and exports snapshots while others write.
func TestCheckWhileWriting(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, _ := raw(t)
		g := graph(t, db, engine.Base)
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				indexDocument(t, g, i%3)
				if i%2 == 1 {
					deleteDocument(t, g, i%3)
				}
			}
		}()
		for range 5 {
			sound(t, db, "while writing")
			export(t, db, "main", canonical)
		}
		close(stop)
		<-done
		sound(t, db, "afterwards")
	})
}

func TestCheckStopsAndReports(t *testing.T) {
	db, store := func() (db *engine.DB, s kv.Store) {
		db = open(t, &engine.Options{OpenStore: func(_ context.Context, _ string, schema *kv.Schema) (kv.Store, error) {
			s = memkv.New(schema)
			return s, nil
		}})
		return db, s
	}()
	g := uint32(library(t, db).ID())
	write(t, store, func(b kv.Batch) {
		eachRaw(t, store, g, layout.TagIn, func(key, _ []byte) { b.Delete(key) })
	})
	n := 0
	for _, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d findings before the break", n)
	}
	calls := int64(0)
	check(t, db, engine.CheckOptions{Repair: true, Progress: func(space string, keys int64) {
		if space == "" || keys <= calls {
			t.Errorf("progress %q %d after %d", space, keys, calls)
		}
		calls = keys
	}})
	if calls == 0 {
		t.Error("no progress")
	}
	sound(t, db, "repaired")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range db.Check(ctx, engine.CheckOptions{Full: true}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// seeds returns how many seeds a random test runs through.
func seeds(short, all uint64) uint64 {
	if *long {
		return all
	}
	return short
}

func BenchmarkCheckFull(b *testing.B) {
	db := open(b, &engine.Options{})
	g := graph(b, db, engine.Base)
	const docs = 200
	for d := range docs {
		indexDocument(b, g, d)
	}
	keys := int64(0)
	for b.Loop() {
		for f, err := range db.Check(b.Context(), engine.CheckOptions{
			Full: true, Progress: func(_ string, n int64) { keys = n },
		}) {
			b.Fatal(f, err)
		}
	}
	b.ReportMetric(float64(keys)*float64(b.N)/b.Elapsed().Seconds(), "keys/s")
}
