package query

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// VectorSearch finds the nodes whose vectors are nearest to a text's, by score
// descending, id ascending. It finds none in a space that the graph lacks:
// spaces come to be with their first vector.
type VectorSearch struct {
	Graph *engine.Graph
	Space string
	Text  string
	// K is the number of nodes; none are found where it is below 1.
	K int
	// Ef is the width of the search of a space with a graph; 0 is
	// [vecindex.DefaultEf].
	Ef int
	// Source is the paper's name for the step.
	Source string
}

// Run implements [Op].
func (o *VectorSearch) Run(ctx context.Context, e *Env) (Set, error) {
	q, err := e.vector(ctx, o.Text)
	if err != nil {
		return Set{}, err
	}
	if q == nil {
		return Set{}, nil
	}
	allow, err := e.allow(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	v, err := e.view(ctx, o.Graph).Vectors(o.Space)
	if isMissing(err) {
		return Set{}, nil
	}
	if err != nil {
		return Set{}, err
	}
	hits, err := v.Search(ctx, vecindex.Search{Vector: q, K: o.K, Ef: o.Ef, Allow: allow}, nil)
	if err != nil {
		return Set{}, err
	}
	out := Set{Items: make([]Item, len(hits))}
	for i, h := range hits {
		score := float64(h.Score)
		out.Items[i] = Item{
			Graph: o.Graph.ID(), ID: engine.NodeID(h.ID), Score: score,
			Why: []Step{{Op: "vector", Note: o.Space, Score: score}},
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *VectorSearch) Explain() Explanation {
	return Explanation{"VectorSearch", []string{arg("graph", o.Graph.Name()), arg("space", o.Space), arg("k", o.K)}, o.Source}
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
	allow, err := e.allow(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	hits, err := e.view(ctx, o.Graph).Terms(o.Field, e.Analyze(o.Text), engine.TermsOptions{K: o.K, Allow: allow, K1: o.K1, B: o.B})
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
	return Explanation{"TextSearch", []string{arg("graph", o.Graph.Name()), arg("field", o.Field), arg("k", o.K)}, o.Source}
}

// Inputs implements [Op].
func (o *TextSearch) Inputs() []Op { return nil }

// NameMatch finds the nodes of a type whose keys are names in a text, each with
// score 1, in the order of the text.
type NameMatch struct {
	Graph  *engine.Graph
	Type   string
	Text   string
	Source string
}

// Run implements [Op].
func (o *NameMatch) Run(ctx context.Context, e *Env) (Set, error) {
	v := e.view(ctx, o.Graph)
	t, ok := v.NodeType(o.Type)
	if !ok || e.Names == nil {
		return Set{}, nil
	}
	var failed error
	ids := map[string]engine.NodeID{}
	names := e.Names(o.Text, func(key string) bool {
		if key == "" || failed != nil {
			return false
		}
		id, err := v.Lookup(t, key)
		if isMissing(err) {
			return false
		}
		if err != nil {
			failed = err
			return false
		}
		ids[key] = id
		return true
	})
	if failed != nil {
		return Set{}, failed
	}
	var out Set
	seen := map[engine.NodeID]bool{}
	for _, name := range names {
		id := ids[name]
		may, err := e.May(ctx, o.Graph, id)
		if err != nil {
			return Set{}, err
		}
		if id == 0 || seen[id] || !may {
			continue
		}
		seen[id] = true
		out.Items = append(out.Items, Item{
			Graph: o.Graph.ID(), ID: id, Score: 1,
			Why: []Step{{Op: "name", Note: fmt.Sprintf("%q", name), Score: 1}},
		})
	}
	return out, nil
}

// Explain implements [Op].
func (o *NameMatch) Explain() Explanation {
	return Explanation{"NameMatch", []string{arg("graph", o.Graph.Name()), arg("type", o.Type)}, o.Source}
}

// Inputs implements [Op].
func (o *NameMatch) Inputs() []Op { return nil }
