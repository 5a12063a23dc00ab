package baseline

import (
	"context"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

// hippoRAG2 ranks chunks as nodes of the graph, by a walk from the entities of
// the triples nearest to the question and from the chunks nearest to it
// (Gutierrez et al., "From RAG to Memory: Non-Parametric Continual Learning for
// Large Language Models", 2025, section 3).
type hippoRAG2 struct {
	*openIE
	damping, passages float64
	triples           int
}

func openHippoRAG2(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	g := newOpenIE(c, "hipporag2", params)
	s := &hippoRAG2{openIE: g}
	s.damping = g.r.Float("damping", 0.5, 0, 0.99)
	s.passages = g.r.Float("passages", 0.05, 0, 1)
	s.triples = g.r.Int("triples", 5, 1, 1000)
	return g.open(ctx, s.plan)
}

// plan is [method.System.Plan]. It calls no model: of the near triples all are
// kept, while the paper has a model choose.
func (s *hippoRAG2) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	facts := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(spaceRelation, m.QuestionSpace().Model), Text: q.Text, K: s.triples,
		Source: "query to triple, section 3.3",
	}
	named := s.spread(facts, edgeEnd, "mean of the triples' scores")
	named.Combine = query.Mean
	phrases := &query.Reweigh{
		In: named, By: s.specific("score/chunks", func(it query.Item) float64 { return it.Score }), Source: "phrase nodes, section 3.4",
	}
	near := s.near(m, q)
	seeds := &query.Union{In: []query.Op{phrases}, Combine: query.First, Source: "seed nodes"}
	if s.passages > 0 {
		seeds.In = append(seeds.In, &query.Rescale{In: near, To: s.passages, Source: "passage nodes, section 3.4"})
	}
	walk := &query.PPR{
		In: seeds, Graph: s.g,
		Types: []string{edgeRelation, edgeSynonym, edgeMentions}, Alpha: restart(s.damping), Steps: walkSteps, InMemory: true,
		Quotas: []query.TypeQuota{{Types: []string{method.ChunkNodeType}, Most: Candidates}}, Source: "PPR, section 3.4",
	}
	return s.chunkPlan(q, walk, near), nil
}
