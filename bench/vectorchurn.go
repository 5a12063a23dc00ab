package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	churnRounds = 5
	churnShare  = 0.1 // of the vectors, in each round
	deleteShare = 0.5
)

// churnResult is what is left of recall after vectors came and went.
type churnResult struct {
	Replaced changed `json:"replaced"` // half of them, 10 % a round
	Deleted  changed `json:"deleted"`  // half of them, none put back
}

// changed is an index before and after a change.
type changed struct {
	Vectors int          `json:"vectors"`          // replaced or deleted
	CPU     float64      `json:"cpu_us"`           // of the process, a vector
	Points  []freshPoint `json:"points"`           // after it
	Bytes   float64      `json:"bytes_per_vector"` // in memory, of those that are left
}

// freshPoint is a point with the recall that the index had before.
type freshPoint struct {
	point
	Fresh float64 `json:"recall_fresh"`
}

// measureChurn replaces half of the vectors of the database, and deletes half
// of those of its copy.
func (b *vectorBench) measureChurn(ctx context.Context, copied string) (*churnResult, error) {
	out := &churnResult{}
	var err error
	if out.Deleted, err = b.deleteHalf(ctx, copied); err != nil {
		return nil, err
	}
	out.Replaced, err = b.replaceHalf(ctx)
	return out, err
}

// replaceHalf deletes, in each round, some of the vectors and puts the same
// back as new nodes.
func (b *vectorBench) replaceHalf(ctx context.Context) (out changed, err error) {
	if err := b.d.warm(ctx, b.s); err != nil {
		return out, err
	}
	var cpu time.Duration
	r := rand.New(rand.NewPCG(b.seed, 10))
	for range churnRounds {
		rows := r.Perm(b.s.n)[:int(churnShare*float64(b.s.n))]
		out.Vectors += len(rows)
		sw := start()
		if err := b.d.remove(ctx, rows); err != nil {
			return out, err
		}
		if err := b.d.settle(ctx); err != nil {
			return out, err
		}
		if err := b.d.put(ctx, b.s, rows, vectorBatch); err != nil {
			return out, err
		}
		if err := b.d.settle(ctx); err != nil {
			return out, err
		}
		_, used := sw.stop()
		cpu += used
	}
	points, err := b.d.sweep(ctx, b.s, b.efs, nil, b.s.truth())
	if err != nil {
		return out, err
	}
	return out, b.finish(ctx, &out, b.d, points, cpu)
}

// deleteHalf deletes half of the vectors of a copy of the database. The truth
// is then what comparing all of the others finds.
func (b *vectorBench) deleteHalf(ctx context.Context, copied string) (out changed, err error) {
	d, err := openVectors(ctx, copied, b.budget, b.d.tier)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	d.rows = append(d.rows[:0], b.d.rows...)
	d.ids = append(d.ids, b.d.ids...)
	if err := d.warm(ctx, b.s); err != nil {
		return out, err
	}
	rows := rand.New(rand.NewPCG(b.seed, 11)).Perm(b.s.n)[:int(deleteShare*float64(b.s.n))]
	out.Vectors = len(rows)
	sw := start()
	if err := d.remove(ctx, rows); err != nil {
		return out, err
	}
	if err := d.settle(ctx); err != nil {
		return out, err
	}
	_, cpu := sw.stop()
	_, truth, err := d.exact(ctx, b.s, nil)
	if err != nil {
		return out, err
	}
	points, err := d.sweep(ctx, b.s, b.efs, nil, truth)
	if err != nil {
		return out, err
	}
	return out, b.finish(ctx, &out, d, points, cpu)
}

// finish adds to out the points beside those of the fresh index, and the rest.
func (b *vectorBench) finish(ctx context.Context, out *changed, d *vectorStore, points []point, cpu time.Duration) (err error) {
	for i, p := range points {
		out.Points = append(out.Points, freshPoint{p, b.out.Points[i].Recall})
	}
	if out.Vectors > 0 {
		out.CPU = cpu.Seconds() * 1e6 / float64(out.Vectors)
	}
	out.Bytes, _, err = d.memory(ctx)
	return err
}
