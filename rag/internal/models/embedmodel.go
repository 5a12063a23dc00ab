package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// bucketModels holds, in the base graph, which model a corpus is embedded with.
const (
	bucketModels = "models"
	keyEmbedding = "embedding" // -> EmbeddingModel as JSON
)

// EmbeddingModel is the model whose vectors questions are compared with.
type EmbeddingModel struct {
	Model string `json:"model"` // [local.ModelName], or the name of the space's model
	Dim   int    `json:"dim"`
}

// EmbeddingModelOf returns the model whose vectors are of a space.
func EmbeddingModelOf(s llm.SpaceInfo) EmbeddingModel {
	if s.Recomputable {
		return EmbeddingModel{local.ModelName, s.Dim}
	}
	return EmbeddingModel{s.Model, s.Dim}
}

// ErrModel says that a corpus is embedded with another model than it is to be
// asked or added to with. The error is a [*ModelError]. Ask it with models whose
// embedders are of that model ([NewModels]), or index it again with
// [rag.IndexOptions] Reembed.
var ErrModel = errors.New("another embedding model")

// ModelError names both models.
type ModelError struct{ Have, Want EmbeddingModel }

// Error says which model the corpus has and which was given.
func (e *ModelError) Error() string {
	if e.Have.Model == e.Want.Model {
		return fmt.Sprintf("the vectors of %s have %d dimensions here, and %d now", e.Have.Model, e.Have.Dim, e.Want.Dim)
	}
	if e.Want.Model == "" {
		return fmt.Sprintf("the corpus is embedded with %s, and the models have no embedder of it", e.Have.Model)
	}
	return fmt.Sprintf("the corpus is embedded with %s, not %s", e.Have.Model, e.Want.Model)
}

// Is reports whether target is [ErrModel].
func (e *ModelError) Is(target error) bool { return target == ErrModel }

// EmbeddedWith returns the model that a corpus is embedded with; ok is false if
// nothing was embedded yet.
func EmbeddedWith(ctx context.Context, c *corpus.Corpus) (m EmbeddingModel, ok bool, err error) {
	err = c.View(ctx, func(s *engine.Snapshot) error {
		m, ok, err = readEmbeddingModel(s.Graph(c.Base()).Bucket(bucketModels))
		return err
	})
	if err != nil {
		err = phase.Errorf("embedding model: %w", err)
	}
	return m, ok, err
}

func readEmbeddingModel(b engine.Bucket) (m EmbeddingModel, ok bool, err error) {
	raw, err := b.Get([]byte(keyEmbedding), nil)
	if corpus.IsMissing(err) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	return m, err == nil, err
}

// Claim makes a model the corpus's if it has none. Otherwise other reports whether the
// corpus has another one, have.
func Claim(ctx context.Context, c *corpus.Corpus, want EmbeddingModel) (other bool, have EmbeddingModel, err error) {
	have, ok, err := EmbeddedWith(ctx, c)
	if err != nil || ok {
		return ok && have != want, have, err
	}
	return false, want, c.DB().Update(ctx, func(tx *engine.Tx) error { return putEmbeddingModel(tx.Graph(c.Base()), want) })
}

func putEmbeddingModel(v *engine.TxView, m EmbeddingModel) error {
	b, err := v.MakeBucket(bucketModels)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return b.Set([]byte(keyEmbedding), raw)
}

// ChangeModel makes another model the corpus's and removes the vectors of the
// one before in all graphs, in one commit.
func ChangeModel(ctx context.Context, c *corpus.Corpus, have, want EmbeddingModel) error {
	graphs, err := c.Graphs(ctx)
	if err != nil {
		return err
	}
	return c.DB().Update(ctx, func(tx *engine.Tx) error {
		names := []string{have.Model}
		if have.Model == local.ModelName {
			b, err := tx.Graph(c.Base()).MakeBucket(words.BucketWords)
			if err != nil {
				return err
			}
			state, err := words.ReadWordState(b.Bucket)
			if err != nil {
				return err
			}
			names = nil
			for _, version := range []uint32{state.Current, state.Next} {
				if version > 0 {
					names = append(names, local.Head{Version: version}.Model())
				}
			}
			if err := b.DeletePrefix(nil); err != nil {
				return err
			}
		}
		for _, g := range graphs {
			for _, name := range names {
				if err := corpus.DropModel(tx.Graph(g), name); err != nil {
					return err
				}
			}
		}
		return putEmbeddingModel(tx.Graph(c.Base()), want)
	})
}
