package graphops

import (
	"context"
	"slices"
	"sort"
)

// biasedWalks makes the random walks of node2vec, in an order that is random
// too, and always the same ones.
type biasedWalks struct {
	g               *csr
	length, perNode int
	seed            uint64
	back, near, far float64 // how likely a step is: 1/P, 1, 1/Q
	most, least     float64
	cumulative      []float64 // weights of a row's entries added up; nil: all 1
	workers         int
	order           []uint32 // nodes in which walks begin, in one round
	batch           []uint32 // walkBatch walks of up to length nodes
	lengths         []int
}

// The streams of a seed: what walks draw, and what training does. Each has the
// next number too.
const (
	walkStream = 0x2ec1 << 32
	gramStream = 0x2ec2 << 32
)

// maxRejections is after how many rejected steps the next one is drawn from
// the probabilities of all.
const maxRejections = 32

func newBiasedWalks(p *Projection, o *Node2VecOptions) (*biasedWalks, error) {
	w := &biasedWalks{
		g:       &p.csr,
		length:  o.WalkLength,
		perNode: o.Walks,
		seed:    o.Seed,
		back:    1 / o.P,
		near:    1,
		far:     1 / o.Q,
		workers: workersOf(o.Workers),
		order:   make([]uint32, p.Len()),
		batch:   make([]uint32, walkBatch*o.WalkLength),
		lengths: make([]int, walkBatch),
	}
	w.most, w.least = max(w.back, w.near, w.far), min(w.back, w.near, w.far)
	for u := range w.order {
		w.order[u] = uint32(u)
	}
	if !p.Weighted() {
		return w, nil
	}
	if err := p.checkLoops(); err != nil {
		return nil, err
	}
	w.cumulative = make([]float64, len(p.to))
	for u := range p.Len() {
		to, weights := p.Row(uint32(u))
		sum := 0.0
		for i, x := range weights {
			if x < 0 {
				return nil, p.weightError(uint32(u), to[i], x)
			}
			sum += float64(x)
			w.cumulative[int(p.off[u])+i] = sum
		}
	}
	return w, nil
}

// each calls fn for every walk, in order, with its number. The walk is valid
// only during the call.
func (w *biasedWalks) each(ctx context.Context, fn func(walk []uint32, number int) error) error {
	n := len(w.order)
	for round := range w.perNode {
		order := slices.Clone(w.order)
		s := newStream(w.seed, walkStream, uint64(round))
		shuffle(&s, order)
		for from := 0; from < n; from += walkBatch {
			starts := order[from:min(n, from+walkBatch)]
			pieces := (len(starts) + walkPiece - 1) / walkPiece
			err := parallel(ctx, w.workers, pieces, func(_, k int) error {
				for i := k * walkPiece; i < min(len(starts), (k+1)*walkPiece); i++ {
					s := newStream(w.seed, walkStream+1, uint64(round), uint64(starts[i]))
					w.lengths[i] = w.walk(&s, starts[i], w.batch[i*w.length:(i+1)*w.length])
				}
				return nil
			})
			if err != nil {
				return err
			}
			for i := range starts {
				if err := fn(w.batch[i*w.length:i*w.length+w.lengths[i]], round*n+from+i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// walk fills out with a walk from u and returns how many nodes it has.
func (w *biasedWalks) walk(s *stream, u uint32, out []uint32) int {
	out[0] = u
	before := uint32(none)
	for i := 1; i < len(out); i++ {
		next := w.step(s, before, u)
		if next == none {
			return i
		}
		before, u = u, next
		out[i] = u
	}
	return len(out)
}

// step returns the node to go to from u, none if there is none.
func (w *biasedWalks) step(s *stream, before, u uint32) uint32 {
	if before == none {
		return w.draw(s, u)
	}
	for range maxRejections {
		v := w.draw(s, u)
		if v == none {
			return none
		}
		// Nothing has to be looked up if any step would be accepted.
		if x := s.float() * w.most; x < w.least || x < w.bias(before, v) {
			return v
		}
	}
	return w.drawAmongAll(s, before, u)
}

// bias returns how likely a step to v is, after one from before.
func (w *biasedWalks) bias(before, v uint32) float64 {
	if v == before {
		return w.back
	}
	row, _ := w.g.Row(before)
	if _, joined := slices.BinarySearch(row, v); joined {
		return w.near
	}
	return w.far
}

// draw returns a neighbour of u in proportion to the weights, none if there
// is none of a weight above 0.
func (w *biasedWalks) draw(s *stream, u uint32) uint32 {
	lo, hi := w.g.off[u], w.g.off[u+1]
	if lo == hi {
		return none
	}
	if w.cumulative == nil {
		return w.g.to[lo+uint32(s.below(uint64(hi-lo)))]
	}
	row := w.cumulative[lo:hi]
	total := row[len(row)-1]
	if total == 0 {
		return none
	}
	x := s.float() * total
	i := sort.Search(len(row), func(i int) bool { return row[i] > x })
	return w.g.to[lo+uint32(min(i, len(row)-1))]
}

// drawAmongAll returns a neighbour of u by the probabilities of them all, some
// of which must be above 0.
func (w *biasedWalks) drawAmongAll(s *stream, before, u uint32) uint32 {
	row, weights := w.g.Row(u)
	sums := make([]float64, len(row))
	sum := 0.0
	for i, v := range row {
		// The conversion forbids a fused multiply-add.
		sum += float64(float64(weightAt(weights, i)) * w.bias(before, v))
		sums[i] = sum
	}
	x := s.float() * sum
	i := sort.Search(len(sums), func(i int) bool { return sums[i] > x })
	return row[min(i, len(row)-1)]
}
