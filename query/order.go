package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// byScore orders items by score descending, then graph, id and edge ascending.
func byScore(a, b Item) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), byID(a, b))
}

// byID orders items by graph, then node, then edge.
func byID(a, b Item) int {
	return cmp.Or(
		cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Edge.From, b.Edge.From), cmp.Compare(a.Edge.Type, b.Edge.Type),
		cmp.Compare(a.Edge.To, b.Edge.To))
}

// Order is an order of items.
type Order uint8

// The orders.
const (
	ByScore Order = iota // score descending, id ascending
	ByID                 // id ascending
)

// String returns the order's name.
func (o Order) String() string {
	if o > ByID {
		return fmt.Sprintf("order(%d)", uint8(o))
	}
	return [...]string{"score", "id"}[o]
}

// Sort orders a set.
type Sort struct {
	In Op
	By Order
}

// Run implements [Op].
func (o *Sort) Run(ctx context.Context, e *Env) (Set, error) {
	s, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	if o.By > ByID {
		return Set{}, invalid("there is no %s", o.By)
	}
	items := slices.Clone(s.Items)
	if o.By == ByID {
		slices.SortFunc(items, byID)
	} else {
		slices.SortFunc(items, byScore)
	}
	return Set{Items: items}, nil
}

// Explain implements [Op].
func (o *Sort) Explain() Explanation {
	return Explanation{Op: "Sort", Args: []string{arg("by", o.By)}}
}

// Inputs implements [Op].
func (o *Sort) Inputs() []Op { return []Op{o.In} }

// Limit keeps the first N items of a set, in its order; none for N below 1. Of a
// packed set the tokens of the items that it leaves out are taken off.
type Limit struct {
	In Op
	N  int
	// After are sets whose items count for N too: together they and this one have
	// N items at most.
	After  []Op
	Source string
}

// Run implements [Op].
func (o *Limit) Run(ctx context.Context, e *Env) (Set, error) {
	n := o.N
	for _, before := range o.After {
		s, err := e.Eval(ctx, before)
		if err != nil {
			return Set{}, err
		}
		n -= len(s.Items)
	}
	s, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	n = max(0, min(n, len(s.Items)))
	out := Set{Items: s.Items[:n:n], Used: s.Used}
	for i := range s.Items[n:] {
		out.Used -= s.Items[n+i].Tokens // a header is in the set's tokens alone
	}
	if n == 0 {
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
