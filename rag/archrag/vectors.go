package archrag

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// embed gives entities or relations their vectors (spec A1): entities, in layer 0,
// that of name and description; relations that of the description.
func (s *system) embed(typ string, model llm.SpaceInfo) *graph.Embedding {
	st := &graph.Embedding{Stage: graph.NewStage("embed "+typ, s.g), Model: model, Types: []string{typ}, Kind: "embed"}
	st.Text = func(v engine.Reader, n engine.Node) ([]string, error) {
		if typ == typeRelation {
			if _, text, err := knowledge.Describe(v, engine.NodeTarget(n.ID)); err != nil || text != "" {
				return []string{text}, err
			}
		}
		name, text, err := s.describe(v, n.ID)
		return []string{strings.TrimSpace(name + " " + text)}, err
	}
	if typ == typeRelation { // one of which nothing is said has the names of its ends
		st.Loose = func(v engine.Reader, n engine.Node) (bool, error) {
			_, text, err := knowledge.Describe(v, engine.NodeTarget(n.ID))
			return text == "", err
		}
	}
	st.Put = func(v *engine.TxView, id engine.NodeID, digest [32]byte, vec []float32) error {
		if typ == typeEntity {
			return s.putNode(v, model, id, 0, digest, vec)
		}
		space := relationSpace(model.Model)
		if err := method.MakeSpace(v, space, model, vecindex.Cosine); err != nil {
			return err
		}
		return graph.SetVector(v, space, id, vec)
	}
	return st
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

// spaceOptions describes the C-HNSW of entities and communities (spec A2.6), or the lists
// in its place.
func (s *system) spaceOptions(model llm.SpaceInfo) engine.SpaceOptions {
	if s.p.Index == "lists" {
		return engine.SpaceOptions{Dim: model.Dim, Model: model.Model, Metric: vecindex.Cosine, Kind: vecindex.IVF, Seed: uint64(s.p.Seed)}
	}
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
