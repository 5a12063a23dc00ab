package local

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
)

// Embedder is the [llm.Embedder] of a table. It is safe for concurrent use.
type Embedder struct {
	t *Table
}

// NewEmbedder returns the embedder of a table, for the texts that are stored.
// Questions are found better by [NewLive] once texts have been added.
func NewEmbedder(t *Table) *Embedder { return &Embedder{t} }

// Space implements [llm.Embedder]. The model is [Head.Model].
func (e *Embedder) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: e.t.head.Model(), Dim: Dim, Recomputable: true}
}

// Embed implements [llm.Embedder] by [Table.Embed]. A text without any word
// has a nil vector. The only error is that of the context.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, llm.Usage{}, err
		}
		out[i], _ = e.t.Embed(text)
	}
	return out, llm.Usage{Calls: 1}, nil
}
