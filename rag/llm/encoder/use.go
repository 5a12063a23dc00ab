package encoder

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
)

// Embedder returns the model as what makes vectors of texts of a kind: the vectors
// of passages and of queries are of one space. It ends with the model.
func (m *Model) Embedder(kind Kind) llm.Embedder { return embedder{m, kind} }

// Reranker returns the cross-encoder as what orders passages. It ends with the
// model.
func (m *Model) Reranker() llm.Reranker { return reranker{m} }

// inProcess begins the names of models that run in this process from a folder.
const inProcess = "file/"

type embedder struct {
	m    *Model
	kind Kind
}

// Space implements [llm.Embedder].
func (e embedder) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: inProcess + e.m.Name(), Dim: e.m.Dim()}
}

// Embed implements [llm.Embedder].
func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	v, err := e.m.Embed(ctx, texts, e.kind)
	if err != nil {
		return nil, llm.Usage{}, err
	}
	return v, llm.Usage{Calls: 1}, nil
}

type reranker struct{ m *Model }

// Name implements [llm.Reranker].
func (r reranker) Name() string { return inProcess + r.m.Name() }

// Rerank implements [llm.Reranker].
func (r reranker) Rerank(ctx context.Context, question string, passages []string) ([]float64, llm.Usage, error) {
	scores, err := r.m.Score(ctx, question, passages)
	if err != nil {
		return nil, llm.Usage{}, err
	}
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = float64(s)
	}
	return out, llm.Usage{Calls: 1}, nil
}
