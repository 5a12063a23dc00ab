package hirag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// relationsOf takes the relations of the seeds, by the sum of the ends' degrees,
// which is the score, then by weight: those of modes without a bridge (spec B.3,
// other modes). [query.Relations] prefers those among the seeds, and
// [query.Induced] takes no others.
type relationsOf struct {
	s     *system
	seeds query.Op
}

// Run implements [query.Op].
func (o *relationsOf) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	t, ok := v.EdgeType(edgeRelation)
	if !ok {
		return query.Set{}, nil
	}
	filter := engine.EdgeFilter{Types: []engine.EdgeType{t}}
	degrees := map[engine.NodeID]int{}
	met := map[[2]engine.NodeID]bool{}
	var out query.Set
	for i := range in.Items {
		seed := &in.Items[i]
		for after := engine.NodeID(0); ; {
			page, err := v.Neighbors(seed.ID, filter, after, nil)
			if err != nil {
				return query.Set{}, err
			}
			if len(page) == 0 {
				break
			}
			for _, edge := range page {
				after = edge.Other(seed.ID)
				edge.From, edge.To = min(seed.ID, after), max(seed.ID, after)
				if pair := [2]engine.NodeID{edge.From, edge.To}; met[pair] || edge.From == edge.To {
					continue
				} else {
					met[pair] = true
				}
				may, err := o.may(ctx, e, v, edge)
				if err != nil {
					return query.Set{}, err
				}
				if !may {
					continue
				}
				it := query.Item{Graph: o.s.g.ID(), Edge: edge}
				for _, id := range []engine.NodeID{edge.From, edge.To} {
					if _, ok := degrees[id]; !ok {
						if degrees[id], err = v.Degree(id, filter); err != nil {
							return query.Set{}, err
						}
					}
					it.Score += float64(degrees[id])
				}
				it.Why = append(slices.Clip(seed.Why), query.Step{Op: "relation", From: seed.Ref(), Score: it.Score})
				out.Items = append(out.Items, it)
			}
		}
	}
	slices.SortFunc(out.Items, func(a, b query.Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Edge.Weight, a.Edge.Weight),
			cmp.Compare(a.Edge.From, b.Edge.From), cmp.Compare(a.Edge.To, b.Edge.To))
	})
	return out, nil
}

// may reports whether the query may see a relation: its ends, and all its
// sources or, with AllowAny, any.
func (o *relationsOf) may(ctx context.Context, e *query.Env, v *engine.View, edge engine.Edge) (bool, error) {
	if e.Allow == nil {
		return true, nil
	}
	for _, id := range []engine.NodeID{edge.From, edge.To} {
		if may, err := e.May(ctx, o.s.g, id); err != nil || !may {
			return false, err
		}
	}
	set, err := v.Sources(engine.EdgeTarget(edge.From, edge.To, edge.Type))
	if err != nil {
		return false, err
	}
	all, passing := int(set.GetCardinality()), 0
	for it := set.Iterator(); it.HasNext(); {
		may, err := e.May(ctx, o.s.g, engine.NodeID(it.Next()))
		if err != nil {
			return false, err
		}
		if may {
			passing++
		}
	}
	return passing == all || e.AllowAny && passing > 0, nil
}

// Explain implements [query.Op].
func (o *relationsOf) Explain() query.Explanation {
	return query.Explanation{Op: "Relations", Args: []string{"graph=" + o.s.g.Name(), "by=degrees,weight"}, Source: "local relations"}
}

// Inputs implements [query.Op].
func (o *relationsOf) Inputs() []query.Op { return []query.Op{o.seeds} }

// sourcesOf takes the chunks that the seeds were found in: seed by seed, those
// first in which most of the seed's neighbours stand, too (spec B.3.3). It ends
// with the chunk by which their tokens come to the budget: what follows would
// not be packed.
type sourcesOf struct {
	s      *system
	seeds  query.Op
	tokens int
}

// Run implements [query.Op].
func (o *sourcesOf) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	var out query.Set
	seen := map[engine.NodeID]bool{}
	mentions := map[engine.NodeID]*roaring.Bitmap{}
	left := o.tokens
	for i := range in.Items {
		seed := &in.Items[i]
		chunks, err := o.of(v, seed.ID, mentions)
		if err != nil {
			return query.Set{}, err
		}
		for _, c := range chunks {
			if seen[c.id] {
				continue
			}
			seen[c.id] = true
			may, err := e.May(ctx, o.s.g, c.id)
			if err != nil {
				return query.Set{}, err
			}
			if !may {
				continue
			}
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: c.id, Score: seed.Score,
				Why: append(slices.Clip(seed.Why), query.Step{
					Op: "source", From: seed.Ref(), Score: seed.Score, Note: c.note,
				}),
			})
			n, err := v.Node(c.id)
			if err != nil {
				return query.Set{}, err
			}
			if left -= int(n.Prop(propTokens).AsInt()); left < 0 {
				return out, nil
			}
		}
	}
	return out, nil
}

// cited is a chunk with the number of an entity's neighbours that stand in it.
type cited struct {
	id        engine.NodeID
	relations uint64
	note      string
}

// of returns the chunks of an entity, the most relations first. A summary has
// none. mentions are the entities of the chunks that were met.
func (o *sourcesOf) of(v *engine.View, entity engine.NodeID, mentions map[engine.NodeID]*roaring.Bitmap) ([]cited, error) {
	ids, err := graph.Neighbors(v, entity, edgeMentions, engine.In)
	if err != nil {
		return nil, err
	}
	if len(ids) < 2 {
		var out []cited
		for _, id := range ids {
			out = append(out, cited{id: id, note: "its only text"})
		}
		return out, nil
	}
	relation, ok := v.EdgeType(edgeRelation)
	mention, named := v.EdgeType(edgeMentions)
	if !named {
		return nil, nil
	}
	near := roaring.New()
	if ok {
		if near, err = v.NeighborSet(entity, engine.EdgeFilter{Types: []engine.EdgeType{relation}}); err != nil {
			return nil, err
		}
	}
	out := make([]cited, 0, len(ids))
	for _, id := range ids {
		in := mentions[id]
		if in == nil {
			if in, err = v.NeighborSet(id, engine.EdgeFilter{Types: []engine.EdgeType{mention}}); err != nil {
				return nil, err
			}
			mentions[id] = in
		}
		n := in.AndCardinality(near)
		out = append(out, cited{id, n, fmt.Sprintf("%d relations", n)})
	}
	slices.SortFunc(out, func(a, b cited) int {
		return cmp.Or(cmp.Compare(b.relations, a.relations), cmp.Compare(a.id, b.id))
	})
	return out, nil
}

// Explain implements [query.Op].
func (o *sourcesOf) Explain() query.Explanation {
	return query.Explanation{Op: "Sources", Args: []string{"graph=" + o.s.g.Name(), fmt.Sprintf("tokens=%d", o.tokens)}, Source: "source texts"}
}

// Inputs implements [query.Op].
func (o *sourcesOf) Inputs() []query.Op { return []query.Op{o.seeds} }
