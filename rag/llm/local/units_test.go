package local_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestDecompose: rules take a text apart to its sentences, each once, with the entities
// and relations of each.
func TestDecompose(t *testing.T) {
	p := local.New(local.Options{})
	x := do[llm.Decomposition](t, p, llm.Decompose, llm.ExtractInput{Text: turing + " It was so. It was so.", Title: "Alan Turing"})
	of := map[string]llm.Event{}
	for _, u := range x.Units {
		if _, twice := of[u.Text]; twice || len(u.Entities)+len(u.Relations) == 0 {
			t.Errorf("unit %+v", u)
		}
		of[u.Text] = u
	}
	born := of["Alan Turing was born in London in 1912."]
	if fmt.Sprint(born.Entities) != "[Alan Turing London 1912 Turing]" || len(born.Relations) == 0 {
		t.Errorf("%+v of %+v", born, x.Units)
	}
	for _, r := range born.Relations {
		if r.Source == "" || r.Target == "" || r.Relation == "" {
			t.Errorf("relation %+v", r)
		}
	}
	if _, ok := of["It was so."]; ok {
		t.Error("a sentence without an entity is a unit")
	}
}

// TestInsights: insights are what a report on the group says, as many as are wanted; of
// insights on parts the first are taken.
func TestInsights(t *testing.T) {
	p := local.New(local.Options{})
	in := llm.InsightsInput{Entities: []llm.Entity{
		{Name: "Enigma", Description: "Enigma was a machine."}, {Name: "Alan Turing", Description: "Alan Turing broke Enigma."}, {Name: "Typex", Description: "Typex was another."},
	}}
	report := do[llm.Report](t, p, llm.CommunityReport, llm.ReportInput{Entities: in.Entities})
	all := do[llm.InsightList](t, p, llm.Insights, in).Insights
	if len(all) < 2 || len(all) > 1+len(report.Findings) || all[0] != (llm.Insight{Title: report.Title, Description: report.Summary}) {
		t.Errorf("insights %+v of %+v", all, report)
	}
	in.Most = 2
	if two := do[llm.InsightList](t, p, llm.Insights, in).Insights; len(two) != 2 || two[1] != all[1] {
		t.Errorf("two are %+v", two)
	}
	parts := llm.InsightsInput{Insights: []llm.Insight{{Title: "a", Description: "A."}, {Title: "b", Description: "A."}, {Title: "c", Description: "C."}, {Title: "d", Description: "D."}}, Most: 2}
	if got := do[llm.InsightList](t, p, llm.Insights, parts).Insights; fmt.Sprint(got) != "[{a A.} {c C.}]" {
		t.Errorf("of parts %+v", got)
	}
}
