package rag

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
)

// Answerer is implemented by methods that do not answer from all of the
// evidence at once, but from what they make of it first.
type Answerer interface {
	// Condense returns what the answer is to be made of. in holds the evidence,
	// numbered; what is made of a piece keeps its number, by which the answer
	// cites the piece, and several may have one number. A piece without text is
	// one that the models cannot read. docs are the documents that the evidence
	// is from, for [Models.Do]. The error is [llm.ErrNoEvidence] where the
	// evidence does not speak of the question.
	Condense(ctx context.Context, m *Models, q Question, in llm.AnswerInput, docs []string) (llm.AnswerInput, error)
}

// Unaided is implemented by methods that answer from what the model knows: their
// answers need no evidence. The local rules know nothing, and say so.
type Unaided interface {
	// Unaided returns what the answer is to be made of.
	Unaided(question string) llm.AnswerInput
}
