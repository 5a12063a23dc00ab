package eval

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// AnswerPlan is what a run asks at most, of one data set. Each answer is to one question,
// by one method, from the evidence within one budget: that of the run, and each other
// one of [Options].At. A prompt that was sent before is not sent again.
type AnswerPlan struct {
	// Answers counts those of all methods and budgets, Tokens the evidence that they
	// read if each has all of its budget.
	Answers int `json:"answers"`
	Tokens  int `json:"tokens"`
	// Verdicts counts those of all judges. They read two answers each.
	Verdicts int `json:"verdicts"`
	// USD is the price of reading the evidence, nil if it is not known.
	USD *float64 `json:"usd,omitempty"`
}

// PlanAnswers returns what a run with these options would ask at most. It reads the
// questions, indexes nothing and asks nothing, and does not open the options' database.
// [Options].Answers must not be nil.
func PlanAnswers(ctx context.Context, o Options) (AnswerPlan, error) {
	o.DB, o.Known = "", nil
	r, err := newRunner(o)
	if err != nil {
		return AnswerPlan{}, phase.At("", err)
	}
	defer r.close()
	if err := r.open(ctx); err != nil {
		return AnswerPlan{}, phase.At("", err)
	}
	if r.specs, err = r.sweep(ctx, r.o.Specs, r.o.Sweeps); err != nil {
		return AnswerPlan{}, phase.At("", err)
	}
	if err := r.checkJudges(); err != nil {
		return AnswerPlan{}, phase.At("", err)
	}
	m, err := r.o.Answers.Models(ctx, r.corpus)
	if err != nil {
		return AnswerPlan{}, phase.At("", err)
	}
	return r.plan(m), nil
}

// answerBudgets are the budgets within which answers are made: the run's, then the
// others of o.At.
func (r *runner) answerBudgets() []int {
	out := []int{r.o.Budget}
	for _, b := range r.o.At {
		if b != r.o.Budget {
			out = append(out, b)
		}
	}
	return out
}

// plan tells what the run asks at most.
func (r *runner) plan(m *rag.Models) AnswerPlan {
	n, sides := len(r.questions), len(r.specs)
	var p AnswerPlan
	for _, budget := range r.answerBudgets() {
		p.Answers += n * sides
		p.Tokens += n * sides * budget
	}
	if r.known() {
		sides++ // the gold answers
	}
	p.Verdicts = len(r.o.Answers.Judges) * n * sides * (sides - 1) * len(r.answerBudgets())
	p.USD = price(m, llm.Usage{InTokens: p.Tokens})
	return p
}

// known reports whether any question has a known answer.
func (r *runner) known() bool {
	return slices.ContainsFunc(r.questions, func(q question) bool { return len(q.Answers) > 0 })
}

// checkJudges holds a run with judges to two sides at least.
func (r *runner) checkJudges() error {
	if len(r.o.Answers.Judges) > 0 && len(r.specs) < 2 && !r.known() {
		return errors.New("a judge compares the answers of two methods: name another, or questions with answers")
	}
	return nil
}
