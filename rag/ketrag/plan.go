package ketrag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }

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
	tables := &tables{
		s: s, seeds: seeds, text: text, budget: budget,
		relations: &query.Relations{In: seeds, Graph: s.g, Types: []string{edgeRelation}},
	}
	var units query.Op = &sources{s: s, seeds: seeds}
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
func (s *system) size(v *engine.View, id engine.NodeID) (int, error) {
	n, err := v.Node(id)
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

// cite is [method.System.Cite]: a chunk rests on itself, an entity or relation
// on the core chunks that it was found in.
func (s *system) cite(v *engine.View, it query.Item) ([]string, error) {
	target := engine.NodeTarget(it.ID)
	if it.ID == 0 {
		target = engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type)
	} else {
		n, err := v.Node(it.ID)
		if err != nil {
			return nil, err
		}
		if v.NodeTypeName(n.Type) == method.ChunkNodeType {
			return []string{n.Key}, nil
		}
	}
	set, err := v.Sources(target)
	if err != nil {
		return nil, err
	}
	var out []string
	for src := set.Iterator(); src.HasNext(); {
		n, err := v.Node(engine.NodeID(src.Next()))
		if err != nil {
			return nil, err
		}
		out = append(out, n.Key)
	}
	return out, nil
}

// sources takes the core chunks that the seeds were found in: seed by seed,
// those first in which most of the seed's relations stand, each once.
type sources struct {
	s     *system
	seeds query.Op
}

// Run implements [query.Op].
func (o *sources) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	chunkType, ok := v.NodeType(method.ChunkNodeType)
	if !ok {
		return query.Set{}, nil
	}
	var out query.Set
	seen := map[engine.NodeID]bool{}
	for i := range in.Items {
		seed := &in.Items[i]
		units, err := o.of(v, seed.ID)
		if err != nil {
			return query.Set{}, err
		}
		for _, u := range units {
			n, err := v.Node(u.skeleton)
			if err != nil {
				return query.Set{}, err
			}
			id, err := v.Lookup(chunkType, n.Key)
			if err != nil {
				return query.Set{}, err
			}
			may, err := e.May(ctx, o.s.g, id)
			if err != nil {
				return query.Set{}, err
			}
			if seen[id] && !o.s.p.Compat || !may {
				continue
			}
			seen[id] = true
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: id, Score: seed.Score,
				Why: append(slices.Clip(seed.Why), query.Step{
					Op: "source", From: seed.Ref(), Score: seed.Score, Note: fmt.Sprintf("%d relations", u.relations),
				}),
			})
		}
	}
	return out, nil
}

// unit is a core chunk with the number of an entity's relations in it.
type unit struct {
	skeleton  engine.NodeID
	relations int
}

// of returns the core chunks of an entity, most relations first.
func (o *sources) of(v *engine.View, entity engine.NodeID) ([]unit, error) {
	set, err := v.Sources(engine.NodeTarget(entity))
	if err != nil {
		return nil, err
	}
	count := map[engine.NodeID]int{}
	if t, ok := v.EdgeType(edgeRelation); ok {
		for after := engine.NodeID(0); ; {
			page, err := v.Neighbors(entity, engine.EdgeFilter{Types: []engine.EdgeType{t}}, after, nil)
			if err != nil {
				return nil, err
			}
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				after = e.Other(entity)
				in, err := v.Sources(engine.EdgeTarget(e.From, e.To, t))
				if err != nil {
					return nil, err
				}
				for it := in.Iterator(); it.HasNext(); {
					count[engine.NodeID(it.Next())]++
				}
			}
		}
	}
	var out []unit
	for it := set.Iterator(); it.HasNext(); {
		id := engine.NodeID(it.Next())
		out = append(out, unit{id, count[id]})
	}
	slices.SortFunc(out, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.relations, a.relations), cmp.Compare(a.skeleton, b.skeleton))
	})
	return out, nil
}

// Explain implements [query.Op].
func (o *sources) Explain() query.Explanation {
	return query.Explanation{Op: "Sources", Args: []string{"graph=" + o.s.g.Name()}, Source: "text units of the seeds"}
}

// Inputs implements [query.Op].
func (o *sources) Inputs() []query.Op { return []query.Op{o.seeds} }

