package graphops

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// CODICILOptions tune [CODICIL]. The zero value is right for most, with the
// similarity of contents as the weights of the content pairs.
type CODICILOptions struct {
	// Alpha is how much the similarity of neighbours counts against that of
	// contents, between 0 and 1. nil is 0.5.
	Alpha *float64
	// Vectors are those of the nodes' contents. If they are given, contents
	// are as similar as the cosine of their vectors; if not, as the weight
	// of their content pair, and not at all if there is none.
	Vectors Matrix
	// MaxBytes bounds the working memory and the result; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (o *CODICILOptions) alpha() float64 {
	if o.Alpha == nil {
		return 0.5
	}
	return *o.Alpha
}

func (o *CODICILOptions) validate(p *Projection) error {
	switch a := o.alpha(); {
	case !(a >= 0 && a <= 1):
		return phase.Mark(engine.ErrInvalid, "Alpha %v", a)
	case !p.symmetric:
		return phase.Mark(engine.ErrInvalid, "edges with a direction")
	case o.Vectors.Data != nil && o.Vectors.Len() != p.Len():
		return phase.Mark(engine.ErrInvalid, "vectors of %d nodes for %d", o.Vectors.Len(), p.Len())
	}
	return o.Vectors.validate()
}

// CODICIL returns a sparser graph that joins what is alike in its neighbours
// and in its content, to be clustered by [Leiden], say.
//
// The edges of the projection are united with the given pairs of nodes of
// similar content, each node's nearest, that the caller has found. Every edge
// has two similarities: the share of common nodes among those within one step
// of its ends, in the united graph and the ends included (Jaccard), and that
// of contents, less than 0 being 0. Each node orders its edges by both, each
// scaled to 0 to 1 over its edges and weighted by Alpha, and keeps as many of
// the first as the root of their number, rounded up; equal ones in order of
// number. The result has the edges that one of their ends keeps, is symmetric, and is
// weighted: the weight of an edge is
// Alpha times the one and 1-Alpha times the other similarity, unscaled. Nodes
// keep their numbers, ids and types. Weights of the projection do not count,
// and one whose edges have a direction is [engine.ErrInvalid].
//
// Source: Ruan, Fuhry, Parthasarathy, "Efficient Community Detection in Large
// Networks using Content and Links", WWW 2013, algorithm 1. There the kept
// edges have no weights.
//
// It is O(m^1.5 + m d) for m united edges and vectors of dimension d. Working
// memory is 40 bytes a united row entry, 16 bytes a node and 4 more for each
// worker, and 24 bytes a pair.
func CODICIL(ctx context.Context, p *Projection, content []WeightedEdge, o CODICILOptions) (*Projection, error) {
	r, err := codicil(ctx, p, content, &o)
	if err != nil {
		return nil, phase.Errorf("codicil: %w", err)
	}
	return r, nil
}

func codicil(ctx context.Context, p *Projection, content []WeightedEdge, o *CODICILOptions) (*Projection, error) {
	p, err := p.plain("codicil")
	if err != nil {
		return nil, err
	}
	workers := workersOf(o.Workers)
	n, entries := int64(p.Len()), int64(len(p.to))+2*int64(len(content))
	if need := 40*entries + (16+4*int64(workers))*n + 24*int64(len(content)); o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "codicil", Need: need, Limit: o.MaxBytes}
	}
	if err := o.validate(p); err != nil {
		return nil, err
	}
	if err := validatePairs(p.Len(), content); err != nil {
		return nil, err
	}
	united, err := p.unite(ctx, content, workers)
	if err != nil {
		return nil, err
	}
	c := &codicilRun{ctx: ctx, p: united, alpha: o.alpha(), workers: workers}
	if c.content, err = contentOf(ctx, united, o.Vectors, workers); err != nil {
		return nil, err
	}
	if c.back, err = backEntries(ctx, &united.csr); err != nil {
		return nil, err
	}
	if err := c.jaccard(); err != nil {
		return nil, err
	}
	if err := c.choose(); err != nil {
		return nil, err
	}
	return c.sparse()
}

// unite returns the projection with further edges. The weights are those of
// the pairs, of repeated ones the greatest, and 0 if there is none.
func (p *Projection) unite(ctx context.Context, pairs []WeightedEdge, workers int) (*Projection, error) {
	if int64(len(p.to))+2*int64(len(pairs)) > math.MaxUint32 {
		return nil, ErrTooLarge
	}
	kept := make([]WeightedEdge, 0, len(pairs))
	for _, e := range pairs {
		if e.From != e.To {
			kept = append(kept, e)
		}
	}
	return p.withEdges(ctx, make([]float32, len(p.to)), kept, workers)
}

