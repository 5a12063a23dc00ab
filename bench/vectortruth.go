package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
)

// computeTruth gives every query the exact nearest rows, in double precision;
// of equally near ones the lower row comes first.
func (s *vectorSet) computeTruth(metric string) error {
	near, err := nearness(metric)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(s.queries); i += workers {
				s.queries[i].truth = s.nearest(&s.queries[i], near)
			}
		})
	}
	wg.Wait()
	return nil
}

// nearest returns the rows that are nearest to a query, without its own.
func (s *vectorSet) nearest(q *query, near func(q, x []float32) float64) []int32 {
	type scored struct {
		row   int32
		score float64
	}
	best := make([]scored, 0, recallAt+1)
	for i := range s.n {
		if i == q.self {
			continue
		}
		c := scored{int32(i), near(q.vector, s.row(i))}
		if len(best) == recallAt && c.score <= best[recallAt-1].score {
			continue
		}
		at := slices.IndexFunc(best, func(b scored) bool { return b.score < c.score })
		if at < 0 {
			at = len(best)
		}
		best = slices.Insert(best, at, c)
		best = best[:min(len(best), recallAt)]
	}
	out := make([]int32, len(best))
	for i, b := range best {
		out[i] = b.row
	}
	return out
}

// nearness returns the function by which a metric orders: more is nearer.
func nearness(metric string) (func(q, x []float32) float64, error) {
	switch metric {
	case "ip":
		return dot64, nil
	case "cosine":
		// The length of q does not change the order.
		return func(q, x []float32) float64 { return dot64(q, x) / math.Sqrt(dot64(x, x)) }, nil
	case "l2":
		return func(q, x []float32) float64 {
			var sum float64
			for i, v := range q {
				d := float64(v) - float64(x[i])
				sum -= d * d
			}
			return sum
		}, nil
	}
	return nil, fmt.Errorf("metric %q is not ip, cosine or l2", metric)
}

func dot64(a, b []float32) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}
