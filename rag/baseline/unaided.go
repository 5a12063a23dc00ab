package baseline

import (
	"context"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// openUnaided opens zeroshot or cot: nothing is retrieved, and a model answers from
// what it knows. The local rules know nothing: to them there is no evidence.
func openUnaided(name string) opener {
	return func(_ context.Context, _ *rag.Corpus, params map[string]string) (*rag.System, error) {
		id, err := rag.NewGraphless(rag.ReadParams(name, params, nil, nil))
		if err != nil {
			return nil, err
		}
		plan := func(context.Context, *rag.Models, rag.Question) (*rag.Plan, error) { return &rag.Plan{}, nil }
		unaided := func(question string) llm.AnswerInput {
			return llm.AnswerInput{Question: question, Unaided: true, Steps: name == "cot"}
		}
		return &rag.System{Identity: id, Plan: plan, Unaided: unaided}, nil
	}
}
