package ketrag

import (
	"context"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// entityStage gives entities the vectors by which questions find them: of name
// and description (spec B1).
type entityStage struct {
	s     *system
	model llm.SpaceInfo
}

// Name implements [method.Stage].
func (st *entityStage) Name() string { return "entities" }

// Graph implements [method.Stage].
func (st *entityStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage].
func (st *entityStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		ids, err := st.s.nodes(v, typeEntity)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, id := range ids {
			name, text, err := knowledge.Describe(v, engine.NodeTarget(id))
			w := method.WorkItem{Key: graph.NodeItem(id), Digest: method.Digest("entity", st.model.Model, name, text)}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [method.Stage].
func (st *entityStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	name, text, err := knowledge.Describe(v, engine.NodeTarget(id))
	if err != nil {
		return nil, err
	}
	return graph.Embed(ctx, v, m, id, name+": "+text)
}

// Apply implements [method.Stage].
func (st *entityStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	id, vec, err := graph.ReadVector(result)
	if err != nil || vec == nil {
		return err
	}
	v := tx.Graph(st.s.g)
	space := spaceOf(typeEntity, st.model.Model)
	if err := method.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
		return err
	}
	return v.PutVector(space, id, vec)
}

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	words := s.keywords(m)
	first := method.Step{Stage: words, Batch: &method.Batch{Pending: words.pending, Flush: words.flush, Reset: words.reset}}
	return append([]method.Step{first}, method.Steps(
		&renewStage{s, model},
		&nearStage{s, model},
		&coreStage{s},
		s.extract(),
		&knowledge.Describer{
			Corpus: s.c, System: &s.Identity, Nodes: []string{typeEntity}, Edges: []string{edgeRelation}, When: knowledge.Always,
		},
		&entityStage{s, model},
	)...)
}

// extract reads entities and relations from the core (spec B2.5). What was found is
// contributed by the core chunks in which it stands.
func (s *system) extract() *knowledge.Extract {
	return &knowledge.Extract{
		Reader: knowledge.Reader{
			Corpus: s.c, System: &s.Identity, Profile: s.p.Profile, Wanted: s.coreChunks, Core: s.p.Read == "core",
		},
		Layer: knowledge.Layer{Source: typeSkeleton},
	}
}

// coreChunks returns the keys of the chunks in the core.
func (s *system) coreChunks(v *engine.View) (map[string]bool, error) {
	core := map[string]bool{}
	for n, err := range graph.ReadAll(v, typeSkeleton) {
		if err != nil {
			return nil, err
		}
		core[n.Key] = true
	}
	return core, nil
}
