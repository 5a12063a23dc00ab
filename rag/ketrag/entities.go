package ketrag

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// entities gives entities the vectors by which questions find them: of name and
// description (spec B1).
func (s *system) entities(model llm.SpaceInfo) *graph.Embedding {
	return &graph.Embedding{
		Stage: graph.NewStage("entities", s.g), Model: model, Types: []string{typeEntity}, Kind: "entity", Between: ": ",
		Text: func(v engine.Reader, n engine.Node) ([]string, error) {
			name, says, err := knowledge.Describe(v, engine.NodeTarget(n.ID))
			return []string{name, says}, err
		},
		Put: func(v *engine.TxView, id engine.NodeID, _ [32]byte, vec []float32) error {
			if vec == nil {
				return nil
			}
			space := spaceOf(typeEntity, model.Model)
			if err := method.MakeSpace(v, space, model, vecindex.Cosine); err != nil {
				return err
			}
			return v.PutVector(space, id, vec)
		},
	}
}

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	words := s.keywords(m)
	first := method.Step{
		Stage: words, Growth: words.growth(),
		Batch: &method.Batch{Pending: words.pending, Flush: words.flush, Reset: words.reset},
	}
	describer := &knowledge.Describer{
		Corpus: s.c, System: &s.Identity, Nodes: []string{typeEntity}, Edges: []string{edgeRelation}, When: s.p.Describe, Lag: s.p.Describe == knowledge.Over,
	}
	near, core := &nearStage{graph.NewWholeStage("near", s.g), s, model, s.exact}, &coreStage{graph.NewWholeStage("core", s.g), s}
	steps := append([]method.Step{first}, method.Steps(&renewStage{graph.NewStage("keyword vectors", s.g), s, model}, near, core)...)
	steps[2].Whole, steps[3].Whole = near.Whole(), core.Whole()
	return append(steps, s.extract().Step(), describer.Step(), s.entities(model).Step())
}

// extract reads entities and relations from the core (spec B2.5). What was found is
// contributed by the core chunks in which it stands.
func (s *system) extract() *knowledge.Extract {
	return &knowledge.Extract{
		Reader: knowledge.Reader{
			Corpus: s.c, System: &s.Identity, Profile: s.p.Profile, Wanted: s.inCore, Core: s.p.Read == "core",
		},
		Layer: knowledge.Layer{Source: typeSkeleton},
	}
}

// inCore reports whether a chunk is in the core.
func (s *system) inCore(v *engine.View, chunk string) (bool, error) {
	t, ok := v.NodeType(typeSkeleton)
	if !ok {
		return false, nil
	}
	_, err := v.Lookup(t, chunk)
	if graph.IsMissing(err) {
		return false, nil
	}
	return err == nil, err
}
