package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// Sources takes the nodes that a set's items rest on, such as the chunks that
// entities were found in: item by item in the set's order, each once, with the
// score of its item.
type Sources struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types that join an item to what it rests
	// on, in a direction; nil takes the nodes that contributed to it, a node or
	// an edge ([engine.View.Sources]).
	Types     []string
	Direction engine.Direction
	// Through returns the nodes whose sources are those of an item; nil takes the
	// item itself. A community rests so on what its members rest on.
	Through func(ctx context.Context, e *Env, it Item) ([]engine.NodeID, error)
	// Near, if it is set, orders the sources of one item: those first in which
	// most of what is near to the item is found, then by id. Near are the names of
	// the types of an item's edges to its neighbours, and At those of the edges
	// from a source to the neighbours that are found in it, against Direction. If
	// At is nil, the item's edges are counted to which the source contributed.
	Near, At []string
	// Order, if it is set, orders the sources of one item: those first that come
	// first in its set, those that it lacks last, by id. Near does not count then.
	Order Op
	// Turns takes one source of each item in turn: the first of each, in the set's
	// order, then the second of each, and so on.
	Turns bool
	// Most bounds the sources of one item, and the edges that are read to order them:
	// of more edges those to the neighbours with the least ids count, of an edge with
	// more sources those with the least ids, and of more sources those stay that were
	// counted, the most frequent first, then those with the least ids. 0 is no bound.
	Most int
	// Share shares the score of an item, if it is positive, among its sources. A
	// source scores the sum of its shares, and the set is by score descending, id
	// ascending.
	Share bool
	// Again takes a source for each item that rests on it, and not once.
	Again bool
	// Tokens ends the set with the source by which the tokens of the sources
	// exceed it; 0 is no bound. Size returns the tokens of a source.
	Tokens int
	Size   func(ctx context.Context, e *Env, it Item) (tokens int, err error)
	Source string
}

// Run implements [Op].
func (o *Sources) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Tokens > 0 && o.Size == nil {
		return Set{}, invalid("a bound of tokens needs Size")
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	r := &sourcesRun{o: o, l: l, at: map[engine.NodeID]int{}, found: map[engine.NodeID]*roaring.Bitmap{}, left: o.Tokens}
	if o.Order != nil {
		order, err := e.Eval(ctx, o.Order)
		if err != nil {
			return Set{}, err
		}
		r.place = placesOf(o.Graph, order)
	}
	var ok [3]bool
	r.to, ok[0] = l.edgeFilter(o.Types, o.Direction)
	r.near, ok[1] = l.edgeFilter(o.Near, engine.Both)
	r.back, ok[2] = l.edgeFilter(o.At, backward(o.Direction))
	r.ranks = o.Near != nil && ok[1] && ok[2]
	if !ok[0] {
		return Set{}, nil
	}
	for i := range in.Items {
		if err := e.aheadFrom(ctx, i, in.Items, r.ahead); err != nil {
			return Set{}, err
		}
		if in.Items[i].Graph != o.Graph.ID() {
			continue
		}
		more, err := r.visit(&in.Items[i])
		if err != nil {
			return Set{}, err
		}
		if !more {
			break
		}
	}
	if err := r.takeTurns(); err != nil {
		return Set{}, err
	}
	if o.Share {
		slices.SortFunc(r.out.Items, byScore)
	}
	return r.out, nil
}

func backward(d engine.Direction) engine.Direction {
	switch d {
	case engine.In:
		return engine.Out
	case engine.Out:
		return engine.In
	}
	return d
}

// sourcesRun is the state of one run of Sources.
type sourcesRun struct {
	o              *Sources
	l              *lens
	to, near, back engine.EdgeFilter
	ranks          bool
	place          map[engine.NodeID]int // in the set of Order, nil if there is none
	waiting        []waiting             // with Turns
	at             map[engine.NodeID]int // place in out
	found          map[engine.NodeID]*roaring.Bitmap
	left           int
	out            Set
}

// source is a source of an item, with how much of what is near to the item is
// found in it.
type source struct {
	id   engine.NodeID
	near int
}

// visit adds the sources of one item; more is false if the budget ends the walk.
func (r *sourcesRun) visit(it *Item) (more bool, err error) {
	if err := r.l.ctx.Err(); err != nil {
		return false, err
	}
	sources, err := r.of(it)
	if err != nil {
		return false, err
	}
	if r.o.Turns {
		r.waiting = append(r.waiting, waiting{it, sources})
		return true, nil
	}
	for i := range sources {
		if more, err = r.take(it, sources, i); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// waiting is an item with its sources, which are taken in turn.
type waiting struct {
	it      *Item
	sources []source
}

// takeTurns takes one source of each item that waits in turn.
func (r *sourcesRun) takeTurns() error {
	for i, left := 0, true; left; i++ {
		left = false
		for _, w := range r.waiting {
			if i >= len(w.sources) {
				continue
			}
			left = true
			if more, err := r.take(w.it, w.sources, i); !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// take adds the source of an item at a place; more is false if the budget ends the
// walk.
func (r *sourcesRun) take(it *Item, sources []source, place int) (more bool, err error) {
	s, score := sources[place], it.Score
	if r.o.Share {
		score = max(0, score) / float64(len(sources))
	}
	step := Step{Op: "source", From: it.Ref(), Score: score, Note: r.note(s, len(sources))}
	if n, ok := r.at[s.id]; ok && !r.o.Again {
		if r.o.Share {
			have := &r.out.Items[n]
			have.Score += score
			have.Why = append(have.Why, step)
		}
		return true, nil
	}
	r.at[s.id] = len(r.out.Items)
	r.out.Items = append(r.out.Items, Item{Graph: it.Graph, ID: s.id, Score: score, Why: append(slices.Clip(it.Why), step)})
	if r.o.Tokens == 0 {
		return true, nil
	}
	n, err := r.o.Size(r.l.ctx, r.l.e, r.out.Items[len(r.out.Items)-1])
	r.left -= n
	return r.left >= 0, err
}

func (r *sourcesRun) note(s source, all int) string {
	switch {
	case all == 1:
		return "its only source"
	case r.ranks:
		return fmt.Sprintf("%d relations", s.near)
	}
	return fmt.Sprintf("one of %d", all)
}

// Explain implements [Op].
func (o *Sources) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Near != nil {
		args = append(args, arg("near", o.Near))
	}
	if o.Turns {
		args = append(args, "in turn")
	}
	if o.Most > 0 {
		args = append(args, arg("most", o.Most))
	}
	if o.Share {
		args = append(args, "share")
	}
	if o.Tokens > 0 {
		args = append(args, arg("tokens", o.Tokens))
	}
	return Explanation{Op: "Sources", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Sources) Inputs() []Op {
	if o.Order == nil {
		return []Op{o.In}
	}
	return []Op{o.In, o.Order}
}
