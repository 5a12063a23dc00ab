package baseline

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// spread multiplies the scores of a set with the matrix of an edge type: each
// neighbour scores the sum, over the set's nodes that it is joined to, of their
// scores times the weights of the edges.
func (s *openIE) spread(in query.Op, edge, source string) *query.Neighbors {
	return &query.Neighbors{In: in, Graph: s.g, Types: []string{edge}, Combine: query.Sum, Source: source}
}

// here takes a set's chunks of the base graph in the method's graph. Chunks whose
// extraction failed are not there.
func (s *openIE) here(in query.Op) query.Op {
	return &query.Twins{In: in, Graph: s.g, Type: method.ChunkNodeType, Of: s.c.Base()}
}

// support measures an entity or relation by the number of its chunks.
func (s *openIE) support() *query.Measure {
	return &query.Measure{Name: "chunks", Of: func(ctx context.Context, e *query.Env, it query.Item) (float64, bool, error) {
		set, err := e.Snap.Graph(s.g).WithContext(ctx).Sources(engine.NodeTarget(it.ID))
		if err != nil {
			return 0, false, err
		}
		return float64(set.GetCardinality()), true, nil
	}}
}

// specific measures an entity by what another measure says of it, by the number
// of chunks that name it (HippoRAG, section 2.4).
func (s *openIE) specific(name string, of func(it query.Item) float64) *query.Measure {
	support := s.support()
	return &query.Measure{Name: name, Of: func(ctx context.Context, e *query.Env, it query.Item) (float64, bool, error) {
		chunks, ok, err := support.Of(ctx, e, it)
		return 1 / max(1, chunks) * of(it), ok, err
	}}
}

// ends measures a relation by the sum of the degrees of its ends, as LightRAG's
// code does.
func (s *openIE) ends() *query.Measure {
	return &query.Measure{Name: "degrees of the ends", Of: func(ctx context.Context, e *query.Env, it query.Item) (float64, bool, error) {
		v := e.Snap.Graph(s.g).WithContext(ctx)
		end, ok := v.EdgeType(edgeEnd)
		if !ok {
			return it.Score, true, nil
		}
		ends, err := graph.EdgesAt(v, it.ID, engine.EdgeFilter{Types: []engine.EdgeType{end}}, nil)
		if err != nil {
			return 0, false, err
		}
		sum := 0
		for _, edge := range ends {
			n, err := e.Degree(ctx, s.g, edge.Other(it.ID), edgeRelation)
			if err != nil {
				return 0, false, err
			}
			sum += n
		}
		return float64(sum), true, nil
	}}
}
