package linearrag

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

// candidates is how many chunks are seeds by their likeness to the question, and how
// many the walk ranks.
const candidates = 1000

// plan is [method.System.Plan]. It calls no model.
func (s *system) plan(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	names, err := s.names(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	near := s.near(m, q)
	if len(names) == 0 {
		return s.pack(q, near), nil
	}
	model := m.QuestionSpace().Model
	a := s.activate(s.link(names, model), q.Text, model)
	seeds := &query.Union{Combine: query.First, In: []query.Op{a.all, s.passages(near, a)}, Source: "seeds of the walk"}
	walk := &query.PPR{
		In: seeds, Graph: s.g, Types: []string{edgeContains}, Alpha: restart(s.p.Damping), Steps: steps(s.p.Damping),
		Weights: graphops.UnitWeights, InMemory: true,
		Quotas: []query.TypeQuota{{Types: []string{method.ChunkNodeType}, Most: candidates}},
		Source: "global importance aggregation",
	}
	return s.pack(q, walk), nil
}

// pack packs ranked chunks.
func (s *system) pack(q method.Question, ranked query.Op) *method.Plan {
	return &method.Plan{Sections: []method.Section{{Name: "text", Pack: &query.Pack{
		In: ranked, Name: "text", Budget: q.Tokens(), Render: s.render, Cut: s.c.CutText,
	}}}}
}

// names returns the names in a question, as entities are called.
func (s *system) names(ctx context.Context, question string) ([]string, error) {
	found, err := local.New(local.Options{}).Names(ctx, question)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, n := range found {
		if !slices.Contains(keys, n.Key) {
			keys = append(keys, n.Key)
		}
	}
	read, err := s.c.ReadAs(ctx, keys)
	slices.Sort(read)
	return slices.Compact(read), err
}

// link takes for each name the entity nearest to it.
func (s *system) link(names []string, model string) query.Op {
	out := &query.Union{Combine: query.Max, Source: "the question's entities"}
	for _, name := range names {
		out.In = append(out.In, &query.VectorSearch{Graph: s.g, Space: spaceOf(spaceName, model), Text: name, K: 1, Source: text.OneLine(name)})
	}
	return out
}

// near ranks the chunks of the graph by likeness to the question, from 1 to 0.
func (s *system) near(m *method.Models, q method.Question) query.Op {
	set := s.ChunkSet()
	dense := &query.VectorSearch{
		Graph: s.c.Base(), Space: method.ChunkSpace(set, m.QuestionSpace().Model), Text: q.Text, K: candidates,
	}
	var ranked query.Op = dense
	if s.p.Rank == "hybrid" {
		words := s.c.TextSearch(set, q.Text, candidates)
		ranked = &query.Union{In: []query.Op{dense, words}, Combine: query.ZSum}
		if !m.QuestionSpace().Recomputable {
			ranked = dense
		}
	}
	return &query.Twins{
		In: &query.Rescale{In: ranked}, Graph: s.g, Type: method.ChunkNodeType, Of: s.c.Base(), Source: "sim(q, passage)",
	}
}

// restart is the probability that a walk with a damping begins again, without the
// noise of a difference.
func restart(damping float64) float64 { return math.Round((1-damping)*1e9) / 1e9 }

// steps are those after which a millionth of a walk is left that has not begun again.
func steps(damping float64) int {
	if damping < 0.01 {
		return 1
	}
	return min(100, int(math.Ceil(math.Log(1e-6)/math.Log(damping))))
}

// render is the text of a chunk of the method's graph, read through to the base graph.
func (s *system) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	return s.c.TextOf(ctx, e.Snap, s.ChunkSet(), n.Key)
}
