package query

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// All takes all nodes of some types, in order of id. They score 0.
type All struct {
	Graph  *engine.Graph
	Types  []string
	Source string
}

// Run implements [Op].
func (o *All) Run(ctx context.Context, e *Env) (Set, error) {
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	types := l.nodeTypes(o.Types)
	set, err := types.all()
	if err != nil {
		return Set{}, err
	}
	out := Set{Items: make([]Item, 0, set.GetCardinality())}
	for ids := set.Iterator(); ids.HasNext(); {
		out.Items = append(out.Items, Item{Graph: o.Graph.ID(), ID: engine.NodeID(ids.Next()), Why: []Step{{Op: "all"}}})
	}
	return out, nil
}

// Explain implements [Op].
func (o *All) Explain() Explanation {
	return Explanation{Op: "All", Args: graphArgs(o.Graph, o.Types), Source: o.Source}
}

// Inputs implements [Op].
func (o *All) Inputs() []Op { return nil }
