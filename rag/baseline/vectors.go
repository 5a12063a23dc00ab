package baseline

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/vecindex"
)

// embed gives entities or relations their vectors of one kind. A name is embedded
// as its key has it, so that it has one vector however the texts spell it.
func (s *openIE) embed(kind string, model llm.SpaceInfo) *graph.Embedding {
	o := engine.SpaceOptions{Dim: model.Dim, Model: model.Model, Metric: vecindex.Cosine, Kind: vecindex.Auto}
	if kind == spaceName {
		o.Kind = vecindex.HNSW // each is asked for its nearest: see synonymStage
	}
	typ, space := typeEntity, spaceOf(kind, model.Model)
	if kind == spaceRelation {
		typ = typeRelation
	}
	return &graph.Embedding{
		Stage: graph.NewStage("embed "+kind, s.g), Model: model, Types: []string{typ}, Kind: "embed",
		Text: func(v engine.Reader, n engine.Node) ([]string, error) {
			if kind == spaceName {
				return []string{n.Key}, nil
			}
			name, description, err := s.describe(v, n)
			return []string{strings.TrimSpace(name + " " + description)}, err
		},
		Put: func(v *engine.TxView, id engine.NodeID, _ [32]byte, vec []float32) error {
			if err := v.MakeSpace(space, o); err != nil {
				return err
			}
			return graph.SetVector(v, space, id, vec)
		},
	}
}
