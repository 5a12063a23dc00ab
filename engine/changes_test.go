package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// changesLife is a graph to which anything happens, with all that ChangesSince tells of.
type changesLife struct {
	t     *testing.T
	r     *rand.Rand
	db    *engine.DB
	g     *engine.Graph
	kind  engine.TypeID
	types [2]engine.EdgeType
	// states are those of all nodes and edges by the version of the graph.
	states map[uint64]map[engine.Target]string
	// since is the version after which changes must be known.
	since uint64
}

// state returns what there is to know of each node and edge, without its vectors and
// terms.
func (l *changesLife) state() (version uint64, out map[engine.Target]string) {
	l.t.Helper()
	out = map[engine.Target]string{}
	l.view(func(v *engine.View) error {
		said := func(t engine.Target) (s string, err error) {
			for c, err := range v.Contributions(t) {
				if err != nil {
					return "", err
				}
				s += fmt.Sprintf(" %+v", c)
			}
			return s, nil
		}
		nodes, err := v.Nodes(l.kind)
		if err != nil {
			return err
		}
		for it := nodes.Iterator(); it.HasNext(); {
			n, err := v.Node(engine.NodeID(it.Next()))
			if err != nil {
				return err
			}
			s, err := said(engine.NodeTarget(n.ID))
			if err != nil {
				return err
			}
			out[engine.NodeTarget(n.ID)] = fmt.Sprint(n.Key, n.Props(), s)
		}
		for e, err := range v.Edges(engine.EdgeFilter{}) {
			if err != nil {
				return err
			}
			t := engine.EdgeTarget(e.From, e.To, e.Type)
			props, err := v.EdgeProps(engine.Edge{From: e.From, To: e.To, Type: e.Type})
			if err != nil {
				return err
			}
			s, err := said(t)
			if err != nil {
				return err
			}
			out[t] = fmt.Sprint(e.Weight, props, s)
		}
		version, err = v.Version()
		return err
	})
	return version, out
}

func (l *changesLife) view(fn func(v *engine.View) error) {
	l.t.Helper()
	if err := l.db.View(l.t.Context(), func(s *engine.Snapshot) error { return fn(s.Graph(l.g)) }); err != nil {
		l.t.Fatal(err)
	}
}

