package query

import (
	"context"
	"slices"
)

// Tables packs two tables into one budget: a row for each item of a set, as many
// as fit, and below them rows of edges at these items. The edges are those
// at the first n items, with the greatest n for which they all fit, as in GraphRAG's
// local search.
type Tables struct {
	In Op
	// Edges takes the edges. Its In is not run.
	Edges *Incident
	// Name, Budget, Less and Share are those of [Pack].
	Name   string
	Budget int
	Less   []Op
	Share  float64
	// Header and EdgeHeader stand above the rows of items and of edges. A table
	// without rows has no header.
	Header, EdgeHeader string
	// Render returns the row of an item or an edge. It is called once for each. n
	// is how many rows were rendered before, those too that did not fit.
	Render func(ctx context.Context, e *Env, it Item, n int) (string, error)
	Source string
}

// Run implements [Op].
func (o *Tables) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Edges == nil || o.Render == nil || e.Tokens == nil {
		return Set{}, invalid("Tables need Edges, Render, and Tokens of their Env")
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	budget, err := tokensLeft(ctx, e, o.Budget, o.Less, o.Share)
	if err != nil {
		return Set{}, err
	}
	r := &tableRows{o: o, e: e, made: map[Ref]Item{}}
	top, _, err := r.fit(ctx, in.Items, o.Header, budget)
	if err != nil || len(top.Items) == 0 {
		return Set{}, err
	}
	err = o.Edges.ahead(ctx, e, top.Items, func(e *Env, it Item) error {
		_, err := o.Render(ctx, e, it, 0)
		return err
	})
	if err != nil {
		return Set{}, err
	}
	var edges Set
	kept := keptEdges{} // each item's edges are read once
	for n := 1; n <= len(top.Items); n++ {
		all, err := o.Edges.edgesOf(ctx, e, top.Items[:n], kept)
		if err != nil {
			return Set{}, err
		}
		now, whole, err := r.fit(ctx, all.Items, o.EdgeHeader, budget-top.Used)
		if err != nil {
			return Set{}, err
		}
		if !whole {
			break
		}
		edges = now
	}
	return Set{Items: append(top.Items, edges.Items...), Used: top.Used + edges.Used}, nil
}

// tableRows renders rows, each once.
type tableRows struct {
	o    *Tables
	e    *Env
	made map[Ref]Item
}

// fit renders items until the budget is used; whole says that all fit.
func (r *tableRows) fit(ctx context.Context, items []Item, header string, budget int) (out Set, whole bool, err error) {
	if len(items) == 0 {
		return out, true, nil
	}
	used := r.e.Tokens(header + "\n")
	defer func() { r.e.coming = nil }()
	for i, it := range items {
		err := r.e.aheadFrom(ctx, i, items, func(e *Env, it Item) error {
			if _, ok := r.made[it.Ref()]; ok {
				return nil
			}
			_, err := r.o.Render(ctx, e, it, len(r.made))
			return err
		})
		if err != nil {
			return out, false, err
		}
		made, ok := r.made[it.Ref()]
		if !ok {
			r.e.coming = items[i:]
			text, err := r.o.Render(ctx, r.e, it, len(r.made))
			if err != nil {
				return out, false, err
			}
			made = it
			made.Text, made.Tokens = text, r.e.Tokens(text+"\n")
			made.Why = append(slices.Clip(it.Why), Step{Op: "pack", Score: it.Score, Note: r.o.Name})
			r.made[it.Ref()] = made
		}
		if used+made.Tokens > budget {
			break
		}
		used += made.Tokens
		out.Items = append(out.Items, made)
	}
	if len(out.Items) > 0 {
		out.Used = used
	}
	return out, len(out.Items) == len(items), nil
}

// Explain implements [Op].
func (o *Tables) Explain() Explanation {
	return Explanation{Op: "Tables", Work: WorkOnAssembly, Args: append(budgetArgs(o.Name, o.Budget, o.Less, o.Share), "edges=of as many items as fit whole"), Source: o.Source}
}

// Inputs implements [Op].
func (o *Tables) Inputs() []Op {
	in := []Op{o.In}
	if o.Edges != nil {
		in = append(in, o.Edges)
	}
	return append(in, o.Less...)
}
