package eval_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// atAnswers answers about [mills] by what it is shown, as "m": all of the answer to q2 only
// if the evidence tells of the teacher, for which there must be room. As "j" it judges
// for the answer that alone names the year.
type atAnswers struct {
	*llmtest.Server

	mu      sync.Mutex
	prompts map[string]int // of answers, with how often each was sent
}

func newAtAnswers(t *testing.T) *atAnswers {
	a := &atAnswers{prompts: map[string]int{}}
	a.Server = llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		q := c.Fences["question"]
		if c.Kind == llm.Judge {
			var dated []int
			for i, answer := range strings.Split(c.Fences["answers"], "\n") {
				if strings.Contains(answer, "1954") {
					dated = append(dated, i)
				}
			}
			if len(dated) == 1 {
				return fmt.Sprintf(`{"reason":"It is exact.","winner":%d}`, dated[0]), true
			}
			return `{"reason":"They are alike.","winner":-1}`, true
		}
		a.mu.Lock()
		a.prompts[fmt.Sprint(c.Messages)]++
		a.mu.Unlock()
		switch {
		case strings.Contains(q, "ended"):
			if strings.Contains(c.Fences["evidence"], "Old Harn") {
				return "The flood of 1954.", true
			}
			return "The flood.", true
		case strings.Contains(q, "drew"):
			return "Mira Voss", true
		}
		return "It ground flour.", true
	}})
	return a
}

// millsAt are three questions, one without a known answer, about three records.
func millsAt(t *testing.T) string {
	data := mills(t)
	writeFile(t, filepath.Join(data, "questions.jsonl"), `{"id":"q1","question":"Who drew the tide mill?","answers":["Mira Voss"],"supporting":["m1"]}
{"id":"q2","question":"What ended the tide mill?","answers":["the flood of 1954"],"supporting":["m2","m3"]}
{"id":"q4","question":"How did the mill change life in Orsk?"}
`)
	return data
}

