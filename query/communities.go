package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Communities takes the nodes that stand for the communities of a set's nodes.
// One scores the number of the set's nodes that belong to it, by an edge that
// the query may see. They are in order of score descending, then of the
// property By descending, a number that counts as least where it is not one,
// then of id ascending.
//
// The way back, from communities to their members, is [Neighbors] over the
// same edge types in the other direction.
type Communities struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types of membership; nil is all.
	// Direction leads from the members to their communities.
	Types     []string
	Direction engine.Direction
	// By is the property that orders communities of one score, such as a
	// rating; "" is none.
	By     string
	Source string
}

// Run implements [Op].
func (o *Communities) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	members, err := e.nodesSeen(ctx, o.Graph, in.Items)
	if err != nil {
		return Set{}, err
	}
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, o.Direction)
	if !ok {
		return Set{}, nil
	}
	var out Set
	at := map[engine.NodeID]int{}
	var page []engine.Edge
	for m := range members {
		member := &members[m]
		last := engine.NodeID(0)
		err := eachEdge(ctx, v, member.ID, filter, &page, func(edge engine.Edge) error {
			other := edge.Other(member.ID)
			if other == last {
				return nil
			}
			may, err := e.mayEdge(ctx, v, other, edge)
			if err != nil || !may {
				return err
			}
			last = other
			i, ok := at[other]
			if !ok {
				i = len(out.Items)
				at[other] = i
				out.Items = append(out.Items, Item{Graph: o.Graph.ID(), ID: other, Why: slices.Clip(member.Why)})
			}
			it := &out.Items[i]
			it.Score++
			it.Why = append(it.Why, Step{Op: "community", From: member.Ref(), Score: it.Score})
			return nil
		})
		if err != nil {
			return Set{}, err
		}
	}
	return out, o.order(v, out.Items)
}

// order sorts the communities.
func (o *Communities) order(v *engine.View, items []Item) error {
	if o.By == "" {
		slices.SortFunc(items, byScore)
		return nil
	}
	by := make(map[engine.NodeID]float64, len(items))
	for i := range items {
		n, err := v.Node(items[i].ID)
		if err != nil {
			return err
		}
		by[n.ID] = number(n.Prop(o.By))
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(by[b.ID], by[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// number returns a value as a number, the least one where it is none.
func number(x engine.Value) float64 {
	switch x.Kind() {
	case engine.KindInt:
		return float64(x.AsInt())
	case engine.KindFloat:
		return x.AsFloat()
	}
	return math.Inf(-1)
}

// Explain implements [Op].
func (o *Communities) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.By != "" {
		args = append(args, arg("by", o.By))
	}
	return Explanation{Op: "Communities", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Communities) Inputs() []Op { return []Op{o.In} }
