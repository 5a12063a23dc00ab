package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// wantNoIndex fails the test unless a filter on a property has no index.
func wantNoIndex(t *testing.T, r engine.Reader, property string, indexed ...string) {
	t.Helper()
	rb, err := r.Where(engine.Comparison{Property: property, Op: engine.OpExists})
	var none *engine.NoIndexError
	if !errors.As(err, &none) || none.Property != property || !slices.Equal(none.Indexed, indexed) {
		t.Errorf("a filter on %s: %v, %v", property, rb, err)
	}
}

// TestDropIndex says that an index which is dropped is gone with its keys, that
// snapshots from before keep it, and that it can be made again.
func TestDropIndex(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		o, store := captured(o)
		db, err := engine.Open(t.Context(), t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		g := graph(t, db, "g")
		keys := func() (n int) {
			eachKey(t, *store, g, layout.TagSetIndex, func(_, _ []byte) { n++ })
			return n
		}
		var typ engine.TypeID
		put := func(v *engine.TxView, key string, n int64) {
			t.Helper()
			if _, _, err := v.PutNode(typ, key, engine.Props{"n": engine.Int(n), "m": engine.Int(-n)}); err != nil {
				t.Fatal(err)
			}
		}
		try := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		update(t, g, func(v *engine.TxView) {
			typ, err = v.MakeNodeType("t")
			try(err)
			try(v.MakeIndex("n"))
			try(v.MakeIndex("m"))
			put(v, "a", 1)
			put(v, "b", 2)
		})
		if n := keys(); n != 4 {
			t.Fatalf("%d keys of two values in two indexes", n)
		}
		err = db.View(t.Context(), func(s *engine.Snapshot) error {
			old := s.Graph(g)
			update(t, g, func(v *engine.TxView) {
				put(v, "c", 3)
				try(v.DropIndex("n"))
				wantNoIndex(t, v, "n", "m")
				put(v, "d", 4)
				if err := v.DropIndex("n"); !errors.Is(err, engine.ErrNoIndex) {
					t.Errorf("dropped twice: %v", err)
				}
				if err := v.DropIndex(""); !errors.Is(err, engine.ErrInvalid) {
					t.Errorf("no name: %v", err)
				}
			})
			if n := keys(); n != 4 {
				t.Errorf("%d keys of four values in the index that is left", n)
			}
			view(t, g, func(v *engine.View) {
				wantNoIndex(t, v, "n", "m")
				wantWhere(t, v, compare("m", engine.OpLessEqual, -2), 2, 3, 4)
			})
			// An index that is made again has the present nodes, the old snapshot the former ones.
			update(t, g, func(v *engine.TxView) {
				try(v.MakeIndex("n"))
				put(v, "e", 5)
			})
			view(t, g, func(v *engine.View) { wantWhere(t, v, compare("n", engine.OpGreaterEqual, 2), 2, 3, 4, 5) })
			wantWhere(t, old, compare("n", engine.OpGreaterEqual, 2), 2)
			if got := old.Indexes(); !slices.Equal(got, []string{"m", "n"}) {
				t.Errorf("the old snapshot has indexes of %v", got)
			}
			return nil
		})
		try(err)
		// In one transaction: dropped, made, dropped, made.
		update(t, g, func(v *engine.TxView) {
			for range 2 {
				try(v.DropIndex("n"))
				wantNoIndex(t, v, "n", "m")
				try(v.MakeIndex("n"))
				wantWhere(t, v, compare("n", engine.OpLess, 3), 1, 2)
			}
			put(v, "a", 10)
		})
		view(t, g, func(v *engine.View) { wantWhere(t, v, compare("n", engine.OpGreater, 2), 1, 3, 4, 5) })
		// A transaction that fails drops nothing.
		fails := errors.New("fails")
		err = db.Update(t.Context(), func(tx *engine.Tx) error {
			try(tx.Graph(g).DropIndex("n"))
			return fails
		})
		if !errors.Is(err, fails) {
			t.Errorf("a transaction that fails: %v", err)
		}
		view(t, g, func(v *engine.View) { wantWhere(t, v, compare("n", engine.OpGreater, 2), 1, 3, 4, 5) })
		update(t, g, func(v *engine.TxView) { try(v.DropIndex("n")) })
		if found := check(t, db, engine.CheckOptions{Full: true}); len(found) > 0 {
			t.Errorf("check finds %v", found)
		}
		try(db.Close())
	})
}

// TestDropIndexSurvives says that an index that was dropped stays so when the
// database is opened again, and that one made then shares nothing with it.
func TestDropIndexSurvives(t *testing.T) {
	path := t.TempDir()
	for i, indexed := range []bool{true, false, true} {
		db, err := engine.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := graph(t, db, "g")
		update(t, g, func(v *engine.TxView) {
			typ, err := v.MakeNodeType("t")
			must(t, typ, err)
			id, _, err := v.PutNode(typ, fmt.Sprint(i), engine.Props{"n": engine.Int(int64(i))})
			must(t, id, err)
			if indexed {
				err = v.MakeIndex("n")
			} else {
				err = v.DropIndex("n")
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if db, err = engine.Open(t.Context(), path, nil); err != nil {
			t.Fatal(err)
		}
		g = graph(t, db, "g")
		view(t, g, func(v *engine.View) {
			if !indexed {
				wantNoIndex(t, v, "n")
				return
			}
			var all []engine.NodeID
			for n := range i + 1 {
				all = append(all, engine.NodeID(n+1))
			}
			wantWhere(t, v, compare("n", engine.OpExists), all...)
		})
		if found := check(t, db, engine.CheckOptions{Full: true}); len(found) > 0 {
			t.Errorf("pass %d: check finds %v", i, found)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConcurrentDropIndex has readers filter while the index comes and goes:
// each finds all that its snapshot has, or that there is no index. Run it with
// -race.
func TestConcurrentDropIndex(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		const nodes = 50
		update(t, g, func(v *engine.TxView) {
			typ, err := v.MakeNodeType("t")
			must(t, typ, err)
			for i := range nodes {
				id, _, err := v.PutNode(typ, fmt.Sprint(i), engine.Props{"n": engine.Int(int64(i))})
				must(t, id, err)
			}
		})
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					view(t, g, func(v *engine.View) {
						rb, err := v.Where(engine.Comparison{Property: "n", Op: engine.OpExists})
						if errors.Is(err, engine.ErrNoIndex) {
							return
						}
						if err != nil || rb.GetCardinality() != nodes {
							t.Errorf("%v, %v", rb, err)
						}
					})
				}
			})
		}
		for i := range 200 {
			err := g.DB().UpdateWith(t.Context(), kv.NoSync, func(tx *engine.Tx) error {
				if i%2 == 0 {
					return tx.Graph(g).MakeIndex("n")
				}
				return tx.Graph(g).DropIndex("n")
			})
			if err != nil {
				t.Error(err)
			}
		}
		close(stop)
		readers.Wait()
	})
}
