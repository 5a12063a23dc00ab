package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// The rules of Votes.
const (
	passingNodes = 3  // that pass their votes on
	mostVoted    = 16 // an item that more nodes name is passed none
	votersNamed  = 8  // of a node, by its steps
)

// Votes ranks the nodes that a set's items were found in, such as the chunks that name
// entities. Each item has
//
//	w = (s / the greatest s) ^ 20
//
// votes, s being its score, and gives them in equal parts to the nodes that name it.
// The three nodes with the most votes then pass theirs on, in equal parts to those of
// the items that they name and at most 16 nodes do, each of which gives its part to its
// nodes in equal parts. So a passage that a question does not name is found by what
// the best passages tell of. The order is by votes descending, id ascending. Package
// rag/hirag has the reasons. It reads the edges of each item once.
type Votes struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types from a node to the items that it names.
	Types  []string
	Source string
}

// sharp is the twentieth power, which has the same bits on every processor: an
// entity of nine tenths of the greatest likeness has an eighth of the votes.
func sharp(x float64) float64 {
	x *= x * x * x * x // the fifth
	x *= x
	return x * x
}

// ballot is an entity with what it votes by.
type ballot struct {
	item  *Item
	nodes []engine.NodeID
}

// Run implements [Op].
func (o *Votes) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, ok := l.edgeFilter(o.Types, engine.In)
	if !ok {
		return Set{}, nil
	}
	items, greatest := nodesOf(o.Graph, in.Items), 0.0
	if err := l.aheadEdges(items, filter); err != nil {
		return Set{}, err
	}
	for i := range items {
		greatest = max(greatest, items[i].Score)
	}
	c := &count{at: map[engine.NodeID]int{}}
	naming := map[engine.NodeID][]*ballot{} // the items that a node names
	for i := range items {
		it := &items[i]
		if it.Score <= 0 {
			continue
		}
		b := &ballot{item: it}
		err := l.edges(it.ID, filter, func(edge engine.Edge) error {
			b.nodes = append(b.nodes, edge.Other(it.ID))
			return nil
		})
		if err != nil {
			return Set{}, err
		}
		c.give(b, sharp(it.Score/greatest), "vote")
		if len(b.nodes) <= mostVoted {
			for _, id := range b.nodes {
				naming[id] = append(naming[id], b)
			}
		}
	}
	first := c.ranked()
	for _, x := range first[:min(passingNodes, len(first))] {
		for _, b := range naming[x.ID] {
			c.give(b, x.Score/float64(len(naming[x.ID])), "vote passed on")
		}
	}
	return Set{Items: c.ranked()}, nil
}

// count counts votes.
type count struct {
	at    map[engine.NodeID]int // place in items
	items []Item
}

// give shares the votes of an item among its nodes.
func (c *count) give(b *ballot, votes float64, what string) {
	part := votes / float64(len(b.nodes))
	step := Step{Op: what, From: b.item.Ref(), Score: part, Note: fmt.Sprintf("to one of %d", len(b.nodes))}
	for _, id := range b.nodes {
		i, ok := c.at[id]
		if !ok {
			i = len(c.items)
			c.at[id] = i
			c.items = append(c.items, Item{Graph: b.item.Graph, ID: id, Why: slices.Clip(b.item.Why)})
		}
		it := &c.items[i]
		it.Score += part
		if len(it.Why) < len(b.item.Why)+votersNamed {
			it.Why = append(it.Why, step)
		}
	}
}

// ranked returns a copy of the nodes by votes.
func (c *count) ranked() []Item {
	out := slices.Clone(c.items)
	slices.SortFunc(out, func(a, b Item) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Explain implements [Op].
func (o *Votes) Explain() Explanation {
	return Explanation{Op: "Votes", Args: []string{
		arg("graph", o.Graph.Name()), arg("types", o.Types), arg("power", 20), arg("passing", passingNodes), arg("most", mostVoted),
	}, Source: o.Source}
}

// Inputs implements [Op].
func (o *Votes) Inputs() []Op { return []Op{o.In} }