// TestAnswersAtEqualTokens: each budget has answers of its own, judged by themselves, and a
// prompt that two budgets have is sent once.
//
// With 20 tokens there is room for one record, with 400 and more for all three. q1 is
// answered alike; q2 within 20 tokens by "The flood", one of three words: EM is 0, F1
// 2*1*(1/3)/(1+1/3) = 1/2. q4 has no known answer.
func TestAnswersAtEqualTokens(t *testing.T) {
	t.Parallel()
	s := newAtAnswers(t)
	o := eval.Options{
		Data: millsAt(t), DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "bm25", "naive"), Methods: methods.All(), Seed: 1, At: []int{20, 400, method.DefaultBudget},
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m"), Judges: []func(context.Context, *rag.Corpus) (*rag.Models, error){chatAt(s.URL, "j")}},
	}
	rep, err := eval.Run(t.Context(), o)
	check(t, err)
	for _, f := range rep.Methods[1:] {
		want := [][3]float64{{0.5, 0.75, 0.5}, {1, 1, 1}, {1, 1, 1}} // em, f1, acc
		for k, x := range f.At {
			a := x.Answers
			if a == nil || a.Scored != 2 || a.Failed != 0 || a.Model != "m" {
				t.Fatalf("%s at %d: %+v", f.Name, x.Budget, a)
			}
			if got := [3]float64{*a.EM, *a.F1, *a.Acc}; got != want[k] {
				t.Errorf("%s at %d: em, f1 and acc %v, want %v", f.Name, x.Budget, got, want[k])
			}
			if x.Answers.CI == nil || a.InTokens == 0 || a.USD == nil {
				t.Errorf("%s at %d: %+v", f.Name, x.Budget, a)
			}
		}
		if f.At[0].Answers.InTokens >= f.At[1].Answers.InTokens {
			t.Errorf("%d tokens read within 20, %d within 400", f.At[0].Answers.InTokens, f.At[1].Answers.InTokens)
		}
		// The last budget is that of the run.
		if got, want := asJSON(t, f.At[2].Answers), asJSON(t, f.Answers); got != want {
			t.Errorf("%s: %s, and of the run %s", f.Name, got, want)
		}
	}
	for prompt, n := range s.prompts {
		if n != 1 {
			t.Errorf("sent %d times: %s", n, prompt)
		}
	}
	// The same answers are a tie that nobody is asked about. The year is better than none.
	for k, want := range []string{"naive gold answers 0/1/1", "naive gold answers 0/2/0", "naive gold answers 0/2/0"} {
		at := rep.Judging[0].At[k]
		i := slices.IndexFunc(at.Pairs, func(p eval.Pair) bool { return p.A == "naive" })
		p := at.Pairs[i]
		if got := fmt.Sprintf("%s %s %d/%d/%d", p.A, p.B, p.Wins, p.Ties, p.Losses); got != want || at.Budget != o.At[k] {
			t.Errorf("at %d: %s, want %s", at.Budget, got, want)
		}
	}
	if got, want := asJSON(t, rep.Judging[0].At[2].Pairs), asJSON(t, rep.Judging[0].Pairs); got != want {
		t.Errorf("with the run's budget %s, want %s", got, want)
	}

	// From what is kept the report is the same.
	before := s.Counters()
	o.Answers.Models, o.Answers.Judges[0] = keptOnly("m"), keptOnly("j")
	again, err := eval.Run(t.Context(), o)
	check(t, err)
	for i := range rep.Methods {
		if got, want := asJSON(t, again.Methods[i].At), asJSON(t, rep.Methods[i].At); got != want {
			t.Errorf("%s again: %s, and was %s", rep.Methods[i].Name, got, want)
		}
	}
	if got, want := asJSON(t, again.Judging), asJSON(t, rep.Judging); got != want {
		t.Errorf("judged again: %s, and was %s", got, want)
	}
	if after := s.Counters(); after.Chats != before.Chats || before.Repeated != 0 {
		t.Errorf("%d requests more, %d repeated", after.Chats-before.Chats, before.Repeated)
	}

	// The page has tables and plots of them.
	var page bytes.Buffer
	check(t, eval.WriteHTML(&page, []*eval.Report{rep}))
	for _, want := range []string{"em at 20", "f1 at 400", "Exact answers over tokens", "F1 of answers over tokens", "Answers from 4,000 tokens, judged by j", "coverage vs naive",
		"At equal tokens · of 3 questions 2 have answers, 2 gold records"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestPlanOfAnswers: if all prompts and answers differ, what is asked is what the plan
// says, and the plan is had without asking.
func TestPlanOfAnswers(t *testing.T) {
	t.Parallel()
	said := 0
	var mu sync.Mutex
	s := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		if c.Kind == llm.Judge {
			return `{"reason":"They are alike.","winner":-1}`, true
		}
		mu.Lock()
		defer mu.Unlock()
		said++
		return fmt.Sprint("Answer ", said), true
	}})
	// One record, two and three, so that no two budgets have one prompt.
	var plans []eval.AnswerPlan
	o := eval.Options{
		Data: millsAt(t), Specs: specs(t, "naive"), Methods: methods.All(), Engine: inMemory(), Budget: 40, At: []int{20, 40, 60},
		Answers: &eval.AnswerOptions{
			Models: chatAt(s.URL, "m"), Judges: []func(context.Context, *rag.Corpus) (*rag.Models, error){chatAt(s.URL, "j")},
			Begin: func(p eval.AnswerPlan) error { plans = append(plans, p); return nil },
		},
	}
	plan, err := eval.PlanAnswers(t.Context(), o)
	check(t, err)
	if n := s.Counters().Requests; n != 0 || len(plans) != 0 {
		t.Errorf("the plan made %d requests", n)
	}
	// Three questions within three budgets; verdicts in both orders.
	if plan.Answers != 9 || plan.Tokens != 3*(20+40+60) || plan.Verdicts != 2*9 || plan.USD == nil || *plan.USD != float64(plan.Tokens)/1e6 {
		t.Errorf("%+v", plan)
	}
	rep, err := eval.Run(t.Context(), o)
	check(t, err)
	if len(plans) != 1 || asJSON(t, plans[0]) != asJSON(t, plan) {
		t.Errorf("the run says %+v, want %+v", plans, plan)
	}
	verdicts := rep.Judging[0].Verdicts
	if said != plan.Answers || s.Counters().Chats != said+verdicts {
		t.Errorf("%d answers of %d, %d requests", said, plan.Answers, s.Counters().Chats)
	}
	// q4 has no known answer to be judged against.
	if verdicts != plan.Verdicts-2*3 {
		t.Errorf("%d verdicts, at most %d", verdicts, plan.Verdicts)
	}

	o.Answers.Judges = append(o.Answers.Judges, o.Answers.Judges[0])
	o.Specs, o.At = specs(t, "naive", "bm25", "zeroshot"), nil
	plan, err = eval.PlanAnswers(t.Context(), o)
	check(t, err)
	if plan.Answers != 9 || plan.Tokens != 9*40 || plan.Verdicts != 2*3*6*2 {
		t.Errorf("without further budgets: %+v", plan)
	}
	writeFile(t, filepath.Join(o.Data, "questions.jsonl"), `{"id":"q4","question":"How?"}`)
	o.Specs = specs(t, "naive")
	if _, err := eval.PlanAnswers(t.Context(), o); err == nil || !strings.Contains(err.Error(), "a judge compares the answers of two methods") {
		t.Errorf("one side: %v", err)
	}
}
