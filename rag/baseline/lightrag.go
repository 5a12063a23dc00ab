package baseline

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// lightRAG retrieves by the question's keywords: entities by the particular
// ones, with their relations, and relations by the themes, with their ends (Guo
// et al., "LightRAG: Simple and Fast Retrieval-Augmented Generation", 2024,
// section 3.2).
type lightRAG struct {
	*openIE
	k int
}

func openLightRAG(name string) opener {
	return func(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
		g := newOpenIE(c, name, params)
		s := &lightRAG{openIE: g, k: g.r.Int("k", 60, 1, 10_000)}
		return g.open(ctx, s.plan)
	}
}

// plan is [method.System.Plan]. A question without keywords of a level is
// searched by as it is.
func (s *lightRAG) plan(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	var words llm.KeywordSet
	if err := ask(ctx, m, q, llm.Keywords, &words); err != nil {
		return nil, err
	}
	search := func(kind string, words []string) query.Op {
		text := strings.Join(words, ", ")
		if text == "" {
			text = q.Text
		}
		return &query.VectorSearch{Graph: s.g, Space: spaceOf(kind, m.QuestionSpace().Model), Text: text, K: s.k}
	}
	low := search(spaceEntity, words.Low)
	lowRelations := &query.Sort{
		In: &query.Reweigh{By: s.ends(), In: &query.Neighbors{
			In: low, Graph: s.g, Types: []string{edgeEnd}, Source: "relations of entities",
		}},
		Then: []*query.Measure{s.support()}, Source: "degrees of the ends, then chunks",
	}
	lowChunks := &query.Sources{
		In: low, Graph: s.g, Types: []string{edgeMentions}, Near: []string{edgeEnd}, At: []string{edgeStates}, Source: "chunks of entities",
	}

	high := search(spaceRelation, words.High)
	highEntities := &query.Neighbors{In: high, Graph: s.g, Types: []string{edgeEnd}, Source: "ends of relations"}
	highChunks := &query.Neighbors{In: high, Graph: s.g, Types: []string{edgeStates}, Source: "chunks of relations"}

	switch s.Name() {
	case "lightrag-low":
		return s.tables(m, q, low, lowRelations, lowChunks), nil
	case "lightrag-high":
		return s.tables(m, q, highEntities, high, highChunks), nil
	}
	both := func(low, high query.Op) query.Op {
		return &query.Union{In: []query.Op{low, high}, Combine: query.Turns}
	}
	return s.tables(m, q, both(low, highEntities), both(high, lowRelations), both(lowChunks, highChunks)), nil
}