// tables packs the seeds and their relations into half of what the text part
// leaves. Relations are taken for the first seed, the first two and so on,
// until they do not fit any more beside the entities: then those of one seed
// less are kept.
type tables struct {
	s         *system
	seeds     query.Op
	relations *query.Relations
	text      query.Op
	budget    int
}

// The headers of the tables.
const (
	entityHeader   = "-----Entities-----\nid|entity|description|number of relationships"
	relationHeader = "-----Relationships-----\nid|source|target|description|weight"
)

// Run implements [query.Op].
func (o *tables) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	seeds, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	text, err := e.Eval(ctx, o.text)
	if err != nil {
		return query.Set{}, err
	}
	budget := (o.budget - text.Used) / 2
	r := &rows{
		o: o, e: e, v: e.Snap.Graph(o.s.g).WithContext(ctx),
		made: map[query.Ref]query.Item{}, names: map[engine.NodeID]string{},
	}
	entities, _, err := r.fit(ctx, seeds.Items, entityHeader, budget, r.entity)
	if err != nil || len(entities.Items) == 0 {
		return query.Set{}, err
	}
	var kept query.Set
	for n := 1; n <= len(entities.Items); n++ {
		all, err := o.relations.Of(ctx, e, entities.Items[:n])
		if err != nil {
			return query.Set{}, err
		}
		now, whole, err := r.fit(ctx, all.Items, relationHeader, budget-entities.Used, r.relation)
		if err != nil {
			return query.Set{}, err
		}
		if !whole {
			break
		}
		kept = now
	}
	return query.Set{Items: append(entities.Items, kept.Items...), Used: entities.Used + kept.Used}, nil
}

// rows renders rows, each once.
type rows struct {
	o     *tables
	e     *query.Env
	v     *engine.View
	made  map[query.Ref]query.Item
	names map[engine.NodeID]string // of entities
}

// fit renders items until the budget is used; whole says that all fit.
func (r *rows) fit(ctx context.Context, items []query.Item, header string, budget int, row func(context.Context, query.Item) (string, error)) (out query.Set, whole bool, err error) {
	if len(items) == 0 {
		return out, true, nil
	}
	used := r.e.Tokens(header + "\n")
	for _, it := range items {
		made, ok := r.made[it.Ref()]
		if !ok {
			text, err := row(ctx, it)
			if err != nil {
				return out, false, err
			}
			made = it
			made.Text, made.Tokens = text, r.e.Tokens(text+"\n")
			r.made[it.Ref()] = made
		}
		if used+made.Tokens > budget {
			break
		}
		used += made.Tokens
		out.Items = append(out.Items, made)
	}
	if len(out.Items) > 0 {
		out.Used = used
	}
	return out, len(out.Items) == len(items), nil
}

func (r *rows) entity(_ context.Context, it query.Item) (string, error) {
	name, text, err := knowledge.Describe(r.v, engine.NodeTarget(it.ID))
	if err != nil {
		return "", err
	}
	r.names[it.ID] = name
	t, ok := r.v.EdgeType(edgeRelation)
	degree := 0
	if ok {
		if degree, err = r.v.Degree(it.ID, engine.EdgeFilter{Types: []engine.EdgeType{t}}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d|%s|%s|%d", it.ID, name, oneLine(text), degree), nil
}

func (r *rows) relation(_ context.Context, it query.Item) (string, error) {
	_, text, err := knowledge.Describe(r.v, engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type))
	if err != nil {
		return "", err
	}
	var names [2]string
	for i, id := range [2]engine.NodeID{it.Edge.From, it.Edge.To} {
		if names[i], err = r.name(id); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d|%s|%s|%s|%g", len(r.made), names[0], names[1], oneLine(text), it.Edge.Weight), nil
}

// name returns what an entity is called.
func (r *rows) name(id engine.NodeID) (string, error) {
	if name, ok := r.names[id]; ok {
		return name, nil
	}
	total, err := r.v.Total(engine.NodeTarget(id))
	if err == nil {
		r.names[id] = total.Label
	}
	return total.Label, err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Explain implements [query.Op].
func (o *tables) Explain() query.Explanation {
	return query.Explanation{
		Op: "Tables", Args: []string{fmt.Sprintf("budget=%d", o.budget), "less=what the text used", "share=0.5", "overflow=revert"},
		Source: "local search",
	}
}

// Inputs implements [query.Op].
func (o *tables) Inputs() []query.Op { return []query.Op{o.seeds, o.relations, o.text} }
