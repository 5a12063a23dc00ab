package ketrag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// plan is [method.System.Plan] (spec B3; paper Alg. 4). The text part is
// packed first; what it leaves of its share goes to the graph part, which
// stands before it in the context.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	budget := q.Tokens()
	textBudget := int(float64(budget) * (1 - s.p.Theta))
	model := m.QuestionSpace().Model
	ranked := s.chunks(q, model, textBudget)
	text := &query.Pack{
		In: ranked, Name: "text", Budget: textBudget,
		Render: s.render, Cut: s.c.CutText, Source: "lambda (1-theta)",
	}
	if s.p.Theta == 0 {
		return &method.Plan{Sections: []method.Section{{Name: "text", Pack: text}}}, nil
	}
	seeds := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(typeEntity, model), Text: q.Text, K: s.p.Seeds, Source: "entity seeds",
	}
	tables := &query.Tables{
		In: seeds, Edges: &query.Incident{In: seeds, Graph: s.g, Types: []string{edgeRelation}, PerNode: 10}, Name: "graph",
		Budget: budget, Less: []query.Op{text}, Share: 0.5, Header: entityHeader, EdgeHeader: relationHeader, Render: s.row,
		Source: "local search",
	}
	var units query.Op = &query.Twins{Graph: s.g, Type: method.ChunkNodeType, Of: s.g, In: &query.Sources{
		In: seeds, Graph: s.g, Near: []string{edgeRelation}, Again: s.p.Compat, Source: "text units of the seeds",
	}}
	pack := &query.Pack{
		In: units, Name: "sources", Budget: budget, Less: []query.Op{text}, Share: 0.5,
		Render: s.render, Source: "text_unit_prop 0.5",
	}
	plan := &method.Plan{Sections: []method.Section{
		{Name: "graph", Pack: tables}, {Name: "sources", Pack: pack}, {Name: "text", Pack: text},
	}}
	if s.p.Compat {
		return plan, nil
	}
	// A chunk stands in the context once, the sources have what the tables
	// leave, and what is left then goes back to the text.
	pack.In, pack.Share, pack.Less = &query.Minus{In: units, Of: text}, 0, []query.Op{text, tables}
	if s.p.Theta < 1 {
		plan.Sections = append(plan.Sections, method.Section{Name: "more text", Pack: &query.Pack{
			In:   &query.Minus{In: &query.Minus{In: ranked, Of: text}, Of: pack},
			Name: "more text", Budget: budget, Less: []query.Op{text, tables, pack}, Render: s.render,
		}})
	}
	return plan, nil
}

// chunks ranks the chunks of the channel beside the entities'.
func (s *system) chunks(q method.Question, model string, budget int) query.Op {
	space := spaceOf(method.ChunkNodeType, model)
	switch s.p.Channel {
	case "text":
		return &query.VectorSearch{Graph: s.g, Space: space, Text: q.Text, K: s.p.Probe, Source: "Text-RAG"}
	case "near":
		seeds := &query.VectorSearch{Graph: s.g, Space: space, Text: q.Text, K: s.p.Seeds, Source: "KNNG-RAG, seeds"}
		return &query.Union{Combine: query.First, In: []query.Op{seeds, &query.Sort{In: &query.Neighbors{
			In: seeds, Graph: s.g, Types: []string{edgeLexical, edgeVector}, Direction: engine.Both,
			Rank: space, Text: q.Text, Source: "KNNG-RAG, their neighbours",
		}}}}
	}
	words := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(typeKeyword, model), Text: q.Text, K: s.p.Probe, Source: "keywords, inner product",
	}
	return &query.Sort{In: &query.Neighbors{
		In: words, Graph: s.g, Types: []string{edgeContains}, Rank: space, Text: q.Text,
		Tokens: 2 * budget, Size: s.size, Source: "candidates, 2 lambda (1-theta)",
	}}
}

// size returns the tokens of a chunk.
func (s *system) size(ctx context.Context, e *query.Env, it query.Item) (int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	return int(n.Prop(propTokens).AsInt()), err
}

// render is the text of a chunk of the method's graph, read through to the
// base graph.
func (s *system) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	return s.c.TextOf(ctx, e.Snap, s.p.Chunks, n.Key)
}

// The headers of the tables.
const (
	entityHeader   = "-----Entities-----\nid|entity|description|number of relationships"
	relationHeader = "-----Relationships-----\nid|source|target|description|weight"
)

// row is a row of the table of entities, or of that of relations, which are
// numbered by when they were met.
func (s *system) row(ctx context.Context, e *query.Env, it query.Item, n int) (string, error) {
	v := e.Snap.Graph(s.g).WithContext(ctx)
	if it.ID != 0 {
		name, said, err := knowledge.Describe(v, engine.NodeTarget(it.ID))
		if err != nil {
			return "", err
		}
		degree, err := e.Degree(ctx, s.g, it.ID, edgeRelation)
		return fmt.Sprintf("%d|%s|%s|%d", it.ID, name, text.OneLine(said), degree), err
	}
	_, said, err := knowledge.Describe(v, engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type))
	if err != nil {
		return "", err
	}
	from, err := e.Label(ctx, s.g, it.Edge.From)
	if err != nil {
		return "", err
	}
	to, err := e.Label(ctx, s.g, it.Edge.To)
	return fmt.Sprintf("%d|%s|%s|%s|%g", n, from, to, text.OneLine(said), it.Edge.Weight), err
}
