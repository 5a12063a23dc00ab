package archrag

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// plan is [method.System.Plan] (spec A3; paper section 3.2): the best of each
// layer in one descent, the relations at the entities among them, and chunks: those
// nearest to the question and to what was hit, and those of the communities.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	budget, model := q.Tokens(), m.QuestionSpace().Model
	hits := s.hits(q, model)
	top := &query.Filter{In: hits, Graph: s.g, Types: []string{typeCommunity}}
	entities := &query.Filter{In: hits, Graph: s.g, Types: []string{typeEntity}}
	relations := s.relations(q, model, entities)
	w := &writer{s: s, budget: budget}
	// Chunks are packed first, so that tables get what they leave.
	texts := s.texts(q, model, entities, relations, top)
	nearest := w.chunks("text", texts.nearest, s.p.TextShare)
	told := w.chunks("community text", texts.communities, s.p.CommunityShare)
	// Reports are in order of likeness, as the other rows are.
	tops := w.rows("communities", &query.Sort{In: top}, communityHeader, "R_1 to R_L", 0.5)
	rows := w.rows("entities", entities, entityHeader, "R_0, nodes", 0.5)
	links := w.rows("relations", relations, relationHeader, "R_0, edges", 0)
	more := w.chunks("more text", texts.nearest, 0)
	plan := &method.Plan{}
	for _, p := range []*query.Pack{nearest, told, rows, links, tops, more} {
		if p != nil {
			plan.Sections = append(plan.Sections, method.Section{Name: p.Name, Pack: p})
		}
	}
	return plan, nil
}

// writer makes the packs of a plan, each of what those before it leave.
type writer struct {
	s      *system
	budget int
	packed []query.Op // all packs
	texts  []query.Op // those of chunks
}

// chunks packs chunks that no pack before has, up to a share of the whole budget, 0
// for all that is left. It is nil for no chunks, and for a share that is not given.
func (w *writer) chunks(name string, in query.Op, share float64) *query.Pack {
	if in == nil {
		return nil
	}
	for _, other := range w.texts {
		in = &query.Minus{In: in, Of: other}
	}
	p := &query.Pack{
		In: in, Name: name, Budget: w.budget, Less: slices.Clone(w.packed), Render: w.s.c.RenderChunk, Source: "C_text",
	}
	if share > 0 {
		p.Budget, p.Less = int(float64(w.budget)*share), nil
	}
	if len(w.texts) == 0 {
		p.Cut = w.s.c.CutText
	}
	w.packed, w.texts = append(w.packed, p), append(w.texts, p)
	return p
}

// rows packs the rows of a table in a share of what is left.
func (w *writer) rows(name string, in query.Op, header, source string, share float64) *query.Pack {
	p := &query.Pack{
		In: in, Name: name, Budget: w.budget, Less: slices.Clone(w.packed), Share: share,
		Header: header, Render: w.s.row, Skip: true, Source: source,
	}
	w.packed = append(w.packed, p)
	return p
}

// hits are the best of each layer, the highest layer first.
func (s *system) hits(q method.Question, model string) query.Op {
	var layers []vecindex.LayerK
	for n := min(s.p.MaxLayer, s.p.Levels); n >= 0; n-- {
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
		out = &query.Intersect{In: out, With: &query.Limit{In: &query.Sort{In: out}, N: s.p.KFinal}}
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

// texts are the chunks that stand beside the hits, nil for none.
type texts struct {
	nearest     query.Op // to the question and to what is hit
	communities query.Op // of the communities
}

func (s *system) texts(q method.Question, model string, entities, relations, communities query.Op) (out texts) {
	if s.p.Text == "none" {
		return out
	}
	words := []query.Op{
		&query.VectorSearch{Graph: s.c.Base(), Space: method.ChunkSpace(s.p.Chunks, model), Text: q.Text, K: textCandidates},
		s.c.TextSearch(s.p.Chunks, q.Text, textCandidates),
	}
	// A community far below the best one says nothing of the question.
	near := &query.AtLeast{In: communities, Part: s.p.CommunityCut}
	named := s.chunksOf(&query.Sources{
		In:    &query.Union{In: []query.Op{entities, relations, near}, Combine: query.First},
		Graph: s.g, Through: s.members, Share: true, Source: "chunks of the hits",
	})
	out.nearest = &query.Sort{In: named}
	if s.p.Text == "hybrid" {
		out.nearest = &query.Union{In: append(slices.Clone(words), named), Combine: query.ZSum}
	}
	if s.p.CommunityShare > 0 && s.p.MaxLayer > 0 {
		like := &query.Union{In: words, Combine: query.ZSum, Source: "likeness"}
		out.communities = s.chunksOf(&query.Sources{
			In: near, Graph: s.g, Through: s.members,
			Order: &query.Twins{In: like, Graph: s.g, Type: method.ChunkNodeType, Of: s.c.Base()}, Turns: true,
			Source: "chunks of the communities",
		})
	}
	return out
}

// chunksOf returns the chunks that nodes of the method's graph stand for.
func (s *system) chunksOf(nodes query.Op) query.Op {
	return &query.Twins{In: nodes, Graph: s.c.Base(), Type: method.ChunkType(s.p.Chunks), Of: s.g}
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

// parts divides evidence for the map step: communities apart from the rest, in parts
// of FilterTokens; with map=layer each layer apart, as the paper has it: its layer 0 is
// the tables of entities and relations, and chunks, which the paper lacks, are apart
// from it.
func (s *system) parts(evidence []llm.Evidence) [][]llm.Evidence {
	var order []string // of the sets
	sets := map[string][]llm.Evidence{}
	for _, e := range evidence {
		if e.Text == "" {
			continue
		}
		set := s.mapSet(e)
		if sets[set] == nil {
			order = append(order, set)
		}
		sets[set] = append(sets[set], e)
	}
	var out [][]llm.Evidence
	for _, set := range order {
		tokens := 0
		for i, e := range sets[set] {
			k := s.c.Tokens().Count(e.Text)
			if i == 0 || tokens+k > s.p.FilterTokens {
				out, tokens = append(out, nil), 0
			}
			out[len(out)-1] = append(out[len(out)-1], e)
			tokens += k
		}
	}
	return out
}

// mapSet names the set of evidence that a piece is read with.
func (s *system) mapSet(e llm.Evidence) string {
	layered := s.p.Map == "layer"
	switch e.Section {
	case "communities":
		if level, _, ok := strings.Cut(e.Text, "|"); ok && layered {
			return "layer " + level
		}
		return "communities"
	case "entities", "relations":
		if layered {
			return "layer 0"
		}
	}
	return "chunks"
}
