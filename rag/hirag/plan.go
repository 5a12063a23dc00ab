package hirag

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

// The tokens of a context's parts (spec B.0), of fullTokens in all. The
// reference does not bound the entities. If a question has less, each part
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

// mostAround bounds the relations of one node that the bridge looks at.
const mostAround = 48

// memberRows is how many members of one summary the bridge names.
const memberRows = 3

// share returns a part's tokens of a budget.
func share(part, budget int) int {
	if budget >= fullTokens {
		return part
	}
	return part * budget / fullTokens
}

// plan is [method.System.Plan] (spec B.3; paper §4.2). Retrieval calls no model
// but to embed the question.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	budget, space := q.Tokens(), spaceOf(m.QuestionSpace().Model)
	relation, levels := []string{edgeRelation}, insideTo(s.p.Level)
	pool := &query.AtLeast{Least: leastCosine, Source: "cosine threshold", In: &query.VectorSearch{
		Graph: s.g, Space: space, Text: q.Text, K: poolFactor * s.p.N, Source: "candidates",
	}}
	seeds := &query.Limit{In: pool, N: s.p.N}
	pack := func(name string, in query.Op, tokens int, header, source string, render renderer) *query.Pack {
		return &query.Pack{In: in, Name: name, Budget: share(tokens, budget), Header: header, Render: render, Source: source}
	}
	communities := &query.Sort{
		In:   &query.Neighbors{In: seeds, Graph: s.g, Types: levels, Combine: query.Count, Source: "Eq. 13"},
		Then: []*query.Measure{query.Property(s.g, propRating)},
	}
	reports := pack("reports", communities, reportsTokens, reportHeader, "global knowledge", s.renderReport)
	reports.Cut, reports.Size = s.c.CutText, s.reportSize
	entities := pack("entities", seeds, entityTokens, entityHeader, "Eq. 12, local knowledge", s.renderEntity)
	relations := pack("relations", &query.Incident{In: seeds, Graph: s.g, Types: relation, Ranked: true}, relationTokens, relationHeader, "local relations", s.renderRelation)
	var nearest query.Op = pool
	if s.p.Keys == "all" {
		members := &query.Neighbors{In: reports, Graph: s.g, Types: levels, Direction: engine.In}
		nearest = &query.Sort{In: &query.Score{In: members, Graph: s.g, Space: space, Text: q.Text}}
	}
	keys := &query.TopPerGroup{
		In: nearest, Of: reports, Graph: s.g, Types: levels, Direction: engine.In, Most: s.p.M, AllIfNone: true, Source: "Eq. 14",
	}
	path := &query.PathChain{
		In: &query.Limit{In: keys, N: s.p.Legs + 1}, Graph: s.g, Types: relation, Direction: engine.Both, InMemory: true, Source: "Eq. 15",
	}
	var between query.Op = &query.Incident{In: path, Graph: s.g, Types: relation, Within: true, Ranked: true, Source: "Eq. 16"}
	if s.p.Bridge == "path" {
		ends := &query.Union{In: []query.Op{path, keys, seeds}, Combine: query.First}
		between = &query.PathRows{
			In:   &query.Incident{In: ends, Graph: s.g, Types: relation, Most: mostAround, Source: "Eq. 16, and what leads away"},
			Path: path, Graph: s.g, Types: relation, Group: typeSummary, Members: memberRows, Source: "paths first, then by likeness",
			Near: &query.Union{In: []query.Op{pool, &query.Score{In: path, Graph: s.g, Space: space, Text: q.Text}}, Combine: query.First},
		}
	}
	bridge := pack("bridge", between, bridgeTokens, bridgeHeader, "bridge knowledge", s.renderRelation)

	parts := map[string][]*query.Pack{
		"hi":       {reports, bridge, entities},
		"nobridge": {reports, entities, relations},
		"local":    {entities, relations},
		"global":   {reports},
		"bridge":   {bridge},
	}[s.p.Mode]
	var cited query.Op = seeds
	if s.p.Fill {
		cited = pool
	}
	mentions := []string{edgeMentions}
	var ranked query.Op = &query.Votes{In: cited, Graph: s.g, Types: mentions, Source: "source texts by votes"}
	switch s.p.Sources {
	case "both":
		ranked = &query.Union{In: []query.Op{s.plain(m, q), ranked}, Combine: query.Turns, Source: "plain hits and votes in turns"}
	case "entities":
		ranked = &query.Sources{
			In: cited, Graph: s.g, Types: mentions, Direction: engine.In, Near: relation, At: mentions, Tokens: budget, Size: s.tokens,
		}
	}
	texts := pack("sources", ranked, textTokens, "", "source texts", s.renderChunk)
	texts.Cut = s.c.CutText
	if budget < fullTokens {
		texts.Budget = budget
		for _, p := range parts {
			texts.Less = append(texts.Less, p)
		}
	}
	sections := append(slices.Clone(parts), texts)
	if s.p.Order == "sources" {
		sections = slices.Insert(parts, 0, texts)
	}
	plan := &method.Plan{}
	for _, p := range sections {
		plan.Sections = append(plan.Sections, method.Section{Name: p.Name, Pack: p})
	}
	return plan, nil
}

// The chunks that each of plain search's rankings brings, and those of both that the
// votes take turns with: what fills the context with chunks of 60 tokens.
const plainCandidates = 400

func plainHits(q method.Question) int { return max(100, q.Tokens()/60) }

// plain are the chunks that plain search finds, as naive does: by words and vectors,
// the scores of each brought to mean 0 and deviation 1.
func (s *system) plain(m *method.Models, q method.Question) query.Op {
	base := s.c.Base()
	return &query.Twins{Graph: s.g, Type: method.ChunkNodeType, Of: base, In: &query.Limit{N: plainHits(q), In: &query.Union{Combine: query.ZSum, In: []query.Op{
		&query.VectorSearch{Graph: base, Space: method.ChunkSpace(s.p.Chunks, m.QuestionSpace().Model), Text: q.Text, K: plainCandidates},
		s.c.TextSearch(s.p.Chunks, q.Text, plainCandidates),
	}}}}
}
