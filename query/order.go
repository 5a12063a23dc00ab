package query

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// byScore orders items by score descending, then graph, id and edge ascending.
func byScore(a, b Item) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return byID(&a, &b)
}

// byID orders items by graph, then node, then edge.
func byID(a, b *Item) int {
	return cmp.Or(
		cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Edge.From, b.Edge.From), cmp.Compare(a.Edge.Type, b.Edge.Type),
		cmp.Compare(a.Edge.To, b.Edge.To))
}

// Sort orders a set by score descending, then by each measure of Then, descending,
// then by id ascending. An item without a figure comes last among equals.
type Sort struct {
	In     Op
	Then   []*Measure
	Source string
}

// Run implements [Op].
func (o *Sort) Run(ctx context.Context, e *Env) (Set, error) {
	s, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	if len(o.Then) == 0 {
		items := slices.Clone(s.Items)
		slices.SortFunc(items, byScore)
		return Set{Items: items}, nil
	}
	type ranked struct {
		Item
		then []float64
	}
	items := make([]ranked, len(s.Items))
	figures := make([]float64, len(s.Items)*len(o.Then))
	err = e.Ahead(ctx, len(s.Items)*len(o.Then), func(e *Env, i int) error {
		_, _, err := o.Then[i%len(o.Then)].figure(ctx, e, s.Items[i/len(o.Then)])
		return err
	})
	if err != nil {
		return Set{}, err
	}
	defer func() { e.coming = nil }()
	for i := range s.Items {
		n := i * len(o.Then)
		items[i] = ranked{s.Items[i], figures[n : n+len(o.Then)]}
		e.coming = s.Items[i:]
		for k, m := range o.Then {
			x, ok, err := m.figure(ctx, e, s.Items[i])
			if err != nil {
				return Set{}, err
			}
			if !ok {
				x = math.Inf(-1)
			}
			items[i].then[k] = x
		}
	}
	slices.SortFunc(items, func(a, b ranked) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		if c := slices.Compare(b.then, a.then); c != 0 {
			return c
		}
		return byID(&a.Item, &b.Item)
	})
	out := Set{Items: make([]Item, len(items))}
	for i := range items {
		out.Items[i] = items[i].Item
	}
	return out, nil
}

// Explain implements [Op].
func (o *Sort) Explain() Explanation {
	args := []string{"by=score"}
	for _, m := range o.Then {
		args = append(args, arg("then", m.name()))
	}
	return Explanation{Op: "Sort", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Sort) Inputs() []Op { return []Op{o.In} }

// Limit keeps the first N items of a set, in its order; none for N below 1. Of a
// packed set the tokens of the items that it leaves out are taken off.
type Limit struct {
	In Op
	N  int
	// Counts tells which items count; the others stay. All count if it is nil.
	Counts func(ctx context.Context, e *Env, it Item) (bool, error)
	// After are sets whose items count for N too: together they and this one have
	// N items at most.
	After  []Op
	Source string
}

// Run implements [Op].
func (o *Limit) Run(ctx context.Context, e *Env) (Set, error) {
	defer func() { e.coming = nil }()
	var out Set
	left := o.N
	for _, op := range append(slices.Clone(o.After), o.In) {
		s, err := e.Eval(ctx, op)
		if err != nil {
			return Set{}, err
		}
		out = Set{Used: s.Used}
		for i, it := range s.Items {
			counts := true
			if o.Counts != nil {
				e.coming = s.Items[i:]
				if counts, err = o.Counts(ctx, e, it); err != nil {
					return Set{}, err
				}
			}
			if counts {
				left--
			}
			if counts && left < 0 {
				out.Used -= it.Tokens // a header is in the set's tokens alone
				continue
			}
			out.Items = append(out.Items, it)
		}
	}
	if len(out.Items) == 0 {
		out.Used = 0
	}
	return out, nil
}

// Explain implements [Op].
func (o *Limit) Explain() Explanation {
	return Explanation{Op: "Limit", Args: []string{arg("n", o.N)}, Source: o.Source}
}

// Inputs implements [Op]. Those of After stand elsewhere in the plan.
func (o *Limit) Inputs() []Op { return []Op{o.In} }
