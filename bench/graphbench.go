package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	dir          string
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
	b.out.Peak = peakMegabytes()
	b.out.describe(b.r)
	b.r.result = b.out
	return nil
}

// runGraph loads the graph, reopens the database and runs the task on it.
func (b *graphBench) runGraph(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp(b.dir, "ragdb-bench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "db")
	if err := b.load(ctx, path); err != nil {
		return err
	}
	debug.FreeOSMemory() // what loading held
	forgetPeak()
	d, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if b.t.measure == nil {
		return b.measureProject(ctx, d)
	}
	sw := start()
	p, err := d.project(ctx, b.t.weights, b.workers)
	if err != nil {
		return err
	}
	_, cpu := sw.stop()
	b.out.Project, b.out.Nodes, b.out.Edges = cpu.Seconds(), p.Len(), p.Edges()
	return b.t.measure(ctx, b, d, p)
}

// load makes a database of the graph file.
func (b *graphBench) load(ctx context.Context, path string) (err error) {
	g, err := readGraph(b.path, b.labels, b.directed)
	if err != nil {
		return inputError{err}
	}
	if len(g.types) == 0 {
		return inputError{fmt.Errorf("%s: no nodes", b.path)}
	}
	if b.labels != "" {
		if b.truth, err = g.truth(b.labels); err != nil {
			return inputError{err}
		}
	}
	b.out.Graph = g.name
	d, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	sw := start()
	if err := d.loadGraph(ctx, g, b.directed); err != nil {
		return err
	}
	if err := d.store.Flush(ctx); err != nil {
		return err
	}
	_, cpu := sw.stop()
	b.out.Load = cpu.Seconds()
	return nil
}

// repeat runs fn as often as asked for and keeps the least and the median. It
// collects garbage first, so that fn does not pay for it.
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
	b.out.CPU, b.out.CPUMedian = leastMedian(cpus)
	b.out.Wall, b.out.WallMedian = leastMedian(walls)
	return nil
}

// measureProject measures projections with weights. The value is the number of
// edges, the first of them reads what the store has not cached.
func (b *graphBench) measureProject(ctx context.Context, d *database) error {
	var p *graphops.Projection
	err := b.repeat(func() (err error) {
		p, err = d.project(ctx, true, b.workers)
		return err
	})
	if err != nil {
		return err
	}
	b.out.Nodes, b.out.Edges, b.out.Value = p.Len(), p.Edges(), float64(p.Edges())
	b.out.More = map[string]float64{"projection_mb": float64(p.Bytes()) / (1 << 20)}
	return nil
}
