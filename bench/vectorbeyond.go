package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sort"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// beyondBench measures a vector index at a memory budget that it may not fit in,
// on vectors that are drawn from a seed: making it, and searching it. All is as
// the engine has it by default for the budget.
type beyondBench struct {
	n, dim, ef, k, queries, exact int
	budgetMB                      int64
	index, path                   string
	bulk                          bool
	r                             *report
	draw                          func(dst []float32)
}

func beyondFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &beyondBench{}
	fs.IntVar(&b.n, "n", 100_000, "`vectors`")
	fs.IntVar(&b.dim, "dim", 128, "`elements` of a vector")
	fs.Int64Var(&b.budgetMB, "budget", 512, "memory budget in `MiB`")
	fs.StringVar(&b.index, "index", "hnsw", "hnsw, ivf, flat or auto")
	fs.BoolVar(&b.bulk, "bulk", false, "make the index when all vectors are written, not beside")
	fs.IntVar(&b.ef, "ef", 64, "`width` of the searches")
	fs.IntVar(&b.k, "k", recallAt, "`hits` of a search")
	fs.IntVar(&b.queries, "queries", 300, "searches")
	fs.IntVar(&b.exact, "exact", 50, "exact searches, which recall is measured by")
	fs.StringVar(&b.path, "db", "", "`folder` of the database, made if it is not there. A run that makes it has a larger resident size than those that follow")
	return func(ctx context.Context, r *report) error {
		b.r = r
		return b.run(ctx)
	}
}

func (b *beyondBench) run(ctx context.Context) (err error) {
	if b.path == "" || b.n < 1 || b.dim < 1 || b.exact < 1 || b.queries < b.exact || b.k < recallAt {
		return inputError{fmt.Errorf("-db, -n, -dim, as many -queries as -exact and -k of %d or more are needed", recallAt)}
	}
	b.r.Input = fmt.Sprintf("%d vectors of %d dimensions, budget %d MiB, %s", b.n, b.dim, b.budgetMB, b.index)
	b.draw = mixture(b.dim)
	if _, err := os.Stat(b.path); errors.Is(err, fs.ErrNotExist) {
		if err := b.in(ctx, b.make); err != nil {
			return err
		}
	} else {
		skipped := make([]float32, b.dim)
		for range b.n {
			b.draw(skipped)
		}
	}
	if err := b.in(ctx, b.search); err != nil {
		return err
	}
	size, err := directoryBytes(b.path)
	b.r.atMost("disk", float64(size)/1e6, "MB", 0, "")
	return err
}

// in calls fn with the database, which it closes.
func (b *beyondBench) in(ctx context.Context, fn func(ctx context.Context, d *vectorStore) error) (err error) {
	d := &vectorStore{path: b.path}
	if d.db, err = engine.Open(ctx, b.path, &engine.Options{MemoryBudget: b.budgetMB << 20, NoBackground: b.bulk}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.db.Close()) }()
	if d.graph, err = openGraph(ctx, d.db); err != nil {
		return err
	}
	return fn(ctx, d)
}

