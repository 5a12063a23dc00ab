package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// vectorBench measures a vector index: building, size, opening, and recall
// against speed.
type vectorBench struct {
	files          vectorFiles
	dim, m, efc    int
	efList, metric string
	index, tier    string
	rerank         vecindex.Rerank
	budgetMB       int64
	seed           uint64
	filter         string
	churn, writing bool
	reading        time.Duration
	set, path      string

	r       *report
	efs     []int
	filters []float64
	budget  int64
	s       *vectorSet
	d       *vectorStore
	out     *vectorResult
}

func vectorFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &vectorBench{}
	fs.StringVar(&b.files.base, "base", "", "`file` of the vectors, raw little-endian f32 rows")
	fs.StringVar(&b.files.query, "query", "", "`file` of the queries, likewise")
	fs.StringVar(&b.files.truth, "gt", "", "`file` of the row numbers of the exact nearest, i32 rows as wide as its size says; computed if empty, or if -n leaves rows out")
	fs.BoolVar(&b.files.queriesAreBase, "queries-are-base", false, "leave one out: rows of the base ask, each drops itself from the answers, -gt has a row for each of the base")
	fs.IntVar(&b.files.n, "n", 0, "use the first `rows` of the base; 0 is all")
	fs.IntVar(&b.files.queries, "queries", maxQueries, "at most so `many` queries; rows of the base are evenly spread")
	fs.IntVar(&b.dim, "dim", 0, "`elements` of a vector")
	fs.StringVar(&b.metric, "metric", "ip", "ip, cosine or l2")
	fs.StringVar(&b.index, "index", "hnsw", "hnsw, ivf or flat")
	fs.StringVar(&b.tier, "tier", "lowplane", "what is in memory beside the codes: lowplane, or store for nothing, the vectors being read from the store")
	fs.Int64Var(&b.budgetMB, "budget", 0, "memory budget in `MiB` in place of that for the tier")
	fs.IntVar(&b.m, "m", 16, "`links` of a node")
	fs.IntVar(&b.efc, "efc", 200, "`width` of the search that finds links")
	fs.StringVar(&b.efList, "ef", "16,32,64,128,256", "`widths` of the searches")
	fs.Uint64Var(&b.seed, "seed", 1, "of the index and of what is drawn")
	fs.StringVar(&b.filter, "filter", "", "search among these `shares` of the nodes too, as 0.01,0.1")
	fs.BoolVar(&b.churn, "churn", false, "replace half of the vectors, and delete half of them")
	fs.BoolVar(&b.writing, "writing", false, "search while vectors are written")
	fs.DurationVar(&b.reading, "reading", 2*time.Second, "`time` that -writing searches without a writer")
	fs.StringVar(&b.set, "set", "", "`name` of the set; that of the folder of -base if empty")
	fs.StringVar(&b.path, "db", "", "`folder` to make for the database, which is kept; a temporary one if empty")
	return func(ctx context.Context, r *report) error {
		b.r = r
		return b.run(ctx)
	}
}

func (b *vectorBench) check() (err error) {
	var errs []error
	if b.files.base == "" || b.dim < 1 {
		errs = append(errs, errors.New("-base and -dim are needed"))
	}
	if b.files.queriesAreBase == (b.files.query != "") {
		errs = append(errs, errors.New("either -query or -queries-are-base is needed"))
	}
	if _, err := nearness(b.metric); err != nil {
		errs = append(errs, err)
	}
	if b.index != "hnsw" && b.index != "ivf" && b.index != "flat" {
		errs = append(errs, fmt.Errorf("index %q is not hnsw, ivf or flat", b.index))
	}
	if b.rerank, err = vectorTier(b.tier); err != nil {
		errs = append(errs, err)
	}
	for _, f := range strings.Split(b.efList, ",") {
		ef, err := strconv.Atoi(f)
		if err != nil || ef < 1 {
			errs = append(errs, fmt.Errorf("-ef: %q is not a width", f))
		}
		b.efs = append(b.efs, ef)
	}
	if b.filter != "" {
		for _, f := range strings.Split(b.filter, ",") {
			share, err := strconv.ParseFloat(f, 64)
			if err != nil || !(share > 0 && share <= 1) {
				errs = append(errs, fmt.Errorf("-filter: %q is not a share", f))
			}
			b.filters = append(b.filters, share)
		}
	}
	return errors.Join(errs...)
}

