package baseline

import (
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
)

// The headers of the tables.
const (
	entityHeader   = "-----Entities-----\nentity|description"
	relationHeader = "-----Relationships-----\nsource – target|description"
)

// tables packs chunks, entities and relations, a third of the budget each:
// 4,000 tokens of 12,000, as LightRAG's code. What is left is filled with further
// chunks, and then with those nearest to the question.
func (s *openIE) tables(m *method.Models, q method.Question, entities, relations, chunks query.Op) *method.Plan {
	part := q.Tokens() / 3
	text := &query.Pack{
		In: chunks, Name: "text", Budget: part, Render: s.render, Cut: s.c.CutText, Source: "4,000 tokens of 12,000",
	}
	rows := &query.Pack{
		In: entities, Name: "entities", Budget: part, Header: entityHeader, Render: s.render, Skip: true,
		Source: "4,000 tokens of 12,000",
	}
	links := &query.Pack{
		In: relations, Name: "relations", Budget: part, Header: relationHeader, Render: s.render, Skip: true,
		Source: "4,000 tokens of 12,000",
	}
	plan := &method.Plan{Sections: []method.Section{
		{Name: "text", Pack: text}, {Name: "entities", Pack: rows}, {Name: "relations", Pack: links},
	}}
	if s.fill {
		plan.Sections = append(plan.Sections, method.Section{Name: "more text", Pack: &query.Pack{
			In: &query.Minus{In: s.filled(chunks, s.near(m, q)), Of: text}, Name: "more text",
			Budget: q.Tokens(), Less: []query.Op{text, rows, links}, Render: s.render,
		}})
	}
	return plan
}
