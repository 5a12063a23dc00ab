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

func (g *graphstore) measureCheckpoint(ctx context.Context, d *database) error {
	sw := start()
	if err := d.store.Checkpoint(ctx, filepath.Join(g.dir, "checkpoint")); err != nil {
		return err
	}
	wall, cpu := sw.stop()
	g.r.atMost("checkpoint", milliseconds(wall), "ms", 200, fmt.Sprintf("%s CPU-ms", number(milliseconds(cpu))))
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
