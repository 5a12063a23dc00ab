package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Relations takes the edges at a set's nodes: first those between two of them,
// by rank descending, then those that leave the set, by the number of its nodes
// that the outer end is joined to, then rank, at most PerNode for each node of
// the set. An edge's rank, its score, is the sum of its ends' degrees.
//
// It is the choice of relationships of GraphRAG's local search, which KET-RAG
// and ArchRAG share.
type Relations struct {
	In    Op
	Graph *engine.Graph
	Types []string
	// PerNode bounds the edges that leave, per node of the set; 0 is 10, and
	// below 0 none is taken.
	PerNode int
	Source  string
}

// Run implements [Op].
func (o *Relations) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	return o.Of(ctx, e, in.Items)
}

// Of returns the relations of the items that are nodes of the graph.
func (o *Relations) Of(ctx context.Context, e *Env, items []Item) (Set, error) {
	if err := e.check(); err != nil {
		return Set{}, err
	}
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, engine.Both)
	if !ok {
		return Set{}, nil
	}
	items = nodesOf(o.Graph, items)
	inside := map[engine.NodeID]bool{}
	for i := range items {
		inside[items[i].ID] = true
	}
	ranks := newEdgeRanks(v, filter)
	met := map[Ref]bool{}
	links := map[engine.NodeID]int{}
	var within, leaving []Item
	var page []engine.Edge
	for i := range items {
		id := items[i].ID
		linked := engine.NodeID(0) // the last outer end that was counted
		err := eachEdge(ctx, v, id, filter, &page, func(edge engine.Edge) error {
			other := edge.Other(id)
			if edge.From > edge.To && !edge.Type.Directed() {
				edge.From, edge.To = edge.To, edge.From
			}
			it := Item{Graph: o.Graph.ID(), Edge: edge}
			may, err := e.mayEdge(ctx, v, other, edge)
			if err != nil {
				return err
			}
			if !may || met[it.Ref()] || other == id {
				return nil
			}
			met[it.Ref()] = true
			if it.Score, err = ranks.of(edge); err != nil {
				return err
			}
			it.Why = append(slices.Clip(items[i].Why), Step{Op: "relation", From: items[i].Ref(), Score: it.Score})
			if inside[other] {
				within = append(within, it)
				return nil
			}
			leaving = append(leaving, it)
			if other != linked {
				linked = other
				links[other]++
			}
			return nil
		})
		if err != nil {
			return Set{}, err
		}
	}
	slices.SortFunc(within, byScore)
	outer := func(it *Item) engine.NodeID {
		if inside[it.Edge.From] {
			return it.Edge.To
		}
		return it.Edge.From
	}
	slices.SortFunc(leaving, func(a, b Item) int {
		return cmp.Or(cmp.Compare(links[outer(&b)], links[outer(&a)]), byScore(a, b))
	})
	per := o.PerNode
	if per == 0 {
		per = 10
	}
	if per < len(leaving) {
		leaving = leaving[:min(len(leaving), max(0, per)*len(items))]
	}
	return Set{Items: append(within, leaving...)}, nil
}

// Explain implements [Op].
func (o *Relations) Explain() Explanation {
	return Explanation{Op: "Relations", Args: graphArgs(o.Graph, o.Types), Source: o.Source}
}

// Inputs implements [Op].
func (o *Relations) Inputs() []Op { return []Op{o.In} }