// contentOf returns how similar the contents at the ends of each entry are.
func contentOf(ctx context.Context, p *Projection, vectors Matrix, workers int) ([]float32, error) {
	if vectors.Data == nil {
		return p.w, nil
	}
	sim, err := newSimilarity(ctx, vectors, workers)
	if err != nil {
		return nil, err
	}
	w, err := sim.ofEdges(ctx, p, workers)
	for i, x := range w {
		w[i] = max(0, x)
	}
	return w, err
}

// codicilRun is the state of CODICIL.
type codicilRun struct {
	ctx     context.Context
	p       *Projection // topology and content
	alpha   float64
	workers int
	back    []uint32
	content []float32 // of each row entry
	shared  []float32 // Jaccard of each row entry
	keep    []bool    // by the node of the row
}

// codicilPiece is about how many row entries and nodes one task reads.
const codicilPiece = 1 << 14

// jaccard computes shared. The neighbours of an edge's end of more neighbours
// are marked, and those of the other looked up.
func (c *codicilRun) jaccard() error {
	c.shared = make([]float32, len(c.p.to))
	cuts := rowCuts(&c.p.csr, codicilPiece)
	marks := make([][]uint32, max(1, min(c.workers, len(cuts)-1)))
	return parallel(c.ctx, c.workers, len(cuts)-1, func(worker, k int) error {
		if marks[worker] == nil {
			marks[worker] = make([]uint32, c.p.Len())
		}
		mark, work := marks[worker], 0
		for u := uint32(cuts[k]); u < uint32(cuts[k+1]); u++ {
			row, _ := c.p.Row(u)
			for _, v := range row {
				mark[v] = u + 1
			}
			for i, v := range row {
				other, _ := c.p.Row(v)
				if len(other) > len(row) || len(other) == len(row) && v > u {
					continue // v marks
				}
				common := 2 // the ends
				for _, x := range other {
					if mark[x] == u+1 {
						common++
					}
				}
				at := c.p.off[u] + uint32(i)
				s := float32(float64(common) / float64(len(row)+1+len(other)+1-common))
				c.shared[at], c.shared[c.back[at]] = s, s
				if work += len(other); work >= 1<<16 {
					work = 0
					if err := c.ctx.Err(); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// choose says which entries are kept by the node of their row.
func (c *codicilRun) choose() error {
	c.keep = make([]bool, len(c.p.to))
	cuts := rowCuts(&c.p.csr, codicilPiece)
	return parallel(c.ctx, c.workers, len(cuts)-1, func(_, k int) error {
		var scores []float64
		var order []uint32
		for u := uint32(cuts[k]); u < uint32(cuts[k+1]); u++ {
			lo, hi := c.p.off[u], c.p.off[u+1]
			scores = scores[:0]
			order = order[:0]
			shared, content := scaleOf(c.shared[lo:hi]), scaleOf(c.content[lo:hi])
			for i := lo; i < hi; i++ {
				scores = append(scores, float64(c.alpha*shared.scaled(c.shared[i]))+
					float64((1-c.alpha)*content.scaled(c.content[i])))
				order = append(order, i-lo)
			}
			slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(scores[b], scores[a]) })
			for _, i := range order[:ceilRoot(len(order))] {
				c.keep[lo+i] = true
			}
		}
		return nil
	})
}

// scale maps a range of values to 0 to 1.
type scale struct{ lo, width float64 }

func scaleOf(x []float32) scale {
	if len(x) == 0 {
		return scale{}
	}
	lo := float64(slices.Min(x))
	return scale{lo, float64(slices.Max(x)) - lo}
}

func (s scale) scaled(x float32) float64 {
	if s.width == 0 {
		return 0
	}
	return (float64(x) - s.lo) / s.width
}

// ceilRoot returns the root of n, rounded up.
func ceilRoot(n int) int {
	r := int(math.Sqrt(float64(n)))
	for r*r < n {
		r++
	}
	return r
}

// sparse returns the graph of the entries that either end keeps.
func (c *codicilRun) sparse() (*Projection, error) {
	kept := part{}
	for u := range uint32(c.p.Len()) {
		if u%4096 == 0 {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
		}
		from := len(kept.to)
		for i := c.p.off[u]; i < c.p.off[u+1]; i++ {
			if !c.keep[i] && !c.keep[c.back[i]] {
				continue
			}
			kept.to = append(kept.to, c.p.to[i])
			w := float64(c.alpha*float64(c.shared[i])) + float64((1-c.alpha)*float64(c.content[i]))
			kept.w = append(kept.w, float32(w))
		}
		kept.pushRun(u, len(kept.to)-from, forward)
	}
	out := *c.p
	var err error
	out.csr, err = buildRows(c.ctx, c.p.Len(), []part{kept}, true, Max, c.workers)
	if err != nil {
		return nil, err
	}
	return &out, nil
}
