package query

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// VectorSearch finds the nodes whose vectors are nearest to a text's or to one
// that is given, by score
// descending, id ascending. It finds none in a space that the graph lacks:
// spaces come to be with their first vector.
type VectorSearch struct {
	Graph *engine.Graph
	Space string
	Text  string
	// Vector, if it is not nil, is searched for in place of Text's.
	Vector []float32
	// K is the number of nodes; none are found where it is below 1.
	K int
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
	hits, err := searchVectors(ctx, e, o.Graph, o.Space, o.Text, vecindex.Search{Vector: o.Vector, K: o.K, Ef: o.Ef, Exact: o.Exact})
	out := Set{Items: make([]Item, len(hits))}
	for i, h := range hits {
		score := float64(h.Score)
		out.Items[i] = Item{
			Graph: o.Graph.ID(), ID: engine.NodeID(h.ID), Score: score,
			Why: []Step{{Op: "vector", Note: o.Space, Score: score}},
		}
	}
	return out, err
}

// searchVectors searches a space for the vector of q, or of a text if q has none.
// It finds nothing if the text has no vector or the graph no such space.
func searchVectors(ctx context.Context, e *Env, g *engine.Graph, space, text string, q vecindex.Search) ([]vecindex.Hit, error) {
	var err error
	if q.Vector == nil {
		if q.Vector, err = e.vector(ctx, text); err != nil || q.Vector == nil {
			return nil, err
		}
	}
	l, err := e.lens(ctx, g)
	if err != nil {
		return nil, err
	}
	return l.search(space, q)
}

// Explain implements [Op].
func (o *VectorSearch) Explain() Explanation {
	return Explanation{Op: "VectorSearch", Work: WorkOnVectors, Args: []string{arg("graph", o.Graph.Name()), arg("space", o.Space), arg("k", o.K)}, Source: o.Source}
}

// Inputs implements [Op].
func (o *VectorSearch) Inputs() []Op { return nil }

// TextSearch finds nodes by BM25 over a field's terms, by score descending, id
// ascending; none where the graph lacks the field.
type TextSearch struct {
	Graph  *engine.Graph
	Field  string
	Text   string
	K      int     // 0: all nodes that have a term of Text
	K1, B  float64 // 0: the engine's defaults
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
	hits, err := l.terms(o.Field, e.Analyze(o.Text), engine.TermsOptions{K: o.K, K1: o.K1, B: o.B})
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
	return Explanation{Op: "TextSearch", Work: WorkOnTexts, Args: []string{arg("graph", o.Graph.Name()), arg("field", o.Field), arg("k", o.K)}, Source: o.Source}
}

// Inputs implements [Op].
func (o *TextSearch) Inputs() []Op { return nil }

// isMissing reports whether what was asked for is not there.
func isMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }
