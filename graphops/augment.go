package graphops

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// AugmentOptions tune [AugmentKNN]. The zero value is right for most, given a
// projection whose weights are similarities.
type AugmentOptions struct {
	// Vectors are those of the nodes. If they are given, the weight of
	// every edge, old or new, is their cosine. If not, weights of the
	// projection and of the candidates are the similarities.
	Vectors Matrix
	// Percentile of the old edges' similarities that a new edge must exceed,
	// between 0 and 1. The default, 0, is 0.8.
	Percentile float64
	// DegreeScale multiplies the mean degree, see [AugmentDegree]. The
	// default, 0, is 1.
	DegreeScale float64
	// Frozen, if not nil, has the threshold and degree of an earlier call
	// that are to be used instead of those of this graph.
	Frozen *AugmentLimits
	// MaxBytes bounds the working memory and the result; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (o *AugmentOptions) ensureDefaults() AugmentOptions {
	out := *o
	out.Percentile = cmp.Or(out.Percentile, 0.8)
	out.DegreeScale = cmp.Or(out.DegreeScale, 1)
	return out
}

func (o *AugmentOptions) validate(p *Projection) error {
	switch {
	case !(o.Percentile >= 0 && o.Percentile <= 1):
		return phase.Mark(engine.ErrInvalid, "Percentile %v", o.Percentile)
	case !(o.DegreeScale >= 0) || math.IsInf(o.DegreeScale, 0):
		return phase.Mark(engine.ErrInvalid, "DegreeScale %v", o.DegreeScale)
	case o.Frozen != nil && (o.Frozen.Degree < 0 || math.IsNaN(o.Frozen.Threshold)):
		return phase.Mark(engine.ErrInvalid, "Frozen %+v", *o.Frozen)
	}
	return similaritiesOf(p, o.Vectors)
}

// AugmentLimits are what decides which edges [AugmentKNN] adds.
type AugmentLimits struct {
	// Threshold is what a similarity must exceed. It is -Inf if there was
	// no old edge to take it from.
	Threshold float64
	// Degree is how many edges a node may add.
	Degree int
}

// AugmentDegree returns how many edges [AugmentKNN] lets a node add: the mean
// degree of the nodes with edges, rounded down, or half the root of the number
// of nodes if there are no edges, times scale, rounded down again. ArchRAG
// looks for 1.5 times as many neighbours and one more.
func AugmentDegree(p *Projection, scale float64) int {
	connected := 0
	for u := range p.Len() {
		if p.Degree(uint32(u)) > 0 {
			connected++
		}
	}
	degree := int(math.Sqrt(float64(p.Len())) / 2)
	if connected > 0 {
		degree = p.entries() / connected
	}
	return int(min(float64(degree)*scale, float64(p.Len())))
}

// AugmentKNN returns the projection with edges to near neighbours, which the
// caller has found: a candidate is an edge from a node to one near it, with
// their similarity as its weight unless o.Vectors are given.
//
// Each node adds, of its candidates, the most similar ones, equal ones in
// order of number: those that are more similar than the threshold, which is a
// percentile of the similarities of the old edges, interpolated as in numpy,
// and no more than [AugmentDegree]. Candidates that are the node itself, or
// joined to it already, do not count; one that is given twice counts once, by
// the greatest weight. Two nodes that add each other get one edge, of the
// greater similarity. Both limits are taken from the graph as it is given.
// Nodes keep their numbers, ids and types. The result is symmetric and weighted
// by similarities, those below 0 being 0. The limits that were used are
// returned too, for edges of later nodes by the same measure (o.Frozen).
//
// Source: ArchRAG (Wang et al. 2025), section 4.1, whose code this follows in
// the threshold and the degree; there, small graphs check against the edges
// added so far, here none do. A projection whose edges have a direction is
// [engine.ErrInvalid].
//
// It is O((m + c) d + c log k) for m edges, c candidates, k of them of a node,
// and vectors of dimension d. Working memory is 16 bytes a row entry, 16 a node
// and 64 a candidate.
func AugmentKNN(ctx context.Context, p *Projection, candidates []WeightedEdge, o AugmentOptions) (*Projection, AugmentLimits, error) {
	o = o.ensureDefaults()
	r, limits, err := augmentKNN(ctx, p, candidates, &o)
	if err != nil {
		return nil, limits, phase.Errorf("augment knn: %w", err)
	}
	return r, limits, nil
}

