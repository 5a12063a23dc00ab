package baseline

import (
	"fmt"
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// TestFewNewNames: of more names than are compared with each other, few that come find
// their synonyms exactly, and do not settle the index of all. Names are at angles of a
// tenth of a degree.
func TestFewNewNames(t *testing.T) {
	t.Parallel()
	const n, model = exactSynonyms + 200, "m"
	c := ragtest.Open(t, method.Methods{})
	s := newOpenIE(c.Docs(), "hipporag", map[string]string{"synonyms": "0.99999"}) // .256 degrees
	if _, err := s.open(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var ids []engine.NodeID
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		typ, err := v.MakeNodeType(typeEntity)
		if err == nil {
			err = method.MakeSpace(v, spaceOf(spaceName, model), llm.SpaceInfo{Model: model, Dim: 2}, vecindex.Cosine)
		}
		for i := range n {
			var id engine.NodeID
			if err == nil {
				id, _, err = v.PutNode(typ, fmt.Sprint(i), nil)
			}
			at := float64(i) * math.Pi / 1800
			if err == nil {
				err = v.PutVector(spaceOf(spaceName, model), id, []float32{float32(math.Cos(at)), float32(math.Sin(at))})
			}
			ids = append(ids, id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	st := &synonymStage{Stage: graph.NewStage("synonyms", s.g), s: s, model: llm.SpaceInfo{Model: model, Dim: 2}, looked: fewNew}
	st.settling.Do(func() { st.unsettled = fmt.Errorf("the index of all was settled") })
	err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		for _, i := range []int{2, 700, n - 3} {
			near, err := st.near(t.Context(), snap, ids[i])
			if err != nil {
				return err
			}
			found := map[engine.NodeID]bool{}
			for _, e := range near {
				found[e.To] = true
			}
			if len(near) != 4 || !found[ids[i-2]] || !found[ids[i-1]] || !found[ids[i+1]] || !found[ids[i+2]] {
				t.Errorf("synonyms of %d are %v", ids[i], near)
			}
		}
		st.looked = fewNew + 1
		if _, err := st.near(t.Context(), snap, ids[0]); err == nil {
			t.Error("many names do not settle the index")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
