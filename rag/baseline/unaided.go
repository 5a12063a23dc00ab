package baseline

import (
	"context"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// unaided is zeroshot or cot: nothing is retrieved, and a model answers from
// what it knows. The local rules know nothing: to them there is no evidence.
type unaided struct{ rag.Graphless }

var _ rag.Unaided = (*unaided)(nil)

func openUnaided(name string) opener {
	return func(_ context.Context, _ *rag.Corpus, params map[string]string) (rag.System, error) {
		g, err := rag.NewGraphless(rag.ReadParams(name, params, nil, nil))
		if err != nil {
			return nil, err
		}
		return &unaided{g}, nil
	}
}

// Plan implements [rag.System]: a plan without sections.
func (s *unaided) Plan(context.Context, *rag.Models, rag.Question) (*rag.Plan, error) {
	return &rag.Plan{}, nil
}

// Unaided implements [rag.Unaided].
func (s *unaided) Unaided(question string) llm.AnswerInput {
	return llm.AnswerInput{Question: question, Unaided: true, Steps: s.Name() == "cot"}
}
