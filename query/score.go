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
	In    Op
	Graph *engine.Graph
	Space string
	Text  string
	// Times gives a node the product of that score and the one that it had.
	Times  bool
	Source string
}

// Run implements [Op].
func (o *Score) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	var scratch []float32
	nodes := nodesOf(o.Graph, in.Items)
	before := map[engine.NodeID]float64{}
	if o.Times {
		for i := range nodes {
			before[nodes[i].ID] = nodes[i].Score
		}
	}
	items, err := l.rescore(o.Space, o.Text, nodes, &scratch)
	if err != nil {
		return Set{}, err
	}
	for i := range items {
		it := &items[i]
		if o.Times {
			it.Score *= before[it.ID]
		}
		it.Why = append(slices.Clip(it.Why), Step{Op: "score", Note: o.Space, Score: it.Score})
	}
	return Set{Items: items}, nil
}

// Explain implements [Op].
func (o *Score) Explain() Explanation {
	args := []string{arg("graph", o.Graph.Name()), arg("space", o.Space)}
	if o.Times {
		args = append(args, "times")
	}
	return Explanation{Op: "Score", Work: WorkOnVectors, Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Score) Inputs() []Op { return []Op{o.In} }

// rescore sets the scores of items to those of their vectors against a text's,
// and returns those that have one.
func (l *lens) rescore(space, text string, items []Item, scratch *[]float32) ([]Item, error) {
	q, err := l.e.vector(l.ctx, text)
	if err != nil || q == nil {
		return nil, err
	}
	ids := make([]uint64, len(items))
	for i := range items {
		ids[i] = uint64(items[i].ID)
	}
	scores, ok, err := l.scores(space, q, ids, (*scratch)[:0])
	if *scratch = scores; err != nil || !ok {
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
