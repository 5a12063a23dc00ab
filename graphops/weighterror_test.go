package graphops_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// A negative weight is refused whatever stands beside it, and so is a loop's.
func TestNegativeWeights(t *testing.T) {
	seeds := []graphops.Scored{{Node: 0, Score: 1}}
	for name, edges := range map[string][]graphops.WeightedEdge{
		"an edge":             {{From: 0, To: 1, Weight: -1}},
		"beside a heavy one":  {{From: 0, To: 1, Weight: 5}, {From: 0, To: 1, Weight: -1}},
		"behind a heavy one":  {{From: 0, To: 1, Weight: -1}, {From: 0, To: 1, Weight: 5}},
		"a loop":              {{From: 0, To: 1, Weight: 1}, {From: 0, To: 0, Weight: -1}},
		"a loop beside a one": {{From: 0, To: 1, Weight: 1}, {From: 0, To: 0, Weight: 5}, {From: 0, To: 0, Weight: -1}},
	} {
		for _, how := range []graphops.Combine{graphops.Sum, graphops.Max, graphops.Min} {
			p := must(graphops.FromEdges(2, edges, graphops.EdgeOptions{Weighted: true, Combine: how}))(t)
			for algorithm, run := range map[string]func() error{
				"pagerank": func() error { _, err := graphops.PageRank(t.Context(), p, graphops.PageRankOptions{}); return err },
				"ppr":      func() error { _, err := graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{}); return err },
				"leiden":   func() error { _, err := graphops.Leiden(t.Context(), p, graphops.LeidenOptions{}); return err },
				"spectral": func() error { _, err := graphops.Spectral(t.Context(), p, graphops.SpectralOptions{K: 1}); return err },
				"node2vec": func() error { _, err := graphops.Node2Vec(t.Context(), p, graphops.Node2VecOptions{}); return err },
				"modularity": func() error {
					_, err := graphops.Modularity(p, &graphops.Partition{Of: []uint32{0, 0}, Count: 1}, 1)
					return err
				},
				"betweenness": func() error {
					_, err := graphops.Betweenness(t.Context(), p, graphops.BetweennessOptions{Lengths: true})
					return err
				},
				"path": func() error {
					_, err := graphops.WeightedPath(t.Context(), p, 0, 1, graphops.PathOptions{})
					return err
				},
			} {
				var w interface {
					Edge() (from, to engine.NodeID, weight float32)
				}
				err := run()
				if !errors.As(err, &w) || !errors.Is(err, engine.ErrInvalid) {
					t.Errorf("%s, %s, Combine %d: %v", algorithm, name, how, err)
					continue
				}
				if _, _, weight := w.Edge(); weight != -1 {
					t.Errorf("%s, %s, Combine %d: weight %v", algorithm, name, how, weight)
				}
			}
		}
	}
}
