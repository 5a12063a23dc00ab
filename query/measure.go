package query

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Measure is a figure of an item, such as a rating or a degree, by which
// operators weigh and order items.
type Measure struct {
	// Name names the figure in explanations.
	Name string
	// Of returns the figure; ok is false if the item has none. It keeps no
	// state, and reads nodes by [Env.Node].
	Of func(ctx context.Context, e *Env, it Item) (x float64, ok bool, err error)
}

// figure returns the figure of an item.
func (m *Measure) figure(ctx context.Context, e *Env, it Item) (float64, bool, error) {
	if m == nil || m.Of == nil {
		return 0, false, invalid("a measure is missing")
	}
	return m.Of(ctx, e, it)
}

func (m *Measure) name() string {
	if m == nil {
		return "nothing"
	}
	return m.Name
}

// Property measures the nodes of a graph by a property that is a number.
func Property(g *engine.Graph, name string) *Measure {
	return &Measure{Name: name, Of: func(ctx context.Context, e *Env, it Item) (float64, bool, error) {
		if it.ID == 0 || it.Graph != g.ID() {
			return 0, false, nil
		}
		n, err := e.Node(ctx, g, it.ID)
		if err != nil {
			return 0, false, err
		}
		switch x := n.Prop(name); x.Kind() {
		case engine.KindInt:
			return float64(x.AsInt()), true, nil
		case engine.KindFloat:
			return x.AsFloat(), true, nil
		}
		return 0, false, nil
	}}
}

// Reweigh gives the items of a set other scores, in the set's order: what a
// measure says of them. An item without a figure is left out.
type Reweigh struct {
	In     Op
	By     *Measure
	Source string
}

// Run implements [Op].
func (o *Reweigh) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	out := Set{Items: make([]Item, 0, len(in.Items))}
	err = e.Ahead(ctx, len(in.Items), func(e *Env, i int) error {
		_, _, err := o.By.figure(ctx, e, in.Items[i])
		return err
	})
	if err != nil {
		return Set{}, err
	}
	defer func() { e.coming = nil }()
	for i, it := range in.Items {
		e.coming = in.Items[i:]
		x, ok, err := o.By.figure(ctx, e, it)
		if err != nil {
			return Set{}, err
		}
		if !ok {
			continue
		}
		it.Score = x
		it.Why = append(slices.Clip(it.Why), Step{Op: "weigh", Score: x, Note: o.By.Name})
		out.Items = append(out.Items, it)
	}
	return out, nil
}

// Explain implements [Op].
func (o *Reweigh) Explain() Explanation {
	return Explanation{Op: "Reweigh", Args: []string{arg("by", o.By.name())}, Source: o.Source}
}

// Inputs implements [Op].
func (o *Reweigh) Inputs() []Op { return []Op{o.In} }
