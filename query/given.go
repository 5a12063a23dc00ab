package query

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// Given takes nodes that the caller has, such as those that a person names, in
// their order. A node that is in Nodes twice stays in its first place, with the
// sum of the scores.
type Given struct {
	Graph *engine.Graph
	// Nodes are items of the graph; others are left out.
	Nodes []Item
	// Source is the paper's name for the step.
	Source string
}

// Run implements [Op].
func (o *Given) Run(context.Context, *Env) (Set, error) {
	nodes := nodesOf(o.Graph, o.Nodes)
	at := make(map[engine.NodeID]int, len(nodes))
	out := Set{Items: make([]Item, 0, len(nodes))}
	for _, it := range nodes {
		if i, ok := at[it.ID]; ok {
			out.Items[i].Score += it.Score
			continue
		}
		at[it.ID] = len(out.Items)
		out.Items = append(out.Items, it)
	}
	return out, nil
}

// Explain implements [Op].
func (o *Given) Explain() Explanation {
	return Explanation{Op: "Given", Args: []string{arg("graph", o.Graph.Name()), arg("nodes", len(o.Nodes))}, Source: o.Source}
}

// Inputs implements [Op].
func (o *Given) Inputs() []Op { return nil }
