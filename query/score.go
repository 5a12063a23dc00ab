package query

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Score gives the nodes of a set the exact score of their vectors against a
// text's, keeping the set's order. A node without a vector in the space, an
// edge and a node of another graph are left out.
type Score struct {
	In     Op
	Graph  *engine.Graph
	Space  string
	Text   string
	Source string
}

// Run implements [Op].
func (o *Score) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	items := nodesOf(o.Graph, in.Items)
	var scratch []float32
	if items, err = rescore(ctx, e, e.view(ctx, o.Graph), o.Space, o.Text, items, &scratch); err != nil {
		return Set{}, err
	}
	for i := range items {
		it := &items[i]
		it.Why = append(slices.Clip(it.Why), Step{Op: "score", Note: o.Space, Score: it.Score})
	}
	return Set{Items: items}, nil
}

// Explain implements [Op].
func (o *Score) Explain() Explanation {
	return Explanation{Op: "Score", Work: WorkOnVectors, Args: []string{arg("graph", o.Graph.Name()), arg("space", o.Space)}, Source: o.Source}
}

// Inputs implements [Op].
func (o *Score) Inputs() []Op { return []Op{o.In} }

// rescore sets the scores of items to those of their vectors against a text's,
// and returns those that have one.
func rescore(ctx context.Context, e *Env, v *engine.View, space, text string, items []Item, scratch *[]float32) ([]Item, error) {
	q, err := e.vector(ctx, text)
	if err != nil || q == nil {
		return nil, err
	}
	vecs, err := v.Vectors(space)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ids := make([]uint64, len(items))
	for i := range items {
		ids[i] = uint64(items[i].ID)
	}
	*scratch, err = vecs.Score(ctx, q, ids, (*scratch)[:0])
	if err != nil {
		return nil, err
	}
	n := 0
	for i := range items {
		score := float64((*scratch)[i])
		if math.IsInf(score, -1) {
			continue // no vector
		}
		items[n] = items[i]
		items[n].Score = score
		n++
	}
	return items[:n], nil
}

// nodesOf returns a copy of the items that are nodes of a graph.
func nodesOf(g *engine.Graph, items []Item) []Item {
	var out []Item
	for _, it := range items {
		if it.ID != 0 && it.Graph == g.ID() {
			out = append(out, it)
		}
	}
	return out
}
