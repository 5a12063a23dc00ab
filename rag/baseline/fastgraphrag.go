package baseline

import (
	"context"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

// fastGraphRAG scores entities by a random walk from those of the question,
// relations by their ends, and chunks by the relations that they state
// (github.com/circlemind-ai/fast-graphrag, 2024; there is no paper).
type fastGraphRAG struct {
	*openIE
	damping, least float64
	relations      int
}

func openFastGraphRAG(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	g := newOpenIE(c, "fastgraphrag", params)
	s := &fastGraphRAG{openIE: g}
	s.damping = g.r.Float("damping", 0.85, 0, 0.99)
	s.least = g.r.Float("least", 0.005, 0, 1)
	s.relations = g.r.Int("relations", 64, 1, 10_000)
	return g.open(ctx, s.plan)
}

// longWalk are the steps of a walk with a damping of 0.85 until a thousandth is
// left.
const longWalk = 40

// plan is [method.System.Plan].
func (s *fastGraphRAG) plan(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	linked, err := s.link(ctx, m, q, spaceEntity)
	if err != nil {
		return nil, err
	}
	walk := &query.PPR{
		In: linked, Graph: s.g, Types: []string{edgeRelation}, Alpha: restart(s.damping), Steps: longWalk,
		K: maxWalked, InMemory: true, Source: "score entities by graph",
	}
	entities := &query.AtLeast{In: walk, Least: s.least, Source: "entity ranking policy"}
	relations := &query.Limit{In: s.spread(entities, edgeEnd, "score relations by entities"), N: s.relations}
	chunks := s.spread(relations, edgeStates, "score chunks by relations")
	return s.tables(m, q, entities, relations, chunks), nil
}