func (b *beyondBench) make(ctx context.Context, d *vectorStore) error {
	o := engine.SpaceOptions{Dim: b.dim, Model: "bench", Kind: vecindex.HNSW, Seed: 1}
	switch b.index {
	case "flat":
		o.Kind = vecindex.Flat
	case "ivf":
		o.Kind = vecindex.IVF
	case "auto":
		o.Kind = vecindex.Auto
	}
	if err := d.makeSpace(ctx, o); err != nil {
		return err
	}
	sw := start()
	x := make([]float32, b.dim)
	for from := 0; from < b.n; from += vectorBatch {
		err := d.db.Update(ctx, func(tx *engine.Tx) error {
			v := tx.Graph(d.graph)
			for row := from; row < min(from+vectorBatch, b.n); row++ {
				b.draw(x)
				if _, err := d.putNode(v, strconv.Itoa(row), x); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !b.bulk {
		if err := d.settle(ctx); err != nil {
			return err
		}
	}
	wall, cpu := sw.stop()
	what := "making"
	if b.bulk {
		what = "writing"
	}
	b.r.atMost(what, cpu.Seconds(), "CPU-s", 0, fmt.Sprintf("%s s wall", number(wall.Seconds())))
	if b.index == "ivf" || b.bulk {
		// Lists that grew with the vectors are made again from all of them.
		sw := start()
		if err := d.db.SettleSpace(ctx, d.graph, vectorSpace); err != nil {
			return err
		}
		wall, cpu := sw.stop()
		b.r.atMost("settling", cpu.Seconds(), "CPU-s", 0, fmt.Sprintf("%s s wall", number(wall.Seconds())))
	}
	b.r.atMost("peak resident memory of making", float64(peakBytes())/1e6, "MB", 0, "")
	return nil
}

// search searches each time in a snapshot of its own.
func (b *beyondBench) search(ctx context.Context, d *vectorStore) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	queries := make([][]float32, b.queries)
	for i := range queries {
		queries[i] = make([]float32, b.dim)
		b.draw(queries[i])
	}
	ask := func(c *costs, q vecindex.Search) (hits []vecindex.Hit, err error) {
		err = c.time(func() error {
			return d.view(ctx, func(v *vecindex.View) error {
				hits, err = v.Search(ctx, q, nil)
				return err
			})
		})
		return hits, err
	}
	var walks, scans costs
	answers := make([][]vecindex.Hit, b.queries)
	for i, x := range queries {
		var err error
		if answers[i], err = ask(&walks, vecindex.Search{Vector: x, K: b.k, Ef: b.ef}); err != nil {
			return err
		}
	}
	resident := residentBytes()
	var source string
	err := d.db.View(ctx, func(s *engine.Snapshot) error {
		st, err := s.Stats(ctx)
		if err == nil && len(st.Memory.Indexes) > 0 {
			source = st.Memory.Indexes[0].Source
		}
		return err
	})
	if err != nil {
		return err
	}
	found, first := 0, 0
	for i, x := range queries[:b.exact] {
		hits, err := ask(&scans, vecindex.Search{Vector: x, K: b.k, Exact: true})
		if err != nil {
			return err
		}
		for rank, h := range hits {
			if slices.ContainsFunc(answers[i], func(o vecindex.Hit) bool { return o.ID == h.ID }) {
				found++
				if rank < recallAt {
					first++
				}
			}
		}
	}
	p := walks.point(b.ef, 0)
	b.r.atMost("search, p50", p.P50/1e3, "CPU-ms", 0, source)
	b.r.atMost("search, p99", p.P99/1e3, "CPU-ms", 0, "")
	b.r.atLeast("recall", float64(first)/float64(b.exact*min(recallAt, b.n)), "", 0, fmt.Sprintf("of the %d nearest, ef %d", recallAt, b.ef))
	if b.k > recallAt {
		b.r.atLeast("recall of all hits", float64(found)/float64(b.exact*min(b.k, b.n)), "", 0, "")
	}
	b.r.atMost("resident memory after searching", float64(resident)/1e6, "MB", 0, "")
	b.r.atMost("exact search, p50", scans.point(0, 1).P50/1e3, "CPU-ms", 0, "")
	return nil
}

// mixture returns what draws vectors of length 1: of one of a thousand clusters
// in 32 dimensions, mapped linearly to as many as wanted, 15 % of the energy
// being noise.
func mixture(dim int) func(dst []float32) {
	const clusters, latent, spread, noise = 1000, 32, 0.6, 0.15
	r := rand.New(rand.NewPCG(20240601, uint64(dim)))
	normal := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	centres, lift := normal(clusters*latent), normal(latent*dim)
	weights, sum := make([]float64, clusters), 0.0
	for i := range weights {
		sum += 1 / math.Sqrt(float64(i+1))
		weights[i] = sum
	}
	sigma := math.Sqrt((1 + spread*spread) * noise / (1 - noise))
	x := make([]float64, dim)
	return func(dst []float32) {
		c := min(sort.SearchFloat64s(weights, r.Float64()*sum), clusters-1)
		for i := range x {
			x[i] = sigma * r.NormFloat64()
		}
		for j := range latent {
			z := (centres[c*latent+j] + spread*r.NormFloat64()) / math.Sqrt(latent)
			for i, a := range lift[j*dim : (j+1)*dim] {
				x[i] += z * a
			}
		}
		norm := 0.0
		for _, v := range x {
			norm += v * v
		}
		for i, v := range x {
			dst[i] = float32(v / math.Sqrt(norm))
		}
	}
}