// write makes some changes in one commit.
func (l *changesLife) write(v *engine.TxView) error {
	var ids []engine.NodeID
	for range 2 + l.r.IntN(4) {
		nodes, err := v.Nodes(l.kind)
		if err != nil {
			return err
		}
		ids = ids[:0]
		for it := nodes.Iterator(); it.HasNext(); {
			ids = append(ids, engine.NodeID(it.Next()))
		}
		if len(ids) < 4 || l.r.IntN(4) == 0 {
			_, _, err = v.PutNode(l.kind, fmt.Sprint("n", l.r.IntN(20)), engine.Props{"a": engine.Int(int64(l.r.IntN(9)))})
			if err != nil {
				return err
			}
			continue
		}
		a, b, typ := ids[l.r.IntN(len(ids))], ids[l.r.IntN(len(ids))], l.types[l.r.IntN(2)]
		switch l.r.IntN(8) {
		case 0:
			_, err = v.DeleteNode(a)
		case 1:
			_, err = v.Withdraw(a)
		case 2:
			err = v.AddEdge(a, b, typ, l.r.Float32())
		case 3:
			err = v.RemoveEdge(engine.Edge{From: a, To: b, Type: typ})
		case 4:
			var id engine.NodeID
			if id, _, err = v.DeriveNode(l.kind, fmt.Sprint("d", l.r.IntN(9))); err == nil && id != a {
				err = v.Contribute(a, engine.NodeTarget(id), engine.Contribution{Count: uint32(l.r.IntN(5)), Label: "x"})
			} else if err == nil {
				err = v.Contribute(b, engine.NodeTarget(id), engine.Contribution{Count: 1})
			}
		case 5:
			err = v.Contribute(a, engine.EdgeTarget(a, b, typ), engine.Contribution{Weight: l.r.Float32()})
		case 6:
			if _, ok, herr := v.HasEdge(a, b, typ); herr != nil || ok {
				err = v.SetEdgeProps(engine.Edge{From: a, To: b, Type: typ}, engine.Props{"w": engine.Int(int64(l.r.IntN(9)))})
			}
		case 7:
			err = v.SetProps(b, engine.Props{"a": engine.Int(int64(l.r.IntN(9)))})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// audit compares what is known of changes with the states.
func (l *changesLife) audit() {
	l.t.Helper()
	now, state := l.state()
	l.states[now] = state
	for version, before := range l.states {
		var nodes *roaring.Bitmap
		var edges []engine.Target
		var ok bool
		l.view(func(v *engine.View) (err error) {
			nodes, edges, ok, err = v.ChangesSince(version)
			return err
		})
		if ok != (version >= l.since) {
			l.t.Fatalf("changes from %d to %d: %v, they are kept from %d on", version, now, ok, l.since)
		}
		if !ok {
			continue
		}
		if !slices.IsSortedFunc(edges, func(a, b engine.Target) int { return int(a.From) - int(b.From) }) {
			l.t.Fatalf("not in order: %v", edges)
		}
		told := func(t engine.Target) bool {
			if t.Type == 0 {
				return nodes.Contains(uint32(t.Node))
			}
			return slices.Contains(edges, t)
		}
		for _, pair := range [][2]map[engine.Target]string{{before, state}, {state, before}} {
			for t, s := range pair[0] {
				if pair[1][t] != s && !told(t) {
					l.t.Fatalf("from %d to %d %+v changed from %q to %q, which is not told", version, now, t, before[t], state[t])
				}
			}
		}
		if version == now && (nodes.GetCardinality() > 0 || len(edges) > 0) {
			l.t.Fatalf("since now %v, %v changed", nodes, edges)
		}
	}
}

func (l *changesLife) step() {
	l.t.Helper()
	ctx := l.t.Context()
	now, _ := l.state()
	update := func(fn func(v *engine.TxView) error) {
		l.t.Helper()
		if err := l.db.Update(ctx, func(tx *engine.Tx) error { return fn(tx.Graph(l.g)) }); err != nil {
			l.t.Fatal(err)
		}
	}
	switch l.r.IntN(10) {
	case 0: // less is kept, with changes in the same commit
		after := now - min(now, l.r.Uint64N(4))
		update(func(v *engine.TxView) error {
			if err := v.KeepChanges(after); err != nil {
				return err
			}
			return l.write(v)
		})
		l.since = max(l.since, after)
	case 1: // a load
		if l.r.IntN(3) > 0 {
			return
		}
		err := l.db.Load(ctx, l.g, func(d *engine.Loader) error {
			_, err := d.Node(l.kind, fmt.Sprint("loaded", now), nil)
			return err
		})
		if err != nil {
			l.t.Fatal(err)
		}
		l.since = now + 1
	case 2:
		if l.r.IntN(3) > 0 {
			return
		}
		update(func(v *engine.TxView) error { return v.DropChanges() })
		l.view(func(v *engine.View) error {
			if _, _, ok, err := v.ChangesSince(now); ok || err != nil {
				return fmt.Errorf("changes are kept after DropChanges: %w", err)
			}
			return nil
		})
		update(func(v *engine.TxView) error { return v.KeepChanges(0) })
		l.since = now
	default:
		update(l.write)
	}
}

// TestChanges lets a graph change in every way, and compares what is kept of the changes
// with the graph at each version. Changes that are not needed any more leave nothing.
func TestChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		store := memkv.New(layout.Schema())
		l := &changesLife{t: t, r: rand.New(rand.NewPCG(seed, 50)), states: map[uint64]map[engine.Target]string{}}
		open := func() {
			t.Helper()
			var err error
			l.db, err = engine.Open(t.Context(), engine.Memory, &engine.Options{
				OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return keptOpen{store}, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			ns, err := l.db.Namespace(t.Context(), "main")
			if err != nil {
				t.Fatal(err)
			}
			if l.g, err = ns.Graph(t.Context(), "g"); err != nil {
				t.Fatal(err)
			}
		}
		open()
		err := l.db.Update(t.Context(), func(tx *engine.Tx) (err error) {
			v := tx.Graph(l.g)
			if l.kind, err = v.MakeNodeType("thing"); err != nil {
				return err
			}
			if l.types[0], err = v.MakeEdgeType("to", true); err != nil {
				return err
			}
			if l.types[1], err = v.MakeEdgeType("with", false); err != nil {
				return err
			}
			return v.KeepChanges(0)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			if i%20 == 19 {
				if err := l.db.Close(); err != nil {
					t.Fatal(err)
				}
				open()
			}
			l.step()
			l.audit()
		}
		for f, err := range l.db.Check(t.Context(), engine.CheckOptions{Full: true}) {
			t.Errorf("check: %v, %v", f, err)
		}
		now, _ := l.state()
		if err := l.db.Update(t.Context(), func(tx *engine.Tx) error { return tx.Graph(l.g).KeepChanges(now + 9) }); err != nil {
			t.Fatal(err)
		}
		if n := countFamily(t, store, layout.TagChange); n > 0 {
			t.Errorf("%d records of changes are left", n)
		}
		if err := l.db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// keptOpen is a store that Close leaves open.
type keptOpen struct{ kv.Store }

func (keptOpen) Close() error { return nil }

// countFamily counts the keys of a family.
func countFamily(t *testing.T, s kv.Store, tag layout.Tag) (n int) {
	t.Helper()
	it, err := s.Iter(t.Context(), []byte{byte(tag)}, []byte{byte(tag) + 1})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestChangesAfterAVersion makes a node in each commit: what changed after a version is what
// the later commits made, and no more.
func TestChangesAfterAVersion(t *testing.T) {
	db := open(t, nil)
	g := graph(t, db, "g")
	var made []engine.NodeID
	var versions []uint64
	for i := range 4 {
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			if err := v.KeepChanges(0); err != nil {
				return err
			}
			kind, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			id, _, err := v.PutNode(kind, fmt.Sprint(i), nil)
			made, versions = append(made, id), append(versions, v.NextVersion())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.View(t.Context(), func(s *engine.Snapshot) error {
		for i, version := range versions {
			nodes, edges, ok, err := s.Graph(g).ChangesSince(version)
			if err != nil || !ok && i > 0 || len(edges) > 0 {
				t.Errorf("after version %d: %v, %t, %v", version, edges, ok, err)
			}
			if i > 0 && (nodes.GetCardinality() != uint64(len(made)-i-1) || nodes.Contains(uint32(made[i]))) {
				t.Errorf("after version %d: %v of %v", version, nodes, made)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
