package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// Node2VecOptions tune [Node2Vec]. The zero value is the paper's.
type Node2VecOptions struct {
	// Dim is the dimension of the vectors. The default, 0, is 128.
	Dim int
	// WalkLength is how many nodes a walk has, if edges lead on. The
	// default, 0, is 80.
	WalkLength int
	// Walks is how many walks begin at each node. The default, 0, is 10.
	Walks int
	// P is the return parameter: the higher, the rarer a walk steps back. The
	// default, 0, is 1.
	P float64
	// Q is the in-out parameter: the higher, the rarer a walk goes where the
	// node before has no edge to. The default, 0, is 1.
	Q float64
	// Window is how many nodes before and after a node of a walk may be its
	// context. The default, 0, is 10.
	Window int
	// Negatives is how many random nodes each context is told from. The
	// default, 0, is 5.
	Negatives int
	// LearningRate at the beginning; it falls to nearly 0. The default, 0, is
	// 0.025.
	LearningRate float64
	// Seed decides walks, first vectors and negative samples.
	Seed uint64
	// MaxBytes bounds the working memory and the result; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines that walk; 0 is one for each processor.
	// The result does not depend on it. Training is done by one.
	Workers int
}

func (o *Node2VecOptions) ensureDefaults() Node2VecOptions {
	out := *o
	for _, d := range []struct {
		field *int
		value int
	}{{&out.Dim, 128}, {&out.WalkLength, 80}, {&out.Walks, 10}, {&out.Window, 10}, {&out.Negatives, 5}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	for _, d := range []struct {
		field *float64
		value float64
	}{{&out.P, 1}, {&out.Q, 1}, {&out.LearningRate, 0.025}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return out
}

// The greatest values that sizes of node2vec may have.
const (
	node2VecMaxDim  = 1 << 16
	node2VecMaxSize = 1 << 20
)

func (o *Node2VecOptions) validate() error {
	positive := func(x float64) bool { return x > 0 && 1/x > 0 && !math.IsInf(1/x, 0) }
	sized := func(x int) bool { return x > 0 && x <= node2VecMaxSize }
	switch {
	case o.Dim < 1 || o.Dim > node2VecMaxDim:
		return phase.Mark(engine.ErrInvalid, "Dim %d", o.Dim)
	case !sized(o.WalkLength) || !sized(o.Walks):
		return phase.Mark(engine.ErrInvalid, "WalkLength %d, Walks %d", o.WalkLength, o.Walks)
	case !sized(o.Window) || !sized(o.Negatives):
		return phase.Mark(engine.ErrInvalid, "Window %d, Negatives %d", o.Window, o.Negatives)
	case !positive(o.P) || !positive(o.Q):
		return phase.Mark(engine.ErrInvalid, "P %v, Q %v", o.P, o.Q)
	case !(o.LearningRate > 0 && o.LearningRate <= 1):
		return phase.Mark(engine.ErrInvalid, "LearningRate %v", o.LearningRate)
	}
	return nil
}

// Node2Vec returns vectors of the nodes in which those that random walks visit
// near each other are close.
//
// From each node Walks walks follow the edges, in proportion to their weights,
// the way they lead, until WalkLength nodes are visited or no edge leads on. A
// step back to the node before is 1/P times as likely, one to where that node
// has no edge to 1/Q times. The vectors are learned from the walks by
// skip-grams with negative sampling: each node of a walk is to foretell those
// up to a random distance of at most Window, and to be told from Negatives
// nodes drawn by the 3/4th power of how often walks visit them. A node without
// a walk that passes it and any other has the vector 0. A negative weight is
// [engine.ErrInvalid].
//
// Source: Grover and Leskovec, "node2vec", KDD 2016; Mikolov et al.,
// "Distributed Representations of Words and Phrases", NIPS 2013, with the
// schedule of word2vec. Steps are drawn by rejection (Yang et al.,
// "KnightKing", SOSP 2019, section 4), so that no table of pairs of edges is
// kept. Walks are made twice, to count visits and to train, rather than kept.
//
// For s = n Walks WalkLength steps it is O(s Window Negatives Dim), on one
// goroutine, beside which the walks take little: about 8 µs a step with the
// defaults on the machine of BenchmarkNode2Vec. Working memory is 8 Dim bytes
// a node, 32 a node, 8 a row entry if edges have weights, and 4096
// WalkLength bytes.
//
// The result is the same for the same input, options and version of this
// package on every machine: products are rounded before they are added, and
// the logistic function is a table that is computed without the functions of
// package math that differ.
func Node2Vec(ctx context.Context, p *Projection, o Node2VecOptions) (Matrix, error) {
	o = o.ensureDefaults()
	r, err := node2Vec(ctx, p, &o)
	if err != nil {
		return Matrix{}, phase.Errorf("node2vec: %w", err)
	}
	return r, nil
}

// Walks are made walkBatch at a time, each task walkPiece of them.
const (
	walkBatch = 1024
	walkPiece = 32
)

func node2Vec(ctx context.Context, p *Projection, o *Node2VecOptions) (Matrix, error) {
	if err := o.validate(); err != nil {
		return Matrix{}, err
	}
	p, err := p.plain("node2vec")
	if err != nil {
		return Matrix{}, err
	}
	n := p.Len()
	need := (8*int64(o.Dim)+32)*int64(n) + 4*walkBatch*int64(o.WalkLength)
	if p.Weighted() {
		need += 8 * int64(len(p.to))
	}
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return Matrix{}, &MemoryError{Op: "node2vec", Need: need, Limit: o.MaxBytes}
	}
	walks, err := newBiasedWalks(p, o)
	if err != nil {
		return Matrix{}, err
	}
	counts := make([]uint64, n)
	steps := 0
	err = walks.each(ctx, func(walk []uint32, _ int) error {
		steps += len(walk)
		if len(walk) > 1 {
			for _, u := range walk {
				counts[u]++
			}
		}
		return nil
	})
	if err != nil {
		return Matrix{}, err
	}
	s := newSkipGram(n, o, counts)
	visited := 0
	err = walks.each(ctx, func(walk []uint32, number int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.train(walk, uint64(number), float64(visited)/float64(steps))
		visited += len(walk)
		return nil
	})
	if err != nil {
		return Matrix{}, err
	}
	for u, c := range counts {
		if c == 0 {
			clear(s.in.Row(u))
		}
	}
	return s.in, nil
}
