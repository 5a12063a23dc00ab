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
	var res []uint32
	err := b.repeat(func() (err error) {
		res, err = graphops.KCore(ctx, p)
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = float64(slices.Max(res))
	return nil
}

// measureComponents' value is the number of components.
func measureComponents(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	var res *graphops.Partition
	err := b.repeat(func() (err error) {
		res, err = graphops.Components(ctx, p)
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = float64(res.Count)
	b.out.More = map[string]float64{"largest": float64(slices.Max(res.Sizes()))}
	return nil
}

// measureClustering's value is the mean of the local coefficients of all nodes,
// 0 for those of less than two neighbours.
func measureClustering(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	var res *graphops.TrianglesResult
	err := b.repeat(func() (err error) {
		res, err = graphops.Triangles(ctx, p, graphops.TrianglesOptions{Workers: b.workers})
		return err
	})
	if err != nil {
		return err
	}
	b.out.Value = res.Average
	b.out.More = map[string]float64{"global": res.Global, "triangles": float64(res.Total)}
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

// measureBetweenness's value is the sum of the scores: of sources, that of the
// paths from them alone, not scaled to those of all nodes.
func measureBetweenness(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	o := graphops.BetweennessOptions{Workers: b.workers}
	state := sourcesState
	for range b.countOf(0) {
		o.SourceNodes = append(o.SourceNodes, numberOf(p, state.below(p.Len())))
	}
	var res *graphops.BetweennessResult
	err := b.repeat(func() (err error) {
		res, err = graphops.Betweenness(ctx, p, o)
		return err
	})
	if err != nil {
		return err
	}
	for _, score := range res.Scores {
		b.out.Value += score
	}
	b.out.Value *= float64(res.Sources) / float64(p.Len())
	return nil
}

func parseCountOrExact(arg string) error {
	if arg == "exact" {
		return nil
	}
	return parseCount(arg)
}

// measureLeiden's value is the modularity.
func measureLeiden(ctx context.Context, b *graphBench, _ *database, p *graphops.Projection) error {
	o := graphops.LeidenOptions{Iterations: b.countOf(0), Seed: b.seed, Workers: b.workers}
	var res *graphops.LeidenResult
	err := b.repeat(func() (err error) {
		res, err = graphops.Leiden(ctx, p, o)
		return err
	})
	if err != nil {
		return err
	}
	b.judge(p, &res.Partition)
	return nil
}

// judge says how good a partition is.
func (b *graphBench) judge(p *graphops.Projection, part *graphops.Partition) {
	q := modularity(p, part.Of, part.Count)
	broken := disconnected(p, part.Of, part.Count)
	b.out.Value, b.out.Modularity, b.out.Disconnected, b.out.Communities = q, &q, &broken, part.Count
	if b.truth != nil {
		truth := make([]int32, p.Len())
		for u, label := range b.truth {
			truth[numberOf(p, uint32(u))] = label
		}
		nmi := mutualInformation(truth, part.Of)
		b.out.NMI = &nmi
	}
}
