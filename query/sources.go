package query

import (
	"cmp"
	"context"
	"fmt"
	"math"
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

// of returns the sources of an item, in order.
func (r *sourcesRun) of(it *Item) ([]source, error) {
	set, err := r.set(it)
	if err != nil {
		return nil, err
	}
	if r.place != nil {
		out := allOf(set, nil)
		slices.SortStableFunc(out, func(a, b source) int { return cmp.Compare(r.placeOf(a), r.placeOf(b)) })
		if r.o.Most > 0 {
			out = out[:min(len(out), r.o.Most)]
		}
		return out, nil
	}
	ranks := r.ranks && it.ID != 0 && set.GetCardinality() > 1
	count := map[engine.NodeID]int{}
	if ranks && r.o.At == nil {
		if count, err = r.countEdges(it.ID); err != nil {
			return nil, err
		}
	}
	out := r.first(set, count)
	if !ranks {
		return out, nil
	}
	if r.o.At != nil {
		err = r.countNodes(it.ID, out)
	}
	slices.SortFunc(out, func(a, b source) int { return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.id, b.id)) })
	return out, err
}

// placeOf returns the place of a source in the set of Order, after all others if it
// is not there.
func (r *sourcesRun) placeOf(s source) int {
	if place, ok := r.place[s.id]; ok {
		return place
	}
	return math.MaxInt
}

// placesOf returns the places of the nodes of a graph in a set.
func placesOf(g *engine.Graph, s Set) map[engine.NodeID]int {
	out := make(map[engine.NodeID]int, len(s.Items))
	for i := range s.Items {
		if it := &s.Items[i]; it.ID != 0 && it.Graph == g.ID() {
			out[it.ID] = i
		}
	}
	return out
}

// first returns the nodes of a set with how often they were counted: all, or of more
// than Most those that were counted, then those with the least ids, so many at most.
func (r *sourcesRun) first(set *roaring.Bitmap, count map[engine.NodeID]int) []source {
	if r.o.Most <= 0 || set.GetCardinality() <= uint64(r.o.Most) {
		return allOf(set, count)
	}
	var out []source
	for id, near := range count {
		if set.Contains(uint32(id)) {
			out = append(out, source{id, near})
		}
	}
	slices.SortFunc(out, func(a, b source) int { return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.id, b.id)) })
	out = out[:min(len(out), r.o.Most)]
	for ids := set.Iterator(); ids.HasNext() && len(out) < r.o.Most; {
		if id := engine.NodeID(ids.Next()); count[id] == 0 {
			out = append(out, source{id: id})
		}
	}
	return out
}

// allOf returns the nodes of a set with how often they were counted.
func allOf(set *roaring.Bitmap, count map[engine.NodeID]int) []source {
	out := make([]source, 0, set.GetCardinality())
	for ids := set.Iterator(); ids.HasNext(); {
		id := engine.NodeID(ids.Next())
		out = append(out, source{id, count[id]})
	}
	return out
}

// set returns the nodes that an item rests on.
func (r *sourcesRun) set(it *Item) (*roaring.Bitmap, error) {
	nodes := []engine.NodeID{it.ID}
	switch {
	case r.o.Through != nil:
		var err error
		if nodes, err = r.o.Through(r.l.ctx, r.l.e, *it); err != nil {
			return nil, err
		}
	case it.ID == 0 && r.o.Types != nil:
		return roaring.New(), nil
	case it.ID == 0:
		return r.l.sources(engine.EdgeTarget(it.Edge.From, it.Edge.To, it.Edge.Type))
	}
	var out *roaring.Bitmap
	for _, id := range nodes {
		var set *roaring.Bitmap
		var err error
		if r.o.Types != nil {
			set, err = r.l.neighborSet(id, r.to)
		} else {
			set, err = r.l.sources(engine.NodeTarget(id))
		}
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = set
		} else {
			out.Or(set)
		}
	}
	if out == nil {
		out = roaring.New()
	}
	return out, nil
}

// countNodes counts for each source the neighbours of an item that are found in
// it.
func (r *sourcesRun) countNodes(id engine.NodeID, sources []source) error {
	near, err := r.l.neighborSet(id, r.near)
	if err != nil {
		return err
	}
	for i := range sources {
		s := &sources[i]
		found := r.found[s.id]
		if found == nil {
			if found, err = r.l.neighborSet(s.id, r.back); err != nil {
				return err
			}
			r.found[s.id] = found
		}
		s.near = int(found.AndCardinality(near))
	}
	return nil
}

// countEdges counts for each source the edges of an item that it contributed to.
func (r *sourcesRun) countEdges(id engine.NodeID) (map[engine.NodeID]int, error) {
	count := map[engine.NodeID]int{}
	looked := 0
	err := r.l.edges(id, r.near, func(edge engine.Edge) error {
		if looked++; r.o.Most > 0 && looked > r.o.Most {
			return errEnough
		}
		set, err := r.l.sources(engine.EdgeTarget(edge.From, edge.To, edge.Type))
		if err != nil {
			return err
		}
		ids := set.Iterator()
		for n := 0; ids.HasNext() && (r.o.Most <= 0 || n < r.o.Most); n++ {
			count[engine.NodeID(ids.Next())]++
		}
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return count, err
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
