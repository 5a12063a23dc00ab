package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestDroppedNamespace says that a namespace which was dropped takes no graphs
// any more, and that another of its name is another.
func TestDroppedNamespace(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		db, ctx := open(t, o), t.Context()
		g := graph(t, db, "g")
		old := g.Namespace()
		if err := db.DropNamespace(ctx, "main"); err != nil {
			t.Fatal(err)
		}
		if err := db.DropNamespace(ctx, "main"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a second drop: %v", err)
		}
		if _, err := old.Graph(ctx, "g"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a graph of a dropped namespace: %v", err)
		}
		if err := old.Swap(ctx, "h", g); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a swap in a dropped namespace: %v", err)
		}
		again := graph(t, db, "other")
		if _, err := old.Graph(ctx, "g"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a graph of a dropped namespace of the same name: %v", err)
		}
		if names, err := again.Namespace().Graphs(ctx); fmt.Sprint(names, err) != "[other] <nil>" {
			t.Errorf("graphs %v, %v", names, err)
		}
		checkClean(t, db)
	})
}

// TestGraphAt finds graphs by the names that they had in a snapshot, and makes none.
func TestGraphAt(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		db, ctx := open(t, o), t.Context()
		g := graph(t, db, "g")
		ns := g.Namespace()
		err := db.View(ctx, func(s *engine.Snapshot) error {
			if got, err := ns.GraphAt(ctx, s, "g"); err != nil || got.ID() != g.ID() {
				t.Errorf("g: %v, %v", got, err)
			}
			later := graph(t, db, "later")
			if _, err := ns.GraphAt(ctx, s, "later"); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("a graph that was made after the snapshot: %v", err)
			}
			if err := ns.Swap(ctx, "g", later); err != nil {
				return err
			}
			if _, err := ns.GraphAt(ctx, s, "g"); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("a graph that was replaced since: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(ctx, func(s *engine.Snapshot) error {
			if got, err := ns.GraphAt(ctx, s, "g"); err != nil || got.ID() == g.ID() {
				t.Errorf("g is another one: %v, %v", got, err)
			}
			if err := ns.Drop(ctx, "g"); err != nil {
				return err
			}
			if _, err := ns.GraphAt(ctx, s, "g"); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("a graph that was dropped since: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if names, err := ns.Graphs(ctx); err != nil || len(names) > 0 {
			t.Errorf("graphs %v, %v", names, err)
		}
	})
}

// TestNamesOfGraphs says that every call takes the names that Graph takes, in
// either spelling, and no others.
func TestNamesOfGraphs(t *testing.T) {
	db, ctx := open(t, &engine.Options{OpenStore: memory}), t.Context()
	ns := graph(t, db, propNames[3]).Namespace()
	if ok, err := ns.HasGraph(ctx, propNames[4]); !ok || err != nil {
		t.Errorf("has %+q: %t, %v", propNames[4], ok, err)
	}
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", 2000)} {
		_, err1 := ns.HasGraph(ctx, name)
		_, err2 := ns.Graph(ctx, name)
		_, err3 := db.Namespace(ctx, name)
		for i, err := range []error{err1, err2, err3, ns.Drop(ctx, name), db.DropNamespace(ctx, name)} {
			if !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("call %d with %.10q: %v", i, name, err)
			}
		}
	}
	if err := ns.Drop(ctx, propNames[4]); err != nil {
		t.Errorf("drop %+q: %v", propNames[4], err)
	}
	if names, err := db.Namespaces(ctx); fmt.Sprint(names, err) != "[main] <nil>" {
		t.Errorf("namespaces %v, %v", names, err)
	}
	checkClean(t, db)
}

// checkClean fails the test if a full check finds anything.
func checkClean(t *testing.T, db *engine.DB) {
	t.Helper()
	for f, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
		t.Fatalf("check finds %v, %v", f, err)
	}
}
