package baseline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
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
		g := newOpenIE(c, name, params, map[string]string{"k": "60"})
		s := &lightRAG{openIE: g, k: g.r.Int("k", 1, 10_000)}
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
	lowRelations := &ranked{s.openIE, &query.Neighbors{In: low, Graph: s.g, Types: []string{edgeEnd}, Source: "relations of entities"}}
	lowChunks := &sources{s.openIE, low}

	high := search(spaceRelation, words.High)
	highEntities := &query.Neighbors{In: high, Graph: s.g, Types: []string{edgeEnd}, Source: "ends of relations"}
	highChunks := &query.Neighbors{In: high, Graph: s.g, Types: []string{edgeStates}, Source: "chunks of relations"}

	switch s.Name() {
	case "lightrag-low":
		return s.tables(m, q, low, lowRelations, lowChunks), nil
	case "lightrag-high":
		return s.tables(m, q, highEntities, high, highChunks), nil
	}
	both := func(low, high query.Op) query.Op { return &alternating{low, high} }
	return s.tables(m, q, both(low, highEntities), both(high, lowRelations), both(lowChunks, highChunks)), nil
}

// ranked orders relations by the sum of their ends' degrees, then by their
// chunks, then id, as LightRAG's code does; the sum is their score.
type ranked struct {
	s  *openIE
	in query.Op
}

// Run implements [query.Op].
func (o *ranked) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	related, ok := v.EdgeType(edgeRelation)
	if !ok {
		return in, nil
	}
	degrees := map[engine.NodeID]int{}
	chunks := map[engine.NodeID]uint64{}
	out := query.Set{Items: slices.Clone(in.Items)}
	for i := range out.Items {
		it := &out.Items[i]
		ends, err := joined(v, it.ID, edgeEnd)
		if err != nil {
			return query.Set{}, err
		}
		sum := 0
		for _, edge := range ends {
			id := edge.Other(it.ID)
			if _, known := degrees[id]; !known {
				if degrees[id], err = v.Degree(id, engine.EdgeFilter{Types: []engine.EdgeType{related}}); err != nil {
					return query.Set{}, err
				}
			}
			sum += degrees[id]
		}
		set, err := v.Sources(engine.NodeTarget(it.ID))
		if err != nil {
			return query.Set{}, err
		}
		it.Score, chunks[it.ID] = float64(sum), set.GetCardinality()
		it.Why = append(slices.Clip(it.Why), query.Step{Op: "rank", From: it.Ref(), Score: it.Score, Note: "degrees of the ends"})
	}
	slices.SortFunc(out.Items, func(a, b query.Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(chunks[b.ID], chunks[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Explain implements [query.Op].
func (o *ranked) Explain() query.Explanation {
	return query.Explanation{Op: "Ranked", Args: []string{"by=degrees of the ends"}}
}

// Inputs implements [query.Op].
func (o *ranked) Inputs() []query.Op { return []query.Op{o.in} }

// sources takes the chunks that name a set's entities: entity by entity in the
// set's order, those first that state most of its relations, then by id, each
// once, with the score of its entity.
type sources struct {
	s  *openIE
	in query.Op
}

// Run implements [query.Op].
func (o *sources) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	var out query.Set
	seen := map[engine.NodeID]bool{}
	for i := range in.Items {
		it := &in.Items[i]
		stated, err := o.stated(v, it.ID)
		if err != nil {
			return query.Set{}, err
		}
		chunks, err := joined(v, it.ID, edgeMentions)
		if err != nil {
			return query.Set{}, err
		}
		slices.SortStableFunc(chunks, func(a, b engine.Edge) int {
			return cmp.Compare(stated[b.Other(it.ID)], stated[a.Other(it.ID)])
		})
		for _, edge := range chunks {
			id := edge.Other(it.ID)
			may, err := e.May(ctx, o.s.g, id)
			if err != nil {
				return query.Set{}, err
			}
			if seen[id] || !may {
				continue
			}
			seen[id] = true
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: id, Score: it.Score,
				Why: append(slices.Clip(it.Why), query.Step{Op: "source", From: it.Ref(), Score: it.Score}),
			})
		}
	}
	return out, nil
}

// stated counts the relations of an entity in each chunk.
func (o *sources) stated(v *engine.View, entity engine.NodeID) (map[engine.NodeID]int, error) {
	out := map[engine.NodeID]int{}
	relations, err := joined(v, entity, edgeEnd)
	if err != nil {
		return nil, err
	}
	for _, edge := range relations {
		set, err := v.Sources(engine.NodeTarget(edge.Other(entity)))
		if err != nil {
			return nil, err
		}
		for it := set.Iterator(); it.HasNext(); {
			out[engine.NodeID(it.Next())]++
		}
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *sources) Explain() query.Explanation {
	return query.Explanation{Op: "Sources", Args: []string{"graph=" + o.s.g.Name()}, Source: "chunks of entities"}
}

// Inputs implements [query.Op].
func (o *sources) Inputs() []query.Op { return []query.Op{o.in} }

// alternating takes the first of one set, the first of the other, the second of
// one, and so on, each item once.
type alternating struct{ a, b query.Op }

// Run implements [query.Op].
func (o *alternating) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	a, err := e.Eval(ctx, o.a)
	if err != nil {
		return query.Set{}, err
	}
	b, err := e.Eval(ctx, o.b)
	if err != nil {
		return query.Set{}, err
	}
	var out query.Set
	seen := map[query.Ref]bool{}
	for i := range max(len(a.Items), len(b.Items)) {
		for _, from := range [2]query.Set{a, b} {
			if i >= len(from.Items) || seen[from.Items[i].Ref()] {
				continue
			}
			seen[from.Items[i].Ref()] = true
			out.Items = append(out.Items, from.Items[i])
		}
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *alternating) Explain() query.Explanation { return query.Explanation{Op: "Alternating"} }

// Inputs implements [query.Op].
func (o *alternating) Inputs() []query.Op { return []query.Op{o.a, o.b} }
