package archrag

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/text"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// plan is [method.System.Plan] (spec A3; paper section 3.2): the best of each
// layer in one descent, the relations at the entities among them, and the
// chunks that all of them rest on.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	budget, model := q.Tokens(), m.QuestionSpace().Model
	hits := s.hits(q, model)
	communities := &query.Sort{In: &query.Filter{In: hits, Graph: s.g, Types: []string{typeCommunity}}}
	entities := &query.Filter{In: hits, Graph: s.g, Types: []string{typeEntity}}
	relations := s.relations(q, model, entities)

	textBudget := int(float64(budget) * s.p.TextShare)
	chunks := s.chunks(q, model, &query.Union{In: []query.Op{entities, relations, communities}, Combine: query.First})
	if chunks == nil {
		textBudget = 0
	}
	text := &query.Pack{In: chunks, Name: "text", Budget: textBudget, Render: s.c.RenderChunk, Cut: s.c.CutText, Source: "C_text"}
	var less []query.Op
	if chunks != nil {
		less = []query.Op{text}
	}
	pack := func(name string, in query.Op, header, source string, share float64) query.Op {
		p := &query.Pack{
			In: in, Name: name, Budget: budget, Less: slices.Clone(less), Share: share,
			Header: header, Render: s.row, Skip: true, Source: source,
		}
		less = append(less, p)
		return p
	}
	tops := pack("communities", communities, communityHeader, "R_1 to R_L", 0.5)
	rows := pack("entities", entities, entityHeader, "R_0, nodes", 0.5)
	links := pack("relations", relations, relationHeader, "R_0, edges", 0)
	plan := &method.Plan{}
	if chunks != nil {
		plan.Sections = append(plan.Sections, method.Section{Name: "text", Pack: text})
	}
	plan.Sections = append(plan.Sections,
		method.Section{Name: "entities", Pack: rows}, method.Section{Name: "relations", Pack: links},
		method.Section{Name: "communities", Pack: tops})
	if chunks != nil {
		plan.Sections = append(plan.Sections, method.Section{Name: "more text", Pack: &query.Pack{
			In: &query.Minus{In: chunks, Of: text}, Name: "more text", Budget: budget, Less: less, Render: s.c.RenderChunk,
		}})
	}
	return plan, nil
}

// hits are the best of each layer.
func (s *system) hits(q method.Question, model string) query.Op {
	var layers []vecindex.LayerK
	for n := range min(s.p.MaxLayer, s.p.Levels) + 1 {
		layers = append(layers, vecindex.LayerK{Layer: uint8(n), K: s.p.K})
	}
	search := func(l ...vecindex.LayerK) query.Op {
		return &query.VectorSearch{
			Graph: s.g, Space: nodeSpace(model), Text: q.Text, Layers: l, Ef: s.p.Ef, Source: "hierarchical search",
		}
	}
	out := search(layers...)
	if s.p.Descent == "restart" {
		all := &query.Union{Combine: query.First}
		for _, l := range layers {
			all.In = append(all.In, search(l))
		}
		out = all
	}
	if s.p.Answer == "direct" {
		out = &query.Limit{In: &query.Sort{In: out}, N: s.p.KFinal}
	}
	return out
}

// maxTouching bounds the relations of one entity that are looked at.
const maxTouching = 1000

// relations are the relations at entities that say most of the question's.
func (s *system) relations(q method.Question, model string, entities query.Op) query.Op {
	near := func(within, leaving bool) query.Op {
		touching := &query.Twins{
			In: &query.Incident{
				In: entities, Graph: s.g, Types: []string{edgeRelation}, Within: within, Leaving: leaving, Most: maxTouching, Source: "R_0",
			},
			Graph: s.g, Type: typeRelation, Of: s.g, Key: s.relationKey,
		}
		return &query.Sort{In: &query.Score{
			In: touching, Graph: s.g, Space: relationSpace(model), Text: q.Text, Source: "relations by cosine",
		}}
	}
	var in []query.Op
	switch s.p.Relations {
	case "ranked":
		in = []query.Op{near(true, false), near(false, true)}
	case "within":
		in = []query.Op{near(true, false)}
	case "any":
		in = []query.Op{near(true, true)}
	}
	return &query.Limit{In: &query.Union{In: in, Combine: query.First}, N: s.p.RelationK}
}

