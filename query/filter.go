package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Filter keeps the nodes of a set that are of some types and for whose
// properties a predicate holds, in the set's order. Edges and nodes of other
// graphs are left out. The properties that the predicate names must have an
// index: a [*engine.NoIndexError] otherwise.
type Filter struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the node types to keep; nil is all.
	Types []string
	// Where is the predicate; nil holds for all.
	Where  engine.Predicate
	Source string
}

// Run implements [Op].
func (o *Filter) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	items := nodesOf(o.Graph, in.Items)
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	if o.Types != nil {
		types := l.nodeTypes(o.Types)
		if err := types.ahead(len(items), func(i int) engine.NodeID { return items[i].ID }); err != nil {
			return Set{}, err
		}
		n := 0
		for _, it := range items {
			i, err := types.list(it.ID)
			if err != nil {
				return Set{}, err
			}
			if i >= 0 {
				items[n] = it
				n++
			}
		}
		items = items[:n]
	}
	if o.Where != nil {
		set, err := l.where(o.Where)
		if err != nil {
			return Set{}, err
		}
		items = slices.DeleteFunc(items, func(it Item) bool { return !set.Contains(uint32(it.ID)) })
	}
	return Set{Items: items}, nil
}

// Explain implements [Op].
func (o *Filter) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Where != nil {
		args = append(args, arg("where", o.Where))
	}
	return Explanation{Op: "Filter", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Filter) Inputs() []Op { return []Op{o.In} }

// AtLeast keeps the items of a set that score Least or more, in the set's
// order.
type AtLeast struct {
	In    Op
	Least float64
	// Part, if it is not 0, is the part of the set's greatest score that an item must
	// have, too; it keeps all if that score is not above 0.
	Part   float64
	Source string
}

// Run implements [Op].
func (o *AtLeast) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	least := o.Least
	if o.Part != 0 {
		most := 0.0
		for i := range in.Items {
			most = max(most, in.Items[i].Score)
		}
		if most > 0 {
			least = max(least, o.Part*most)
		}
	}
	var out Set
	for _, it := range in.Items {
		if it.Score >= least {
			out.Items = append(out.Items, it)
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *AtLeast) Explain() Explanation {
	args := []string{fmt.Sprintf("score=%g", o.Least)}
	if o.Part != 0 {
		args = append(args, arg("part", o.Part))
	}
	return Explanation{Op: "AtLeast", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *AtLeast) Inputs() []Op { return []Op{o.In} }
