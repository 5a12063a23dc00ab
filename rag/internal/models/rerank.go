package models

import (
	"cmp"
	"context"

	"github.com/ragdb/ragdb/query"
)

// Reranked returns a plan with the operator that has the reranker order what is
// packed. Without a reranker that is the plan. If the reranker's time is bounded, and it
// takes longer or fails for the time being, the order stays and the trace has a warning;
// it is not asked again for the plan's other sections.
func (m *Models) Reranked(plan query.Op, question string) query.Op {
	p := m.All()
	if p.Reranker == nil {
		return plan
	}
	m = m.In("rerank")
	var gone error // of a section before: the others need not wait, too
	by := func(ctx context.Context, question string, texts []string) ([]float64, error) {
		if gone != nil {
			return nil, gone
		}
		scores, u, err := p.Reranker.Rerank(ctx, question, texts)
		m.meter.Add(m.stage, p.Reranker.Name(), u)
		m.tally.Add(u)
		if err != nil && p.RerankWithin > 0 {
			gone = cmp.Or(ctx.Err(), err)
		}
		return scores, err
	}
	rerank := &query.Rerank{Text: question, By: by, Model: p.Reranker.Name(), Top: p.RerankTop, Within: p.RerankWithin}
	return rerank.Each(plan)
}