func augmentKNN(ctx context.Context, p *Projection, candidates []WeightedEdge, o *AugmentOptions) (*Projection, AugmentLimits, error) {
	p, err := p.plain("augment knn")
	if err != nil {
		return nil, AugmentLimits{}, err
	}
	need := 16*int64(len(p.to)) + 16*int64(p.Len()) + 64*int64(len(candidates))
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, AugmentLimits{}, &MemoryError{Op: "augment knn", Need: need, Limit: o.MaxBytes}
	}
	if err := o.validate(p); err != nil {
		return nil, AugmentLimits{}, err
	}
	if err := validatePairs(p.Len(), candidates); err != nil {
		return nil, AugmentLimits{}, err
	}
	workers := workersOf(o.Workers)
	sim, err := newSimilarity(ctx, o.Vectors, workers)
	if err != nil {
		return nil, AugmentLimits{}, err
	}
	w, err := sim.ofEdges(ctx, p, workers)
	if err != nil {
		return nil, AugmentLimits{}, err
	}
	near, err := sim.ofPairs(ctx, candidates, workers)
	if err != nil {
		return nil, AugmentLimits{}, err
	}
	limits := AugmentLimits{edgePercentile(w, o.Percentile), AugmentDegree(p, o.DegreeScale)}
	if o.Frozen != nil {
		limits = *o.Frozen
	}
	rows, err := nearRows(ctx, p.Len(), near, workers)
	if err != nil {
		return nil, AugmentLimits{}, err
	}
	added, err := chooseNear(ctx, p, &rows, limits)
	if err != nil {
		return nil, AugmentLimits{}, err
	}
	for i, x := range w {
		w[i] = max(0, x)
	}
	r, err := p.withEdges(ctx, w, added, workers)
	return r, limits, err
}

// validatePairs says what is wrong with pairs of n nodes.
func validatePairs(n int, pairs []WeightedEdge) error {
	for _, e := range pairs {
		if int64(e.From) >= int64(n) || int64(e.To) >= int64(n) {
			return phase.Mark(engine.ErrInvalid, "pair %d-%d among %d nodes", e.From, e.To, n)
		}
		if w := float64(e.Weight); math.IsNaN(w) || math.IsInf(w, 0) {
			return phase.Mark(engine.ErrInvalid, "weight %v of pair %d-%d", w, e.From, e.To)
		}
	}
	return nil
}

// nearRows returns the candidates of each node in a row, each once with the
// greatest weight.
func nearRows(ctx context.Context, n int, pairs []WeightedEdge, workers int) (csr, error) {
	if int64(len(pairs)) > math.MaxUint32 {
		return csr{}, ErrTooLarge
	}
	all := part{to: make([]uint32, len(pairs)), w: make([]float32, len(pairs))}
	for i, e := range pairs {
		all.to[i], all.w[i] = e.To, e.Weight
		all.pushRun(e.From, 1, forward)
	}
	return buildRows(ctx, n, []part{all}, true, Max, workers)
}

// chooseNear returns the candidates that become edges.
func chooseNear(ctx context.Context, p *Projection, near *csr, l AugmentLimits) ([]WeightedEdge, error) {
	var out, chosen []WeightedEdge
	for u := range uint32(p.Len()) {
		if u%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		row, _ := p.Row(u)
		to, w := near.Row(u)
		chosen = chosen[:0]
		for i, v := range to {
			if v == u || !(float64(w[i]) > l.Threshold) {
				continue
			}
			if _, joined := slices.BinarySearch(row, v); !joined {
				chosen = append(chosen, WeightedEdge{u, v, w[i]})
			}
		}
		slices.SortStableFunc(chosen, func(a, b WeightedEdge) int { return cmp.Compare(b.Weight, a.Weight) })
		out = append(out, chosen[:min(len(chosen), l.Degree)]...)
	}
	return out, nil
}

// withEdges returns the projection with other weights and with more edges,
// which must not be those that it has. Of an edge that is given several times
// the greatest weight counts; weights below 0 become 0.
func (p *Projection) withEdges(ctx context.Context, w []float32, edges []WeightedEdge, workers int) (*Projection, error) {
	if int64(len(p.to))+2*int64(len(edges)) > math.MaxUint32 {
		return nil, ErrTooLarge
	}
	old := part{to: p.to, w: w}
	for u := range p.Len() {
		old.pushRun(uint32(u), p.Degree(uint32(u)), forward)
	}
	more := part{}
	for _, e := range edges {
		more.to = append(more.to, e.To)
		more.w = append(more.w, max(0, e.Weight))
		more.pushRun(e.From, 1, forward|backward)
	}
	out := *p
	var err error
	out.csr, err = buildRows(ctx, p.Len(), []part{old, more}, true, Max, workers)
	if err != nil {
		return nil, err
	}
	return &out, nil
}
