package main

import (
	"cmp"
	"context"

	"github.com/ragdb/ragdb/graphops"
)

// measureKMeans' value is the inertia. It goes on until no vector changes its
// cluster, as it is with scikit-learn's tol=0.
func measureKMeans(ctx context.Context, b *graphBench, m graphops.Matrix) error {
	o := graphops.KMeansOptions{K: b.countOf(0), MaxIterations: b.vectors.iterations, Seed: b.seed, Workers: b.workers}
	o.MaxIterations = cmp.Or(o.MaxIterations, 50)
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

// measureGMM's value is the BIC, of a sweep the best of 1 to 50 components.
func measureGMM(ctx context.Context, b *graphBench, m graphops.Matrix) error {
	o := graphops.GMMOptions{K: b.countOf(0), MaxIterations: b.vectors.iterations, Seed: b.seed, Workers: b.workers}
	if o.K == 0 {
		o.KMax = min(50, m.Len())
	}
	var res *graphops.Mixture
	err := b.repeat(func() (err error) {
		res, err = graphops.GMM(ctx, m, o)
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = res.BIC
	b.out.More = map[string]float64{
		"components": float64(res.Len()), "iterations": float64(res.Iterations), "tried": float64(len(res.Tried)),
	}
	return nil
}

func parseCountOrSweep(arg string) error {
	if arg == "sweep" {
		return nil
	}
	return parseCount(arg)
}
