package models

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
)

// At returns m for a question that is answered from a commit, of which v is the base
// graph. The local model says what it had been taught by then; a part that is missing
// or embeds in another space than the corpus is in its place an error, for the plans
// that want it.
func (m *Models) At(v *engine.View) (*Models, error) {
	bound := m.Ensure(nil, nil)
	own := bound.parts
	l := bound.local
	err := v.Ahead(2, func(v *engine.View, i int) (err error) {
		switch {
		case i == 0:
			_, _, err = readEmbeddingModel(v.Bucket(bucketModels))
		case l != nil && (own.Provider == nil || own.Questions == nil):
			_, err = l.Read(v, false)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if l != nil && (own.Provider == nil || own.Questions == nil) {
		// Whatever they were opened for, questions want the table that all
		// documents are embedded with.
		now, err := l.Read(v, false)
		if err != nil {
			return nil, fmt.Errorf("local model: %w", err)
		}
		bound.Cases = now.Cases
		if own.Questions == nil {
			bound.full.Questions = now.Questions()
		}
		if own.Provider == nil {
			bound.full.Provider = now.Rules(l.C, own.Tagger)
		}
	}
	have, ok, err := readEmbeddingModel(v.Bucket(bucketModels))
	if err != nil {
		return nil, err
	}
	switch {
	case bound.full.Questions == nil && ok:
		bound.full.Questions = refusing{llm.SpaceInfo{}, &ModelError{Have: have}}
	case bound.full.Questions == nil:
		bound.full.Questions = refusing{llm.SpaceInfo{}, errNoEmbedder}
	case ok:
		if want := EmbeddingModelOf(bound.full.Questions.Space()); have != want {
			bound.full.Questions = refusing{bound.full.Questions.Space(), &ModelError{have, want}}
		}
	}
	return bound, nil
}

// Ensure returns a copy of m that lacks nothing but what only its maker can give:
// models that are nil or the zero value have the ledger l and a meter.
func (m *Models) Ensure(l *ledger.Ledger, tokens *text.Tokenizer) *Models {
	other := Models{}
	if m != nil {
		other = *m
	}
	if other.ledger == nil {
		other.ledger, other.tokens = l, tokens
	}
	if other.meter == nil {
		other.meter = cost.NewMeter(nil, cost.Limits{})
	}
	if other.shared == nil {
		other.shared = newShared()
	}
	return &other
}

// Reopen returns m with the newest of what the corpus has taught in place of
// local models that were opened at another time.
func (m *Models) Reopen(ctx context.Context) (*Models, error) {
	if m.local == nil {
		return m, nil
	}
	l, err := words.OpenLocal(ctx, m.local.C, true)
	if err != nil {
		return nil, err
	}
	out := *m
	out.local = l
	return out.With(m.parts), nil
}

// OnlySpace returns an embedder that gives a reason in place of vectors.
func OnlySpace(space llm.SpaceInfo, why error) llm.Embedder { return refusing{space, why} }

// usable refuses models that cannot answer tasks.
func (m *Models) usable() error {
	switch {
	case m == nil:
		return phase.Errorf("%w: nil models: open them with OpenLocal, NewModels or Corpus.OpenModels", corpus.ErrArgument)
	case m.full.Provider == nil:
		return phase.Errorf("%w: %w: the models have no provider of answers", corpus.ErrArgument, llm.ErrProvider)
	case m.ledger == nil && !m.full.Free:
		return phase.Errorf("%w: models of no corpus: make them with OpenLocal or NewModels", corpus.ErrArgument)
	}
	return nil
}

// errNoEmbedder says that models lack an embedder.
var errNoEmbedder = fmt.Errorf("%w: %w: the models have no embedder", corpus.ErrArgument, llm.ErrProvider)

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

// QuestionSpace returns the space of Questions, the zero one if there is no
// embedder.
func (m *Models) QuestionSpace() llm.SpaceInfo { return spaceOf(m.Questions()) }

// ownVectors is what vectors that are learnt from the words of the corpus count beside
// its words: more pulls texts of frequent words up
// (docs/design/0009-real-documents.md).
const ownVectors = 0.1

// VectorWeights returns the weights of a search by vectors and of one by words in the sum
// of both ([query.Union]); nil, which is 1 for both, with those of a pretrained model.
func (m *Models) VectorWeights() []float64 {
	if m.QuestionSpace().Recomputable {
		return []float64{ownVectors, 1}
	}
	return nil
}

// DocumentSpace returns the space of Documents, the zero one if there is no
// embedder.
func (m *Models) DocumentSpace() llm.SpaceInfo { return spaceOf(m.Documents()) }

func spaceOf(e llm.Embedder) llm.SpaceInfo {
	if e == nil {
		return llm.SpaceInfo{}
	}
	return e.Space()
}
