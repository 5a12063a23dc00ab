package graphops

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/ragdb/ragdb/engine"
)

// PageRankOptions tune [PageRank]. The zero value is right for most.
type PageRankOptions struct {
	// Damping is the probability of following an edge rather than
	// restarting, between 0 and 1. The default, 0, is 0.85.
	Damping float64
	// Tolerance ends the iteration: scores that sum to 1 changed by less than
	// this in sum. The default, 0, is 1e-6.
	Tolerance float64
	// MaxIterations bounds the iterations. The default, 0, is 100.
	MaxIterations int
	// Restart are the relative probabilities of starting at each node: one for
	// each, none negative, not all 0. nil is uniform.
	Restart []float64
	// MaxBytes bounds the working memory; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor if the graph
	// is so large that this is faster. The result does not depend on it.
	Workers int
}

func (o *PageRankOptions) ensureDefaults() PageRankOptions {
	out := *o
	out.Damping = cmp.Or(out.Damping, 0.85)
	out.Tolerance = cmp.Or(out.Tolerance, 1e-6)
	out.MaxIterations = cmp.Or(out.MaxIterations, 100)
	return out
}

func (o *PageRankOptions) validate(n int) error {
	switch {
	case !(o.Damping > 0 && o.Damping < 1):
		return phase.Mark(engine.ErrInvalid, "Damping %v", o.Damping)
	case !(o.Tolerance > 0):
		return phase.Mark(engine.ErrInvalid, "Tolerance %v", o.Tolerance)
	case o.MaxIterations < 0:
		return phase.Mark(engine.ErrInvalid, "MaxIterations %d", o.MaxIterations)
	case o.Restart != nil && len(o.Restart) != n:
		return phase.Mark(engine.ErrInvalid, "Restart of %d nodes for %d", len(o.Restart), n)
	}
	return nil
}

// PageRankResult is what [PageRank] returns.
type PageRankResult struct {
	// Scores has the score of each node of the projection. They sum to 1.
	Scores []float64
	// Iterations is how many passes over all edges were made.
	Iterations int
	// Change is by how much the last of them changed the scores in sum.
	Change float64
	// Converged says that Change is under the tolerance.
	Converged bool
}

// pageRankBlocks is how many blocks of nodes are computed one after the
// other, each from the newest scores of the others. Each block is cut into
// pageRankSlices for the goroutines. Both are fixed, so that the result does
// not depend on the number of workers.
const (
	pageRankBlocks = 16
	pageRankSlices = 8
)

// PageRank returns how likely a random walk is at each node. The walk follows
// edges out of the nodes in proportion to their weights. It restarts with
// probability 1-Damping, and always at a node that no edge leaves. A
// projection without weights counts every edge 1; a negative weight is an
// error. A loop leads back to its node, one without direction by both
// its ends, as in igraph. A graph without nodes has no scores.
//
// Source: Page, Brin, Motwani, Winograd, "The PageRank Citation Ranking",
// 1998. The scores are those of networkx: a node that no edge leaves passes
// its score on like a restart. They are found from the sparse linear system
// that follows when such nodes pass on nothing and the solution is scaled to
// sum 1 (Langville and Meyer, "Google's PageRank and Beyond", 2006, section
// 8.4). It is solved by block Gauss-Seidel, in pulls along the rows as in the
// GAP benchmarks: each of a fixed number of blocks uses the newest scores of
// the blocks before it, and within a block every node uses those from before
// the block, so that its nodes can be computed in any order. After each
// iteration the scores are scaled to the sum that the solution must have given
// what nodes without edges hold. Without that the sum converges last, and
// Gauss-Seidel takes longer than plain power iteration.
//
// One iteration is O(n + m). Working memory is 32 bytes a node, 8 more with
// Restart, 4 less if rows are kept in bytes without weights, and, if the projection is not symmetric, the reversed rows with 16
// bytes a node more. The result does not depend on the number of workers.
// If ctx ends, its error is returned, and no scores.
func PageRank(ctx context.Context, p *Projection, o PageRankOptions) (*PageRankResult, error) {
	o = o.ensureDefaults()
	r, err := pageRank(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("pagerank: %w", err)
	}
	return r, nil
}

