package baseline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// spread multiplies the scores of a set with the matrix of an edge type: each
// neighbour that the query may see scores the sum, over the set's nodes that it
// is joined to, of their scores times the weights of the edges, or the mean of
// them; by score descending, id ascending.
type spread struct {
	s      *openIE
	in     query.Op
	edge   string
	mean   bool
	source string
}

// Run implements [query.Op].
func (o *spread) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	at := map[engine.NodeID]int{}
	var out query.Set
	var gifts []gift // by place in out
	for i := range in.Items {
		it := &in.Items[i]
		edges, err := joined(v, it.ID, o.edge)
		if err != nil {
			return query.Set{}, err
		}
		for _, edge := range edges {
			id, share := edge.Other(it.ID), it.Score*float64(edge.Weight)
			n, ok := at[id]
			if !ok {
				may, err := e.May(ctx, o.s.g, id)
				if err != nil {
					return query.Set{}, err
				}
				if !may {
					continue
				}
				n = len(out.Items)
				at[id] = n
				out.Items = append(out.Items, query.Item{Graph: o.s.g.ID(), ID: id})
				gifts = append(gifts, gift{})
			}
			out.Items[n].Score += share
			gifts[n].take(it, share, edge.Weight)
		}
	}
	for n := range out.Items {
		to, g := &out.Items[n], &gifts[n]
		if o.mean {
			to.Score /= float64(g.times)
		}
		to.Why = append(slices.Clip(g.from.Why), query.Step{
			Op: "spread", From: g.from.Ref(), Score: g.share, Note: fmt.Sprintf("%s, weight %g", o.edge, g.weight),
		})
	}
	slices.SortFunc(out.Items, byScore)
	return out, nil
}

// gift is what an item has of the one that gives it most, the first of equals.
type gift struct {
	from   *query.Item
	share  float64
	weight float32 // of the edge
	times  int     // how many give
}

func (g *gift) take(from *query.Item, share float64, weight float32) {
	if share > g.share || g.from == nil {
		g.from, g.share, g.weight = from, share, weight
	}
	g.times++
}

func byScore(a, b query.Item) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
}

// Explain implements [query.Op].
func (o *spread) Explain() query.Explanation {
	args := []string{"graph=" + o.s.g.Name(), "type=" + o.edge}
	if o.mean {
		args = append(args, "mean")
	}
	return query.Explanation{Op: "Spread", Args: args, Source: o.source}
}

// Inputs implements [query.Op].
func (o *spread) Inputs() []query.Op { return []query.Op{o.in} }

// here takes a set's chunks of the base graph in the method's graph, in the
// set's order and with its scores.
type here struct {
	s  *openIE
	in query.Op
}

// Run implements [query.Op].
func (o *here) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v, base := e.Snap.Graph(o.s.g).WithContext(ctx), e.Snap.Graph(o.s.c.Base()).WithContext(ctx)
	t, ok := v.NodeType(method.ChunkNodeType)
	if !ok {
		return query.Set{}, nil
	}
	ids := make([]engine.NodeID, len(in.Items))
	for i := range in.Items {
		ids[i] = in.Items[i].ID
	}
	nodes, err := graph.Read(base, ids)
	if err != nil {
		return query.Set{}, err
	}
	var out query.Set
	for i, it := range in.Items {
		id, err := v.Lookup(t, nodes[i].Key)
		if isMissing(err) {
			continue // its extraction failed
		}
		if err != nil {
			return query.Set{}, err
		}
		it.Graph, it.ID = o.s.g.ID(), id
		out.Items = append(out.Items, it)
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *here) Explain() query.Explanation {
	return query.Explanation{Op: "Here", Args: []string{"graph=" + o.s.g.Name()}}
}

// Inputs implements [query.Op].
func (o *here) Inputs() []query.Op { return []query.Op{o.in} }

// weigh gives a set's nodes other scores, in the set's order.
type weigh struct {
	s    *openIE
	in   query.Op
	name string
	// of returns the score of a node.
	of     func(v *engine.View, it *query.Item) (float64, error)
	source string
}

// Run implements [query.Op].
func (o *weigh) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	out := query.Set{Items: slices.Clone(in.Items)}
	for i := range out.Items {
		it := &out.Items[i]
		if it.Score, err = o.of(v, it); err != nil {
			return query.Set{}, err
		}
		it.Why = append(slices.Clip(it.Why), query.Step{Op: "weigh", From: it.Ref(), Score: it.Score, Note: o.name})
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *weigh) Explain() query.Explanation {
	return query.Explanation{Op: "Weigh", Args: []string{"by=" + o.name}, Source: o.source}
}

// Inputs implements [query.Op].
func (o *weigh) Inputs() []query.Op { return []query.Op{o.in} }

// specificity is 1 by the number of chunks that name an entity (HippoRAG,
// section 2.4).
func specificity(v *engine.View, it *query.Item) (float64, error) {
	set, err := v.Sources(engine.NodeTarget(it.ID))
	if err != nil {
		return 0, err
	}
	return 1 / float64(max(1, set.GetCardinality())), nil
}
