package noderag

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
)

// TestNearInParts stores more near edges than a transaction holds, and then
// those of what is left when some nodes have gone. They are the links of the
// vectors' graph, or the mutual ones.
func TestNearInParts(t *testing.T) {
	t.Parallel()
	for _, neighbours := range []string{"0", "4"} {
		t.Run(neighbours, func(t *testing.T) {
			t.Parallel()
			nearInParts(t, neighbours)
		})
	}
}

func nearInParts(t *testing.T, neighbours string) {
	const n, dim = 3 * nearPage, 8
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: Encodings(), MaxTxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := ragtest.OpenIn(t, db)
	s, err := open(t.Context(), c.Docs(), map[string]string{"neighbours": neighbours})
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
		if st.s.p.Neighbours > 0 {
			checkMutual(t, v, typ, st.s.p.Neighbours)
			return nil
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

// checkMutual says that no node has more than most near edges, and that they weigh a
// fifth together at most and more than nothing.
func checkMutual(t *testing.T, v *engine.View, near engine.EdgeType, most int) {
	t.Helper()
	count, weight := map[engine.NodeID]int{}, map[engine.NodeID]float64{}
	for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{near}}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Weight <= 0 {
			t.Fatalf("%v weighs nothing", e)
		}
		for _, id := range []engine.NodeID{e.From, e.To} {
			count[id]++
			weight[id] += float64(e.Weight)
		}
	}
	if len(count) == 0 {
		t.Error("no near edges")
	}
	for id, n := range count {
		if n > most || weight[id] > .2+1e-5 {
			t.Errorf("node %d has %d near edges that weigh %g", id, n, weight[id])
		}
	}
}

// TestMutual compares near edges with some worked out by hand. Of four nodes in a row
// of cosines .9, .8 and .4, with .5 between the first and the third, each keeps its two
// nearest: 1 keeps 2 and 3, 2 keeps 1 and 3, 3 keeps 2 and 1 and so not 4, and 5 is
// turned away from all.
func TestMutual(t *testing.T) {
	pairs := []nearPair{{1, 2, .9}, {1, 3, .5}, {2, 3, .8}, {2, 5, -.3}, {3, 4, .4}, {4, 5, 0}}
	for _, x := range []struct {
		most int
		want []nearPair
	}{
		{1, []nearPair{{1, 2, 1}}}, // 3 is 4's nearest and 2 is 3's, but not the other way
		{2, []nearPair{{1, 2, .9 / 1.7}, {1, 3, .5 / 1.4}, {2, 3, .8 / 1.7}}},
		{3, []nearPair{{1, 2, .9 / 1.7}, {1, 3, .5 / 1.7}, {2, 3, .8 / 1.7}, {3, 4, .4 / 1.7}}},
	} {
		got := mutual(pairs, x.most, 1)
		if len(got) != len(x.want) {
			t.Errorf("most %d: %v, want %v", x.most, got, x.want)
			continue
		}
		for i, w := range x.want {
			if g := got[i]; g.a != w.a || g.b != w.b || math.Abs(g.cosine-w.cosine) > 1e-12 {
				t.Errorf("most %d: %v, want %v", x.most, g, w)
			}
		}
	}
	// Of equal cosines the least id is nearer.
	if got := mutual([]nearPair{{1, 2, .5}, {1, 3, .5}}, 1, .5); len(got) != 1 || got[0] != (nearPair{1, 2, .5}) {
		t.Errorf("of equals %v is kept", got)
	}
}
