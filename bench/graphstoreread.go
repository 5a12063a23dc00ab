package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ragdb/ragdb/engine"
)

// measureReads measures point reads, expansions and scans of a warm database.
func (g *graphstore) measureReads(ctx context.Context, d *database) error {
	return d.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(d.graph)
		if err := g.measureScan(v); err != nil {
			return err
		}
		order := rand.New(rand.NewPCG(g.seed, 2)).Perm(g.nodes())
		var l latencies
		for range 2 { // the first round warms the cache
			l = l[:0]
			for _, i := range order[:min(len(order), 200_000)] {
				t := time.Now()
				if _, err := v.Node(engine.NodeID(i + 1)); err != nil {
					return err
				}
				l = append(l, time.Since(t))
			}
		}
		g.r.atMost("GetNode, cached, p50", l.at(0.5), "µs", 4, "")
		g.r.atMost("GetNode, cached, p99", l.at(0.99), "µs", 30, "")
		for range 2 {
			rate, n, err := expand(v, order)
			if err != nil {
				return err
			}
			if n != int(g.unique) {
				return fmt.Errorf("%d neighbours read of %.0f", n, g.unique)
			}
			g.own.Expand = rate
		}
		g.r.atLeast("Neighbors, compacted", g.own.Expand, "neighbours/CPU-s", 4e6, "")
		l, err := expandLatencies(v, order)
		if err != nil {
			return err
		}
		g.own.P50 = l.at(0.5)
		g.r.atMost("Neighbors, compacted, p50", l.at(0.5), "µs", 2.5, "")
		g.r.atMost("Neighbors, compacted, p99", l.at(0.99), "µs", 0, "")
		return nil
	})
}

func (g *graphstore) measureScan(v *engine.View) error {
	for round := range 2 {
		sw, n := start(), 0
		for _, dir := range []engine.Direction{engine.Out, engine.In} {
			for l, err := range v.Lists(dir, 0, 0, engine.EdgeFilter{}) {
				if err != nil {
					return err
				}
				n += len(l.Others)
			}
		}
		if n != 2*int(g.unique) {
			return fmt.Errorf("%d halves of edges read of %.0f", n, 2*g.unique)
		}
		if _, cpu := sw.stop(); round > 0 {
			g.r.atLeast("scan of all lists, both directions", float64(n)/cpu.Seconds(), "edges/CPU-s", 20e6, "an edge counts in each direction")
		}
	}
	return nil
}

// pageSize is how many neighbours are asked for at a time.
const pageSize = 1024

// expand reads the out-neighbours of nodes and returns how many there are and
// how many are read in a second of processor time.
func expand(v *engine.View, order []int) (rate float64, n int, err error) {
	page := make([]engine.Edge, 0, pageSize)
	sw := start()
	for _, i := range order {
		k, err := neighbors(v, engine.NodeID(i+1), page)
		if err != nil {
			return 0, 0, err
		}
		n += k
	}
	_, cpu := sw.stop()
	return float64(n) / cpu.Seconds(), n, nil
}

func expandLatencies(v *engine.View, order []int) (latencies, error) {
	page := make([]engine.Edge, 0, pageSize)
	l := make(latencies, 0, len(order))
	for _, i := range order {
		t := time.Now()
		if _, err := neighbors(v, engine.NodeID(i+1), page); err != nil {
			return nil, err
		}
		l = append(l, time.Since(t))
	}
	return l, nil
}

// measureOpen measures opening the database, and the memory of a process that
// does nothing but read it.
func (g *graphstore) measureOpen(ctx context.Context, d *database) error {
	var l latencies
	for range 5 {
		var t time.Time
		err := d.reopen(ctx, func() error {
			t = time.Now()
			return nil
		})
		if err != nil {
			return err
		}
		l = append(l, time.Since(t))
	}
	g.r.atMost("open, closed cleanly", l.at(0.5)/1e3, "ms", 100, "median of 5")
	var resident int64
	err := d.reopen(ctx, func() (err error) {
		resident, err = runServe(ctx, d.path)
		return err
	})
	if err != nil {
		return err
	}
	if resident > 0 {
		g.r.atMost("resident memory of a process that expands every node", float64(resident)/(1<<20), "MiB",
			float64(budget)/(1<<20)+150, fmt.Sprintf("budget %d MiB", budget>>20))
	}
	return nil
}
