package graphops

import (
	"cmp"
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// PPROptions tune [PPR]. The zero value is right for most.
type PPROptions struct {
	// Lazy says what a step does. If it is false, a step restarts at a seed with
	// probability Alpha and else follows an edge: scores = Alpha seeds +
	// (1-Alpha) P'scores, as personalised PageRank is usually meant and as the
	// NodeRAG paper writes it. If it is true, a step follows an edge with
	// probability Alpha and else stays: scores = Alpha P'scores +
	// (1-Alpha) scores, which forgets the seeds with time and is meant for few
	// steps. NodeRAG's code computes that.
	Lazy bool
	// Alpha is the probability of restarting at a seed, or with Lazy of following
	// an edge, over 0 and at most 1. The default, 0, is 0.5.
	Alpha float64
	// Steps is how many steps are made. The default, 0, is 2.
	Steps int
	// Weights says by what weights edges are chosen.
	Weights EdgeWeights
	// TopK is how many nodes are returned; 0 is all that have a score.
	TopK int
	// MaxWork bounds what is read of a graph that is not a Projection. A neighbour
	// counts 1, a row or a degree 512 more. What does not fit is not followed
	// ([PPRResult].Missed). 0 is 262,144, some 20 ms on a store of 50 million edges;
	// math.MaxInt is no bound.
	MaxWork int
	// Paths keeps what [PPRResult.Path] needs: one more pass over the rows
	// that were read, and 16 bytes a node.
	Paths bool
}

// PPRResult is what [PPR] returns.
type PPRResult struct {
	// Scores are the nodes that have a score, by falling score, equal ones by rising
	// number.
	Scores []Scored
	// Missed is 0 if MaxWork was enough. Otherwise no node's score is further from
	// the true one than this, and the differences of all nodes sum to at most twice this.
	Missed float64

	paths pprPaths
}

func (o *PPROptions) ensureDefaults() PPROptions {
	out := *o
	out.Alpha = cmp.Or(out.Alpha, 0.5)
	out.Steps = cmp.Or(out.Steps, 2)
	return out
}

func (o *PPROptions) validate() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha <= 1):
		return phase.Mark(engine.ErrInvalid, "Alpha %v", o.Alpha)
	case o.Steps < 0:
		return phase.Mark(engine.ErrInvalid, "Steps %d", o.Steps)
	case o.Weights > CappedWeights:
		return phase.Mark(engine.ErrInvalid, "unknown Weights %d", o.Weights)
	case o.TopK < 0:
		return phase.Mark(engine.ErrInvalid, "TopK %d", o.TopK)
	case o.MaxWork < 0:
		return phase.Mark(engine.ErrInvalid, "MaxWork %d", o.MaxWork)
	}
	return nil
}

// PPR returns personalised PageRank after a few steps from the seeds: how
// likely a walk that starts at them is at each node. Only nodes within Steps
// edges of a seed have a score, and without TopK the scores sum to 1.
//
// The scores of the seeds are the relative probabilities of starting there:
// those of a node that is given twice are added, and all are scaled to sum 1.
// A negative or infinite one, or none over 0, is an error; no seeds have no
// scores. A seed that a Projection does not have is an error; on the store it
// is a node without edges.
//
// Edges are followed as the rows lead. If no edge of positive weight leaves
// a node, the walk restarts at a seed, or stays if Lazy is set.
//
// If MaxWork bounds the walk, each step reads first the rows of the nodes where the
// walk is likeliest to be, and long rows last, by the probability that each of their
// entries gets. A node whose row is not read is one that no edge leaves. A sample of a
// long row would be no better: the entries that are left out are missed all the same, and
// to give their share to those in the sample would lift nodes that chance chose.
//
// For steps over 2 each node's row is still read once. The time is that of
// reading the rows within Steps-1 edges of the seeds, and of one pass over
// them a step; memory is 60 bytes a node met and 12 an entry read, and 4 a node
// of a Projection of which more than a sixteenth is met. The scores
// do not depend on the order of the seeds, and sums are made in the order in
// which nodes are met.
//
// Source: the shallow personalised PageRank of NodeRAG (Xu et al. 2025,
// section 2.5), started from a sparse frontier (Andersen, Chung and Lang,
// "Local Graph Partitioning using PageRank Vectors", 2006, for the lazy
// walk). NodeRAG's code with its default settings is PPRLazy with
// DegreeWeights; it differs in that a seed without edges spreads over all
// other nodes there. What is read first under a bound is that paper's push, by
// probability over degree.
func PPR(ctx context.Context, a Adjacency, seeds []Scored, o PPROptions) (*PPRResult, error) {
	o = o.ensureDefaults()
	r := &PPRResult{}
	if err := ppr(ctx, a, seeds, &o, r); err != nil {
		return nil, phase.Errorf("ppr: %w", err)
	}
	return r, nil
}

func ppr(ctx context.Context, a Adjacency, seeds []Scored, o *PPROptions, r *PPRResult) error {
	if err := o.validate(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s, release := borrow(a)
	defer release()
	w := newWalk(newRowReader(ctx, "ppr", a, math.MaxInt), o.Weights, s)
	defer w.done(s)
	if w.bounded = w.p == nil && o.MaxWork < math.MaxInt; w.bounded {
		w.left = cmp.Or(o.MaxWork, maxLocalWork)
	}
	start, err := w.seed(seeds)
	if err != nil {
		return err
	}
	copy(w.score, start)
	for range o.Steps {
		missed, err := w.step(start, o)
		if err != nil {
			return err
		}
		r.Missed = min(1, missed+float64(keep(o)*r.Missed))
	}
	r.Scores = ranked(w.seen, w.score, o.TopK, &w.keys)
	if o.Paths {
		r.paths = w.paths(start, r.Scores)
	}
	return nil
}

// keep is how much of a difference between two distributions a step may keep.
func keep(o *PPROptions) float64 {
	if o.Lazy {
		return 1
	}
	return 1 - o.Alpha
}

// step moves the scores one step on. It returns the probability of having been at a node
// whose row did not fit, and of leaving it.
func (w *walk) step(start []float64, o *PPROptions) (missed float64, err error) {
	follow := 1 - o.Alpha
	if o.Lazy {
		follow = o.Alpha
	}
	if w.bounded {
		if err := w.readLikeliest(); err != nil {
			return 0, err
		}
	}
	clear(w.next)
	stuck := 0.0 // at nodes that no edge leaves
	for place := range uint32(len(w.score)) {
		x := w.score[place]
		if x == 0 {
			continue
		}
		var to []uint32
		var share []float64
		if w.bounded && w.begin[place] == unread {
			missed += float64(follow * x)
		} else if to, share, err = w.out(place); err != nil {
			return 0, err
		}
		if o.Lazy {
			w.next[place] += float64((1 - follow) * x)
		}
		if len(to) == 0 {
			if o.Lazy {
				w.next[place] += float64(follow * x)
			}
			stuck += x
			continue
		}
		x *= follow
		next := w.next
		for i, v := range to {
			next[v] += float64(x * share[i])
		}
		if w.credit -= len(to); w.credit <= 0 {
			if err := w.ctx.Err(); err != nil {
				return 0, err
			}
			w.credit = rowCredit
		}
	}
	if !o.Lazy {
		again := o.Alpha + float64(follow*stuck)
		for place, x := range start {
			w.next[place] += float64(again * x)
		}
	}
	w.score, w.next = w.next, w.score
	return missed, nil
}
