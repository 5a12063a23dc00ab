package graphops

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/distance"
)

// similaritiesOf says what is wrong with a projection whose edges need
// similarities, from vectors if there are some.
func similaritiesOf(p *Projection, vectors Matrix) error {
	switch {
	case !p.symmetric:
		return phase.Mark(engine.ErrInvalid, "edges with a direction")
	case vectors.Data == nil && !p.Weighted() && p.entries() > 0:
		return phase.Mark(engine.ErrInvalid, "neither weights nor vectors")
	case vectors.Data != nil && vectors.Len() != p.Len():
		return phase.Mark(engine.ErrInvalid, "vectors of %d nodes for %d", vectors.Len(), p.Len())
	}
	return vectors.validate()
}

// similarity tells how alike nodes are: by the cosine of their vectors, or by
// the weights that edges have if there are none.
type similarity struct {
	vectors Matrix
	norm    []float64
}

// similarityPiece is about how many elements one task multiplies.
const similarityPiece = 1 << 18

func newSimilarity(ctx context.Context, vectors Matrix, workers int) (*similarity, error) {
	s := &similarity{vectors: vectors}
	if vectors.Data == nil {
		return s, nil
	}
	s.norm = make([]float64, vectors.Len())
	err := s.each(ctx, len(s.norm), workers, func(i int) {
		x := vectors.Row(i)
		s.norm[i] = math.Sqrt(float64(distance.Dot(x, x)))
	})
	return s, err
}

// piece returns how many vectors one task reads.
func (s *similarity) piece() int { return max(1, similarityPiece/max(1, s.vectors.Dim)) }

// each calls fn for every i below n, in tasks of about equally many vectors.
func (s *similarity) each(ctx context.Context, n, workers int, fn func(i int)) error {
	return pieces(ctx, workers, n, s.piece(), func(_, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			fn(i)
		}
	})
}

// cosine returns the cosine of two nodes, 0 if the length of a vector is 0 or
// beyond float32.
func (s *similarity) cosine(u, v uint32) float32 {
	n := float64(s.norm[u] * s.norm[v])
	if n == 0 || math.IsInf(n, 0) {
		return 0
	}
	x := float64(distance.Dot(s.vectors.Row(int(u)), s.vectors.Row(int(v)))) / n
	return float32(max(-1, min(x, 1)))
}

// ofEdges returns the similarity for each row entry of p.
func (s *similarity) ofEdges(ctx context.Context, p *Projection, workers int) ([]float32, error) {
	if s.norm == nil {
		return slices.Clone(p.w), nil
	}
	w := make([]float32, len(p.to))
	err := s.eachRow(ctx, p, workers, func(u uint32) {
		for i := p.off[u]; i < p.off[u+1]; i++ {
			w[i] = s.cosine(u, p.to[i])
		}
	})
	return w, err
}

// eachRow calls fn for every node.
func (s *similarity) eachRow(ctx context.Context, p *Projection, workers int, fn func(u uint32)) error {
	cuts := rowCuts(&p.csr, s.piece())
	return parallel(ctx, workers, len(cuts)-1, func(_, k int) error {
		for u := cuts[k]; u < cuts[k+1]; u++ {
			fn(uint32(u))
		}
		return nil
	})
}

// ofPairs returns the pairs with their similarities as weights.
func (s *similarity) ofPairs(ctx context.Context, pairs []WeightedEdge, workers int) ([]WeightedEdge, error) {
	out := slices.Clone(pairs)
	if s.norm == nil {
		return out, nil
	}
	err := s.each(ctx, len(out), workers, func(i int) {
		out[i].Weight = s.cosine(out[i].From, out[i].To)
	})
	return out, err
}
