package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/vecindex"
)

// archRAG measures ArchRAG's hierarchical search on drawn entities and
// communities: one C-HNSW of all layers, and beside it one HNSW of each.
type archRAG struct {
	sizes                    string
	dim, questions, k, ef, m int
	exact                    int
	seed                     uint64

	r                         *report
	n                         []int
	last                      *pyramidFigures // of the size before
	searches, layers, indexes table
}

func archRAGFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &archRAG{}
	fs.StringVar(&b.sizes, "n", "1000,10000,100000", "`numbers` of entities, ascending; the communities come on top of them")
	fs.IntVar(&b.dim, "dim", 128, "`elements` of a vector")
	fs.IntVar(&b.questions, "questions", 2000, "`number` of searches of each way")
	fs.IntVar(&b.exact, "exact", 500, "`number` of searches that are compared with an exact one")
	fs.IntVar(&b.k, "k", 5, "`hits` of a layer")
	fs.IntVar(&b.ef, "ef", 40, "`width` of a search")
	fs.IntVar(&b.m, "m", 32, "`links` of a node")
	fs.Uint64Var(&b.seed, "seed", 1, "of all that is drawn")
	return func(ctx context.Context, r *report) error {
		b.r = r
		return b.run(ctx)
	}
}

func (b *archRAG) check() error {
	var errs []error
	for _, f := range strings.Split(b.sizes, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < leastLayer || len(b.n) > 0 && n <= b.n[len(b.n)-1] {
			errs = append(errs, fmt.Errorf("-n: %q is not ascending numbers from %d on", b.sizes, leastLayer))
			break
		}
		b.n = append(b.n, n)
	}
	if b.dim < 1 || b.questions < 1 || b.k < 1 || b.ef < 1 || b.exact < 1 || b.exact > b.questions {
		errs = append(errs, errors.New("-dim, -questions, -k, -ef and -exact must be at least 1, and -exact no more than -questions"))
	}
	return errors.Join(errs...)
}

func (b *archRAG) run(ctx context.Context) error {
	if err := b.check(); err != nil {
		return inputError{err}
	}
	b.r.Input = fmt.Sprintf("the best %d of each layer, ef %d, M %d, %d dimensions, %d questions, seed %d", b.k, b.ef, b.m, b.dim, b.questions, b.seed)
	b.searches = table{Title: "A search of all layers", Columns: []string{
		"entities", "layers", "index", "recall@" + strconv.Itoa(b.k), "distances", "p50 CPU-µs", "p99 CPU-µs", "p50 µs", "p99 µs",
	}}
	b.layers = table{Title: "Layers", Columns: []string{"entities", "layer", "vectors", "recall, C-HNSW", "recall, HNSW", "distances, C-HNSW", "distances, HNSW"}}
	b.indexes = table{Title: "Indexes", Columns: []string{"entities", "index", "linking CPU-s", "MB in memory"}}
	for _, n := range b.n {
		if err := b.measure(ctx, n); err != nil {
			return fmt.Errorf("%d entities: %w", n, err)
		}
	}
	b.r.Tables = append(b.r.Tables, b.searches, b.layers, b.indexes)
	return nil
}

// pyramidFigures are what the searches of one index came to.
type pyramidFigures struct {
	costs
	entities  int
	distances float64   // of a search
	layer     []float64 // distances of each layer
	recall    []float64 // of each layer
}

