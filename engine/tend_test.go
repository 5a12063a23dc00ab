package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// putVectors gives n nodes, from the one numbered from, vectors of a space.
func putVectors(t *testing.T, g *engine.Graph, from, n int) {
	t.Helper()
	putVectorsOf(t, g, vecindex.HNSW, from, n)
}

func putVectorsOf(t *testing.T, g *engine.Graph, kind vecindex.Kind, from, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(from), 1))
	err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		nt, err := v.MakeNodeType("n")
		if err != nil {
			return err
		}
		o := engine.SpaceOptions{Dim: vectorDim, Model: "m", Kind: kind}
		if err := v.MakeSpace("s", o); err != nil {
			return err
		}
		for i := range n {
			id, _, err := v.PutNode(nt, fmt.Sprint(from+i), nil)
			if err != nil {
				return err
			}
			x := make([]float32, vectorDim)
			for j := range x {
				x[j] = float32(rng.NormFloat64())
			}
			if err := v.PutVector("s", id, x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// statsOf returns the figures of a database with one open vector space.
func statsOf(t *testing.T, db *engine.DB) (out engine.Stats) {
	t.Helper()
	err := db.View(t.Context(), func(snap *engine.Snapshot) error {
		s, err := snap.Stats(t.Context())
		if err == nil && len(s.Memory.Indexes) != 1 {
			t.Fatalf("%+v", s.Memory.Indexes)
		}
		out = s
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLists puts vectors into a space of lists, in the background and by settling, and
// takes it through a check, a restart and a dropped space.
func TestLists(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		db := open(t, o)
		g := graph(t, db, "g")
		for i := range 3 {
			putVectorsOf(t, g, vecindex.IVF, 1000*i, 1000)
		}
		if err := db.FlushSpace(t.Context(), g, "s"); err != nil {
			t.Fatal(err)
		}
		if s := statsOf(t, db).Memory.Indexes[0]; s.Linked != 3000 || s.Pending != 0 || s.Kind != "ivf" || s.Source != "lists" || s.Bytes == 0 {
			t.Errorf("flushed: %+v", s)
		}
		checkClean(t, db)
		if err := db.SettleSpace(t.Context(), g, "s"); err != nil {
			t.Fatal(err)
		}
		checkClean(t, db)
		view(t, g, func(v *engine.View) {
			vecs, err := v.Vectors("s")
			if err != nil {
				t.Fatal(err)
			}
			q := vecindex.Search{Vector: testVector(1), K: 10, Ef: 256}
			got, err := vecs.Search(t.Context(), q, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Exact = true
			want, err := vecs.Search(t.Context(), q, nil)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("lists find %v, comparing all %v, error %v", got, want, err)
			}
			for _, err := range vecs.Links(t.Context()) {
				t.Errorf("links of lists: %v", err)
			}
		})
		err := db.Update(t.Context(), func(tx *engine.Tx) error { return tx.Graph(g).DropSpace("s") })
		if err != nil {
			t.Fatal(err)
		}
		checkClean(t, db)
	})
}

func TestSettle(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		o.NoBackground = true
		db := open(t, o)
		g := graph(t, db, "g")
		for i := range 3 {
			putVectors(t, g, 1000*i, 1000)
		}
		view(t, g, func(v *engine.View) { // loads the index
			vecs, err := v.Vectors("s")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := vecs.Search(t.Context(), vecindex.Search{Vector: testVector(1), K: 3}, nil); err != nil {
				t.Fatal(err)
			}
			for _, err := range vecs.Links(t.Context()) {
				if !errors.Is(err, vecindex.ErrUnsettled) {
					t.Errorf("links before settling: %v", err)
				}
			}
		})
		if s := statsOf(t, db).Memory.Indexes[0]; s.Linked != 0 || s.Vectors != 3000 {
			t.Errorf("before: %+v", s)
		}
		epoch := db.Epoch()
		if err := db.SettleSpace(t.Context(), g, "s"); err != nil {
			t.Fatal(err)
		}
		if db.Epoch() != epoch {
			t.Error("settling moved the epoch")
		}
		if s := statsOf(t, db).Memory.Indexes[0]; s.Linked != 3000 || s.Pending != 0 || s.Kind != "hnsw" || s.Rerank != "lowplane" {
			t.Errorf("after: %+v", s)
		}
		view(t, g, func(v *engine.View) {
			vecs, err := v.Vectors("s")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range vecs.Links(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n < 3000 {
				t.Errorf("%d links", n)
			}
		})
		checkClean(t, db)
		if err := db.SettleSpace(t.Context(), g, "none"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a space that is not there: %v", err)
		}
	})
}

// vectorDim is above vecindex.PlainDim, so that there are codes and low planes.
const vectorDim = 40

func testVector(x float32) []float32 {
	v := make([]float32, vectorDim)
	v[0] = x
	return v
}

// TestBackgroundLinks says that commits have their vectors linked without being
// asked to, and that Close ends that at once.
func TestBackgroundLinks(t *testing.T) {
	o := &engine.Options{}
	db := open(t, o)
	g := graph(t, db, "g")
	for i := range 4 {
		putVectors(t, g, 1100*i, 1100)
	}
	for deadline := time.Now().Add(time.Minute); statsOf(t, db).Memory.Indexes[0].Linked < 4096; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", statsOf(t, db).Memory.Indexes[0])
		}
	}
	putVectors(t, g, 5000, 1100)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
