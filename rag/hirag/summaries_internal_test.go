package hirag

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// TestSummaries applies what a model gave for a cluster of three, two of which have one
// name: the first record of a name counts, a relation joins a member with a summary from
// either end, several of a pair add up, and none is among members or among summaries.
func TestSummaries(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	st := &summaryStage{s: s, layer: 1}
	sum := summed{planned: planned{Key: "1/0.0"}, Keys: []string{"ferry", "pier", "pier"}}
	sum.Entities = []llm.Entity{
		{Name: "The Harbour", Type: "Location", Description: "Where ferries lie."}, {Name: "harbour", Type: "product", Description: "Another."},
		{Name: "Trade"}, {Name: "!", Description: "No word."},
	}
	sum.Relations = []llm.Relation{
		{Source: "Ferry", Target: "Harbour", Description: "lies in", Strength: 2},
		{Source: "Harbour", Target: "Ferry", Description: "shelters", Strength: 3},
		{Source: "Trade", Target: "pier", Description: "needs"},
		{Source: "Pier", Target: "Trade", Description: "serves", Strength: -5},
		{Source: "Ferry", Target: "Pier", Description: "among members"}, {Source: "Trade", Target: "Harbour", Description: "among summaries"},
		{Source: "Ferry", Target: "Nowhere", Description: "of nothing"},
	}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		typ, err := v.MakeNodeType(typeEntity)
		for _, key := range []string{"ferry", "pier", "pier 2"} {
			var id engine.NodeID
			if err == nil {
				id, _, err = v.PutNode(typ, key, nil)
			}
			sum.Members = append(sum.Members, member{ID: id, Weight: .5})
		}
		if err != nil {
			return err
		}
		raw, err := json.Marshal(sum)
		if err != nil {
			return err
		}
		return st.Apply(t.Context(), tx, method.WorkItem{}, raw)
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	c.View(t, Name, func(v *engine.View) error {
		for n, err := range graph.ReadAll(v, typeSummary) {
			if err != nil {
				return err
			}
			total, err := v.Total(engine.NodeTarget(n.ID))
			if err != nil {
				return err
			}
			got = append(got, fmt.Sprintf("%s: %s %q, layer %d", n.Key, total.Label, total.Texts, n.Prop(propLayer).AsInt()))
		}
		for e, err := range v.Edges(engine.EdgeFilter{}) {
			if err != nil {
				return err
			}
			from, err := v.Node(e.From)
			if err != nil {
				return err
			}
			to, err := v.Node(e.To)
			if err != nil {
				return err
			}
			line := fmt.Sprintf("%s-%s-%s %g", from.Key, v.EdgeTypeName(e.Type), to.Key, e.Weight)
			if v.EdgeTypeName(e.Type) == edgeIs {
				total, err := v.Total(engine.EdgeTarget(e.From, e.To, e.Type))
				if err != nil {
					return err
				}
				line += fmt.Sprint(" times ", total.Count)
			}
			if v.EdgeTypeName(e.Type) == edgeRelation {
				props, err := v.EdgeProps(engine.Edge{From: e.From, To: e.To, Type: e.Type})
				if err != nil {
					return err
				}
				line += " " + props[propDescription].AsString()
			}
			got = append(got, line)
		}
		return nil
	})
	want := []string{
		`1/0.0/harbour: The Harbour ["Where ferries lie."], layer 2`,
		`1/0.0/trade: Trade [], layer 2`,
		"ferry-member-1/0.0 0.5", "pier-member-1/0.0 0.5", "pier 2-member-1/0.0 0.5",
		"1/0.0/harbour-is-location 1 times 1",
		"ferry-relation-1/0.0/harbour 5 lies in",
		"pier-relation-1/0.0/trade 2 needs",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
