package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/ragdb/ragdb/graphops"
)

// graphBench measures one algorithm on one graph or set of vectors.
type graphBench struct {
	path, labels string
	directed     bool
	task         string
	seed         uint64
	workers      int
	reps         int
	queries      int
	dir, keep    string
	unit         bool
	budgetMB     int64
	vectors      vectorSource

	r     *report
	t     *graphTask
	arg   string // what follows the colon of -task
	truth []int32
	out   *graphResult
}

func graphFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &graphBench{}
	fs.StringVar(&b.path, "graph", "", "`file` of the graph: binary as graph-gen writes it, or text with an edge a line; may be gzipped")
	fs.StringVar(&b.labels, "labels", "", "`file` of lines \"node label\" or \"label\" to compare communities with")
	fs.BoolVar(&b.directed, "directed", false, "edges have a direction")
	fs.StringVar(&b.task, "task", "", "`name` of the task: "+taskList())
	fs.Uint64Var(&b.seed, "seed", 1, "of the algorithm, and of queries and vectors that are drawn")
	fs.IntVar(&b.workers, "workers", 0, "`goroutines` of the algorithm; 0 is one for each processor")
	fs.IntVar(&b.reps, "reps", 1, "how `often` the algorithm runs; the least and the median are reported")
	fs.IntVar(&b.queries, "queries", 1000, "`number` of queries of ppr, path and wpath")
	fs.StringVar(&b.dir, "dir", "", "`folder` for the database, removed after; the system's for temporary files if empty")
	fs.StringVar(&b.keep, "db", "", "`folder` of the database, made of the graph if it is not there, and kept")
	fs.BoolVar(&b.unit, "unit", false, "load all edges with the weight 1, from a binary file without reading it into memory")
	fs.Int64Var(&b.budgetMB, "budget", 0, "memory budget in `MiB`, also of the projection; 0 is 256, and no bound for the projection")
	fs.StringVar(&b.vectors.path, "vectors", "", "`file` of vectors for kmeans and gmm, raw little-endian f32 rows; drawn as graph-gen does if empty")
	fs.IntVar(&b.vectors.dim, "dim", 0, "`elements` of a vector; needed with -vectors")
	fs.IntVar(&b.vectors.iterations, "iterations", 0, "`bound` on the iterations of kmeans and gmm; 0 is 50 and 100")
	return func(ctx context.Context, r *report) error {
		b.r = r
		return b.run(ctx)
	}
}

// check finds the task and refuses what cannot be run.
func (b *graphBench) check() (err error) {
	if b.t, b.arg, err = findTask(b.task); err != nil {
		return err
	}
	switch {
	case b.reps < 1:
		return errors.New("-reps must be at least 1")
	case b.workers < 0:
		return errors.New("-workers must not be negative")
	case b.queries < 1:
		return errors.New("-queries must be at least 1")
	case b.t.onVectors() && b.path != "":
		return fmt.Errorf("task %s takes -vectors, not -graph", b.task)
	case !b.t.onVectors() && b.path == "":
		return fmt.Errorf("task %s needs -graph", b.task)
	case b.directed && b.t.undirected:
		return fmt.Errorf("task %s is for graphs without -directed", b.task)
	case b.vectors.path != "" && b.vectors.dim < 1:
		return errors.New("-vectors needs -dim")
	}
	return nil
}

func (b *graphBench) run(ctx context.Context) error {
	if err := b.check(); err != nil {
		return inputError{err}
	}
	b.out = &graphResult{
		V: 1, Engine: "ragdb", Task: b.task, Seed: b.seed, Workers: b.workers, Reps: b.reps,
		Command: b.r.Command, Commit: b.r.Commit, Machine: &b.r.Machine,
	}
	var err error
	if b.t.onVectors() {
		err = b.runVectors(ctx)
	} else {
		err = b.runGraph(ctx)
	}
	if err != nil {
		return err
	}
	b.out.Total = b.out.Load + b.out.Project + b.out.CPU
	if b.out.Peak == 0 {
		b.out.Peak = peakMegabytes()
	}
	b.out.describe(b.r)
	b.r.result = b.out
	return nil
}

