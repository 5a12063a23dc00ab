package noderag

import (
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// textPlan fills the budget. Texts have a share of it; units, attributes and
// elements follow, then relationships, so many for each quotaTokens of the budget as
// the quotas say, without the units of a text that is shown already; and what they
// leave goes to texts again. seeds is nil without a walk: the texts are ranked by
// likeness alone then, and the other nodes are those found by vector.
func (s *system) textPlan(m *method.Models, q method.Question, hits *query.VectorSearch, seeds query.Op) *method.Plan {
	order := []string{schema.Text, schema.Unit, schema.Attribute, schema.Element, schema.Relationship}
	budget := s.below(q, order)
	var walked, cross query.Op
	if seeds != nil {
		// Units of shown texts leave, so the quota that bounds them comes after.
		quotas := []query.TypeQuota{{Types: []string{schema.Text}, Most: candidates(q)}}
		for _, quota := range s.quotas(times(q)) {
			if quota.Types[0] == schema.Text {
				quota = query.TypeQuota{Types: []string{schema.Unit, schema.Attribute, schema.Element}, Most: candidates(q)}
			}
			quotas = append(quotas, quota)
		}
		cross = s.walk(seeds, quotas)
		walked = s.of(cross, schema.Text)
	}
	ranked := s.ranked(m, q, walked)
	text := &query.Pack{In: ranked, Name: "texts", Budget: budget, Share: s.p.Texts, Render: s.render, Cut: s.c.CutText}
	if s.p.Texts == 0 {
		text.Budget = 0
	}
	shown := &query.Neighbors{In: text, Graph: s.g, Types: []string{schema.Source}, Source: "units of the texts"}
	rest := &query.Union{In: []query.Op{s.others(hits, shown)}, Combine: query.First, Source: "entry and cross nodes, paper 2.5"}
	if cross != nil {
		found := s.others(&query.Minus{In: cross, Of: hits}, shown)
		most := times(q) * s.p.CrossNodes
		if s.p.Each {
			for _, t := range order[1:4] {
				rest.In = append(rest.In, &query.Limit{In: s.of(found, t), N: most, Source: "cross nodes"})
			}
		} else {
			rest.In = append(rest.In, &query.Limit{In: found, N: most, Source: "cross nodes"})
		}
		rest.In = append(rest.In, s.expanded(cross)...)
		rest.In = append(rest.In, s.of(cross, schema.Relationship))
	}
	pack := &query.Pack{In: rest, Name: "units, attributes, elements and relationships", Budget: budget, Less: []query.Op{text}, Skip: true, Render: s.render}
	more := &query.Pack{
		In: &query.Minus{In: ranked, Of: text}, Name: "more texts", Budget: budget, Less: []query.Op{text, pack}, Render: s.render,
	}
	if s.p.Texts == 0 {
		more.Cut = s.c.CutText
	}
	plan := &method.Plan{}
	for _, t := range order {
		in := []query.Op{s.of(pack, t)}
		if t == schema.Text {
			in = []query.Op{text, more}
		}
		plan.Sections = append(plan.Sections, method.Section{Name: t, Pack: &query.Sections{In: in, Header: header(t)}})
	}
	return plan
}

// others are the units, attributes and elements of a set that are not shown.
func (s *system) others(in, shown query.Op) query.Op {
	return &query.Minus{In: s.of(in, schema.Unit, schema.Attribute, schema.Element), Of: shown}
}

// ranked ranks the texts: by what the walk says of them, their vectors and their
// words. A model of meaning has every second place, as in naive: a text that shares
// no word with the question loses in the sum to each one that does.
func (s *system) ranked(m *method.Models, q method.Question, walked query.Op) query.Op {
	twins := func(in query.Op) query.Op {
		return &query.Twins{In: in, Graph: s.g, Type: schema.Text, Of: s.c.Base()}
	}
	space := m.QuestionSpace()
	near := twins(&query.VectorSearch{
		Graph: s.c.Base(), Space: method.ChunkSpace(s.p.Chunks, space.Model), Text: q.Text, K: candidates(q), Source: "texts by their vectors",
	})
	words := twins(s.c.TextSearch(s.p.Chunks, q.Text, candidates(q)))
	all := &query.Union{In: []query.Op{near, words}, Combine: query.ZSum, Source: "texts by likeness"}
	if walked != nil {
		all.In, all.Weights, all.Source = append(all.In, walked), []float64{1, 1, s.p.WalkWeight}, "texts by likeness and by the walk"
	}
	if space.Recomputable {
		return all
	}
	return &query.Union{In: []query.Op{all, near}, Combine: query.Turns, Source: "a model of meaning has every second place"}
}

// quotaTokens is the part of a budget that the quotas are for.
const quotaTokens = 1000

// times is how often a question's budget holds the quotas.
func times(q method.Question) int { return max(1, q.Tokens()/quotaTokens) }

// candidates is how many texts are ranked for a question: many more than its
// budget holds.
func candidates(q method.Question) int { return max(300, q.Tokens()/40) }
