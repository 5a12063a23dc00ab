package engine_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// layersOf returns how many vectors of the space each layer has.
func layersOf(t *testing.T, v *engine.View) map[uint8]int {
	t.Helper()
	vecs, err := v.Vectors("c")
	if err != nil {
		t.Fatal(err)
	}
	out := map[uint8]int{}
	for e, err := range vecs.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out[e.Layer]++
	}
	hits, err := vecs.Search(t.Context(), vecindex.Search{
		Vector: testVector(1), Layers: []vecindex.LayerK{{Layer: 0, K: 3}, {Layer: 1, K: 3}},
	}, nil)
	if err != nil || len(hits) != min(3, out[0])+min(3, out[1]) {
		t.Fatalf("%d hits of %v, %v", len(hits), out, err)
	}
	return out
}

// TestRebuildSpace says that a new generation takes the place of the old one at
// once, and that a snapshot from before still sees that.
func TestRebuildSpace(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		db := open(t, o)
		g := graph(t, db, "g")
		putVectors(t, g, 0, 1500)
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			return tx.Graph(g).MakeSpace("c", engine.SpaceOptions{Dim: vectorDim, Model: "m", Kind: vecindex.CHNSW})
		})
		if err != nil {
			t.Fatal(err)
		}
		failed := errors.New("failed")
		all := func(every, until int) iter.Seq2[engine.SpaceVector, error] {
			return func(yield func(engine.SpaceVector, error) bool) {
				x := testVector(1)
				for i := range 1500 {
					if i == until {
						yield(engine.SpaceVector{}, failed)
						return
					}
					x[1+i%15] += 0.01 * float32(i%7)
					layer := uint8(0)
					if i%every == 0 {
						layer = 1
					}
					if !yield(engine.SpaceVector{Node: engine.NodeID(i + 1), Layer: layer, Vector: x}, nil) {
						return
					}
				}
			}
		}
		if err := db.RebuildSpace(t.Context(), g, "c", all(10, -1)); err != nil {
			t.Fatal(err)
		}
		checkClean(t, db)
		before, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		old := before.Graph(g)
		if n := layersOf(t, old); n[1] != 150 || n[0] != 1350 {
			t.Fatalf("built: %v", n)
		}

		if err := db.RebuildSpace(t.Context(), g, "c", all(5, 1200)); !errors.Is(err, failed) {
			t.Fatalf("an interrupted rebuild: %v", err)
		}
		view(t, g, func(v *engine.View) {
			if n := layersOf(t, v); n[1] != 150 {
				t.Errorf("after an interrupted rebuild: %v", n)
			}
		})
		checkClean(t, db)
		if err := db.RebuildSpace(t.Context(), g, "c", all(5, -1)); err != nil {
			t.Fatal(err)
		}
		view(t, g, func(v *engine.View) {
			if n := layersOf(t, v); n[1] != 300 || n[0] != 1200 {
				t.Errorf("built again: %v", n)
			}
		})
		if n := layersOf(t, old); n[1] != 150 {
			t.Errorf("the snapshot from before shows %v", n)
		}
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		checkClean(t, db)
		if err := db.RebuildSpace(t.Context(), g, "none", all(5, -1)); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a space that is not there: %v", err)
		}
		putVectors(t, g, 2000, 10) // nodes and vectors of another space go on
		err = db.Update(t.Context(), func(tx *engine.Tx) error { return tx.Graph(g).DropSpace("c") })
		if err != nil {
			t.Fatal(err)
		}
		checkClean(t, db)
	})
}
