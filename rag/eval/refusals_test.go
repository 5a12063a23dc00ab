package eval_test

import (
	"context"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestRefusals asks a set of invented texts in English, German and Chinese that
// was written after the rules for answers without a model were fixed: 60 questions
// that the texts answer, and 60 that ask for another name, model, year or
// attribute. docs/evaluation.md has the figures.
func TestRefusals(t *testing.T) {
	t.Parallel()
	r, err := eval.Run(t.Context(), eval.Options{
		Data: "testdata/answers", Specs: specs(t, "naive"), Methods: methods.All(), Engine: inMemory(), Seed: 1,
		Answers: &eval.AnswerOptions{Models: func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.OpenLocal(ctx, false, rag.Parts{})
		}},
	})
	check(t, err)
	o := r.Methods[0].Answers.Outcomes
	if o == nil || o.Answerable != 60 || o.Unanswerable != 60 {
		t.Fatalf("outcomes %+v", o)
	}
	t.Logf("%+v", *o)
	// Before there were refusals 53 were right and 7 wrong.
	if o.Wrong > 2 {
		t.Errorf("%d wrong answers, at most 2", o.Wrong)
	}
	if o.Right+o.Near < 53 {
		t.Errorf("%d right or among the nearest passages, at least 53", o.Right+o.Near)
	}
	if o.RightlyRefused < 56 {
		t.Errorf("%d of 60 unanswerable questions were refused, at least 56", o.RightlyRefused)
	}
}
