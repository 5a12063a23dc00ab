package query

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Twins takes for each item of a set the node that stands for it elsewhere: the
// node of a type that has the item's key. They are in the set's order, with its
// scores; an item without a twin is left out.
type Twins struct {
	In Op
	// Graph and Type are those of the twins.
	Graph *engine.Graph
	Type  string
	// Of is the graph of the items; those of other graphs are left out.
	Of *engine.Graph
	// Key returns the key of an item's twin; nil takes the key of the item, which
	// must be a node.
	Key    func(ctx context.Context, e *Env, it Item) (string, error)
	Source string
}

// Run implements [Op].
func (o *Twins) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	t, ok := l.NodeType(o.Type)
	if !ok {
		return Set{}, nil
	}
	var out Set
	of := map[engine.NodeID]Ref{} // whose twin a node is: of two items, the first's
	err = e.Ahead(ctx, len(in.Items), func(e *Env, i int) error {
		it := in.Items[i]
		if it.Graph != o.Of.ID() || it.ID == 0 && o.Key == nil {
			return nil
		}
		key, err := o.key(ctx, e, it)
		if err != nil {
			return err
		}
		l, err := e.lens(ctx, o.Graph)
		if err == nil {
			_, _, err = l.lookup(t, key)
		}
		return err
	})
	if err != nil {
		return Set{}, err
	}
	defer func() { e.coming = nil }()
	for i, it := range in.Items {
		if it.Graph != o.Of.ID() || it.ID == 0 && o.Key == nil {
			continue
		}
		e.coming = in.Items[i:]
		key, err := o.key(ctx, e, it)
		if err != nil {
			return Set{}, err
		}
		id, ok, err := l.lookup(t, key)
		if err != nil {
			return Set{}, err
		}
		ref := it.Ref()
		if first, met := of[id]; !ok || met && first != ref {
			continue
		}
		of[id] = ref
		it.Graph, it.ID, it.Edge = o.Graph.ID(), id, engine.Edge{}
		it.Why = append(slices.Clip(it.Why), Step{Op: "twin", From: ref, Score: it.Score})
		out.Items = append(out.Items, it)
	}
	return out, nil
}

func (o *Twins) key(ctx context.Context, e *Env, it Item) (string, error) {
	if o.Key != nil {
		return o.Key(ctx, e, it)
	}
	n, err := e.Node(ctx, o.Of, it.ID)
	return n.Key, err
}

// Explain implements [Op].
func (o *Twins) Explain() Explanation {
	return Explanation{Op: "Twins", Args: []string{arg("graph", o.Graph.Name()), arg("type", o.Type), arg("of", o.Of.Name())}, Source: o.Source}
}

// Inputs implements [Op].
func (o *Twins) Inputs() []Op { return []Op{o.In} }
