package hirag

import (
	"context"
	"slices"

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
	relation, levels := []string{edgeRelation}, insideTo(s.p.Level)
	pool := &query.AtLeast{Least: leastCosine, Source: "cosine threshold", In: &query.VectorSearch{
		Graph: s.g, Space: space, Text: q.Text, K: poolFactor * s.p.N, Source: "candidates",
	}}
	seeds := &query.Limit{In: pool, N: s.p.N}
	pack := func(name string, in query.Op, tokens int, header, source string, render renderer) *query.Pack {
		return &query.Pack{In: in, Name: name, Budget: share(tokens, budget), Header: header, Render: render, Source: source}
	}
	communities := &query.Communities{In: seeds, Graph: s.g, Types: levels, By: propRating, Source: "Eq. 11"}
	reports := pack("reports", communities, reportsTokens, reportHeader, "global knowledge", s.renderReport)
	reports.Cut = s.c.CutText
	entities := pack("entities", seeds, entityTokens, entityHeader, "Eq. 10, local knowledge", s.renderEntity)
	relations := pack("relations", &relationsOf{s: s, seeds: seeds}, relationTokens, relationHeader, "local relations", s.renderRelation)
	var nearest query.Op = pool
	if s.p.Keys == "all" {
		members := &query.Neighbors{In: reports, Graph: s.g, Types: levels, Direction: engine.In}
		nearest = &query.Sort{In: &query.Score{In: members, Graph: s.g, Space: space, Text: q.Text}}
	}
	keys := &query.TopPerGroup{
		In: nearest, Of: reports, Graph: s.g, Types: levels, Direction: engine.In, Most: s.p.M, AllIfNone: true, Source: "Eq. 12, 13",
	}
	path := &query.PathChain{In: keys, Graph: s.g, Types: relation, Direction: engine.Both, InMemory: true, Source: "Eq. 14, 15"}
	between := &query.Induced{In: path, Graph: s.g, Types: relation, Source: "Eq. 16"}
	bridge := pack("bridge", between, bridgeTokens, bridgeHeader, "bridge knowledge", s.renderRelation)

	parts := map[string][]*query.Pack{
		"hi":       {reports, bridge, entities},
		"nobridge": {reports, entities, relations},
		"local":    {entities, relations},
		"global":   {reports},
		"bridge":   {bridge},
	}[s.p.Mode]
	reports.Cut = s.c.CutText
	var cited query.Op = seeds
	if s.p.Fill {
		cited = pool
	}
	texts := pack("sources", &sourcesOf{s: s, seeds: cited, tokens: budget}, textTokens, "", "source texts", s.renderChunk)
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
	plan := &rag.Plan{}
	for _, p := range sections {
		plan.Sections = append(plan.Sections, rag.Section{Name: p.Name, Pack: p})
	}
	return plan, nil
}

// maxCited bounds the chunks that an entity or relation is said to rest on,
// maxMembers those of a summary and a report, which may rest on all, and maxEnds
// those of the relation of a summary, which is said to rest on its ends.
const (
	maxCited   = 16
	maxMembers = 8
	maxEnds    = 4
)

// Cite implements [rag.System]: a chunk rests on itself, an entity or relation
// on the chunks that it was found in, a summary and a report on those of their
// members, of which the first are named.
func (s *System) Cite(v *engine.View, it query.Item) ([]string, error) {
	c := &citing{v: v, most: maxCited}
	c.chunk, _ = v.NodeType(rag.ChunkNodeType)
	if it.ID != 0 {
		n, err := v.Node(it.ID)
		if err != nil {
			return nil, err
		}
		if n.Type == c.chunk {
			return []string{n.Key}, nil
		}
		if v.NodeTypeName(n.Type) != typeEntity {
			c.most = maxMembers
		}
		err = c.from(engine.NodeTarget(it.ID))
		return c.out, err
	}
	if err := c.from(engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type)); err != nil || len(c.out) > 0 {
		return c.out, err
	}
	// The relation of a summary has no sources of its own: it rests on what its
	// ends rest on. The member is older than what sums it up.
	c.most = maxEnds
	for _, id := range []engine.NodeID{min(it.Edge.From, it.Edge.To), max(it.Edge.From, it.Edge.To)} {
		if err := c.from(engine.NodeTarget(id)); err != nil {
			return nil, err
		}
	}
	return c.out, nil
}

// citing walks from what is cited to its chunks.
type citing struct {
	v     *engine.View
	chunk engine.TypeID
	most  int
	out   []string
	seen  map[engine.NodeID]bool
}

func (c *citing) from(t engine.Target) error {
	if len(c.out) >= c.most {
		return nil
	}
	set, err := c.v.Sources(t)
	if err != nil {
		return err
	}
	for it := set.Iterator(); it.HasNext() && len(c.out) < c.most; {
		id := engine.NodeID(it.Next())
		if c.seen[id] {
			continue
		}
		if c.seen == nil {
			c.seen = map[engine.NodeID]bool{}
		}
		c.seen[id] = true
		n, err := c.v.Node(id)
		if err != nil {
			return err
		}
		if n.Type == c.chunk {
			c.out = append(c.out, n.Key)
			continue
		}
		if err := c.from(engine.NodeTarget(id)); err != nil {
			return err
		}
	}
	return nil
}
