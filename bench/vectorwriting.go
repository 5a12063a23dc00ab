package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

const (
	// writingBatch is how many vectors a transaction writes during searches.
	writingBatch = 100
	// writingShare is how many vectors are written, as a share of those there
	// are: so few that searches cost more by the writing, not by the growth.
	writingShare = 0.2
	// writingNoise is the length of what new vectors differ by from a row of
	// the base, in its own.
	writingNoise = 0.3
)

// writingResult is what searches cost beside a writer. Each opens a snapshot of
// its own, so that it finds what was written before it.
type writingResult struct {
	Ef       int   `json:"ef"`
	ReadOnly point `json:"read_only"` // recall is not measured
	Writing  point `json:"writing"`
	// Searches are how many there were while vectors were written, Written the
	// vectors, and Settle the processor time that linking the rest took after.
	Searches int     `json:"searches"`
	Written  int     `json:"written"`
	Settle   float64 `json:"settle_cpu_s"`
}

func (b *vectorBench) measureWriting(ctx context.Context) (*writingResult, error) {
	out := &writingResult{Ef: b.efs[len(b.efs)/2]}
	for range 2 { // the first round warms caches
		until := time.Now().Add(b.reading)
		c, err := b.searchWhile(ctx, out.Ef, func() bool { return time.Now().Before(until) })
		if err != nil {
			return nil, err
		}
		out.ReadOnly = c.point(out.Ef, 0)
	}
	batches := max(1, int(writingShare*float64(b.s.n))/writingBatch)
	var failed error
	written := make(chan struct{})
	go func() {
		failed = b.write(ctx, batches)
		close(written)
	}()
	c, err := b.searchWhile(ctx, out.Ef, func() bool {
		select {
		case <-written:
			return false
		default:
			return true
		}
	})
	<-written
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	out.Writing, out.Searches, out.Written = c.point(out.Ef, 0), len(c.cpu), batches*writingBatch
	sw := start()
	err = b.d.settle(ctx)
	_, cpu := sw.stop()
	out.Settle = cpu.Seconds()
	return out, err
}

// searchWhile asks the queries over and over, each in a snapshot of its own.
func (b *vectorBench) searchWhile(ctx context.Context, ef int, more func() bool) (c costs, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var hits []vecindex.Hit
	for i := 0; more(); i++ {
		search := how{ef: ef}.search(&b.s.queries[i%len(b.s.queries)])
		err := c.time(func() error {
			return b.d.view(ctx, func(v *vecindex.View) (err error) {
				hits, err = v.Search(ctx, search, hits[:0])
				return err
			})
		})
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// write writes new vectors near those of the base.
func (b *vectorBench) write(ctx context.Context, batches int) error {
	r := rand.New(rand.NewPCG(b.seed, 20))
	x := make([]float32, b.dim)
	for n := range batches {
		err := b.d.db.Update(ctx, func(tx *engine.Tx) error {
			v := tx.Graph(b.d.graph)
			for i := range writingBatch {
				noisy(r, b.s.row(r.IntN(b.s.n)), x)
				if _, err := b.d.putNode(v, "new "+strconv.Itoa(n*writingBatch+i), x); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// noisy sets dst to a vector near x.
func noisy(r *rand.Rand, x, dst []float32) {
	scale := writingNoise * math.Sqrt(dot64(x, x)/float64(len(x)))
	for i, v := range x {
		dst[i] = v + float32(scale*r.NormFloat64())
	}
}
