package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// VectorSearch finds the nodes whose vectors are nearest to a text's or to one
// that is given, by score descending, id ascending. It finds none in a space that
// the graph lacks: spaces come to be with their first vector.
type VectorSearch struct {
	Graph *engine.Graph
	Space string
	Text  string
	// Vector, if it is not nil, is searched for in place of Text's.
	Vector []float32
	// K is the number of nodes; none are found if it is below 1.
	K int
	// Layers, if there are any, are layers of the space, each once, with how many
	// nodes of it are wanted; K does not count then. The nodes come layer by layer
	// in this order, and [Item].Layer and the item's step tell the layer. In a
	// space of the kind [vecindex.CHNSW] it is one descent through the layers.
	Layers []vecindex.LayerK
	// Ef is the width of the search of a space with a graph; 0 is
	// [vecindex.DefaultEf].
	Ef int
	// Exact compares with all vectors of a space with a graph.
	Exact bool
	// Source is the paper's name for the step.
	Source string
}

// Run implements [Op].
func (o *VectorSearch) Run(ctx context.Context, e *Env) (Set, error) {
	q := vecindex.Search{Vector: o.Vector, K: o.K, Ef: o.Ef, Exact: o.Exact}
	if len(o.Layers) > 0 {
		q.K, q.Layers = 0, o.Layers
	}
	for i, l := range o.Layers {
		if slices.ContainsFunc(o.Layers[:i], func(x vecindex.LayerK) bool { return x.Layer == l.Layer }) {
			return Set{}, invalid("layer %d is asked for twice", l.Layer)
		}
	}
	var err error
	if q.Vector == nil {
		if q.Vector, err = e.vector(ctx, o.Text); err != nil || q.Vector == nil {
			return Set{}, err
		}
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	hits, err := l.search(o.Space, q)
	out := Set{Items: make([]Item, len(hits))}
	for i, h := range hits {
		it := Item{Graph: o.Graph.ID(), ID: engine.NodeID(h.ID), Score: float64(h.Score)}
		note := o.Space
		if len(o.Layers) > 0 {
			it.Layer = h.Layer
			note = fmt.Sprintf("%s, layer %d", o.Space, h.Layer)
		}
		it.Why = []Step{{Op: "vector", Note: note, Score: it.Score}}
		out.Items[i] = it
	}
	return out, err
}

// Explain implements [Op].
func (o *VectorSearch) Explain() Explanation {
	args := []string{arg("graph", o.Graph.Name()), arg("space", o.Space)}
	for _, l := range o.Layers {
		args = append(args, fmt.Sprintf("layer%d=%d", l.Layer, l.K))
	}
	if len(o.Layers) == 0 {
		args = append(args, arg("k", o.K))
	}
	return Explanation{Op: "VectorSearch", Work: WorkOnVectors, Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *VectorSearch) Inputs() []Op { return nil }

// TextSearch finds nodes by BM25 over the terms of a field, and of those of Beside, by
// score descending, id ascending; none if the graph lacks Field.
type TextSearch struct {
	Graph  *engine.Graph
	Field  string
	Text   string
	K      int                  // 0: all nodes that have a term of Text
	K1, B  float64              // 0: the engine's defaults
	Beside []engine.FieldWeight // further fields, scored beside Field
	Source string
}

// Run implements [Op].
func (o *TextSearch) Run(ctx context.Context, e *Env) (Set, error) {
	if e.Analyze == nil {
		return Set{}, invalid("a search for words needs Analyze of its Env")
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	hits, err := l.terms(o.Field, e.Analyze(o.Text), engine.TermsOptions{K: o.K, K1: o.K1, B: o.B, Beside: o.Beside})
	if isMissing(err) {
		return Set{}, nil
	}
	if err != nil {
		return Set{}, err
	}
	out := Set{Items: make([]Item, len(hits))}
	for i, h := range hits {
		out.Items[i] = Item{
			Graph: o.Graph.ID(), ID: h.ID, Score: h.Score,
			Why: []Step{{Op: "bm25", Note: o.Field, Score: h.Score}},
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *TextSearch) Explain() Explanation {
	args := []string{arg("graph", o.Graph.Name()), arg("field", o.Field)}
	if len(o.Beside) > 0 {
		beside := make([]string, len(o.Beside))
		for i, f := range o.Beside {
			beside[i] = fmt.Sprintf("%s:%v", f.Field, f.Weight)
		}
		args = append(args, arg("beside", beside))
	}
	return Explanation{Op: "TextSearch", Work: WorkOnTexts, Args: append(args, arg("k", o.K)), Source: o.Source}
}

// Inputs implements [Op].
func (o *TextSearch) Inputs() []Op { return nil }

// isMissing reports whether what was asked for is not there.
func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }
