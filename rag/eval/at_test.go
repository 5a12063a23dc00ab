package eval_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestEqualTokens asks methods with further budgets. Records that a search by the words of
// the question cannot tell from others are found by the names that tie them.
func TestEqualTokens(t *testing.T) {
	t.Parallel()
	var corpus strings.Builder
	var questions []question
	line := func(id, text string) { fmt.Fprintf(&corpus, "{\"id\":%q,\"text\":%q}\n", id, text) }
	people := []string{"Arvo Quill", "Berit Ruck", "Cosmo Senft", "Dunja Tarn"}
	towns := []string{"Loira", "Morven", "Nerdish", "Oskovar"}
	for i := range people {
		line(fmt.Sprint("p", i), people[i]+" went to the famous college of "+towns[i]+".")
		line(fmt.Sprint("t", i), towns[i]+" lies on a wide bay below two mountains and was built by sailors long ago.")
		questions = append(questions, question{
			ID: fmt.Sprint("q", i), Question: "Which water is near the famous college that " + people[i] + " went to?",
			Answers: []string{"wide bay"}, Supporting: []string{fmt.Sprint("p", i), fmt.Sprint("t", i)},
		})
	}
	for i := range 12 {
		line(fmt.Sprint("x", i), fmt.Sprintf("Which water is near the famous college number %d that others went to, nobody can say.", i))
	}
	data := dataSet(t, corpus.String(), questions)
	run := func(at ...int) *eval.Report {
		rep, err := eval.Run(t.Context(), eval.Options{
			Data: data, Specs: specs(t, "bm25", "naive", "bridge", "ketrag"), Methods: methods.All(), Engine: inMemory(), Budget: 100, At: at, Seed: 1,
		})
		check(t, err)
		return rep
	}
	rep, once := run(1000, 100, 60, 100), run() // of room for two texts, four and all
	if !slices.Equal(rep.At, []int{60, 100, 1000}) {
		t.Fatalf("budgets %v", rep.At)
	}
	for i, f := range rep.Methods {
		if o := once.Methods[i]; o.At != nil || o.Evidence != f.Evidence || *o.Coverage != *f.Coverage {
			t.Errorf("%s: --at changes the other figures", f.Name)
		}
		for k, x := range f.At {
			if x.Budget != rep.At[k] || x.Tokens > float64(x.Budget) || x.Answered != 4 || x.Golden != 4 || x.Several != 4 || len(x.Evidence) != 64 {
				t.Errorf("%s: %+v", f.Name, x)
			}
			if (x.CI == nil) != (f.Name == "bm25") || (x.NaiveCI == nil) != (f.Name == "naive") || x.GraphCI == nil || x.Answers != nil {
				t.Errorf("%s: intervals %v, %v, %v", f.Name, x.CI, x.NaiveCI, x.GraphCI)
			}
			if len(x.Rows.Tokens) != 4 || len(x.Rows.Shown) != 4 || x.Rows.Acc != nil {
				t.Errorf("%s: rows %+v", f.Name, x.Rows)
			}
		}
		same := f.At[1] // of the run's own budget
		if same.Evidence != f.Evidence || same.Tokens != f.ContextTokens || *same.Coverage != *f.Coverage || *same.Recall5 != *f.Recall5 || *same.MRR != *f.MRR {
			t.Errorf("%s with the run's budget: %+v, want %+v", f.Name, same, f)
		}
		all := f.At[2] // more than all texts have; bm25 finds those with words of the question
		if f.Name != "bm25" && (*all.Recall != 1 || *all.SetRecall != 1 || *all.GraphGain != 0 || *all.GraphCost != 0) {
			t.Errorf("%s with room for all: %+v", f.Name, all)
		}
	}
	bm25, naive, bridge := rep.Methods[0].At[0], rep.Methods[1].At[0], rep.Methods[2].At[0]
	if *bm25.GraphGain != 0 || *naive.GraphGain != 0 || *naive.GraphCost != 0 {
		t.Errorf("bm25 %+v, naive %+v", bm25, naive)
	}
	if *bridge.GraphGain <= 0 || *bridge.GraphCost != 0 || math.Abs(*bridge.Recall-*naive.Recall-*bridge.GraphGain) > 1e-12 {
		t.Errorf("bridge %+v, naive %+v", bridge, naive)
	}
	// bm25's interval against naive is naive's against bm25, the other way round, but for the
	// rounds of the bootstrap that its ends are.
	if a, b := *bm25.NaiveCI, *naive.CI; math.Abs(a[0]+b[1]) > 0.1 || math.Abs(a[1]+b[0]) > 0.1 || a[0] > 0 || b[1] < 0 {
		t.Errorf("bm25 vs naive %v, naive vs bm25 %v", a, b)
	}
	// The figures are the means of the rows.
	for _, f := range rep.Methods {
		for _, x := range f.At {
			var gain, covered float64
			for i, q := range rep.Questions {
				gain += float64(*x.Rows.Gain[i]) / float64(q.Gold)
				covered += float64(*x.Rows.Covered[i])
			}
			if math.Abs(gain/4-*x.GraphGain) > 1e-12 || covered/4 != *x.Coverage {
				t.Errorf("%s at %d: rows say a gain of %v and a coverage of %v: %+v", f.Name, x.Budget, gain/4, covered/4, x)
			}
		}
	}
	if once.Questions != nil || len(rep.Questions) != 4 || rep.Questions[1].ID != "q1" {
		t.Errorf("questions %v and %v", once.Questions, rep.Questions)
	}
	if _, err := eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory(), At: []int{0}}); err == nil {
		t.Error("a budget of 0 tokens")
	}
}