// runGraph loads the graph, reopens the database and runs the task on it.
func (b *graphBench) runGraph(ctx context.Context) (err error) {
	path := b.keep
	if path == "" {
		dir, err := os.MkdirTemp(b.dir, "ragdb-bench-*")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		path = filepath.Join(dir, "db")
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := b.load(ctx, path); err != nil {
			return err
		}
	}
	debug.FreeOSMemory() // what loading held
	forgetPeak()
	d, err := b.open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if b.t.store != nil {
		return b.t.store(ctx, b, d)
	}
	sw := start()
	p, err := b.project(ctx, d, b.t.weights)
	if err != nil {
		return err
	}
	_, cpu := sw.stop()
	b.out.Project, b.out.Nodes, b.out.Edges = cpu.Seconds(), p.Len(), p.Edges()
	return b.t.measure(ctx, b, d, p)
}

// open opens the database.
func (b *graphBench) open(ctx context.Context, path string) (*database, error) {
	if b.budgetMB > 0 {
		return openWithin(ctx, path, b.budgetMB<<20)
	}
	return openDatabase(ctx, path)
}

// project returns the projection of the whole graph, within the budget if one
// is given.
func (b *graphBench) project(ctx context.Context, d *database, weights bool) (*graphops.Projection, error) {
	if b.budgetMB > 0 {
		return d.projectWithin(ctx, weights, b.workers, 0)
	}
	return d.project(ctx, weights, b.workers)
}

// load makes a database of the graph file.
func (b *graphBench) load(ctx context.Context, path string) (err error) {
	d, err := b.open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	fill, err := b.filler(ctx, d)
	if err != nil {
		return inputError{err}
	}
	debug.FreeOSMemory()
	forgetPeak()
	before := residentBytes()
	sw := start()
	if err := fill(); err != nil {
		return err
	}
	if err := d.store.Flush(ctx); err != nil {
		return err
	}
	_, cpu := sw.stop()
	b.out.Load = cpu.Seconds()
	b.out.loadMB = float64(peakBytes()-before) / (1 << 20)
	return nil
}

// filler returns what loads the graph file. With -unit and without labels the edges
// of a binary file are read as they are loaded, so that they take no memory.
func (b *graphBench) filler(ctx context.Context, d *database) (func() error, error) {
	if b.unit && b.labels == "" {
		s, err := openGraphStream(b.path)
		if err != nil {
			return nil, err
		}
		if s != nil {
			b.out.Graph, b.out.Nodes, b.out.Edges = graphName(b.path), len(s.types), s.edges
			return func() error { return errors.Join(d.loadEach(ctx, s.types, b.directed, s.each), s.f.Close()) }, nil
		}
	}
	g, err := readGraph(b.path, b.labels, b.directed)
	if err != nil {
		return nil, err
	}
	if len(g.types) == 0 {
		return nil, fmt.Errorf("%s: no nodes", b.path)
	}
	if b.labels != "" {
		if b.truth, err = g.truth(b.labels); err != nil {
			return nil, err
		}
	}
	for i := range g.edges {
		if b.unit {
			g.edges[i].w = 1
		}
	}
	b.out.Graph, b.out.Nodes, b.out.Edges = g.name, len(g.types), len(g.edges)
	return func() error { return d.loadGraph(ctx, g, b.directed) }, nil
}

// repeat runs fn as often as asked for and keeps the least and the median. It
// collects garbage first, so that fn does not pay for it, and notes the peak of memory,
// before that of judging the result.
func (b *graphBench) repeat(fn func() error) error {
	var cpus, walls []float64
	for range b.reps {
		runtime.GC()
		sw := start()
		if err := fn(); err != nil {
			return err
		}
		wall, cpu := sw.stop()
		cpus, walls = append(cpus, cpu.Seconds()), append(walls, wall.Seconds())
	}
	b.out.Peak = peakMegabytes()
	b.out.CPU, b.out.CPUMedian = leastMedian(cpus)
	b.out.Wall, b.out.WallMedian = leastMedian(walls)
	return nil
}

// measureProject measures projections, with weights unless they are all 1. The
// value is the number of edges, the first of them reads what the store has not
// cached.
func measureProject(ctx context.Context, b *graphBench, d *database) error {
	var p *graphops.Projection
	err := b.repeat(func() (err error) {
		p, err = b.project(ctx, d, !b.unit)
		return err
	})
	if err != nil {
		return err
	}
	b.out.Nodes, b.out.Edges, b.out.Value = p.Len(), p.Edges(), float64(p.Edges())
	b.out.More = map[string]float64{"projection_mb": float64(p.Bytes()) / (1 << 20)}
	return nil
}
