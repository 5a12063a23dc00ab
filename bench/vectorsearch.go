package main

import (
	"context"
	"runtime"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/vecindex"
)

// point is what searches of one width cost and found.
type point struct {
	Ef     int     `json:"ef"`
	Recall float64 `json:"recall"`  // of the 10 nearest
	QPS    float64 `json:"qps_cpu"` // searches a second of the thread's processor time
	P50    float64 `json:"p50_us"`  // processor time of a search
	P99    float64 `json:"p99_us"`
	P50W   float64 `json:"p50_wall_us"`
	P99W   float64 `json:"p99_wall_us"`
}

// costs are what single searches took.
type costs struct {
	cpu, wall latencies
	sum       time.Duration // of cpu
}

// time calls fn and adds what it took. The goroutine must be locked to its
// thread. If the thread's time is not told, wall time stands for it.
func (c *costs) time(fn func() error) error {
	at := time.Now()
	from, ok := threadTime()
	err := fn()
	to, _ := threadTime()
	wall := time.Since(at)
	used := wall
	if ok {
		used = to - from
	}
	c.cpu, c.wall, c.sum = append(c.cpu, used), append(c.wall, wall), c.sum+used
	return err
}

// point returns the figures of the searches.
func (c *costs) point(ef int, recall float64) point {
	p := point{
		Ef: ef, Recall: recall,
		P50: c.cpu.at(0.5), P99: c.cpu.at(0.99), P50W: c.wall.at(0.5), P99W: c.wall.at(0.99),
	}
	if c.sum > 0 {
		p.QPS = float64(len(c.cpu)) / c.sum.Seconds()
	}
	return p
}

// passes is how often the queries are asked; the first pass warms caches and is
// not counted.
const passes = 3

// how says in which way the queries are asked.
type how struct {
	ef    int
	exact bool
	allow *roaring.Bitmap // nodes; nil allows all
}

func (h how) search(q *query) vecindex.Search {
	s := vecindex.Search{Vector: q.vector, K: recallAt, Ef: h.ef, Exact: h.exact, Allow: h.allow}
	if q.self >= 0 {
		s.K++ // the query itself is found too, and dropped
	}
	return s
}

// ask asks all queries, one after the other on one thread, and returns what
// they cost and the answers.
func (d *vectorStore) ask(ctx context.Context, s *vectorSet, h how) (c costs, answers [][]int32, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	answers = make([][]int32, len(s.queries))
	err = d.view(ctx, func(v *vecindex.View) error {
		hits := make([]vecindex.Hit, 0, recallAt+1)
		for pass := range passes {
			if pass == 1 {
				c = costs{}
			}
			for i := range s.queries {
				q := &s.queries[i]
				err := c.time(func() (err error) {
					hits, err = v.Search(ctx, h.search(q), hits[:0])
					return err
				})
				if err != nil {
					return err
				}
				if pass == passes-1 {
					answers[i] = d.answer(hits, q.self, nil)
				}
			}
		}
		return nil
	})
	return c, answers, err
}

// warm searches once, so that what searches keep in memory is there.
func (d *vectorStore) warm(ctx context.Context, s *vectorSet) error {
	return d.view(ctx, func(v *vecindex.View) error {
		_, err := v.Search(ctx, how{}.search(&s.queries[0]), nil)
		return err
	})
}

// measure asks all queries and compares with truth, one list of rows a query.
func (d *vectorStore) measure(ctx context.Context, s *vectorSet, h how, truth [][]int32) (point, error) {
	c, answers, err := d.ask(ctx, s, h)
	if err != nil {
		return point{}, err
	}
	var recall float64
	for i, got := range answers {
		recall += recallOf(truth[i], got)
	}
	return c.point(h.ef, recall/float64(len(answers))), nil
}

// sweep measures one point for each ef.
func (d *vectorStore) sweep(ctx context.Context, s *vectorSet, efs []int, allow *roaring.Bitmap, truth [][]int32) ([]point, error) {
	var out []point
	for _, ef := range efs {
		p, err := d.measure(ctx, s, how{ef: ef, allow: allow}, truth)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// exact returns the exact answers among the nodes that are allowed, and what
// finding them by comparing all of these costs.
func (d *vectorStore) exact(ctx context.Context, s *vectorSet, allow *roaring.Bitmap) (point, [][]int32, error) {
	c, answers, err := d.ask(ctx, s, how{exact: true, allow: allow})
	return c.point(0, 1), answers, err
}

// truth returns the truth of the queries.
func (s *vectorSet) truth() [][]int32 {
	out := make([][]int32, len(s.queries))
	for i := range s.queries {
		out[i] = s.queries[i].truth
	}
	return out
}
