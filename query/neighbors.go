package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Neighbors takes the neighbours of a set's nodes, node by node in the set's
// order, each once: those of a node nearest to Text first where Rank names a
// vector space, else by id. An item scores what Rank says, or its node's score
// times the weight of the edge, of several edges to one neighbour the first by
// type and direction. Where Rank is set a neighbour without a vector in the
// space is left out.
type Neighbors struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types to follow; nil follows all.
	Types     []string
	Direction engine.Direction
	// Rank is the vector space that orders a node's neighbours by Text; ""
	// leaves them in order of id.
	Rank string
	Text string
	// Tokens stops the walk before a neighbour that would take the sum of the
	// neighbours' tokens over it; 0 walks on to the end. Size tells a
	// neighbour's tokens.
	Tokens int
	Size   func(v *engine.View, id engine.NodeID) (int, error)
	Source string
}

// Run implements [Op].
func (o *Neighbors) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Tokens > 0 && o.Size == nil {
		return Set{}, invalid("a bound of tokens needs Size")
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, o.Direction)
	if !ok {
		return Set{}, nil
	}
	w := neighborWalk{o: o, e: e, v: v, filter: filter, seen: map[engine.NodeID]int{}}
	for i := range in.Items {
		if in.Items[i].ID == 0 || in.Items[i].Graph != o.Graph.ID() {
			continue
		}
		more, err := w.visit(ctx, &in.Items[i])
		if err != nil {
			return Set{}, err
		}
		if !more {
			break
		}
	}
	return w.out, nil
}

// neighborWalk is the state of one run of Neighbors.
type neighborWalk struct {
	o      *Neighbors
	e      *Env
	v      *engine.View
	filter engine.EdgeFilter
	out    Set
	seen   map[engine.NodeID]int // place in out
	used   int
	edges  []engine.Edge
	scores []float32
}

// visit adds the neighbours of one item; more is false where the budget ends
// the walk.
func (w *neighborWalk) visit(ctx context.Context, from *Item) (more bool, err error) {
	found, err := w.neighbors(ctx, from)
	if err != nil {
		return false, err
	}
	for _, it := range found {
		if w.o.Tokens > 0 {
			n, err := w.o.Size(w.v, it.ID)
			if err != nil {
				return false, err
			}
			// The test precedes the look for duplicates, as in the reference.
			if w.used+n > w.o.Tokens {
				return false, nil
			}
			if _, ok := w.seen[it.ID]; !ok {
				w.used += n
			}
		}
		if i, ok := w.seen[it.ID]; ok {
			have := &w.out.Items[i]
			have.Why = append(have.Why, it.Why[len(it.Why)-1])
			continue
		}
		w.seen[it.ID] = len(w.out.Items)
		w.out.Items = append(w.out.Items, it)
	}
	return true, nil
}

// neighbors returns what the query may see of an item's neighbours, in order.
func (w *neighborWalk) neighbors(ctx context.Context, from *Item) ([]Item, error) {
	allow, err := w.e.allow(ctx, w.o.Graph)
	if err != nil {
		return nil, err
	}
	var items []Item
	err = eachEdge(ctx, w.v, from.ID, w.filter, &w.edges, func(edge engine.Edge) error {
		other := edge.Other(from.ID)
		if allow != nil && !allow.Contains(uint32(other)) {
			return nil
		}
		if n := len(items); n > 0 && items[n-1].ID == other {
			return nil // a second edge to the same node
		}
		items = append(items, Item{Graph: w.o.Graph.ID(), ID: other, Score: from.Score * float64(edge.Weight)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if w.o.Rank != "" {
		if items, err = rescore(ctx, w.e, w.v, w.o.Rank, w.o.Text, items, &w.scores); err != nil {
			return nil, err
		}
		slices.SortFunc(items, func(a, b Item) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
		})
	}
	for i := range items {
		step := Step{Op: "neighbour", From: from.Ref(), Score: items[i].Score}
		items[i].Why = append(slices.Clip(from.Why), step)
	}
	return items, nil
}

// Explain implements [Op].
func (o *Neighbors) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Rank != "" {
		args = append(args, arg("rank", o.Rank))
	}
	if o.Tokens > 0 {
		args = append(args, arg("tokens", o.Tokens))
	}
	return Explanation{Op: "Neighbors", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Neighbors) Inputs() []Op { return []Op{o.In} }
