package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// LayerSearch finds in each of some layers of a vector space the nodes whose
// vectors are nearest to a text's or to one that is given: layer by layer in the order of Layers,
// those of one by score descending, id ascending. In a space of the kind
// [vecindex.CHNSW] it is one descent through the layers. [Item.Layer] and the
// item's step tell the layer. It finds none in a space that the graph lacks.
type LayerSearch struct {
	Graph *engine.Graph
	Space string
	Text  string
	// Vector, if it is not nil, is searched for in place of Text's.
	Vector []float32
	// Layers are the layers, each once, with how many nodes of it are wanted.
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
func (o *LayerSearch) Run(ctx context.Context, e *Env) (Set, error) {
	if len(o.Layers) == 0 {
		return Set{}, nil // to the index that would be all layers together
	}
	for i, l := range o.Layers {
		if slices.ContainsFunc(o.Layers[:i], func(x vecindex.LayerK) bool { return x.Layer == l.Layer }) {
			return Set{}, invalid("layer %d is asked for twice", l.Layer)
		}
	}
	hits, err := searchVectors(ctx, e, o.Graph, o.Space, o.Text, vecindex.Search{Vector: o.Vector, Layers: o.Layers, Ef: o.Ef, Exact: o.Exact})
	out := Set{Items: make([]Item, len(hits))}
	for i, h := range hits {
		score := float64(h.Score)
		out.Items[i] = Item{
			Graph: o.Graph.ID(), ID: engine.NodeID(h.ID), Score: score, Layer: h.Layer,
			Why: []Step{{Op: "vector", Note: fmt.Sprintf("%s, layer %d", o.Space, h.Layer), Score: score}},
		}
	}
	return out, err
}

// Explain implements [Op].
func (o *LayerSearch) Explain() Explanation {
	args := []string{arg("graph", o.Graph.Name()), arg("space", o.Space)}
	for _, l := range o.Layers {
		args = append(args, fmt.Sprintf("layer%d=%d", l.Layer, l.K))
	}
	return Explanation{Op: "LayerSearch", Work: WorkOnVectors, Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *LayerSearch) Inputs() []Op { return nil }
