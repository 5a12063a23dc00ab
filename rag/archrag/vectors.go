package archrag

import (
	"context"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// embedStage gives entities or relations their vectors (spec A1): entities, in
// layer 0, that of name and description; relations that of the description.
type embedStage struct {
	s     *system
	typ   string
	model llm.SpaceInfo
}

// Name implements [method.Stage].
func (st *embedStage) Name() string { return "embed " + st.typ }

// Graph implements [method.Stage].
func (st *embedStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage].
func (st *embedStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		for id, err := range graph.Nodes(v, st.typ) {
			var text string
			if err == nil {
				text, err = st.text(v, id)
			}
			if !yield(method.WorkItem{Key: graph.NodeItem(id), Digest: method.Digest("embed", st.model.Model, text)}, err) || err != nil {
				return
			}
		}
	}
}

// text is what a node's vector is of.
func (st *embedStage) text(v engine.Reader, id engine.NodeID) (string, error) {
	if st.typ == typeRelation {
		if _, text, err := knowledge.Describe(v, engine.NodeTarget(id)); err != nil || text != "" {
			return text, err
		}
	}
	name, text, err := st.s.describe(v, id)
	return strings.TrimSpace(name + " " + text), err
}

// Do implements [method.Stage]: the node as u64, then its vector.
func (st *embedStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	text, err := st.text(v, id)
	if err != nil {
		return nil, err
	}
	return graph.Embed(ctx, v, m, id, text)
}

// Apply implements [method.Stage].
func (st *embedStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	id, vec, err := graph.ReadVector(result)
	if err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	if st.typ == typeRelation {
		space := relationSpace(st.model.Model)
		if err := method.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
			return err
		}
		if vec == nil {
			return v.DeleteVector(space, id)
		}
		return v.PutVector(space, id, vec)
	}
	return st.s.putNode(v, st.model, id, 0, w.Digest, vec)
}

// putNode writes the vector of an entity or community, and the digest by which
// the clustering above knows that it has changed.
func (s *system) putNode(v *engine.TxView, model llm.SpaceInfo, id engine.NodeID, layer uint8, digest [32]byte, vec []float32) error {
	space := nodeSpace(model.Model)
	if err := v.MakeSpace(space, s.spaceOptions(model)); err != nil {
		return err
	}
	if err := v.SetProps(id, engine.Props{propEmbedded: engine.Bytes(digest[:8])}); err != nil {
		return err
	}
	if vec == nil {
		return v.DeleteVector(space, id)
	}
	return v.PutLayerVector(space, id, layer, vec)
}

// spaceOptions describes the C-HNSW of entities and communities (spec A2.6).
func (s *system) spaceOptions(model llm.SpaceInfo) engine.SpaceOptions {
	return engine.SpaceOptions{
		Dim: model.Dim, Model: model.Model, Metric: vecindex.Cosine, Kind: vecindex.CHNSW,
		M: s.p.M, EfConstruction: vecindex.DefaultEfConstruction, Seed: uint64(s.p.Seed),
	}
}

// describe returns what an entity or relation is called, a relation by its ends,
// and how it is described.
func (s *system) describe(v engine.Reader, id engine.NodeID) (name, description string, err error) {
	t := engine.NodeTarget(id)
	if name, description, err = knowledge.Describe(v, t); err == nil && name == "" {
		name, err = s.describer().Ends(v, t)
	}
	return name, description, err
}
