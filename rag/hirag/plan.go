package hirag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
)

// The tokens of a context's parts (spec B.0), of fullTokens in all. The
// reference does not bound the entities. Where a question has less, each part
// has its share of it, and the source texts what the others leave.
const (
	fullTokens     = 50000
	reportsTokens  = 12500
	bridgeTokens   = 12500
	relationTokens = 20000
	entityTokens   = 5000
	textTokens     = 20000
)

// leastCosine is how near an entity must be to the question (spec B.3.1), and
// poolFactor how many times N are looked at.
const (
	leastCosine = 0.2
	poolFactor  = 10
)

// share returns a part's tokens of a budget.
func share(part, budget int) int {
	if budget >= fullTokens {
		return part
	}
	return part * budget / fullTokens
}

// Plan implements [rag.System] (spec B.3; paper §4.2). Retrieval calls no model
// but to embed the question.
func (s *System) Plan(_ context.Context, m *rag.Models, q rag.Question) (*rag.Plan, error) {
	budget, space := q.Tokens(), spaceOf(m.Questions.Space().Model)
	pool := &floor{least: leastCosine, in: &query.VectorSearch{
		Graph: s.g, Space: space, Text: q.Text, K: poolFactor * s.p.N, Source: "Eq. 10, candidates",
	}}
	seeds := &query.Limit{In: pool, N: s.p.N}
	pack := func(name string, in query.Op, tokens int, header, source string, render renderer) *query.Pack {
		return &query.Pack{In: in, Name: name, Budget: share(tokens, budget), Header: header, Render: render, Source: source}
	}
	reports := pack("reports", &communitiesOf{s: s, seeds: seeds}, reportsTokens, reportHeader, "Eq. 11, global knowledge", s.renderReport)
	entities := pack("entities", seeds, entityTokens, entityHeader, "Eq. 10, local knowledge", s.renderEntity)
	relations := pack("relations", &relationsOf{s: s, seeds: seeds}, relationTokens, relationHeader, "local relations", s.renderRelation)
	var members query.Op = pool
	if s.p.Keys == "all" {
		members = &query.Sort{In: &query.Score{In: &membersOf{s: s, communities: reports}, Graph: s.g, Space: space, Text: q.Text}}
	}
	keys := &keyEntities{s: s, communities: reports, pool: members}
	bridge := pack("bridge", &induced{s: s, nodes: &chain{s: s, keys: keys}}, bridgeTokens, bridgeHeader, "Eq. 16, bridge knowledge", s.renderRelation)

	parts := map[string][]*query.Pack{
		"hi":       {reports, bridge, entities},
		"nobridge": {reports, entities, relations},
		"local":    {entities, relations},
		"global":   {reports},
		"bridge":   {bridge},
	}[s.p.Mode]
	reports.Cut = s.c.CutText
	texts := pack("sources", &sourcesOf{s: s, seeds: seeds}, textTokens, "", "source texts", s.renderChunk)
	texts.Cut = s.c.CutText
	if budget < fullTokens {
		texts.Budget = budget
		for _, p := range parts {
			texts.Less = append(texts.Less, p)
		}
	}
	sections := make([]*query.Pack, 0, len(parts)+1)
	if sections = append(parts, texts); s.p.Order == "sources" {
		sections = append([]*query.Pack{texts}, parts...)
	}
	plan := &rag.Plan{}
	for _, p := range sections {
		plan.Sections = append(plan.Sections, rag.Section{Name: p.Name, Pack: p})
	}
	return plan, nil
}

// maxCited bounds the chunks that an item is said to rest on: a report may rest
// on all.
const maxCited = 32

// Cite implements [rag.System]: a chunk rests on itself, an entity or relation
// on the chunks that it was found in, a summary and a report on those of their
// members, of which the first are named.
func (s *System) Cite(v *engine.View, it query.Item) ([]string, error) {
	chunk, _ := v.NodeType(rag.ChunkNodeType)
	var out []string
	seen := map[engine.NodeID]bool{}
	var visit func(id engine.NodeID) error
	from := func(t engine.Target) error {
		set, err := v.Sources(t)
		if err != nil {
			return err
		}
		for src := set.Iterator(); src.HasNext() && len(out) < maxCited; {
			if err := visit(engine.NodeID(src.Next())); err != nil {
				return err
			}
		}
		return nil
	}
	visit = func(id engine.NodeID) error {
		if seen[id] {
			return nil
		}
		seen[id] = true
		n, err := v.Node(id)
		if err != nil {
			return err
		}
		if n.Type == chunk {
			out = append(out, n.Key)
			return nil
		}
		return from(engine.NodeTarget(id))
	}
	if it.ID != 0 {
		err := visit(it.ID)
		return out, err
	}
	// The relation of a summary has no sources of its own: it rests on what the
	// summary rests on.
	if err := from(engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type)); err != nil || len(out) > 0 {
		return out, err
	}
	for _, id := range []engine.NodeID{it.Edge.From, it.Edge.To} {
		if err := visit(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}
