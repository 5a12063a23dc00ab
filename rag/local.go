package rag

import (
	"context"
	"fmt"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// OpenLocal returns the models that need no network: what the corpus taught
// the local model, and rules. forIndex says that documents are to be embedded,
// with the newest word table; questions use the one that all documents are
// embedded with.
func OpenLocal(ctx context.Context, c *Corpus, forIndex bool) (*Models, error) {
	state, err := c.words(ctx)
	if err != nil {
		return nil, fmt.Errorf("rag: local model: %w", err)
	}
	version := state.current
	if forIndex || version == 0 {
		version = state.newest()
	}
	cases, err := c.loadCases(ctx)
	if err != nil {
		return nil, fmt.Errorf("rag: local model: %w", err)
	}
	m := NewModels(c, nil, nil, nil)
	m.Free = true
	var head local.Head
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		if version == 0 {
			return nil
		}
		b := s.Graph(c.Base).Bucket(bucketWords)
		head, err = local.LoadHead(func(key []byte) ([]byte, error) {
			return b.Get(wordKey(version, "table/"+string(key)), nil)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("rag: local model: %w", err)
	}
	live := local.NewLive(head, liveRows{c, version})
	m.Questions = live
	m.Documents = &tableEmbedder{corpus: c, head: head}
	m.Provider = local.New(local.Options{Names: cases, Embedder: live, Tokens: c.Tokens.Count})
	return m, nil
}

// tableEmbedder embeds documents, reading the word table the first time.
type tableEmbedder struct {
	corpus *Corpus
	head   local.Head

	once  sync.Once
	table *local.Table
	err   error
}

// Space implements [llm.Embedder].
func (e *tableEmbedder) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: e.head.Model(), Dim: local.Dim, Recomputable: true}
}

// Embed implements [llm.Embedder].
func (e *tableEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	e.once.Do(func() { e.table, e.err = e.corpus.loadTable(context.WithoutCancel(ctx)) })
	if e.err != nil {
		return nil, llm.Usage{}, e.err
	}
	return local.NewEmbedder(e.table).Embed(ctx, texts)
}
