package rag

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
)

// ModelsWith returns models of a corpus that ask chat and embed with embedder.
// For one that is nil the local model stands in, as [OpenLocal] gives it for
// forIndex. A chat model that reads prompts wants [Models.Fill] beside it.
func ModelsWith(ctx context.Context, c *Corpus, chat llm.Provider, embedder llm.Embedder, forIndex bool) (*Models, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	if chat != nil && embedder != nil {
		return NewModels(c, chat, embedder, embedder), nil
	}
	m, err := OpenLocal(ctx, c, forIndex)
	if err != nil {
		return nil, err
	}
	if chat != nil {
		m.Provider, m.Free = chat, false
	}
	if embedder != nil {
		m.Documents, m.Questions = embedder, embedder
	}
	return m, nil
}
