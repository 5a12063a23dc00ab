package hirag

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestReportOfParts: a community of more than a prompt is told by the report of its part,
// and what that does not cover in half of what is left for nodes and half for relations.
// The report has 8,000 tokens, so 12,384 are left for each: for two nodes of 6,000 and for
// two relations of 5,000.
func TestReportOfParts(t *testing.T) {
	t.Parallel()
	words := func(n int) string { return "word" + strings.Repeat(" word", n-1) }
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, part := plannedCommunity{Key: "0/a"}, plannedCommunity{Key: "1/b", Level: 1, Parent: "0/a"}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		entity, err := v.MakeNodeType(typeEntity)
		if err != nil {
			return err
		}
		community, err := v.MakeNodeType(typeCommunity)
		if err != nil {
			return err
		}
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return err
		}
		relation, err := v.MakeEdgeType(edgeRelation, false)
		if err != nil {
			return err
		}
		source, _, err := v.PutNode(chunk, "a.txt#0", nil)
		if err != nil {
			return err
		}
		ids := map[string]engine.NodeID{}
		for _, key := range []string{"in1", "in2", "x", "y", "z"} {
			id, _, err := v.PutNode(entity, key, nil)
			if err != nil {
				return err
			}
			says := words(6000)
			if whole.Members = append(whole.Members, id); strings.HasPrefix(key, "in") {
				part.Members, says = append(part.Members, id), "covered"
			}
			if err := v.Contribute(source, engine.NodeTarget(id), engine.Contribution{Count: 1, Label: key, Texts: []string{says}}); err != nil {
				return err
			}
			ids[key] = id
		}
		for _, pair := range [][2]string{{"in1", "in2"}, {"x", "y"}, {"x", "z"}, {"y", "z"}} {
			err := v.Contribute(source, engine.EdgeTarget(ids[pair[0]], ids[pair[1]], relation), engine.Contribution{Weight: 1, Count: 1, Texts: []string{words(5000)}})
			if err != nil {
				return err
			}
		}
		_, _, err = v.PutNode(community, part.Key, engine.Props{propReport: engine.String(words(8000))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	st := &reportStage{s: s, ends: newEndNames(), parts: func() (map[string][]plannedCommunity, error) {
		return map[string][]plannedCommunity{whole.Key: {part}}, nil
	}}
	c.View(t, Name, func(v *engine.View) error {
		in, err := st.input(v, whole)
		if len(in.Reports) != 1 || len(in.Entities) != 2 || len(in.Relations) != 2 {
			t.Errorf("%d reports, %d nodes, %d relations", len(in.Reports), len(in.Entities), len(in.Relations))
		}
		for _, e := range in.Entities {
			if strings.HasPrefix(e.Name, "in") {
				t.Errorf("%s is told of again", e.Name)
			}
		}
		return err
	})
}
