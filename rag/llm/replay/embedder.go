package replay

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/rag/llm"
)

// ErrNotRecorded is the error for a task without a recording.
var ErrNotRecorded = errors.New("not recorded")

// NewEmbedder returns an embedder of a space that has no vectors of its own: all
// that are wanted have to be kept already.
func NewEmbedder(space llm.SpaceInfo) llm.Embedder { return keptVectors{space} }

type keptVectors struct{ space llm.SpaceInfo }

// Embed implements [llm.Embedder]: any text at all is [ErrNotRecorded].
func (e keptVectors) Embed(_ context.Context, texts []string) ([][]float32, llm.Usage, error) {
	if len(texts) == 0 {
		return nil, llm.Usage{}, nil
	}
	return nil, llm.Usage{}, phase.Errorf("vectors of %s for %d texts: %w", e.space.Model, len(texts), ErrNotRecorded)
}

// Space implements [llm.Embedder].
func (e keptVectors) Space() llm.SpaceInfo { return e.space }