// measure builds both for n entities and asks all questions of one and then of
// the other, each first in every second one.
func (b *archRAG) measure(ctx context.Context, n int) (err error) {
	d := drawPyramid(n, b.dim, b.questions, b.seed)
	fmt.Fprintf(b.r.log, "%d entities, layers of %v\n", n, d.sizes())
	s, err := openPyramid(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.db.Close()) }()
	names := []string{"C-HNSW", "HNSW each"}
	var figures [2]pyramidFigures
	for i, build := range []func(context.Context, pyramidOptions) (built, error){s.buildOne, s.buildEach} {
		made, err := build(ctx, pyramidOptions{m: b.m, seed: b.seed})
		if err != nil {
			return err
		}
		b.indexes.Rows = append(b.indexes.Rows, []string{strconv.Itoa(n), names[i], number(made.linking.Seconds()), number(float64(made.bytes) / 1e6)})
		figures[i] = pyramidFigures{entities: n, layer: make([]float64, len(d.layers)), recall: make([]float64, len(d.layers))}
	}
	if err := s.view(ctx, func(v *pyramidView) error { return b.ask(d, v, &figures) }); err != nil {
		return err
	}
	for i := range figures {
		f := &figures[i]
		b.searches.Rows = append(b.searches.Rows, []string{
			strconv.Itoa(n), strconv.Itoa(len(d.layers)), names[i], fmt.Sprintf("%.4f", slices.Min(f.recall)), number(f.distances),
			number(f.cpu.at(0.5)), number(f.cpu.at(0.99)), number(f.wall.at(0.5)), number(f.wall.at(0.99)),
		})
	}
	for l := range d.layers {
		b.layers.Rows = append(b.layers.Rows, []string{
			strconv.Itoa(n), strconv.Itoa(l), strconv.Itoa(len(d.layers[l])),
			fmt.Sprintf("%.4f", figures[0].recall[l]), fmt.Sprintf("%.4f", figures[1].recall[l]),
			number(figures[0].layer[l]), number(figures[1].layer[l]),
		})
	}
	b.judge(&figures[0])
	return nil
}

// ask asks all questions, after a tenth of them to warm up.
func (b *archRAG) ask(d *pyramid, v *pyramidView, figures *[2]pyramidFigures) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ways := []func(q []float32, o layerSearch) ([]vecindex.Hit, error){v.one, v.each}
	o := layerSearch{k: b.k, ef: b.ef, layers: len(d.layers)}
	for i := -len(d.questions) / 10; i < len(d.questions); i++ {
		q := d.questions[max(i, -i)]
		for turn := range ways {
			kind := (turn + i&1) % 2
			f := &figures[kind]
			c := &f.costs
			if i < 0 {
				c = &costs{}
			}
			if err := c.time(func() error {
				_, err := ways[kind](q, o)
				return err
			}); err != nil {
				return err
			}
		}
	}
	for i := range b.exact {
		q := d.questions[i*len(d.questions)/b.exact]
		want, err := v.exact(q, o)
		if err != nil {
			return err
		}
		for kind := range ways {
			if err := figures[kind].compare(q, o, ways[kind], want, b.exact); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare adds what a search finds of the exact answers, and what it compares.
// The distances of a layer are what it takes more than those above it alone.
func (f *pyramidFigures) compare(q []float32, o layerSearch, search func([]float32, layerSearch) ([]vecindex.Hit, error), want []vecindex.Hit, n int) error {
	before := 0
	for l := o.layers - 1; l >= 0; l-- {
		compared := 0
		o.lowest, o.distances = l, &compared
		got, err := search(q, o)
		if err != nil {
			return err
		}
		f.layer[l] += float64(compared-before) / float64(n)
		before = compared
		if l > 0 {
			continue
		}
		f.distances += float64(compared) / float64(n)
		total := make([]int, o.layers)
		for _, h := range want {
			total[h.Layer]++
		}
		for _, h := range want {
			if slices.ContainsFunc(got, func(x vecindex.Hit) bool { return x.ID == h.ID }) {
				f.recall[h.Layer] += 1 / float64(total[h.Layer]*n)
			}
		}
	}
	return nil
}

// judge says whether the figures of the C-HNSW reach their targets.
func (b *archRAG) judge(f *pyramidFigures) {
	name := func(what string) string { return fmt.Sprintf("%d entities: %s", f.entities, what) }
	b.r.atLeast(name(fmt.Sprintf("recall@%d of the worst layer", b.k)), slices.Min(f.recall), "", 0.99, "")
	b.r.atMost(name("p99 of a search"), f.cpu.at(0.99)/1e3, "CPU-ms", 5, "")
	b.r.atMost(name("p99 of a search, wall time"), f.wall.at(0.99)/1e3, "ms", 0, "with all that the machine does beside it")
	if b.last != nil {
		suffix := fmt.Sprintf(" of %d", b.last.entities)
		b.r.atMost(name("distances to those"+suffix), f.distances/b.last.distances, "times", 1.5, "all layers, one of them more")
		b.r.atMost(name("in the lowest layer to those"+suffix), f.layer[0]/b.last.layer[0], "times", 1.5, "")
	}
	b.last = f
}
