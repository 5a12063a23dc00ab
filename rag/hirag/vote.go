package hirag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// The rules of votes.
const (
	passing = 3  // chunks that pass their votes on
	hub     = 16 // an entity that more chunks name is passed none
	voters  = 8  // of a chunk that its steps name
)

// votes ranks the chunks that entities were found in. Each entity of a set has
//
//	w(e) = (s(e) / the greatest s) ^ 20
//
// votes, s being its likeness to the question, and gives them in equal parts to
// the chunks that name it. The three chunks with the most votes then pass theirs
// on, in equal parts to those entities of the set that they name and at most 16
// chunks do, each of which gives its part to its chunks in equal parts. So a
// passage that the question does not name is found by what the best passages
// tell of. The order is by votes descending, id ascending.
type votes struct {
	In    query.Op // entities
	Graph *engine.Graph
	// Types are the names of the edge types chunk -> entity.
	Types []string
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
	item   *query.Item
	chunks []engine.NodeID
}

// Run implements [query.Op].
func (o *votes) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return query.Set{}, err
	}
	v, err := e.Reader(ctx, o.Graph)
	if err != nil {
		return query.Set{}, err
	}
	filter := engine.EdgeFilter{Direction: engine.In}
	for _, name := range o.Types {
		if t, ok := v.EdgeType(name); ok {
			filter.Types = append(filter.Types, t)
		}
	}
	if len(filter.Types) == 0 {
		return query.Set{}, nil
	}
	greatest := 0.0
	for _, it := range in.Items {
		greatest = max(greatest, it.Score)
	}
	c := &count{at: map[engine.NodeID]int{}}
	naming := map[engine.NodeID][]*ballot{} // who names the entities of the set
	edges := make([]engine.Edge, 0, 256)
	for i := range in.Items {
		it := &in.Items[i]
		if it.ID == 0 || it.Score <= 0 {
			continue
		}
		b := &ballot{item: it}
		for after, more := engine.NodeID(0), true; more; more = len(edges) == cap(edges) {
			if edges, err = v.Neighbors(it.ID, filter, after, edges[:0]); err != nil {
				return query.Set{}, err
			}
			for _, edge := range edges {
				after = edge.Other(it.ID)
				b.chunks = append(b.chunks, after)
			}
		}
		c.give(b, sharp(it.Score/greatest), "vote")
		if len(b.chunks) <= hub {
			for _, id := range b.chunks {
				naming[id] = append(naming[id], b)
			}
		}
	}
	first := c.ranked()
	for _, x := range first[:min(passing, len(first))] {
		for _, b := range naming[x.ID] {
			c.give(b, x.Score/float64(len(naming[x.ID])), "vote passed on")
		}
	}
	return query.Set{Items: c.ranked()}, nil
}

// count counts votes.
type count struct {
	at    map[engine.NodeID]int // place in items
	items []query.Item
}

// give shares the votes of an entity among its chunks.
func (c *count) give(b *ballot, votes float64, what string) {
	part := votes / float64(len(b.chunks))
	step := query.Step{Op: what, From: b.item.Ref(), Score: part, Note: fmt.Sprintf("to one of %d", len(b.chunks))}
	for _, id := range b.chunks {
		i, ok := c.at[id]
		if !ok {
			i = len(c.items)
			c.at[id] = i
			c.items = append(c.items, query.Item{Graph: b.item.Graph, ID: id, Why: slices.Clip(b.item.Why)})
		}
		it := &c.items[i]
		it.Score += part
		if len(it.Why) < len(b.item.Why)+voters {
			it.Why = append(it.Why, step)
		}
	}
}

// ranked returns a copy of the chunks by votes.
func (c *count) ranked() []query.Item {
	out := slices.Clone(c.items)
	slices.SortFunc(out, func(a, b query.Item) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Explain implements [query.Op].
func (o *votes) Explain() query.Explanation {
	return query.Explanation{Op: "Votes", Args: []string{
		"graph=" + o.Graph.Name(), fmt.Sprintf("types=%v", o.Types), "power=20", fmt.Sprint("passing=", passing), fmt.Sprint("hub=", hub),
	}, Source: "source texts by votes"}
}

// Inputs implements [query.Op].
func (o *votes) Inputs() []query.Op { return []query.Op{o.In} }