func pageRank(ctx context.Context, p *Projection, o *PageRankOptions) (*PageRankResult, error) {
	n := p.Len()
	if err := o.validate(n); err != nil {
		return nil, err
	}
	if !p.symmetric {
		var err error
		if p, err = p.plain("pagerank"); err != nil {
			return nil, err
		}
	}
	need := 32 * int64(n)
	if p.packed != nil && !p.Weighted() {
		need = 28 * int64(n)
	}
	if o.Restart != nil {
		need += 8 * int64(n)
	}
	if !p.symmetric {
		need += 16*int64(n) + int64(p.entries())*entryBytes(p.Weighted())
	}
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "pagerank", Need: need, Limit: o.MaxBytes}
	}
	start, err := startOf(n, o)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return &PageRankResult{Converged: true}, nil
	}
	workers := workersOf(o.Workers)
	if o.Workers == 0 && p.entries() < pageRankParallel {
		workers = 1
	}
	pr := &pageRanker{
		damping: o.Damping,
		workers: workers,
		in:      p,
		start:   start,
		fresh:   make([]float64, n),
		score:   make([]float64, n),
		share:   make([]float64, n),
	}
	if err := pr.weigh(p); err != nil {
		return nil, err
	}
	if !p.symmetric {
		pr.in = &Projection{loops: p.loops}
		if pr.in.csr, err = p.transpose(ctx, workers); err != nil {
			return nil, err
		}
	}
	return pr.run(ctx, o)
}

// pageRankParallel is the number of entries below which one goroutine is faster
// than several, which wait for each other after each block: of 1.5 million two
// took 1.4 times as long as one, of 7.6 million 0.6 times.
const pageRankParallel = 1 << 22

// startOf returns the probability of starting at each node, nil if it is
// uniform.
func startOf(n int, o *PageRankOptions) ([]float64, error) {
	if o.Restart == nil {
		return nil, nil
	}
	sum := 0.0
	for u, x := range o.Restart {
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, phase.Mark(engine.ErrInvalid, "Restart %v of node %d", x, u)
		}
		sum += x
	}
	if n > 0 && !(sum > 0 && !math.IsInf(sum, 0)) {
		return nil, phase.Mark(engine.ErrInvalid, "Restart sums to %v", sum)
	}
	out := make([]float64, n)
	for u, x := range o.Restart {
		out[u] = x / sum
	}
	return out, nil
}

// pageRanker solves score = (1-damping) start + damping Pᵀ score, where P has
// the transition probabilities and an empty row for nodes that no edge leaves.
type pageRanker struct {
	damping float64
	workers int
	in      *Projection // rows of those with an edge to u
	start   []float64   // nil: uniform
	fresh   []float64   // score of this iteration, before it is scaled
	score   []float64
	share   []float64 // what a unit of weight gets of the node's score
	// Of all edges out of a node: the inverse of their weight, 0 if there are none, or,
	// if rows are in bytes and every edge counts 1, their number.
	inverses []float64
	degrees  []uint32
}

// weigh computes inverses, or degrees.
func (pr *pageRanker) weigh(p *Projection) error {
	if err := p.checkLoops(); err != nil {
		return err
	}
	n, loops := p.Len(), p.loops
	if p.packed != nil && !p.Weighted() {
		pr.degrees = make([]uint32, n)
		for u := range pr.degrees {
			pr.degrees[u] = uint32(p.Degree(uint32(u)))
		}
		for _, l := range p.loops {
			pr.degrees[l.node] += l.ends
		}
		return nil
	}
	pr.inverses = make([]float64, n)
	rows := rowSource{p: p}
	for u := range n {
		to, w := rows.row(uint32(u))
		sum := float64(len(to))
		if w != nil {
			sum = 0
			for i, x := range w {
				if x < 0 {
					return p.weightError(uint32(u), to[i], x)
				}
				sum += float64(x)
			}
		}
		if len(loops) > 0 && loops[0].node == uint32(u) {
			sum += loops[0].weight
			loops = loops[1:]
		}
		if sum > 0 {
			pr.inverses[u] = 1 / sum
		}
	}
	return nil
}

// inverse returns the inverse of the weight of all edges out of a node, 0 if there are
// none.
func (pr *pageRanker) inverse(u int) float64 {
	if pr.degrees == nil {
		return pr.inverses[u]
	}
	if d := pr.degrees[u]; d > 0 {
		return 1 / float64(d)
	}
	return 0
}

func (pr *pageRanker) startAt(u int) float64 {
	if pr.start == nil {
		return 1 / float64(len(pr.score))
	}
	return pr.start[u]
}

// tally is what a slice of a block adds up to.
type tally struct {
	mass, lost float64 // of fresh: of all nodes, of those without out-edges
	change     float64
}

