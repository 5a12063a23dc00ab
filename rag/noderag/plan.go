package noderag

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// plan is [method.System.Plan] (paper 2.5, spec A.3): what is near to the
// question and what it names are seeds of a short walk, from which the best of
// each type are taken; entities and overviews lead to what they stand for.
func (s *system) plan(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	hits := &query.VectorSearch{
		Graph: s.g, Space: spaceOf(m.QuestionSpace().Model), Text: q.Text, K: s.p.Hits, Source: "vector search, paper 2.5",
	}
	var seeds query.Op
	if s.p.Cross {
		var names query.Op
		if s.p.Dual {
			elements, err := s.elements(ctx, m, q)
			if err != nil {
				return nil, err
			}
			names = &query.PhraseSearch{
				Graph: s.g, Field: schema.FieldNames, Phrases: elements, Types: []string{schema.Entity, schema.Overview},
				Whole: s.p.Match == "equal", Most: s.p.Names, Source: "accurate search, paper 2.5",
			}
		}
		seeds = s.seeds(hits, names)
	}
	if s.p.Order == "paper" {
		return s.paperPlan(q, hits, seeds), nil
	}
	return s.textPlan(m, q, hits, seeds), nil
}

// paperPlan takes as many nodes as the quotas allow, whatever the budget: the first
// to be found is the first to be packed. Summaries stand before texts. seeds is nil
// without a walk.
func (s *system) paperPlan(q method.Question, hits *query.VectorSearch, seeds query.Op) *method.Plan {
	found := &query.Union{In: []query.Op{hits}, Combine: query.First, Source: "entry and cross nodes, paper 2.5"}
	if seeds != nil {
		cross := s.walk(seeds, s.quotas(1), hits)
		found.In = append(found.In, s.of(cross, schema.Text, schema.Unit, schema.Attribute, schema.Element))
		found.In = append(found.In, s.expanded(cross)...)
		found.In = append(found.In, s.of(cross, schema.Relationship))
	}
	order := []string{schema.Element, schema.Attribute, schema.Unit, schema.Relationship, schema.Text}
	pack := &query.Pack{In: found, Name: "all", Budget: s.below(q, order), Skip: true, Render: s.render, Cut: s.c.CutText}
	plan := &method.Plan{}
	for _, t := range order {
		plan.Sections = append(plan.Sections, method.Section{Name: t, Pack: &query.Sections{In: []query.Op{s.of(pack, t)}, Header: header(t)}})
	}
	if seeds != nil && s.p.Fill { // texts for what the budget leaves
		more := s.walk(seeds, []query.TypeQuota{{Types: []string{schema.Text}, Most: maxFill}}, found)
		plan.Sections = append(plan.Sections, method.Section{Name: "more texts", Pack: &query.Pack{
			In: more, Name: "more texts", Budget: q.Tokens(), Less: sectionsOf(plan), Render: s.render,
		}})
	}
	return plan
}

// below returns the budget of a question without the headers of some types.
func (s *system) below(q method.Question, types []string) int {
	budget := q.Tokens()
	for _, t := range types {
		budget -= s.c.Tokens().Count(header(t) + "\n")
	}
	return budget
}

// expanded returns the attributes of the entities that a walk found, and the
// elements of its overviews.
func (s *system) expanded(cross query.Op) []query.Op {
	if !s.p.Expand {
		return nil
	}
	return []query.Op{
		&query.Neighbors{In: s.of(cross, schema.Entity), Graph: s.g, Types: []string{schema.Describes}, Source: "entities to attributes"},
		&query.Neighbors{In: s.of(cross, schema.Overview), Graph: s.g, Types: []string{schema.Titles}, Source: "overviews to elements"},
	}
}

