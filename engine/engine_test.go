package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
)

func TestNodes(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), engine.Base)
		long := strings.Repeat("a long story, ", 60_000)
		when := time.Date(2025, 1, 1, 0, 0, 0, 5, time.UTC)
		props := engine.Props{
			"title": engine.String("One"), "n": engine.Int(-7), "f": engine.Float(2.5),
			"ok": engine.Bool(true), "when": engine.Time(when),
			"raw": engine.Bytes([]byte{0, 1}), "tags": engine.Strings("x", "y"), "text": engine.String(long),
			"null": {},
		}
		var id engine.NodeID
		var doc engine.TypeID
		update(t, g, func(v *engine.TxView) {
			var created bool
			var err error
			if doc, err = v.MakeNodeType("document"); err != nil {
				t.Fatal(err)
			}
			if id, created, err = v.PutNode(doc, "a.txt", props); err != nil || !created {
				t.Fatal(id, created, err)
			}
			// The transaction reads its own writes.
			n, err := v.Node(id)
			if err != nil || n.Key != "a.txt" || n.Prop("n").AsInt() != -7 {
				t.Fatal(n, err)
			}
		})
		view(t, g, func(v *engine.View) {
			n := must2(t)(v.Node(id))
			for name, want := range props {
				got := n.Prop(name)
				if name == "text" {
					if got.Kind() != engine.KindText || got.Size() != len(long) {
						t.Errorf("text is %v", got)
					}
					if s, err := v.Text(id, "text"); err != nil || s != long {
						t.Errorf("text reads %d bytes, %v", len(s), err)
					}
					continue
				}
				if !got.Equal(want) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
			if got, err := v.Lookup(doc, "a.txt"); got != id || err != nil {
				t.Errorf("lookup: %d, %v", got, err)
			}
			if _, err := v.Lookup(doc, "b.txt"); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("lookup of a missing key: %v", err)
			}
			if set, err := v.Nodes(doc); err != nil || !slices.Equal(set.ToArray(), []uint32{uint32(id)}) {
				t.Errorf("nodes: %v, %v", set, err)
			}
		})
		update(t, g, func(v *engine.TxView) {
			if err := v.SetProps(id, engine.Props{"n": {}, "title": engine.String("Two")}); err != nil {
				t.Fatal(err)
			}
		})
		view(t, g, func(v *engine.View) {
			n := must2(t)(v.Node(id))
			if s, err := v.Text(id, "text"); n.Prop("title").AsString() != "Two" || !n.Prop("n").IsNull() || s != long || err != nil {
				t.Errorf("after SetProps: %v %v", n.Props(), err)
			}
		})
		update(t, g, func(v *engine.TxView) {
			r, err := v.DeleteNode(id)
			if err != nil || !slices.Equal(r.Nodes, []engine.NodeID{id}) {
				t.Fatal(r, err)
			}
		})
		view(t, g, func(v *engine.View) {
			if _, err := v.Node(id); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("a deleted node: %v", err)
			}
		})
	})
}

// must2 adapts must to a call with two results.
func must2(t testing.TB) func(n engine.Node, err error) engine.Node {
	return func(n engine.Node, err error) engine.Node { t.Helper(); return must(t, n, err) }
}

