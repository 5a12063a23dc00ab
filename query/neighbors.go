package query

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// Neighbors takes the neighbours of a set's nodes, each once. A node gives its
// neighbour its score times the weight of the edge, of several edges to one
// neighbour the first by type and direction.
//
// With the combination [First] they come node by node in the set's order, those
// of one node by id, and score what the first node gave. With the others, which
// are all but [ZSum] and [Turns], a neighbour scores what all of the set's nodes
// gave it together, and the set is by score descending, id ascending. [Count]
// over edges of membership takes the communities of a set's nodes.
type Neighbors struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types to follow; nil follows all.
	Types     []string
	Direction engine.Direction
	Combine   Combine
	// Rank is the vector space by which a node gives what the neighbour's vector
	// scores against Text's, to those nearest to Text first; a neighbour without
	// a vector in the space is left out. If it is "", see above.
	Rank string
	Text string
	// By, if it is set, is a set of neighbours in the order in which a node gives them:
	// it gives what they score there, and no neighbour that By lacks. With Rank that
	// holds for nodes with more than Most neighbours alone, and these are scored by Rank
	// among By's: so no node is compared with more than the greater of both numbers.
	By   Op
	Most int
	// Tokens stops the walk before a neighbour that would take the sum of the
	// neighbours' tokens over it; 0 walks on to the end. Size returns the tokens
	// of a neighbour.
	Tokens int
	Size   func(ctx context.Context, e *Env, it Item) (tokens int, err error)
	Source string
}

