package noderag

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// Plan implements [rag.System] (paper 2.5, spec A.3): what is near to the
// question and what it names are seeds of a short walk, from which the best of
// each type are taken; entities and overviews lead to what they stand for.
// The first to be found is the first to be packed.
func (s *System) Plan(ctx context.Context, m *rag.Models, q rag.Question) (*rag.Plan, error) {
	hits := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(m.Questions.Space().Model), Text: q.Text, K: s.p.Hits, Source: "vector search, paper 2.5",
	}
	found := &query.Union{In: []query.Op{hits}, Combine: query.First, Source: "retrieved, paper 2.5"}
	more := &query.Minus{Of: found} // texts for what the budget leaves
	if s.p.Cross {
		seeds := &seeds{s: s, hits: hits}
		if s.p.Dual {
			elements, err := s.elements(ctx, m, q)
			if err != nil {
				return nil, err
			}
			seeds.names = &named{s: s, elements: elements}
		}
		cross := &walk{s: s, seeds: seeds, hits: hits}
		more.In = &walk{s: s, seeds: seeds, hits: hits, texts: maxFill}
		found.In = append(found.In, &ofTypes{s: s, in: cross, types: []string{typeText, typeUnit, typeAttribute, typeElement}})
		if s.p.Expand {
			found.In = append(found.In,
				&query.Neighbors{In: &ofTypes{s: s, in: cross, types: []string{typeEntity}}, Graph: s.g, Types: []string{edgeAttribute}, Source: "entities to attributes"},
				&query.Neighbors{In: &ofTypes{s: s, in: cross, types: []string{typeOverview}}, Graph: s.g, Types: []string{edgeTitle}, Source: "overviews to elements"})
		}
		found.In = append(found.In, &ofTypes{s: s, in: cross, types: []string{typeRelationship}})
	}
	order := []string{typeText, typeUnit, typeAttribute, typeElement, typeRelationship}
	if s.p.Order == "summary" {
		order = []string{typeElement, typeAttribute, typeUnit, typeRelationship, typeText}
	}
	budget := q.Tokens()
	for _, t := range order {
		budget -= s.c.Tokens.Count(header(t) + "\n")
	}
	pack := &query.Pack{In: found, Name: "all", Budget: budget, Overflow: query.Skip, Render: s.render, Cut: s.c.CutText}
	plan := &rag.Plan{}
	for _, t := range order {
		plan.Sections = append(plan.Sections, rag.Section{Name: t, Pack: &ofTypes{s: s, in: pack, types: []string{t}, header: header(t)}})
	}
	if s.p.Fill && more.In != nil {
		plan.Sections = append(plan.Sections, rag.Section{Name: "more texts", Pack: &query.Pack{
			In: more, Name: "more texts", Budget: q.Tokens(), Less: sectionsOf(plan), Render: s.render,
		}})
	}
	return plan, nil
}

// maxFill bounds the texts that are looked at for what the budget leaves.
const maxFill = 1000

// sectionsOf returns the packs of a plan.
func sectionsOf(p *rag.Plan) []query.Op {
	var out []query.Op
	for _, s := range p.Sections {
		out = append(out, s.Pack)
	}
	return out
}

// header stands above the items of a type.
func header(t string) string { return "------------" + t + "-------------" }

// elements asks a model which things the question is about.
func (s *System) elements(ctx context.Context, m *rag.Models, q rag.Question) ([]string, error) {
	reply, err := m.Do(ctx, "question", nil, llm.Task{Kind: llm.QueryElements, Lang: q.Lang, Input: llm.QuestionInput{Question: q.Text}})
	if err != nil {
		return nil, err
	}
	var out llm.Elements
	if err := json.Unmarshal([]byte(reply.Text), &out); err != nil {
		return nil, &llm.ReplyError{Kind: llm.QueryElements, Raw: reply.Text, Why: err.Error()}
	}
	return out.Entities, nil
}

// render is the text of T, S, A, H or R; a chunk's is read through to the base
// graph.
func (s *System) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	v := e.Snap.Graph(s.g).WithContext(ctx)
	n, err := v.Node(it.ID)
	if err != nil {
		return "", 0, err
	}
	if kind := v.NodeTypeName(n.Type); kind != typeText {
		says, err := s.textOf(v, it.ID, kind)
		return says, 0, err
	}
	return s.c.TextOf(ctx, e.Snap, s.p.Chunks, n.Key)
}

// maxCited bounds the chunks that an item cites: an element may rest on
// hundreds, none of which says more of it than another.
const maxCited = 32

// Cite implements [rag.System]: a chunk rests on itself, all else on the chunks
// that it was made from, an overview on those of its elements; the first of
// them in order of id.
func (s *System) Cite(v *engine.View, it query.Item) ([]string, error) {
	n, err := v.Node(it.ID)
	if err != nil {
		return nil, err
	}
	if v.NodeTypeName(n.Type) == typeText {
		return []string{n.Key}, nil
	}
	set, err := v.Sources(engine.NodeTarget(it.ID))
	if err != nil {
		return nil, err
	}
	var out []string
	for src := set.Iterator(); src.HasNext() && len(out) < maxCited; {
		keys, err := s.Cite(v, query.Item{ID: engine.NodeID(src.Next())})
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out, nil
}

// ofTypes takes the items that are nodes of some types, in their order. What
// they use is what their texts do, and the header where there is any.
type ofTypes struct {
	s      *System
	in     query.Op
	types  []string
	header string
}

// Run implements [query.Op].
func (o *ofTypes) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	var out query.Set
	for _, it := range in.Items {
		n, err := v.Node(it.ID)
		if err != nil {
			return query.Set{}, err
		}
		if slices.Contains(o.types, v.NodeTypeName(n.Type)) {
			out.Used += it.Tokens
			out.Items = append(out.Items, it)
		}
	}
	if o.header != "" && len(out.Items) > 0 {
		out.Used += e.Tokens(o.header + "\n")
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *ofTypes) Explain() query.Explanation {
	return query.Explanation{Op: "OfTypes", Args: []string{fmt.Sprintf("types=%v", o.types)}}
}

// Inputs implements [query.Op].
func (o *ofTypes) Inputs() []query.Op { return []query.Op{o.in} }

// form returns the walk's form.
func (s *System) form() graphops.PPRForm {
	if s.p.Restart {
		return graphops.PPRRestart
	}
	return graphops.PPRLazy
}
