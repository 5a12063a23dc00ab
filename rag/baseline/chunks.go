package baseline

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// chunksAlone is bm25, dense, naive or hyde.
type chunksAlone struct {
	method.Identity
	c *method.Corpus
}

func openChunks(name string) opener {
	return func(_ context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
		id, err := method.NewGraphless(method.ReadParams(name, params, nil))
		if err != nil {
			return nil, err
		}
		s := &chunksAlone{id, c}
		return &method.System{Identity: id, Plan: s.plan}, nil
	}
}

// plan is [method.System.Plan]. hyde calls a model once. naive adds the scores of
// words and vectors. If the vectors are a model's and not ragdb's own, of words,
// they have every second place alone: a passage that shares no word with the
// question loses in the sum to each one that does.
func (s *chunksAlone) plan(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	lexical := s.c.TextSearch(s.ChunkSet(), q.Text, Candidates)
	dense := nearest(s.c, s.ChunkSet(), m, q.Text)
	var rank query.Op
	switch s.Name() {
	case "bm25":
		rank = lexical
	case "dense":
		rank = dense
	case "naive":
		rank = &query.Union{In: []query.Op{dense, lexical}, Weights: m.VectorWeights(), Combine: query.ZSum}
		if !m.QuestionSpace().Recomputable {
			rank = &query.Union{In: []query.Op{rank, dense}, Combine: query.Turns, Source: "a model of meaning has every second place"}
		}
	case "hyde":
		passage, err := hypothetical(ctx, m, q)
		if err != nil {
			return nil, err
		}
		dense.Text, dense.Source = passage, "HyDE, Eq. 8 with one passage"
		rank = dense
	}
	pack := &query.Pack{
		In: rank, Name: "text", Budget: q.Tokens(), Render: s.c.RenderChunk, Cut: s.c.CutText,
	}
	return &method.Plan{Sections: []method.Section{{Name: "text", Pack: pack}}}, nil
}

// nearest ranks the chunks of the base graph by the vector of a text.
func nearest(c *method.Corpus, set text.ChunkSet, m *method.Models, s string) *query.VectorSearch {
	return &query.VectorSearch{
		Graph: c.Base(), Space: method.ChunkSpace(set, m.QuestionSpace().Model), Text: s, K: Candidates,
	}
}

// hypothetical asks a model for a passage that could answer the question (Gao
// et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", 2022).
// The local rules only turn the question into a statement. If there is no
// passage it is the question.
func hypothetical(ctx context.Context, m *method.Models, q method.Question) (string, error) {
	reply, err := m.Do(ctx, "question", nil, llm.Task{
		Kind: llm.HypotheticalPassage, Lang: q.Lang, Input: llm.QuestionInput{Question: q.Text},
	})
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(reply.Text) == "" {
		return q.Text, nil
	}
	return reply.Text, nil
}