// options returns what the space is made with.
func (b *vectorBench) options() engine.SpaceOptions {
	o := engine.SpaceOptions{Dim: b.dim, Model: "bench", Seed: b.seed, M: b.m, EfConstruction: b.efc}
	switch b.metric {
	case "ip":
		o.Metric = vecindex.InnerProduct
	case "l2":
		o.Metric = vecindex.L2
	}
	switch b.index {
	case "hnsw":
		o.Kind = vecindex.HNSW
	case "ivf":
		o.Kind = vecindex.IVF
	}
	return o
}

func (b *vectorBench) run(ctx context.Context) (err error) {
	if err := b.check(); err != nil {
		return err
	}
	if b.s, err = readVectorSet(b.files, b.dim, b.metric); err != nil {
		return err
	}
	if b.set != "" {
		b.s.name = b.set
	}
	if b.budget = b.budgetMB << 20; b.budget == 0 {
		b.budget = vectorBudget(b.s.n, b.dim)
	}
	dir, err := os.MkdirTemp("", "ragdb-bench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if b.path == "" {
		b.path = filepath.Join(dir, "db")
	} else if err := os.Mkdir(b.path, 0o777); err != nil {
		return err // an older database would be measured with this one
	}
	b.out = newVectorResult(b)
	b.r.Input = b.out.input()
	if b.d, err = openVectors(ctx, b.path, b.budget, b.rerank); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.d.close()) }()
	if err := b.measure(ctx, dir); err != nil {
		return err
	}
	b.out.describe(b.r)
	b.r.result = b.out
	return nil
}

// measure runs all that is asked for. dir is for what is not kept.
func (b *vectorBench) measure(ctx context.Context, dir string) (err error) {
	if err := b.build(ctx); err != nil {
		return err
	}
	b.progress("search")
	if b.out.Points, err = b.d.sweep(ctx, b.s, b.efs, nil, b.s.truth()); err != nil {
		return err
	}
	if b.out.BytesPerVector, b.out.OnDisk, err = b.d.memory(ctx); err != nil {
		return err
	}
	for i, share := range b.filters {
		b.progress("filter")
		f, err := b.measureFilter(ctx, share, uint64(i))
		if err != nil {
			return err
		}
		b.out.Filters = append(b.out.Filters, f)
	}
	copied := filepath.Join(dir, "copy")
	err = b.d.reopen(ctx, b.budget, func() error {
		b.progress("open in another process")
		if err := b.measureOpen(ctx); err != nil || !b.churn {
			return err
		}
		return copyDirectory(b.path, copied)
	})
	if err != nil {
		return err
	}
	if b.churn {
		b.progress("churn")
		if b.out.Churn, err = b.measureChurn(ctx, copied); err != nil {
			return err
		}
	}
	if b.writing {
		b.progress("search while writing")
		b.out.Writing, err = b.measureWriting(ctx)
	}
	return err
}

func (b *vectorBench) progress(what string) { fmt.Fprintf(b.r.log, "%s: %s\n", b.s.name, what) }

// build writes the vectors, links and flushes them.
func (b *vectorBench) build(ctx context.Context) error {
	b.progress("build")
	if err := b.d.makeSpace(ctx, b.options()); err != nil {
		return err
	}
	all := make([]int, b.s.n)
	for i := range all {
		all[i] = i
	}
	sw := start()
	if err := b.d.put(ctx, b.s, all, vectorBatch); err != nil {
		return err
	}
	link := start()
	if err := b.d.settle(ctx); err != nil {
		return err
	}
	_, linking := link.stop()
	if err := b.d.store.Flush(ctx); err != nil {
		return err
	}
	wall, cpu := sw.stop()
	b.out.Build, b.out.BuildDurable, b.out.BuildWall = linking.Seconds(), cpu.Seconds(), wall.Seconds()
	return nil
}

// measureOpen measures opening in a process of its own, and the size of the
// directory that it leaves, without the logs that opening is done with. The
// database must be closed.
func (b *vectorBench) measureOpen(ctx context.Context) error {
	widest := 0
	for _, ef := range b.efs {
		widest = max(widest, ef)
	}
	served, err := b.d.serve(ctx, b.s, b.budget, widest, b.r.log)
	if err != nil {
		return err
	}
	const mb = 1e6
	b.out.Open, b.out.RSS, b.out.RSSBefore = served.Open, float64(served.Resident)/mb, float64(served.Before)/mb
	size, err := directoryBytes(b.path)
	b.out.Disk = math.Round(float64(size)/1e3) / 1e3
	return err
}
