package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
)

// graphstore measures the graph store.
type graphstore struct {
	scale, count, hub int
	seed              uint64
	peers             bool
	peersDir, dir     string

	r      *report
	edges  []edge
	unique float64 // different edges
	rows   []engineRow
	own    engineRow // bulk load
	online engineRow
	// memtable is how many edges transactions add until the store writes them
	// to a table.
	memtable int
}

func graphstoreFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	g := &graphstore{}
	fs.IntVar(&g.scale, "scale", 17, "the graph has 2^`n` nodes")
	fs.IntVar(&g.count, "edges", 1<<20, "`number` of edges, repeated ones included")
	fs.IntVar(&g.hub, "hub", 1_000_000, "`neighbours` of the hub")
	fs.Uint64Var(&g.seed, "seed", 1, "of the generator")
	fs.BoolVar(&g.peers, "peers", false, "measure bbolt, badger and SQLite too")
	fs.StringVar(&g.peersDir, "peersdir", filepath.Join("bench", "peers"), "`folder` of the module of the peers")
	fs.StringVar(&g.dir, "dir", "", "`folder` for the databases, removed after; the system's for temporary files if empty")
	return func(ctx context.Context, r *report) error {
		g.r = r
		return g.run(ctx)
	}
}

func (g *graphstore) run(ctx context.Context) (err error) {
	if g.scale < 1 || g.scale > 31 || g.count < 1 || g.hub < 1 {
		return errors.New("-scale must be 1 to 31, -edges and -hub at least 1")
	}
	if g.dir, err = os.MkdirTemp(g.dir, "ragdb-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(g.dir)) }()
	g.edges = rmat(g.seed, g.scale, g.count)
	g.unique = float64(distinct(g.edges))
	g.r.Input = fmt.Sprintf("RMAT scale %d, %d edges, %.0f different, seed %d; hub of %d", g.scale, g.count, g.unique, g.seed, g.hub)
	for _, step := range []func(ctx context.Context) error{
		g.measureBulk, g.measureWeighted, g.measureOnline, g.measureCrash, g.measureHub,
	} {
		if err := step(ctx); err != nil {
			return err
		}
		// What one step leaves behind is not collected at the next one's cost.
		runtime.GC()
	}
	g.rows = append(g.rows, g.own, g.online)
	if g.peers {
		if err := g.runPeers(ctx); err != nil {
			return err
		}
	}
	g.r.Tables = append(g.r.Tables, compareEngines(g, g.rows))
	return nil
}

func (g *graphstore) nodes() int { return 1 << g.scale }

// openNodes opens a new database of n nodes.
func (g *graphstore) openNodes(ctx context.Context, name string, n int) (*database, error) {
	d, err := openDatabase(ctx, filepath.Join(g.dir, name))
	if err != nil {
		return nil, err
	}
	if err := d.loadNodes(ctx, n); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// measureBulk measures a database that is loaded and compacted: load, size,
// reads, opening, backup and memory.
func (g *graphstore) measureBulk(ctx context.Context) (err error) {
	d, err := openDatabase(ctx, filepath.Join(g.dir, "bulk"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	sw := start()
	if err := d.loadNodes(ctx, g.nodes()); err != nil {
		return err
	}
	_, cpu := sw.stop()
	g.r.atLeast("bulk load of nodes with two properties", float64(g.nodes())/cpu.Seconds(), "nodes/CPU-s", 0, "")
	before, err := d.compact(ctx)
	if err != nil {
		return err
	}
	sw = start()
	if err := d.loadEdges(ctx, g.edges, nil); err != nil {
		return err
	}
	wall, cpu := sw.stop()
	g.own = engineRow{Engine: "ragdb, bulk load", Directions: 2, LoadCPU: cpu.Seconds()}
	g.r.atLeast("bulk load, both directions", float64(g.count)/cpu.Seconds(), "edges/CPU-s", 1e6,
		fmt.Sprintf("%s edges/s wall", number(float64(g.count)/wall.Seconds())))
	sw = start()
	if err := d.store.Compact(ctx, nil, nil); err != nil {
		return err
	}
	_, cpu = sw.stop()
	g.r.atMost("compaction after it", milliseconds(cpu), "CPU-ms", 0, "")
	size, err := d.compact(ctx)
	if err != nil {
		return err
	}
	g.own.Bytes = size - before
	g.r.atMost("disk, unweighted, both directions", g.own.Bytes/g.unique, "B/edge", 7, "")
	if err := g.measureReads(ctx, d); err != nil {
		return err
	}
	if err := g.measureCheckpoint(ctx, d); err != nil {
		return err
	}
	if err := g.measureSync(ctx, d); err != nil {
		return err
	}
	return g.measureOpen(ctx, d)
}

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

func (g *graphstore) measureCheckpoint(ctx context.Context, d *database) error {
	sw := start()
	if err := d.store.Checkpoint(ctx, filepath.Join(g.dir, "checkpoint")); err != nil {
		return err
	}
	wall, cpu := sw.stop()
	g.r.atMost("checkpoint", milliseconds(wall), "ms", 200, fmt.Sprintf("%s CPU-ms", number(milliseconds(cpu))))
	return nil
}

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

// measureWeighted measures what weights take.
func (g *graphstore) measureWeighted(ctx context.Context) (err error) {
	d, err := g.openNodes(ctx, "weighted", g.nodes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	before, err := d.compact(ctx)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(g.seed, 3))
	sw := start()
	if err := d.loadEdges(ctx, g.edges, func(int) float32 { return r.Float32() }); err != nil {
		return err
	}
	_, cpu := sw.stop()
	g.r.atLeast("bulk load, weighted", float64(g.count)/cpu.Seconds(), "edges/CPU-s", 0, "")
	size, err := d.compact(ctx)
	if err != nil {
		return err
	}
	g.r.atMost("disk, random f32 weights, more", (size-before-g.own.Bytes)/g.unique/2, "B/edge/direction", 5, "")
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
