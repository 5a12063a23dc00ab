package noderag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// TestElementInput: each unit stands under that of its entities which most units of the
// community name, the first by key of equals, whichever came first; entities follow in
// that order, and one whose units all stand elsewhere is left out.
func TestElementInput(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"a b c d", "d c b a"} {
		c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
		s, err := open(t.Context(), c.Docs(), nil)
		if err != nil {
			t.Fatal(err)
		}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var list []about
		check(c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			b, err := s.newBuilder(tx.Graph(s.g))
			check(err)
			source, _, err := b.v.PutNode(b.text, "a.txt#0", nil)
			check(err)
			ids := map[string]engine.NodeID{}
			for _, key := range strings.Fields(order) {
				ids[key], _, err = b.v.PutNode(b.entity, key, nil)
				check(err)
				check(b.v.Contribute(source, engine.NodeTarget(ids[key]), engine.Contribution{Count: 1, Label: strings.ToUpper(key)}))
			}
			// a and b are named by two units, c and d by one.
			for i, of := range []string{"b a", "b", "a", "d c", ""} {
				name := fmt.Sprint("u", i)
				id, _, err := b.v.PutNode(b.unit, name, nil)
				check(err)
				check(b.v.Contribute(source, engine.NodeTarget(id), engine.Contribution{Count: 1, Texts: []string{name}}))
				for _, key := range strings.Fields(of) {
					check(b.v.AddEdge(id, ids[key], b.mentions, 1))
				}
				list = append(list, about{id: id, kind: schema.Unit, key: name})
			}
			return nil
		}))
		st := &elementStage{Stage: graph.NewStage("elements", s.g), s: s, entities: &entities{}}
		check(c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			pages, nodes, err := st.input(snap.Graph(s.g), list)
			check(err)
			var got []string
			for _, page := range pages {
				for _, e := range page {
					got = append(got, e.Name+": "+e.Description)
				}
			}
			if all := strings.Join(got, ", "); all != "A: u0 u2, B: u1, C: u3" || len(nodes) != 4 {
				t.Errorf("entities %s: %s of %d nodes", order, all, len(nodes))
			}
			return nil
		}))
	}
}