// walk takes the best nodes around the seeds (paper 2.5, shallow PPR and cross
// nodes), without those of some operators.
func (s *system) walk(seeds query.Op, quotas []query.TypeQuota, without ...query.Op) query.Op {
	o := &query.PPR{
		In: seeds, Graph: s.g, Alpha: s.p.Alpha, Steps: s.p.Steps, InMemory: true,
		Quotas: quotas, Without: without, Source: "shallow PPR and cross nodes, paper 2.5",
	}
	if !s.p.Restart {
		o.Lazy = true
	}
	switch {
	case s.p.Adjust && s.p.Near && s.p.Neighbours > 0:
		o.Weights = graphops.CappedWeights // all near edges of a node weigh as one other
	case s.p.Adjust:
		o.Weights = graphops.DegreeWeights
	}
	if !s.p.Near {
		o.Types = []string{schema.Source, schema.Mentions, schema.States, schema.Relates, schema.Describes, schema.Covers, schema.Titles}
	}
	return o
}

// seeds are what was found by vector and by name, if names is not nil, with the
// weights that a walk starts with; what was found by both has the name's.
func (s *system) seeds(hits, names query.Op) query.Op {
	out := &query.Union{Combine: query.First, Source: "entry points, paper 2.5"}
	if names != nil {
		out.In = append(out.In, &query.Reweigh{In: names, By: weight(s.p.NameWeight)})
	}
	out.In = append(out.In, &query.Reweigh{In: hits, By: weight(s.p.VectorWeight)})
	return out
}

// weight measures all items alike.
func weight(x float64) *query.Measure {
	return &query.Measure{Name: fmt.Sprintf("weight=%g", x), Of: func(context.Context, *query.Env, query.Item) (float64, bool, error) {
		return x, true, nil
	}}
}

// quotas are how many nodes of each type the walk may add, so many times over.
func (s *system) quotas(times int) []query.TypeQuota {
	out := []query.TypeQuota{
		{Types: []string{schema.Entity}, Most: times * s.p.Entities},
		{Types: []string{schema.Relationship}, Most: times * s.p.Relationships},
		{Types: []string{schema.Overview}, Most: times * s.p.Overviews},
	}
	if !s.p.Each {
		return append(out, query.TypeQuota{Types: embedded(), Most: times * s.p.CrossNodes})
	}
	for _, t := range embedded() {
		out = append(out, query.TypeQuota{Types: []string{t}, Most: times * s.p.CrossNodes})
	}
	return out
}

// embedded are the types of nodes that have a vector.
func embedded() []string {
	return []string{schema.Text, schema.Unit, schema.Attribute, schema.Element}
}

// of takes the nodes of some types.
func (s *system) of(in query.Op, types ...string) query.Op {
	return &query.Filter{In: in, Graph: s.g, Types: types}
}

// maxFill bounds the texts that are looked at for what the budget leaves.
const maxFill = 1000

// sectionsOf returns the packs of a plan.
func sectionsOf(p *method.Plan) []query.Op {
	var out []query.Op
	for _, s := range p.Sections {
		out = append(out, s.Pack)
	}
	return out
}

// header stands above the items of a type.
func header(t string) string { return "------------" + t + "-------------" }

// elements asks a model which things the question is about, and returns their
// names as keys have them.
func (s *system) elements(ctx context.Context, m *method.Models, q method.Question) ([]string, error) {
	var out llm.Elements
	t := llm.Task{Kind: llm.QueryElements, Lang: q.Lang, Input: llm.QuestionInput{Question: q.Text, Related: s.p.Related}}
	if err := m.DoJSON(ctx, "question", nil, t, &out); err != nil {
		return nil, err
	}
	keys := make([]string, len(out.Entities))
	for i, name := range out.Entities {
		keys[i] = text.Key(name)
	}
	return s.c.ReadAs(ctx, keys)
}

// render is the text of T, S, A, H or R; a chunk's is read through to the base
// graph.
func (s *system) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	v := e.Snap.Graph(s.g).WithContext(ctx)
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		// A call that reads ahead notes what most nodes say with the node.
		_, also := v.Total(engine.NodeTarget(it.ID))
		return "", 0, errors.Join(err, also)
	}
	if kind := v.NodeTypeName(n.Type); kind != schema.Text {
		says, err := s.textOf(v, it.ID, kind)
		return says, 0, err
	}
	return s.c.TextOf(ctx, e.Snap, s.p.Chunks, n.Key)
}

// maxCited bounds the chunks that an item cites: an element may rest on
// hundreds, none of which says more of it than another.
const maxCited = 32
