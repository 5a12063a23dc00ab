package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
)

// measureSync measures transactions of one edge that are durable when they
// return.
func (g *graphstore) measureSync(ctx context.Context, d *database) error {
	var l latencies
	for _, e := range rmat(g.seed+1, g.scale, 2000) {
		t := time.Now()
		if err := d.addEdges(ctx, []edge{e}, kv.Sync); err != nil {
			return err
		}
		l = append(l, time.Since(t))
	}
	g.r.atMost("AddEdge, durable, p50", l.at(0.5)/1e3, "ms", 0.3, "")
	g.r.atMost("AddEdge, durable, p99", l.at(0.99)/1e3, "ms", 20, "")
	return nil
}

// batchEdges is how many edges a transaction of the online measure adds.
const batchEdges = 1000

// measureOnline measures insertion by transactions, and reads before anything
// is compacted.
func (g *graphstore) measureOnline(ctx context.Context) (err error) {
	d, err := g.openNodes(ctx, "online", g.nodes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	before, err := d.compact(ctx)
	if err != nil {
		return err
	}
	files := d.store.Metrics().Files
	sw := start()
	for done := 0; done < len(g.edges); done += batchEdges {
		if err := d.addEdges(ctx, g.edges[done:min(done+batchEdges, len(g.edges))], kv.NoSync); err != nil {
			return err
		}
		if g.memtable == 0 && d.store.Metrics().Files != files {
			g.memtable = done
		}
	}
	if g.memtable == 0 {
		g.memtable = len(g.edges)
	}
	_, cpu := sw.stop()
	order := rand.New(rand.NewPCG(g.seed, 4)).Perm(g.nodes())
	err = d.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(d.graph)
		sample := order[:min(len(order), 50_000)]
		rate, _, err := expand(v, sample)
		if err != nil {
			return err
		}
		l, err := expandLatencies(v, sample)
		if err != nil {
			return err
		}
		g.r.atMost("Neighbors after the inserts, p50", l.at(0.5), "µs", 40, "nothing flushed or compacted by hand")
		g.r.atLeast("Neighbors after the inserts", rate, "neighbours/CPU-s", 0, "")
		return nil
	})
	if err != nil {
		return err
	}
	flush := start()
	if err := d.store.Flush(ctx); err != nil {
		return err
	}
	_, flushCPU := flush.stop()
	target := 250e3 // up to about a million edges
	if g.count > 2<<20 {
		target = 100e3
	}
	g.r.atLeast("AddEdge, 1000 a transaction, NoSync, both directions", float64(g.count)/cpu.Seconds(), "edges/CPU-s", target,
		fmt.Sprintf("%s with the last flush", number(float64(g.count)/(cpu+flushCPU).Seconds())))
	size, err := d.compact(ctx)
	if err != nil {
		return err
	}
	g.online = engineRow{
		Engine: "ragdb, 1000 edges a transaction", Directions: 2,
		LoadCPU: (cpu + flushCPU).Seconds(), Bytes: size - before,
	}
	return d.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(d.graph)
		for range 2 { // the first round warms the cache
			if g.online.Expand, _, err = expand(v, order); err != nil {
				return err
			}
		}
		l, err := expandLatencies(v, order)
		g.online.P50 = l.at(0.5)
		return err
	})
}

// measureCrash measures opening what a killed process leaves when its memtable
// is nearly full.
func (g *graphstore) measureCrash(ctx context.Context) (err error) {
	d, err := g.openNodes(ctx, "crash", g.nodes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.store.Flush(ctx); err != nil {
		return err
	}
	count := g.memtable / 20 * 19
	for done := 0; done < count; done += batchEdges {
		if err := d.addEdges(ctx, g.edges[done:min(done+batchEdges, count)], kv.NoSync); err != nil {
			return err
		}
	}
	// A durable commit takes all before it along.
	if err := d.addEdges(ctx, g.edges[:1], kv.Sync); err != nil {
		return err
	}
	path := filepath.Join(g.dir, "crashed")
	if err := copyDirectory(d.path, path); err != nil {
		return err
	}
	sw := start()
	again, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	wall, cpu := sw.stop()
	g.r.atMost("open after a kill, memtable full", cpu.Seconds(), "CPU-s", 3,
		fmt.Sprintf("%d edges in the log, %s s wall", count, number(wall.Seconds())))
	return again.close()
}

// measureHub measures changes of a node of very many neighbours, and reading
// them page by page.
func (g *graphstore) measureHub(ctx context.Context) (err error) {
	const rounds = 1000
	d, err := g.openNodes(ctx, "hub", g.hub+rounds+1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	edges := make([]edge, g.hub)
	for i := range edges {
		edges[i].to = uint32(i + 1)
	}
	if err := d.loadEdges(ctx, edges, nil); err != nil {
		return err
	}
	sw := start()
	for i := range rounds {
		// A new neighbour, then whether one from anywhere is there.
		if err := d.addEdges(ctx, []edge{{0, uint32(g.hub + i + 1)}}, kv.NoSync); err != nil {
			return err
		}
		err := d.db.View(ctx, func(s *engine.Snapshot) error {
			v := s.Graph(d.graph)
			t, _ := v.EdgeType(edgeType)
			_, ok, err := v.HasEdge(1, engine.NodeID(2+i*(g.hub/rounds)), t)
			if err == nil && !ok {
				err = errors.New("an edge of the hub is missing")
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	_, cpu := sw.stop()
	g.r.atMost("hub: insert and membership", milliseconds(cpu)/rounds, "CPU-ms", 0.2, fmt.Sprintf("degree %d", g.hub))
	return d.db.View(ctx, func(s *engine.Snapshot) error {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		sw := start()
		n, err := neighbors(s.Graph(d.graph), 1, make([]engine.Edge, 0, 4096))
		_, cpu := sw.stop()
		runtime.ReadMemStats(&after)
		if err == nil && n != g.hub+rounds {
			err = fmt.Errorf("%d neighbours of the hub of %d", n, g.hub+rounds)
		}
		g.r.atLeast("hub: pages of 4096", float64(n)/cpu.Seconds(), "neighbours/CPU-s", 0, "")
		g.r.atMost("hub: memory while paging", float64(after.HeapSys-min(before.HeapSys, after.HeapSys))/(1<<20), "MiB", 0,
			fmt.Sprintf("heap growth; %s MiB allocated in all", number(float64(after.TotalAlloc-before.TotalAlloc)/(1<<20))))
		return err
	})
}
