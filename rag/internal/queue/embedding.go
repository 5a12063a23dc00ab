package queue

import (
	"context"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/models"
)

// Embedding is a [Stage] whose results are vectors. [Embed] makes a step of it.
type Embedding interface {
	Name() string
	Graph() *engine.Graph
	Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[WorkItem, error]
	// Vector makes an item's vector, nil if the item has none. It is called as Do is.
	Vector(ctx context.Context, s *engine.Snapshot, m *models.Models, w WorkItem) ([]float32, error)
	// Put writes an item's vector. It is called as Apply is.
	Put(ctx context.Context, tx *engine.Tx, w WorkItem, vec []float32) error
}

// Embed returns the step of an embedding. A [Runner] hands each vector to Put as
// Vector returned it, without making bytes of it.
func Embed(e Embedding) Step { return Step{Stage: embedStage{e}, embedding: e} }

// embedStage is an embedding as a stage, for callers of Do and Apply other than a
// Runner.
type embedStage struct{ Embedding }

// Do implements [Stage].
func (e embedStage) Do(ctx context.Context, s *engine.Snapshot, m *models.Models, w WorkItem) ([]byte, error) {
	vec, err := e.Vector(ctx, s, m, w)
	return encoded.AppendVector(nil, vec), err
}

// Apply implements [Stage].
func (e embedStage) Apply(ctx context.Context, tx *engine.Tx, w WorkItem, result []byte) error {
	return e.Put(ctx, tx, w, encoded.ReadVector(result))
}

// do does an item's work.
func (st Step) do(ctx context.Context, s *engine.Snapshot, m *models.Models, w WorkItem) (out outcome) {
	out.item = w
	if st.embedding != nil {
		out.vec, out.err = st.embedding.Vector(ctx, s, m, w)
	} else {
		out.result, out.err = st.Do(ctx, s, m, w)
	}
	return out
}

// apply writes an item's result.
func (st Step) apply(ctx context.Context, tx *engine.Tx, o outcome) error {
	if st.embedding != nil {
		return st.embedding.Put(ctx, tx, o.item, o.vec)
	}
	return st.Apply(ctx, tx, o.item, o.result)
}
