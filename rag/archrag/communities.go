package archrag

import (
	"context"

	"github.com/ragdb/ragdb/graphops"
)

// Attributed is a graph whose nodes have vectors.
type Attributed struct {
	// Edges are the relations, each once; their weights do not count.
	Edges []graphops.WeightedEdge
	// Vectors are those of the nodes, zeros for one without.
	Vectors graphops.Matrix
	// Near returns edges from each node to the k that are nearest by cosine, of
	// which it may be one itself. The order does not matter, nor the weights.
	Near func(ctx context.Context, k int) ([]graphops.WeightedEdge, error)
}

// Communities divides a graph as the method divides each level: edges to near
// neighbours are added, and what comes of it is clustered until no community has
// Cap members that can be divided. A node without edges is in none. params are
// those of the method, by name, nil for the defaults; what is wrong with them is
// [method.ErrMethod]. The result follows from the arguments.
//
// It is for comparing the ways of it on graphs that are no corpus: an index is
// made by the stages of the method.
func Communities(ctx context.Context, g Attributed, params map[string]string) (graphops.Partition, error) {
	p, r := parse(params)
	if err := r.Err(); err != nil {
		return graphops.Partition{}, err
	}
	s := &system{p: p}
	part, err := s.communities(ctx, g)
	if err != nil {
		return graphops.Partition{}, phase.Errorf("archrag: communities: %w", err)
	}
	return part, nil
}

func (s *system) communities(ctx context.Context, g Attributed) (graphops.Partition, error) {
	a, err := s.enrich(ctx, g.Vectors.Len(), g)
	if err != nil {
		return graphops.Partition{}, err
	}
	weighed, err := s.weighed(a.graph)
	if err != nil {
		return graphops.Partition{}, err
	}
	return s.cluster(ctx, weighed)
}