// chunks are those that stand beside the hits, nil for none.
func (s *system) chunks(q method.Question, model string, hits query.Op) query.Op {
	from := &query.Sort{In: &query.Twins{
		In:    &query.Sources{In: hits, Graph: s.g, Through: s.members, Share: true, Source: "chunks of the hits"},
		Graph: s.c.Base(), Type: method.ChunkType(s.p.Chunks), Of: s.g,
	}}
	switch s.p.Text {
	case "hits":
		return from
	case "hybrid":
		return &query.Union{In: []query.Op{
			&query.VectorSearch{Graph: s.c.Base(), Space: method.ChunkSpace(s.p.Chunks, model), Text: q.Text, K: textCandidates},
			&query.TextSearch{Graph: s.c.Base(), Field: method.TextField(s.p.Chunks), Text: q.Text, K: textCandidates},
			from,
		}, Combine: query.ZSum}
	}
	return nil
}

// textCandidates is how many chunks each of the rankings brings.
const textCandidates = 1000

// The headers of the tables.
const (
	entityHeader    = "-----Entities-----\nentity|description"
	relationHeader  = "-----Relationships-----\nsource – target|description"
	communityHeader = "-----Communities-----\nlevel|title|content|rank"
)

// relationKey returns the key of the node that stands for a relation.
func (s *system) relationKey(ctx context.Context, e *query.Env, it query.Item) (string, error) {
	from, err := e.Node(ctx, s.g, it.Edge.From)
	if err != nil {
		return "", err
	}
	to, err := e.Node(ctx, s.g, it.Edge.To)
	return knowledge.RelationKey(from.Key, to.Key), err
}

// members returns the entities of a community, and other nodes as they are.
func (s *system) members(ctx context.Context, e *query.Env, it query.Item) ([]engine.NodeID, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return nil, err
	}
	v := e.Snap.Graph(s.g).WithContext(ctx)
	if v.NodeTypeName(n.Type) != typeCommunity {
		return []engine.NodeID{it.ID}, nil
	}
	return entitiesOf(v, n)
}

// entitiesOf returns the first entities of a community.
func entitiesOf(v engine.Reader, n engine.Node) ([]engine.NodeID, error) {
	var level int
	if _, err := fmt.Sscanf(n.Key, "%d/", &level); err != nil {
		return nil, fmt.Errorf("community %q: %w", n.Key, err)
	}
	return descendants(v, n.ID, level, citedEntities)
}

// row is an item as a row of its table.
func (s *system) row(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	v := e.Snap.Graph(s.g).WithContext(ctx)
	n, err := v.Node(it.ID)
	if err != nil {
		return "", 0, err
	}
	if v.NodeTypeName(n.Type) != typeCommunity {
		name, said, err := s.describe(v, it.ID)
		return name + "|" + text.OneLine(said), 0, err
	}
	title, summary, rating, err := reportOf(v, it.ID)
	if err != nil || summary == "" {
		return "", 0, err
	}
	return fmt.Sprintf("%d|%s|%s|%g", it.Layer, text.OneLine(title), text.OneLine(summary), rating), 0, nil
}

// citing is how the method cites: entities and relations rest on the chunks that
// they were found in, a community on those of its first entities, first those that
// most of them share.
func citing() graph.Citing { return graph.Citing{Shared: typeCommunity, Members: citedEntities} }

// citedEntities bounds the entities of a community whose chunks are looked up;
// of one of many levels it is the first on each.
const citedEntities = 256

// condense is [method.System.Condense]: adaptive filtering (spec A3; paper
// section 3.3). The evidence is read in parts of FilterTokens, communities
// apart from the rest, and of each the points are picked that help to answer
// the question, with scores. The answer is made of the best of them, up to
// FilterTokens.
func (s *system) condense(ctx context.Context, m *method.Models, q method.Question, in llm.AnswerInput, docs []string) (llm.AnswerInput, error) {
	if s.p.Answer == "direct" {
		return in, nil
	}
	parts := s.parts(in.Evidence)
	if s.p.CoT {
		own, err := m.Do(ctx, "ask", nil, llm.Task{Kind: llm.HypotheticalPassage, Input: llm.QuestionInput{Question: q.Text}, Lang: q.Lang})
		if err != nil {
			return in, err
		}
		parts = append([][]llm.Evidence{{{Section: "own knowledge", Text: own.Text}}}, parts...)
	}
	return method.FilterPoints(ctx, s.c, m, q, parts, docs, s.p.FilterTokens)
}

// parts divides evidence for the map step.
func (s *system) parts(evidence []llm.Evidence) [][]llm.Evidence {
	var out [][]llm.Evidence
	tokens := 0
	for _, e := range evidence {
		if e.Text == "" {
			continue
		}
		k, n := s.c.Tokens().Count(e.Text), len(out)
		apart := n > 0 && (e.Section == "communities") != (out[n-1][0].Section == "communities")
		if n == 0 || apart || tokens+k > s.p.FilterTokens {
			out, tokens, n = append(out, nil), 0, n+1
		}
		out[n-1] = append(out[n-1], e)
		tokens += k
	}
	return out
}
