package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/RoaringBitmap/roaring/v2"
)

// filterResult is what searches among some of the nodes cost and found. Beside
// it stand the two ways that a filter could be served without thought: compare
// every allowed vector, or search without the filter.
type filterResult struct {
	Share   float64       `json:"share"`
	Allowed int           `json:"allowed"`
	Scan    point         `json:"scan"`
	Points  []filterPoint `json:"points"`
}

// filterPoint is a point with the processor time of the same search without
// the filter.
type filterPoint struct {
	point
	WalkP50 float64 `json:"walk_p50_us"`
	WalkP99 float64 `json:"walk_p99_us"`
}

// measureFilter searches among a random share of the nodes; n is which filter
// it is of the run.
func (b *vectorBench) measureFilter(ctx context.Context, share float64, n uint64) (out filterResult, err error) {
	out.Share = share
	out.Allowed = max(1, int(math.Round(share*float64(b.s.n))))
	allow := roaring.New()
	for _, row := range rand.New(rand.NewPCG(b.seed, n)).Perm(b.s.n)[:out.Allowed] {
		allow.Add(uint32(b.d.ids[row]))
	}
	allow.RunOptimize()
	var truth [][]int32
	if out.Scan, truth, err = b.d.exact(ctx, b.s, allow); err != nil {
		return out, err
	}
	points, err := b.d.sweep(ctx, b.s, b.efs, allow, truth)
	for i, p := range points {
		plain := b.out.Points[i]
		out.Points = append(out.Points, filterPoint{p, plain.P50, plain.P99})
	}
	return out, err
}