func (pr *pageRanker) run(ctx context.Context, o *PageRankOptions) (*PageRankResult, error) {
	for u := range pr.score {
		pr.score[u] = pr.startAt(u)
		pr.share[u] = pr.score[u] * pr.inverse(u)
	}
	bounds := pr.bounds(pageRankBlocks * pageRankSlices)
	res := &PageRankResult{}
	for !res.Converged && res.Iterations < o.MaxIterations {
		var err error
		if res.Change, err = pr.iterate(ctx, bounds); err != nil {
			return nil, fmt.Errorf("after %d iterations: %w", res.Iterations, err)
		}
		res.Iterations++
		res.Converged = res.Change < o.Tolerance
	}
	normalise(pr.score)
	res.Scores = pr.score
	return res, nil
}

// iterate computes all scores again and returns by how much they changed
// relative to their sum.
func (pr *pageRanker) iterate(ctx context.Context, bounds []int) (change float64, err error) {
	var tallies [pageRankBlocks * pageRankSlices]tally
	for b := 0; b < len(tallies); b += pageRankSlices {
		err := parallel(ctx, pr.workers, pageRankSlices, func(_, i int) error {
			tallies[b+i] = pr.pull(bounds[b+i], bounds[b+i+1])
			return nil
		})
		if err != nil {
			return 0, err
		}
		for u := bounds[b]; u < bounds[b+pageRankSlices]; u++ {
			pr.share[u] = pr.fresh[u] * pr.inverse(u)
		}
	}
	var sum tally
	for _, t := range tallies {
		sum.mass, sum.lost = sum.mass+t.mass, sum.lost+t.lost
	}
	// Summing the system over all nodes gives the sum that it must have:
	// mass = (1-damping) + damping (mass - lost).
	scale := (1 - pr.damping) / (float64((1-pr.damping)*sum.mass) + float64(pr.damping*sum.lost))
	err = parallel(ctx, pr.workers, len(tallies), func(_, i int) error {
		tallies[i].change = pr.scale(bounds[i], bounds[i+1], scale)
		return nil
	})
	for _, t := range tallies {
		change += t.change
	}
	return change / (scale * sum.mass), err
}

// bounds cuts the nodes into k ranges of about equally many edges and nodes.
func (pr *pageRanker) bounds(k int) []int {
	n := len(pr.score)
	all := n + pr.in.entries()
	out := make([]int, k+1)
	if pr.in.packed != nil {
		at, i := int64(0), 0 // nodes and entries before u
		for u := range n {
			for ; i < k && at >= int64(all)*int64(i)/int64(k); i++ {
				out[i] = u
			}
			at += 1 + int64(pr.in.packedDegree(uint32(u)))
		}
		for ; i <= k; i++ {
			out[i] = n
		}
		return out
	}
	for i := range out {
		out[i] = sort.Search(n, func(u int) bool {
			return int64(u)+int64(pr.in.off[u]) >= int64(all)*int64(i)/int64(k)
		})
	}
	out[k] = n
	return out
}

// pull computes the scores of the nodes lo <= u < hi from their neighbours.
func (pr *pageRanker) pull(lo, hi int) (t tally) {
	share, in, packed := pr.share, pr.in.csr, pr.in.packed != nil
	rows := rowSource{p: pr.in}
	for u := lo; u < hi; u++ {
		var to []uint32
		var w []float32
		if packed {
			to, w = rows.row(uint32(u))
		} else {
			to, w = in.Row(uint32(u))
		}
		sum := 0.0
		if w == nil {
			for _, v := range to {
				sum += share[v]
			}
		} else {
			for i, v := range to {
				// The conversion forbids a fused multiply-add, which would
				// make the result depend on the processor.
				sum += float64(float64(w[i]) * share[v])
			}
		}
		x := float64((1-pr.damping)*pr.startAt(u)) + float64(pr.damping*sum)
		pr.fresh[u] = x
		t.mass += x
		if pr.inverse(u) == 0 {
			t.lost += x
		}
	}
	// What a loop gives a node of its own score is known at once: x = y + d p x, for
	// what it has without and the probability of taking the loop.
	for _, l := range pr.in.loopsIn(uint32(lo), uint32(hi)) {
		x := pr.fresh[l.node]
		stay := float64(pr.damping * float64(l.weight*pr.inverse(int(l.node))))
		pr.fresh[l.node] = x / (1 - stay)
		t.mass += pr.fresh[l.node] - x
	}
	return t
}

// scale multiplies the new scores of the nodes lo <= u < hi and returns by how
// much they differ from the last ones.
func (pr *pageRanker) scale(lo, hi int, by float64) (change float64) {
	for u := lo; u < hi; u++ {
		x := pr.fresh[u] * by
		change += math.Abs(x - pr.score[u])
		pr.score[u] = x
		pr.share[u] *= by
	}
	return change
}

// normalise scales x to sum 1.
func normalise(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] /= sum
	}
}
