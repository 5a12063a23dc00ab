package engine

import (
	"context"
	"errors"
	"testing"
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
