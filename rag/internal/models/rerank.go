package models

import (
	"context"

	"github.com/ragdb/ragdb/query"
)

// Reranked returns a plan with the operator that has the reranker order what is
// packed. Without a reranker that is the plan.
func (m *Models) Reranked(plan query.Op, question string) query.Op {
	p := m.All()
	if p.Reranker == nil {
		return plan
	}
	m = m.In("rerank")
	by := func(ctx context.Context, question string, texts []string) ([]float64, error) {
		scores, u, err := p.Reranker.Rerank(ctx, question, texts)
		m.meter.Add(m.stage, p.Reranker.Name(), u)
		m.tally.Add(u)
		return scores, err
	}
	rerank := &query.Rerank{Text: question, By: by, Model: p.Reranker.Name(), Top: p.RerankTop, Within: p.RerankWithin}
	return rerank.Each(plan)
}
