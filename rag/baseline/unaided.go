package baseline

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// openUnaided opens zeroshot or cot: nothing is retrieved, and a model answers from
// what it knows. The local rules know nothing: to them there is no evidence.
func openUnaided(name string) opener {
	return func(_ context.Context, _ *method.Corpus, params map[string]string) (*method.System, error) {
		id, err := method.NewGraphless(method.ReadParams(name, params, nil))
		if err != nil {
			return nil, err
		}
		plan := func(context.Context, *method.Models, method.Question) (*method.Plan, error) {
			return &method.Plan{}, nil
		}
		unaided := func(question string) llm.AnswerInput {
			return llm.AnswerInput{Question: question, Unaided: true, Steps: name == "cot"}
		}
		return &method.System{Identity: id, Plan: plan, Unaided: unaided}, nil
	}
}
