package baseline

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
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
	defaults := map[string]string{"damping": "0.5", "passages": "0.05", "triples": "5"}
	g := newOpenIE(c, "hipporag2", params, defaults)
	s := &hippoRAG2{openIE: g}
	s.damping = g.r.Float("damping", 0, 0.99)
	s.passages = g.r.Float("passages", 0, 1)
	s.triples = g.r.Int("triples", 1, 1000)
	return g.open(ctx, s.plan)
}

// plan is [method.System.Plan]. It calls no model: of the near triples all are
// kept, where the paper has a model choose.
func (s *hippoRAG2) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	facts := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(spaceRelation, m.QuestionSpace().Model), Text: q.Text, K: s.triples,
		Source: "query to triple, section 3.3",
	}
	phrases := &weigh{
		s: s.openIE, in: &spread{s: s.openIE, in: facts, edge: edgeEnd, mean: true}, name: "score/chunks",
		of: func(v *engine.View, it *query.Item) (float64, error) {
			w, err := specificity(v, it)
			return w * it.Score, err
		},
		source: "phrase nodes, section 3.4",
	}
	near := s.near(m, q)
	dense := &scaled{in: near, factor: s.passages}
	walk := &query.PPR{
		In: &query.Union{In: []query.Op{phrases, dense}, Combine: query.First, Source: "seed nodes"}, Graph: s.g,
		Types: []string{edgeRelation, edgeSynonym, edgeMentions}, Alpha: restart(s.damping), Steps: walkSteps, InMemory: true,
		Quotas: []query.TypeQuota{{Types: []string{method.ChunkNodeType}, Most: Candidates}}, Source: "PPR, section 3.4",
	}
	return s.chunkPlan(q, walk, near), nil
}

// scaled brings a set's scores to 0 to factor, in its order.
type scaled struct {
	in     query.Op
	factor float64
}

// Run implements [query.Op].
func (o *scaled) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil || len(in.Items) == 0 {
		return query.Set{}, err
	}
	low, high := in.Items[0].Score, in.Items[0].Score
	for _, it := range in.Items {
		low, high = min(low, it.Score), max(high, it.Score)
	}
	out := query.Set{Items: slices.Clone(in.Items)}
	for i := range out.Items {
		it := &out.Items[i]
		if high > low {
			it.Score = o.factor * (it.Score - low) / (high - low)
		} else {
			it.Score = o.factor
		}
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *scaled) Explain() query.Explanation {
	return query.Explanation{Op: "Scaled", Args: []string{fmt.Sprintf("to=%g", o.factor)}, Source: "passage nodes, section 3.4"}
}

// Inputs implements [query.Op].
func (o *scaled) Inputs() []query.Op { return []query.Op{o.in} }
