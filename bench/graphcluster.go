package main

import (
	"context"

	"github.com/ragdb/ragdb/graphops"
)

// measureKMeans' value is the inertia. It goes on until no vector changes its
// cluster, as it is with scikit-learn's tol=0.
func measureKMeans(ctx context.Context, b *graphBench, m graphops.Matrix) error {
	o := graphops.KMeansOptions{K: b.countOf(0), MaxIterations: b.vectors.iterations, Seed: b.seed, Workers: b.workers}
	if o.MaxIterations == 0 {
		o.MaxIterations = 50
	}
	var res *graphops.Clustering
	err := b.repeat(func() (err error) {
		res, err = graphops.KMeans(ctx, m, o)
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = res.Inertia
	b.out.More = map[string]float64{"iterations": float64(res.Iterations), "clusters": float64(res.Partition.Count)}
	return nil
}
