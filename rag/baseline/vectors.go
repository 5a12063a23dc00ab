package baseline

import (
	"context"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// vectorStage gives entities or relations their vectors of one kind.
type vectorStage struct {
	s     *openIE
	kind  string
	model llm.SpaceInfo
}

// Name implements [method.Stage].
func (st *vectorStage) Name() string { return "embed " + st.kind }

// Graph implements [method.Stage].
func (st *vectorStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage].
func (st *vectorStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	typ := typeEntity
	if st.kind == spaceRelation {
		typ = typeRelation
	}
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		for n, err := range graph.ReadAll(v, typ) {
			var text string
			if err == nil {
				text, err = st.text(v, n)
			}
			if !yield(method.WorkItem{Key: graph.NodeItem(n.ID), Digest: method.Digest("embed", st.model.Model, text)}, err) || err != nil {
				return
			}
		}
	}
}

// text is what a node's vector is of. A name is as its key has it, so that it
// is one vector however the texts spell it.
func (st *vectorStage) text(v engine.Reader, n engine.Node) (string, error) {
	if st.kind == spaceName {
		return n.Key, nil
	}
	name, description, err := st.s.describe(v, n)
	return strings.TrimSpace(name + " " + description), err
}

// Do implements [method.Stage].
func (st *vectorStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	n, err := v.Node(id)
	if err != nil {
		return nil, err
	}
	text, err := st.text(v, n)
	if err != nil {
		return nil, err
	}
	return graph.Embed(ctx, v, m, id, text)
}

// Apply implements [method.Stage].
func (st *vectorStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	id, vec, err := graph.ReadVector(result)
	if err != nil {
		return err
	}
	v, space := tx.Graph(st.s.g), spaceOf(st.kind, st.model.Model)
	o := engine.SpaceOptions{Dim: st.model.Dim, Model: st.model.Model, Metric: vecindex.Cosine}
	if st.kind == spaceName {
		o.Kind = vecindex.HNSW // each is asked for its nearest: see synonymStage
	}
	if err := v.MakeSpace(space, o); err != nil {
		return err
	}
	if vec == nil {
		return v.DeleteVector(space, id)
	}
	return v.PutVector(space, id, vec)
}
