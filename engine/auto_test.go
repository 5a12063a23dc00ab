package engine_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// TestAutoSpace makes a flat space one that comes to have lists, with a transaction that
// fails before and a snapshot that is older, and flushes it.
func TestAutoSpace(t *testing.T) {
	ctx := t.Context()
	path := t.TempDir() + "/db"
	options := &engine.Options{ExactElements: 8 * 1500}
	open := func() (*engine.DB, *engine.Graph) {
		t.Helper()
		db, err := engine.Open(ctx, path, options)
		if err != nil {
			t.Fatal(err)
		}
		ns, err := db.Namespace(ctx, "n")
		if err != nil {
			t.Fatal(err)
		}
		g, err := ns.Graph(ctx, "g")
		if err != nil {
			t.Fatal(err)
		}
		return db, g
	}
	put := func(db *engine.DB, g *engine.Graph, kind vecindex.Kind, from, to int, then error) {
		t.Helper()
		err := db.Update(ctx, func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("t")
			if err != nil {
				return err
			}
			if err := v.MakeSpace("s", engine.SpaceOptions{Dim: 8, Model: "m", Metric: vecindex.L2, Kind: kind}); err != nil {
				return err
			}
			for i := from; i < to; i++ {
				id, _, err := v.PutNode(typ, string(rune('a'+i%26))+string(rune('0'+i/26)), nil)
				if err != nil {
					return err
				}
				if err := v.PutVector("s", id, []float32{float32(i), float32(i % 7), 0, 1, 0, 0, float32(i % 3), 2}); err != nil {
					return err
				}
			}
			return then
		})
		if !errors.Is(err, then) {
			t.Fatal(err)
		}
	}
	look := func(s *engine.Snapshot, g *engine.Graph, n int, lists bool) {
		t.Helper()
		v, err := s.Graph(g).Vectors("s")
		if err != nil {
			t.Fatal(err)
		}
		have, err := v.ByLists(ctx)
		if err != nil || v.Len() != n || have != lists {
			t.Fatalf("%d vectors, by lists %t, %v", v.Len(), have, err)
		}
		hits, err := v.Search(ctx, vecindex.Search{Vector: []float32{float32(n - 1), float32((n - 1) % 7), 0, 1, 0, 0, float32((n - 1) % 3), 2}, K: 3}, nil)
		if err != nil || len(hits) != 3 || hits[0].Score != 0 {
			t.Fatalf("%v, %v", hits, err)
		}
	}
	db, g := open()
	put(db, g, vecindex.Flat, 0, 1000, nil)
	old, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	look(old, g, 1000, false)
	refused := errors.New("refused")
	put(db, g, vecindex.Auto, 1000, 1100, refused)
	put(db, g, vecindex.Flat, 1000, 1200, nil) // it is flat still
	put(db, g, vecindex.Auto, 1200, 1400, nil)
	now := func(n int, lists bool) {
		t.Helper()
		if err := db.View(ctx, func(s *engine.Snapshot) error { look(s, g, n, lists); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	flush := func() {
		t.Helper()
		if err := db.FlushSpace(ctx, g, "s"); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	now(1400, false)
	put(db, g, vecindex.Auto, 1400, 1600, nil)
	look(old, g, 1000, false)
	flush()
	now(1600, true)
	look(old, g, 1000, false)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	put(db, g, vecindex.Auto, 1600, 1650, nil)
	now(1650, true)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, g = open()
	defer db.Close()
	now(1650, true)
	put(db, g, vecindex.Auto, 1650, 1700, nil)
	now(1700, true)
	checkClean(t, db)
	err = db.Update(ctx, func(tx *engine.Tx) error {
		return tx.Graph(g).MakeSpace("s", engine.SpaceOptions{Dim: 8, Model: "m", Metric: vecindex.L2})
	})
	if !errors.Is(err, vecindex.ErrModelMismatch) {
		t.Fatalf("a flat space in its place: %v", err)
	}
}
