package ketrag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// The bounds of a question's work.
const (
	// lexical is how many chunks the ranking by words brings, and nearest that by vector.
	lexical, nearest = 1000, 1000
	// hubChunks bounds the chunks of one keyword, or those near to one chunk, that are
	// compared with the question: of more only those among the nearest are.
	hubChunks = 4096
	// hubRelations bounds the relations of one entity that are read.
	hubRelations = 2048
	// hubSources bounds the chunks of one entity that are its sources.
	hubSources = 2048
)

// The order of chunks is the reciprocal-rank fusion of the text part, with weight 1, and
// the sources, with sourceVote. fusionFlat is small, so that the first of the text part
// stays first but for a chunk that has nearly its rank in both.
const (
	sourceVote = 0.2
	fusionFlat = 2
)

// plan is [method.System.Plan] (spec B3; paper Alg. 4). The text part is packed first.
// What it leaves of the budget goes to the graph part, half of it to the tables, what
// these leave to the sources, and what is left then back to the text. In the context the
// chunks of both parts stand in one order before the tables, or with order=paper the
// graph part before the text.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	budget := q.Tokens()
	textBudget := int(float64(budget) * (1 - s.p.Theta))
	model := m.QuestionSpace().Model
	ranked := s.chunks(q, m.QuestionSpace(), textBudget)
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
		In: seeds, Edges: &query.Incident{In: seeds, Graph: s.g, Types: []string{edgeRelation}, PerNode: 10, Most: hubRelations}, Name: "graph",
		Budget: budget, Less: []query.Op{text}, Share: 0.5, Header: entityHeader, EdgeHeader: relationHeader, Render: s.row,
		Source: "local search",
	}
	var units query.Op = &query.Twins{Graph: s.g, Type: method.ChunkNodeType, Of: s.g, In: &query.Sources{
		In: seeds, Graph: s.g, Near: []string{edgeRelation}, Most: hubSources, Again: s.p.Compat, Source: "text units of the seeds",
	}}
	sources := &query.Pack{
		In: units, Name: "sources", Budget: budget, Less: []query.Op{text}, Share: 0.5,
		Render: s.render, Source: "text_unit_prop 0.5",
	}
	if s.p.Compat {
		return sections(s.p.Order, tables, sources, text, nil, text), nil
	}
	// A chunk stands in the context once.
	sources.In, sources.Share, sources.Less = &query.Minus{In: units, Of: text}, 0, []query.Op{text, tables}
	var more query.Op
	if s.p.Theta < 1 {
		more = &query.Pack{
			In:   &query.Minus{In: &query.Minus{In: ranked, Of: text}, Of: sources},
			Name: "more text", Budget: budget, Less: []query.Op{text, tables, sources}, Render: s.render,
		}
	}
	fused := &query.Union{
		In:      []query.Op{&query.Union{In: []query.Op{text, ranked}, Source: "the text part, as it was packed"}, units},
		Combine: query.Sum, Flat: fusionFlat, Weights: []float64{1, sourceVote}, Source: "text and sources",
	}
	return sections(s.p.Order, tables, sources, text, more, fused), nil
}

// sections are the parts of the context in their order. fused orders the chunks of all
// parts.
func sections(order string, tables, sources, text, more, fused query.Op) *method.Plan {
	p := &method.Plan{}
	add := func(name string, op query.Op) {
		if op != nil {
			p.Sections = append(p.Sections, method.Section{Name: name, Pack: op})
		}
	}
	if order == "paper" {
		add("graph", tables)
		add("sources", sources)
		add("text", text)
		add("more text", more)
		return p
	}
	parts := &query.Sections{In: []query.Op{text, sources}, By: fused}
	if more != nil {
		parts.In = append(parts.In, more)
	}
	add("text", parts)
	add("graph", tables)
	return p
}

// chunks ranks the chunks of the channel beside the entities'. As in naive a model's vectors
// have every second place alone: a chunk that shares no word with the question loses in
// the sum to each one that does.
func (s *system) chunks(q method.Question, model llm.SpaceInfo, budget int) query.Op {
	space := spaceOf(method.ChunkNodeType, model.Model)
	near := func(k int, source string) query.Op {
		return &query.VectorSearch{Graph: s.g, Space: space, Text: q.Text, K: k, Source: source}
	}
	switch s.p.Channel {
	case "text":
		return near(s.p.Probe, "Text-RAG")
	case "near":
		seeds := near(s.p.Seeds, "KNNG-RAG, seeds")
		return &query.Union{Combine: query.First, In: []query.Op{seeds, &query.Sort{In: &query.Neighbors{
			In: seeds, Graph: s.g, Types: []string{edgeLexical, edgeVector}, Direction: engine.Both,
			Rank: space, Text: q.Text, By: near(nearest, ""), Most: hubChunks, Source: "KNNG-RAG, their neighbours",
		}}}}
	}
	words := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(typeKeyword, model.Model), Text: q.Text, K: s.p.Probe, Source: "keywords, inner product",
	}
	found := &query.Neighbors{In: words, Graph: s.g, Types: []string{edgeContains}, By: near(nearest, "")}
	if s.p.Rank == "vector" {
		found.Rank, found.Text, found.Most = space, q.Text, hubChunks
		found.Tokens, found.Size, found.Source = 2*budget, s.size, "candidates, 2 lambda (1-theta)"
	} else {
		found.Source = "N(S_k)"
		dense := found.By
		found.By = &query.Union{Combine: query.ZSum, In: []query.Op{dense, &query.Twins{
			Graph: s.g, Type: method.ChunkNodeType, Of: s.c.Base(), In: s.c.TextSearch(s.p.Chunks, q.Text, lexical),
		}}, Source: "cosine and BM25"}
		if !model.Recomputable {
			turns := &query.Union{In: []query.Op{found.By, dense}, Combine: query.Turns, Source: "a model of meaning has every second place"}
			found.By = &query.Union{In: []query.Op{turns}, Combine: query.Sum, Flat: 1, Source: "the place as a score"}
		}
	}
	return &query.Sort{In: found}
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
	err := e.Ahead(ctx, 3, func(e *query.Env, i int) (err error) {
		v, t := e.Snap.Graph(s.g).WithContext(ctx), engine.NodeTarget(it.ID)
		if it.ID == 0 {
			t = engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type)
		}
		switch {
		case i == 2:
			_, _, err = knowledge.Describe(v, t)
		case it.ID != 0 && i == 0:
			_, err = e.Degree(ctx, s.g, it.ID, edgeRelation)
		case it.ID == 0:
			_, err = e.Label(ctx, s.g, [2]engine.NodeID{it.Edge.From, it.Edge.To}[i])
		}
		return err
	})
	if err != nil {
		return "", err
	}
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