// Run implements [Op].
func (o *Neighbors) Run(ctx context.Context, e *Env) (Set, error) {
	switch {
	case o.Tokens > 0 && o.Size == nil:
		return Set{}, invalid("a bound of tokens needs Size")
	case o.Combine > Count || o.Combine == ZSum:
		return Set{}, invalid("neighbours have no %s", o.Combine)
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, ok := l.edgeFilter(o.Types, o.Direction)
	if !ok {
		return Set{}, nil
	}
	w := neighborWalk{o: o, l: l, filter: filter, seen: map[engine.NodeID]int{}}
	for i := range in.Items {
		if err := e.aheadFrom(ctx, i, in.Items, w.ahead); err != nil {
			return Set{}, err
		}
		if in.Items[i].ID == 0 || in.Items[i].Graph != o.Graph.ID() {
			continue
		}
		more, err := w.visit(&in.Items[i])
		if err != nil {
			return Set{}, err
		}
		if !more {
			break
		}
	}
	return w.set(), nil
}

// neighborWalk is the state of one run of Neighbors.
type neighborWalk struct {
	o      *Neighbors
	l      *lens
	filter engine.EdgeFilter
	out    Set
	gifts  []gift
	seen   map[engine.NodeID]int // place in out and gifts
	used   int
	scores []float32
	by     map[engine.NodeID]float64 // scores of By's nodes, nil while they were not needed
	left   *roaring.Bitmap           // By's nodes; see once
}

// gift is what a neighbour has of the node that gives it most, the first of
// equals.
type gift struct {
	from  *Item
	score float64
	times int // how many give
}

// visit adds the neighbours of one item; more is false if the budget ends the
// walk.
func (w *neighborWalk) visit(from *Item) (more bool, err error) {
	found, err := w.neighbors(from)
	if err != nil {
		return false, err
	}
	for _, it := range found {
		n, ok := w.seen[it.ID]
		if w.o.Tokens > 0 {
			size, err := w.o.Size(w.l.ctx, w.l.e, it)
			if err != nil {
				return false, err
			}
			// The test precedes the look for duplicates, as in the reference.
			if w.used+size > w.o.Tokens {
				return false, nil
			}
			if !ok {
				w.used += size
			}
		}
		if !ok {
			w.seen[it.ID] = len(w.out.Items)
			w.out.Items = append(w.out.Items, it)
			w.gifts = append(w.gifts, gift{from, it.Score, 1})
			if !w.adds() {
				w.because(len(w.out.Items)-1, from, it.Score)
			}
			continue
		}
		have, g := &w.out.Items[n], &w.gifts[n]
		switch w.o.Combine {
		case Max:
			have.Score = max(have.Score, it.Score)
		case Sum, Mean:
			have.Score += it.Score
		}
		if it.Score > g.score {
			g.from, g.score = from, it.Score
		}
		if g.times++; !w.adds() {
			w.because(n, from, it.Score)
		}
	}
	return true, nil
}

// ahead reads what a visit of an item is going to read.
func (w *neighborWalk) ahead(e *Env, it Item) error {
	if it.ID == 0 || it.Graph != w.o.Graph.ID() {
		return nil
	}
	l, err := e.lens(w.l.ctx, w.o.Graph)
	if err != nil {
		return err
	}
	var found []Item
	err = l.edges(it.ID, w.filter, func(edge engine.Edge) error {
		if found = append(found, Item{Graph: it.Graph, ID: edge.Other(it.ID)}); len(found) == aheadItems {
			return errEnough
		}
		return nil
	})
	if err != nil && err != errEnough || w.o.Tokens == 0 {
		return err
	}
	return e.Ahead(w.l.ctx, len(found), func(e *Env, i int) error {
		_, err := w.o.Size(w.l.ctx, e, found[i])
		return err
	})
}

// adds reports whether scores are added up: then only the greatest gift is told,
// as there may be thousands.
func (w *neighborWalk) adds() bool { return w.o.Combine == Sum || w.o.Combine == Mean }

// because notes that a neighbour was met from a node.
func (w *neighborWalk) because(n int, from *Item, score float64) {
	it := &w.out.Items[n]
	if it.Why == nil {
		it.Why = slices.Clip(from.Why)
	}
	it.Why = append(it.Why, Step{Op: "neighbour", From: from.Ref(), Score: score})
}

// set returns what was found.
func (w *neighborWalk) set() Set {
	for n := range w.out.Items {
		it, g := &w.out.Items[n], &w.gifts[n]
		switch w.o.Combine {
		case Mean:
			it.Score /= float64(g.times)
		case Count:
			it.Score = float64(g.times)
		}
		if w.adds() {
			w.because(n, g.from, g.score)
		}
	}
	if w.o.Combine != First {
		slices.SortFunc(w.out.Items, byScore)
	}
	return w.out
}

// neighbors returns the neighbours of an item, in order.
func (w *neighborWalk) neighbors(from *Item) ([]Item, error) {
	var items []Item
	add := func(other engine.NodeID, score float64) {
		items = append(items, Item{Graph: w.o.Graph.ID(), ID: other, Score: score})
	}
	few, err := w.among(from.ID)
	switch {
	case err != nil:
		return nil, err
	case few != nil:
		for ids := few.Iterator(); ids.HasNext(); {
			id := engine.NodeID(ids.Next())
			add(id, w.by[id])
		}
	default:
		err = w.l.edges(from.ID, w.filter, func(edge engine.Edge) error {
			other := edge.Other(from.ID)
			if n := len(items); n == 0 || items[n-1].ID != other { // not a second edge to the same node
				add(other, from.Score*float64(edge.Weight))
			}
			return nil
		})
		if err != nil || w.o.Rank == "" {
			return items, err
		}
	}
	if w.o.Rank != "" {
		if items, err = w.l.rescore(w.o.Rank, w.o.Text, items, &w.scores); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(items, byScore)
	return items, nil
}

// among returns those neighbours of a node that By has, nil if all are taken.
func (w *neighborWalk) among(id engine.NodeID) (few *roaring.Bitmap, err error) {
	if w.o.By == nil {
		return nil, nil
	}
	most := 0
	if w.o.Rank != "" {
		most = max(0, w.o.Most)
	}
	few, err = w.l.neighborsAmong(id, w.filter, most, w.bySet)
	if few != nil && w.once() {
		w.left.AndNot(few) // a node gives what none before it gave
	}
	return few, err
}

// bySet returns the nodes of By that may be given.
func (w *neighborWalk) bySet() (*roaring.Bitmap, error) {
	if w.by != nil {
		return w.left, nil
	}
	by, err := w.l.e.Eval(w.l.ctx, w.o.By)
	if err != nil {
		return nil, err
	}
	w.by, w.left = map[engine.NodeID]float64{}, roaring.New()
	for _, it := range by.Items {
		if it.ID != 0 && it.Graph == w.o.Graph.ID() && it.ID <= math.MaxUint32 {
			w.by[it.ID] = it.Score
			w.left.Add(uint32(it.ID))
		}
	}
	return w.left, nil
}

// once reports whether only the first node that gives a neighbour counts.
func (w *neighborWalk) once() bool {
	return w.o.By != nil && w.o.Rank == "" && w.o.Combine == First && w.o.Tokens == 0
}

// Explain implements [Op].
func (o *Neighbors) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Combine != First {
		args = append(args, arg("combine", o.Combine))
	}
	if o.Rank != "" {
		args = append(args, arg("rank", o.Rank))
	}
	if o.By != nil && o.Rank != "" {
		args = append(args, arg("most", o.Most))
	}
	if o.Tokens > 0 {
		args = append(args, arg("tokens", o.Tokens))
	}
	return Explanation{Op: "Neighbors", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Neighbors) Inputs() []Op {
	if o.By == nil {
		return []Op{o.In}
	}
	return []Op{o.In, o.By}
}