func TestNeighborsPagesAndPromotes(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		o.PromoteAt = 64
		g := graph(t, open(t, o), "g")
		const n = 1000
		var cites, near engine.EdgeType
		ids := make([]engine.NodeID, n)
		for start := 0; start < n; start += 100 {
			update(t, g, func(v *engine.TxView) {
				node, err := v.MakeNodeType("n")
				if err != nil {
					t.Fatal(err)
				}
				cites, _ = v.MakeEdgeType("cites", true)
				near, _ = v.MakeEdgeType("near", false)
				for i := start; i < start+100; i++ {
					if ids[i], _, err = v.PutNode(node, fmt.Sprint(i), nil); err != nil {
						t.Fatal(err)
					}
					// Node 0 is a hub of both types; i is near i-1.
					if err := v.AddEdge(ids[0], ids[i], cites, 1); err != nil {
						t.Fatal(err)
					}
					if err := v.AddEdge(ids[i], ids[0], near, float32(i)); err != nil {
						t.Fatal(err)
					}
					if i > 0 {
						if err := v.AddEdge(ids[i], ids[i-1], near, 0.5); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
		}
		view(t, g, func(v *engine.View) {
			for _, page := range []int{1, 7, 64, 5000} {
				var got []engine.Edge
				for after := engine.NodeID(0); ; {
					p, err := v.Neighbors(ids[0], engine.EdgeFilter{Direction: engine.Both}, after, make([]engine.Edge, 0, page))
					if err != nil {
						t.Fatal(err)
					}
					if len(p) == 0 {
						break
					}
					got = append(got, p...)
					after = p[len(p)-1].Other(ids[0])
				}
				// The loop of cites counts out and in, that of near once.
				if want := 2*n + 1; len(got) != want {
					t.Fatalf("page %d: %d edges, want %d", page, len(got), want)
				}
				for i := 1; i < len(got); i++ {
					if got[i-1].Other(ids[0]) > got[i].Other(ids[0]) {
						t.Fatalf("page %d: not ascending at %d", page, i)
					}
				}
			}
			if d, err := v.Degree(ids[0], engine.EdgeFilter{}); d != n || err != nil {
				t.Errorf("degree %d, %v", d, err)
			}
			w, ok, err := v.HasEdge(ids[0], ids[500], near)
			if w != 500 || !ok || err != nil {
				t.Errorf("has edge: %v %v %v", w, ok, err)
			}
			if _, ok, _ := v.HasEdge(ids[500], ids[0], cites); ok {
				t.Error("a directed edge backwards")
			}
			count := 0
			for _, err := range v.Edges(engine.EdgeFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				count++
			}
			// i=1 joins 0 and 1 twice under near: one edge.
			if want := n + n + (n - 2); count != want {
				t.Errorf("%d edges, want %d", count, want)
			}
		})
	})
}

func TestWithdrawKeepsWhatOthersSupport(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		var a, b, x, y engine.NodeID
		var rel engine.EdgeType
		update(t, g, func(v *engine.TxView) {
			chunk, _ := v.MakeNodeType("chunk")
			entity, _ := v.MakeNodeType("entity")
			rel, _ = v.MakeEdgeType("relation", false)
			a, _, _ = v.PutNode(chunk, "a", nil)
			b, _, _ = v.PutNode(chunk, "b", nil)
			x, _, _ = v.DeriveNode(entity, "x")
			y, _, _ = v.DeriveNode(entity, "y")
			for _, err := range []error{
				v.Contribute(a, engine.NodeTarget(x), engine.Contribution{Count: 1, Label: "X", Texts: []string{"from a"}}),
				v.Contribute(a, engine.EdgeTarget(y, x, rel), engine.Contribution{Weight: 0.1, Count: 1}),
				v.Contribute(b, engine.NodeTarget(x), engine.Contribution{Count: 1, Label: "x", Texts: []string{"from b", "from a"}}),
				v.Contribute(b, engine.EdgeTarget(x, y, rel), engine.Contribution{Weight: 0.2, Count: 1}),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		view(t, g, func(v *engine.View) {
			if w, ok, err := v.HasEdge(x, y, rel); !ok || err != nil || w < 0.3-1e-6 || w > 0.3+1e-6 {
				t.Errorf("weight %v %v %v", w, ok, err)
			}
			tot, err := v.Total(engine.NodeTarget(x))
			if err != nil || tot.Label != "X" || tot.Count != 2 || !slices.Equal(tot.Texts, []string{"from a", "from b"}) {
				t.Errorf("total %+v, %v", tot, err)
			}
		})
		update(t, g, func(v *engine.TxView) {
			r, err := v.DeleteNode(a)
			if err != nil || !slices.Equal(r.Nodes, []engine.NodeID{a}) || !slices.Equal(r.Dirty, []engine.NodeID{x, y}) {
				t.Fatalf("%+v %v", r, err)
			}
		})
		view(t, g, func(v *engine.View) {
			if w, ok, _ := v.HasEdge(x, y, rel); !ok || w != 0.2 {
				t.Errorf("weight %v %v after one source left", w, ok)
			}
		})
		update(t, g, func(v *engine.TxView) {
			r, err := v.Withdraw(b)
			if err != nil || !slices.Equal(r.Nodes, []engine.NodeID{x, y}) || r.Edges != 1 {
				t.Fatalf("%+v %v", r, err)
			}
		})
		view(t, g, func(v *engine.View) {
			if _, err := v.Node(x); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("an unsupported node: %v", err)
			}
		})
	})
}

func TestUpdateIsAtomic(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		boom := errors.New("boom")
		before := g.DB().Epoch()
		err := g.DB().Update(context.Background(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			nt, _ := v.MakeNodeType("n")
			if _, _, err := v.PutNode(nt, "k", nil); err != nil {
				t.Fatal(err)
			}
			return boom
		})
		if !errors.Is(err, boom) || g.DB().Epoch() != before {
			t.Fatalf("%v, epoch %d after %d", err, g.DB().Epoch(), before)
		}
		view(t, g, func(v *engine.View) {
			if _, ok := v.NodeType("n"); ok {
				t.Error("a name of a failed transaction")
			}
		})
		var late *engine.TxView
		update(t, g, func(v *engine.TxView) { late = v })
		if _, err := late.MakeNodeType("n"); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("a transaction that is over: %v", err)
		}
	})
}

func TestSwapAndDrop(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		db := open(t, o)
		ctx := t.Context()
		old, next := graph(t, db, "m"), graph(t, db, "m.next")
		for i, g := range []*engine.Graph{old, next} {
			update(t, g, func(v *engine.TxView) {
				nt, _ := v.MakeNodeType("n")
				for k := range i + 1 {
					if _, _, err := v.PutNode(nt, fmt.Sprint(k), nil); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
		if err := old.Namespace().Swap(ctx, "m", next); err != nil {
			t.Fatal(err)
		}
		if next.Name() != "m" || graph(t, db, "m").ID() != next.ID() {
			t.Error("the name does not lead to the new graph")
		}
		err := db.Update(ctx, func(tx *engine.Tx) error {
			_, err := tx.Graph(old).MakeNodeType("late")
			return err
		})
		if !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("writing to a replaced graph: %v", err)
		}
		if names, _ := old.Namespace().Graphs(ctx); !slices.Equal(names, []string{"m"}) {
			t.Errorf("graphs %v", names)
		}
		if err := old.Namespace().Drop(ctx, "m"); err != nil {
			t.Fatal(err)
		}
		if err := old.Namespace().Drop(ctx, "m"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("second drop: %v", err)
		}
	})
}
