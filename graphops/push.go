package graphops

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
)

// PushOptions tune [ForwardPush]. The zero value is right for most.
type PushOptions struct {
	// Alpha is the probability of starting anew at each step, over 0 and at
	// most 1. The default, 0, is 0.5.
	Alpha float64
	// MaxResidual is how much of the start's probability may be left at a
	// node, for each of its neighbours. The default, 0, is 1e-4.
	MaxResidual float64
	// Weights says by what weights edges are chosen.
	Weights EdgeWeights
	// TopK is how many nodes are returned; 0 is all that have an estimate.
	TopK int
	// MaxExpand is what it is in [PPROptions].
	MaxExpand int
}

func (o *PushOptions) ensureDefaults() PushOptions {
	out := *o
	if out.Alpha == 0 {
		out.Alpha = 0.5
	}
	if out.MaxResidual == 0 {
		out.MaxResidual = 1e-4
	}
	return out
}

func (o *PushOptions) validate() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha <= 1):
		return fmt.Errorf("%w: Alpha %v", engine.ErrInvalid, o.Alpha)
	case !(o.MaxResidual > 0):
		return fmt.Errorf("%w: MaxResidual %v", engine.ErrInvalid, o.MaxResidual)
	case o.Weights > DegreeWeights:
		return fmt.Errorf("%w: unknown Weights %d", engine.ErrInvalid, o.Weights)
	case o.TopK < 0:
		return fmt.Errorf("%w: TopK %d", engine.ErrInvalid, o.TopK)
	case o.MaxExpand < 0:
		return fmt.Errorf("%w: MaxExpand %d", engine.ErrInvalid, o.MaxExpand)
	}
	return nil
}

// PushResult is what [ForwardPush] returns.
type PushResult struct {
	// Scores are the estimates, by falling score, equal ones by rising number.
	Scores []Scored
	// Residual bounds the error: no estimate is greater than the exact score,
	// and over all nodes, without TopK, they fall short by this in sum.
	Residual float64
	// MaxResidual is the greatest share of it that one node holds for each of
	// its neighbours, at most what the options allow. In an undirected graph
	// without weights the estimate of a node of degree d falls short by d
	// times this at most.
	MaxResidual float64
	// Pushes is how often a node was pushed.
	Pushes int
}

// ForwardPush estimates personalised PageRank at convergence: the scores that
// [PPR] with PPRRestart tends to with the number of steps. It works where the
// scores are, whatever the size of the graph: at most 1/(Alpha MaxResidual)
// entries of rows are pushed along, and nodes are read that hold more than
// MaxResidual. Seeds, directions, nodes that no edge leaves and order of
// results are as in PPR. Nodes are pushed in the order in which they came to
// hold too much, so that the result does not depend on anything else.
//
// Source: Andersen, Chung and Lang, "Local Graph Partitioning using PageRank
// Vectors", 2006, section 3, for walks that never rest: their alpha is
// Alpha/(2-Alpha). The residual that is allowed is for each
// neighbour, not for each unit of weight, so that a node need not be read to
// know that it has too little; with unit weights that is the same.
func ForwardPush(ctx context.Context, a Adjacency, seeds []Scored, o PushOptions) (*PushResult, error) {
	o = o.ensureDefaults()
	r, err := forwardPush(ctx, a, seeds, &o)
	if err != nil {
		return nil, fmt.Errorf("graphops: forward push: %w", err)
	}
	return r, nil
}

func forwardPush(ctx context.Context, a Adjacency, seeds []Scored, o *PushOptions) (*PushResult, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, release := borrow(a)
	defer release()
	w := newWalk(newRowReader(ctx, "forward push", a, o.MaxExpand), o.Weights, s)
	defer w.done(s)
	start, err := w.seed(seeds)
	if err != nil {
		return nil, err
	}
	r := &PushResult{}
	w.queued = widen(w.queued, len(start))
	for place, x := range start {
		w.hold(uint32(place), x, o.MaxResidual)
	}
	for head := 0; head < len(w.queue); head++ {
		// What was pushed is dropped, so that the queue stays short.
		if head > 4096 && 2*head > len(w.queue) {
			w.queue = w.queue[:copy(w.queue, w.queue[head:])]
			head = 0
		}
		place := w.queue[head]
		w.queued[place] = false
		pushed, err := w.push(place, start, o)
		if err != nil {
			return nil, err
		}
		if pushed {
			r.Pushes++
		}
	}
	for place, x := range w.next {
		r.Residual += x
		r.MaxResidual = max(r.MaxResidual, x/float64(max(1, w.degree[place])))
	}
	r.Scores = ranked(w.seen, w.score, o.TopK, &w.keys)
	return r, nil
}

// hold adds x to the residual of a place, and queues it where it holds too
// much by what is known of it.
func (w *walk) hold(place uint32, x, most float64) {
	w.next[place] += x
	if !w.queued[place] && w.next[place] > float64(most*float64(max(1, w.degree[place]))) {
		w.queued[place] = true
		w.queue = append(w.queue, place)
	}
}

// push turns Alpha of the residual of a node into score and hands the rest on,
// unless the node holds little for its degree.
func (w *walk) push(place uint32, start []float64, o *PushOptions) (bool, error) {
	to, share, err := w.out(place)
	if err != nil {
		return false, err
	}
	w.queued = widen(w.queued, w.seen.len())
	x := w.next[place]
	if x <= float64(o.MaxResidual*float64(max(1, w.degree[place]))) {
		return false, nil
	}
	if w.credit -= len(to); w.credit <= 0 {
		if err := w.ctx.Err(); err != nil {
			return false, err
		}
		w.credit = rowCredit
	}
	w.next[place] = 0
	w.score[place] += float64(o.Alpha * x)
	x *= 1 - o.Alpha
	if len(to) == 0 {
		for p, y := range start {
			w.hold(uint32(p), float64(x*y), o.MaxResidual)
		}
		return true, nil
	}
	for i, v := range to {
		w.hold(v, float64(x*share[i]), o.MaxResidual)
	}
	return true, nil
}
