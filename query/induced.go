package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// Induced takes the edges that have both ends among a set's nodes, each once,
// by rank descending, then weight descending, then id ascending. An edge's
// rank, its score, is the sum of its ends' degrees over Types. Loops are left
// out. An edge's step comes from the end of it that is earlier in the set.
//
// [Relations] also takes edges that leave the set.
type Induced struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types; nil is all.
	Types  []string
	Source string
}

// Run implements [Op].
func (o *Induced) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	nodes, err := e.nodesSeen(ctx, o.Graph, in.Items)
	if err != nil {
		return Set{}, err
	}
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, engine.Both)
	if !ok {
		return Set{}, nil
	}
	set := roaring.New()
	at := make(map[engine.NodeID]int, len(nodes))
	for i := range nodes {
		set.Add(uint32(nodes[i].ID))
		at[nodes[i].ID] = i
	}
	ranks := newEdgeRanks(v, filter)
	var out Set
	for edge, err := range v.Within(set, filter) {
		if err != nil {
			return Set{}, err
		}
		if edge.From == edge.To {
			continue
		}
		may, err := e.mayEdge(ctx, v, edge.To, edge)
		if err != nil {
			return Set{}, err
		}
		if !may {
			continue
		}
		rank, err := ranks.of(edge)
		if err != nil {
			return Set{}, err
		}
		end := &nodes[min(at[edge.From], at[edge.To])]
		step := Step{Op: "induced", From: end.Ref(), Score: rank}
		out.Items = append(out.Items, Item{
			Graph: o.Graph.ID(), Edge: edge, Score: rank, Why: append(slices.Clip(end.Why), step),
		})
	}
	slices.SortFunc(out.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Edge.Weight, a.Edge.Weight), byID(a, b))
	})
	return out, nil
}

// Explain implements [Op].
func (o *Induced) Explain() Explanation {
	return Explanation{Op: "Induced", Args: graphArgs(o.Graph, o.Types), Source: o.Source}
}

// Inputs implements [Op].
func (o *Induced) Inputs() []Op { return []Op{o.In} }
