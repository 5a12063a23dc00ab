package rag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
)

// modelsAt returns m for a question that is answered from a snapshot. The local
// model says what it had been taught by then; a part that is missing or embeds
// in another space than the corpus is in its place an error, for the plans that
// want it. nil is the corpus's own models.
func (c *Corpus) modelsAt(ctx context.Context, s *engine.Snapshot, m *Models) (*Models, error) {
	if m == nil {
		own, err := c.OpenModels(ctx)
		if err != nil {
			return nil, err
		}
		m = own
	}
	v := s.Graph(c.base).WithContext(ctx)
	bound := m.with(c)
	questions, isLocal := m.Questions.(localQuestions)
	rules, hasRules := m.Provider.(localRules)
	if isLocal || hasRules {
		l := questions.l
		if !isLocal {
			l = rules.l
		}
		// Whatever they were opened for, questions want the table that all
		// documents are embedded with.
		now, err := l.read(v, false)
		if err != nil {
			return nil, fmt.Errorf("local model: %w", err)
		}
		bound.cases = now.cases
		if isLocal {
			bound.Questions = now.questions()
		}
		if hasRules {
			bound.Provider = now.rules(c)
		}
	}
	have, ok, err := readEmbeddingModel(v.Bucket(bucketModels))
	if err != nil {
		return nil, err
	}
	switch {
	case m.Questions == nil && ok:
		bound.Questions = refusing{llm.SpaceInfo{}, &ModelError{Have: have}}
	case m.Questions == nil:
		bound.Questions = refusing{llm.SpaceInfo{}, errNoEmbedder}
	case ok:
		if want := embeddingModelOf(bound.Questions.Space()); have != want {
			bound.Questions = refusing{bound.Questions.Space(), &ModelError{have, want}}
		}
	}
	return bound, nil
}

// with returns a copy of m that lacks nothing but what only its maker can give:
// a [Models] that was written as a literal has the corpus c and a meter.
func (m *Models) with(c *Corpus) *Models {
	other := Models{}
	if m != nil {
		other = *m
	}
	if other.corpus == nil {
		other.corpus = c
	}
	if other.meter == nil {
		other.meter = cost.NewMeter(nil, cost.Limits{})
	}
	if other.shared == nil {
		other.shared = &sharedModels{}
	}
	return &other
}

// usable refuses models that cannot answer tasks.
func (m *Models) usable() error {
	switch {
	case m == nil:
		return phase.Errorf("%w: nil models: open them with OpenLocal, NewModels or Corpus.OpenModels", ErrArgument)
	case m.Provider == nil:
		return phase.Errorf("%w: %w: the models have no provider of answers", ErrArgument, llm.ErrProvider)
	case m.corpus == nil && !m.Free:
		return phase.Errorf("%w: models of no corpus: make them with OpenLocal or NewModels", ErrArgument)
	}
	return nil
}

// errNoEmbedder says that models lack an embedder.
var errNoEmbedder = fmt.Errorf("%w: %w: the models have no embedder", ErrArgument, llm.ErrProvider)

// refusing is an embedder that gives a reason in place of vectors.
type refusing struct {
	info llm.SpaceInfo
	why  error
}

// Space implements [llm.Embedder].
func (e refusing) Space() llm.SpaceInfo { return e.info }

// Embed implements [llm.Embedder].
func (e refusing) Embed(context.Context, []string) ([][]float32, llm.Usage, error) {
	return nil, llm.Usage{}, e.why
}

// QuestionSpace returns the space of Questions, the zero one where there is no
// embedder.
func (m *Models) QuestionSpace() llm.SpaceInfo {
	if m == nil || m.Questions == nil {
		return llm.SpaceInfo{}
	}
	return m.Questions.Space()
}

// DocumentSpace returns the space of Documents, the zero one where there is no
// embedder.
func (m *Models) DocumentSpace() llm.SpaceInfo {
	if m == nil || m.Documents == nil {
		return llm.SpaceInfo{}
	}
	return m.Documents.Space()
}
