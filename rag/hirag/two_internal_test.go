package hirag

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// namer sums up any cluster by one entity, and counts the members that it reads.
type namer struct{ read []int }

func (p *namer) Do(_ context.Context, task llm.Task) (llm.Reply, llm.Usage, error) {
	p.read = append(p.read, len(task.Input.(llm.SummaryEntitiesInput).Entities))
	return llm.Reply{Text: `{"entities":[{"name":"Harbour","type":"location","description":"Where ferries lie."}]}`}, llm.Usage{}, nil
}

func (*namer) Name() string      { return "namer" }
func (*namer) Can(llm.Kind) bool { return true }

// TestTwoMembers: a cluster of two nodes is summed up, and one of a single node is not
// (paper Alg. 1 lines 10 to 18, spec B.2.6c).
func TestTwoMembers(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	c.Use(ragtest.Fixed)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids []engine.NodeID
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		typ, err := v.MakeNodeType(typeEntity)
		for _, name := range []string{"ferry", "pier"} {
			var id engine.NodeID
			if err == nil {
				id, _, err = v.PutNode(typ, name, nil)
			}
			ids = append(ids, id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	models := c.OpenModels(t)
	for n, want := range []int{0, 0, 1} {
		p := &namer{}
		plan := planned{Key: "0/1"}
		for _, id := range ids[:n] {
			plan.Members = append(plan.Members, member{ID: id, Weight: 1})
		}
		st := &summaryStage{s: s, listed: map[string]planned{"x": plan}}
		m := ragtest.Provide(models, p)
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			raw, err := st.Do(t.Context(), snap, m, method.WorkItem{Key: "x"})
			if err != nil {
				return err
			}
			var got summed
			if err := json.Unmarshal(raw, &got); err != nil {
				return err
			}
			if len(got.Entities) != want || len(p.read) != want || want > 0 && p.read[0] != n {
				t.Errorf("%d members: %d summaries, read %v", n, len(got.Entities), p.read)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
