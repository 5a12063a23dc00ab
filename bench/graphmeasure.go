package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/ragdb/ragdb/graphops"
)

// measureKCore's value is the largest core number.
func measureKCore(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	var res *graphops.KCoreResult
	err := b.repeat(func() (err error) {
		res, err = graphops.KCore(ctx, p, graphops.KCoreOptions{})
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = float64(res.Max)
	return nil
}

// measureComponents' value is the number of components.
func measureComponents(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	var res *graphops.ComponentsResult
	err := b.repeat(func() (err error) {
		res, err = graphops.Components(ctx, p, graphops.ComponentsOptions{})
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = float64(res.Count)
	b.out.More = map[string]float64{"largest": float64(res.Sizes()[res.Largest])}
	return nil
}

// measureClustering's value is the mean of the local coefficients of all nodes,
// 0 for those of less than two neighbours.
func measureClustering(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	var res *graphops.ClusteringResult
	err := b.repeat(func() (err error) {
		res, err = graphops.ClusteringCoefficients(ctx, p, graphops.TrianglesOptions{Workers: b.workers})
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = res.Average
	b.out.More = map[string]float64{"global": res.Global, "triangles": float64(res.Triangles)}
	return nil
}

// measurePageRank's value is the greatest score.
func measurePageRank(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	o := graphops.PageRankOptions{Workers: b.workers}
	if b.arg != "" {
		o.Tolerance, _ = strconv.ParseFloat(b.arg, 64)
		o.MaxIterations = 1000
	}
	var res *graphops.PageRankResult
	err := b.repeat(func() (err error) {
		res, err = graphops.PageRank(ctx, p, o)
		return err
	})
	if err != nil {
		return err
	}
	if !res.Converged {
		return fmt.Errorf("no convergence in %d iterations", res.Iterations)
	}
	b.out.Value = slices.Max(res.Scores)
	b.out.More = map[string]float64{"iterations": float64(res.Iterations)}
	return nil
}
