package noderag

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
)

// TestNearInParts stores more near edges than a transaction holds, and then
// those of what is left when some nodes have gone. They are the links of the
// vectors' graph.
func TestNearInParts(t *testing.T) {
	t.Parallel()
	const n, dim = 3 * nearPage, 8
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: Encodings(), MaxTxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := ragtest.OpenIn(t, db)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	st := &nearStage{s: s, model: llm.SpaceInfo{Model: "m", Dim: dim}}
	space := spaceOf("m")
	rng := rand.New(rand.NewPCG(1, 9))
	var ids []engine.NodeID
	for len(ids) < n { // transactions are small
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			b, err := s.newBuilder(v)
			if err != nil {
				return err
			}
			if err := v.MakeSpace(space, s.space("m", dim)); err != nil {
				return err
			}
			for range nearPage / 2 {
				id, _, err := v.PutNode(b.unit, fmt.Sprint("unit ", len(ids)), nil)
				if err != nil {
					return err
				}
				vec := make([]float32, dim)
				for i := range vec {
					vec[i] = rng.Float32() - 0.5
				}
				if err := v.PutVector(space, id, vec); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if items := runNear(t, db, st); items < 3 {
		t.Errorf("%d items for %d nodes", items, n)
	}
	before := checkNear(t, db, st)
	for part := range 6 {
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			for _, id := range ids[part*nearPage/2:][:100] {
				if _, err := tx.Graph(s.g).DeleteNode(id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	runNear(t, db, st)
	if after := checkNear(t, db, st); after >= before {
		t.Errorf("%d edges, and %d before nodes went", after, before)
	}
}

// runNear does the stage's items, each in a transaction, and returns how many
// there are.
func runNear(t *testing.T, db *engine.DB, st *nearStage) (items int) {
	t.Helper()
	err := db.View(t.Context(), func(snap *engine.Snapshot) error {
		for w, err := range st.Items(t.Context(), snap) {
			if err != nil {
				return err
			}
			result, err := st.Do(t.Context(), snap, nil, w)
			if err != nil {
				return err
			}
			items++
			err = db.Update(t.Context(), func(tx *engine.Tx) error { return st.Apply(t.Context(), tx, w, result) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// checkNear compares the near edges with the links and returns how many there
// are.
func checkNear(t *testing.T, db *engine.DB, st *nearStage) (edges int) {
	t.Helper()
	err := db.View(t.Context(), func(snap *engine.Snapshot) error {
		v := snap.Graph(st.s.g)
		vecs, err := v.Vectors(spaceOf(st.model.Model))
		if err != nil {
			return err
		}
		links := map[[2]engine.NodeID]bool{}
		for l, err := range vecs.Links(t.Context()) {
			if err != nil {
				return err
			}
			links[[2]engine.NodeID{engine.NodeID(l.A), engine.NodeID(l.B)}] = true
		}
		typ, _ := v.EdgeType(schema.Near)
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{typ}}) {
			if err != nil {
				return err
			}
			edges++
			if pair := [2]engine.NodeID{min(e.From, e.To), max(e.From, e.To)}; !links[pair] {
				t.Fatalf("an edge %v without a link", pair)
			}
		}
		if edges != len(links) || edges == 0 {
			t.Errorf("%d edges for %d links", edges, len(links))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return edges
}
