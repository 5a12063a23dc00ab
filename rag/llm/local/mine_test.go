package local_test

import (
	"encoding/json"
	"testing"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// do runs a task and decodes its reply.
func do[T any](tb testing.TB, p *local.Provider, k llm.Kind, input any) T {
	tb.Helper()
	r, _, err := p.Do(tb.Context(), llm.Task{Kind: k, Input: input})
	if err != nil {
		tb.Fatal(err)
	}
	var out T
	if err := json.Unmarshal([]byte(r.Text), &out); err != nil {
		tb.Fatalf("%s: %v", r.Text, err)
	}
	return out
}

// stemSet returns the content stems of a text.
func stemSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, t := range (lex.Standard{}).Terms(s) {
		out[t.Text] = true
	}
	return out
}

// foundBack returns the share of a fact's stems that its best k relations
// hold together.
func foundBack(fact map[string]bool, relations []map[string]bool, k int) float64 {
	left := map[string]bool{}
	for s := range fact {
		left[s] = true
	}
	for range k {
		best, most := -1, 0
		for i, r := range relations {
			n := 0
			for s := range left {
				if r[s] {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			break
		}
		for s := range relations[best] {
			delete(left, s)
		}
	}
	return 1 - float64(len(left))/float64(max(1, len(fact)))
}

// TestFactsFoundBack measures how many facts of essays are found back in the
// relations extracted from them: a fact is if the best three relations hold 70
// percent of its content stems. The design measured 96 %, where KGGen has 63
// and the goal is 90. It flatters text that is taken over word by word.
func TestFactsFoundBack(t *testing.T) {
	essays := evaldata.Lines[passage](t, "mine_essays/corpus.jsonl.gz")
	facts := evaldata.Lines[question](t, "mine_essays/questions.jsonl.gz")
	var stats text.CaseStats
	for _, e := range essays {
		stats.Add(e.full())
	}
	p := local.New(local.Options{Names: &stats})
	relations := map[string][]map[string]bool{}
	triples, entities := 0, 0
	for _, e := range essays {
		x := do[llm.Extraction](t, p, llm.Extract, llm.ExtractInput{Text: e.full(), Title: e.Title})
		triples += len(x.Relations)
		entities += len(x.Entities)
		for _, r := range x.Relations {
			relations[e.ID] = append(relations[e.ID], stemSet(r.Description))
		}
	}
	var found [3]float64
	for _, f := range facts {
		for i, k := range []int{1, 3, 10} {
			if foundBack(stemSet(f.Question), relations[f.Supporting[0]], k) >= .7 {
				found[i] += 100 / float64(len(facts))
			}
		}
	}
	t.Logf("%.0f relations and %.0f entities an essay; facts found back in the best 1, 3, 10: %.0f %.0f %.0f %%",
		float64(triples)/float64(len(essays)), float64(entities)/float64(len(essays)), found[0], found[1], found[2])
	if found[1] < 90 {
		t.Errorf("%.1f %% found back, want 90", found[1])
	}
}
