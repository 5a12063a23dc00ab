package graphops

import (
	"cmp"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// EdgeWeights says by what weights a random walk chooses among the edges that
// leave a node.
type EdgeWeights uint8

const (
	// StoredWeights are those that the adjacency has, 1 if it has none. A
	// negative one is an error, one of 0 is never followed.
	StoredWeights EdgeWeights = iota
	// UnitWeights count every edge 1.
	UnitWeights
	// DegreeWeights give an edge 1/max(degree of its ends), so that hubs draw
	// and pass on less; a loop has that degree at both ends, and counts once for each
	// that leads back. They are computed as the walk goes. On the store the
	// degree of each node that the walk ends at is one more read, which takes
	// about ten times as long in all (BenchmarkPPR); a Projection knows it.
	DegreeWeights
	// CappedWeights are those of DegreeWeights times the stored ones up to 1: an
	// edge that weighs 1 or more counts as there, and one of .1 a tenth of that. A
	// negative stored weight is an error.
	CappedWeights
)

// walkScratch is what walks work in. Its slices are by place, but to, share
// and keys.
type walkScratch struct {
	begin, end []uint32 // the row of a node in to and share; begin unread: none
	degree     []int32  // unread: unknown
	to         []uint32
	share      []float64
	score      []float64
	next       []float64
	keys       []uint64
	order      []uint32
}

const unread = math.MaxUint32

// A walk is the part of a graph that a random walk has met, with the
// probability of each step. Every node's row is read once.
type walk struct {
	rowReader
	*walkScratch
	seen    *nodeMap
	weights EdgeWeights
	bounded bool        // rows are read as far as they fit
	left    int         // what may be read still, in entries
	local   *LocalGraph // a, if it is one
}

func newWalk(r rowReader, weights EdgeWeights, s *localScratch) *walk {
	w := &walk{rowReader: r, walkScratch: &s.walk, seen: &s.seen, weights: weights}
	w.local, _ = r.a.(*LocalGraph)
	w.ids, w.w = s.ids, s.w
	if r.p != nil {
		w.seen.limit = r.p.Len()
	}
	w.begin, w.end, w.degree = w.begin[:0], w.end[:0], w.degree[:0]
	w.to, w.share = w.to[:0], w.share[:0]
	w.score, w.next = w.score[:0], w.next[:0]
	return w
}

// seed gives every seed a place and returns the probabilities of starting
// there, by place. Places are in order of node number, so that the order in
// which seeds are given does not matter.
func (w *walk) seed(seeds []Scored) ([]float64, error) {
	sorted := slices.Clone(seeds)
	// Equal nodes in order of their weight, so that sums are the same.
	slices.SortFunc(sorted, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Score, b.Score))
	})
	start := make([]float64, 0, len(sorted))
	sum := 0.0
	for _, s := range sorted {
		if !(s.Score >= 0) || math.IsInf(s.Score, 0) {
			return nil, phase.Mark(engine.ErrInvalid, "seed %d of weight %v", s.Node, s.Score)
		}
		if err := w.check(s.Node); err != nil {
			return nil, err
		}
		if s.Score == 0 {
			continue
		}
		if _, fresh := w.seen.add(s.Node); fresh {
			start = append(start, 0)
		}
		start[len(start)-1] += s.Score
		sum += s.Score
	}
	if len(seeds) > 0 && !(sum > 0 && !math.IsInf(sum, 0)) {
		return nil, phase.Mark(engine.ErrInvalid, "weights of seeds sum to %v", sum)
	}
	for i := range start {
		start[i] /= sum
	}
	w.widen()
	return start, nil
}

// widen makes room for what is known of new places.
func (w *walk) widen() {
	from, n := len(w.begin), w.seen.len()
	w.begin, w.end, w.degree = widen(w.begin, n), widen(w.end, n), widen(w.degree, n)
	for i := from; i < n; i++ {
		w.begin[i], w.degree[i] = unread, -1
	}
	w.score, w.next = widen(w.score, n), widen(w.next, n)
}

// out returns the places of the nodes that edges lead to from the one at a
// place, and the probability of going to each; none if no edge leads on.
// It may widen.
func (w *walk) out(place uint32) (to []uint32, share []float64, err error) {
	if w.begin[place] == unread {
		if err := w.read(place); err != nil {
			return nil, nil, err
		}
	}
	begin, end := w.begin[place], w.end[place]
	return w.to[begin:end], w.share[begin:end], nil
}

// read reads the row of the node at a place.
func (w *walk) read(place uint32) error {
	row, weights, err := w.row(w.seen.nodes[place])
	if err != nil {
		return err
	}
	return w.take(place, row, weights)
}

// take keeps the row of the node at a place.
func (w *walk) take(place uint32, row []uint32, weights []float32) error {
	if uint64(len(w.to))+uint64(len(row)) >= unread {
		return ErrTooLarge
	}
	ends, weight := w.loop(w.seen.nodes[place])
	w.degree[place] = int32(min(len(row), math.MaxInt32))
	begin := len(w.to)
	for _, v := range row {
		p, _ := w.seen.add(v)
		w.to = append(w.to, p)
	}
	end := len(w.to)
	if ends > 0 {
		w.to = append(w.to, place)
	}
	w.widen()
	w.share = slices.Grow(w.share, len(w.to)-begin)[:len(w.to)]
	sum, err := w.weigh(place, row, weights, w.to[begin:end], w.share[begin:end])
	if err != nil {
		return err
	}
	if ends > 0 {
		if w.share[end], err = w.weighLoop(place, float64(ends), weight); err != nil {
			return err
		}
		sum += w.share[end]
	}
	switch {
	case !(sum > 0): // no edge to follow
		w.to, w.share = w.to[:begin], w.share[:begin]
	case math.IsInf(sum, 0):
		return phase.Mark(engine.ErrInvalid, "weights of node %d sum to %v", w.seen.nodes[place], sum)
	}
	for i := begin; i < len(w.share); i++ {
		w.share[i] /= sum
	}
	w.begin[place], w.end[place] = uint32(begin), uint32(len(w.to))
	return nil
}

// weigh sets share to the weights of the edges of the node at a place and
// returns their sum.
func (w *walk) weigh(place uint32, row []uint32, weights []float32, to []uint32, share []float64) (sum float64, err error) {
	switch {
	case w.weights >= DegreeWeights:
		own := w.degree[place]
		for i, p := range to {
			if w.degree[p] < 0 {
				d, err := w.degreeOf(row[i])
				if err != nil {
					return 0, err
				}
				w.degree[p] = int32(min(d, math.MaxInt32))
			}
			share[i] = 1 / float64(max(own, w.degree[p]))
			if w.weights == CappedWeights && weights != nil {
				if !(weights[i] >= 0) {
					return 0, w.weightError(w.seen.nodes[place], row[i], weights[i])
				}
				share[i] *= float64(min(1, weights[i]))
			}
			sum += share[i]
		}
	case w.weights == UnitWeights || weights == nil:
		for i := range share {
			share[i] = 1
		}
		sum = float64(len(share))
	default:
		for i, x := range weights {
			if !(x >= 0) {
				return 0, w.weightError(w.seen.nodes[place], row[i], x)
			}
			share[i] = float64(x)
			sum += share[i]
		}
	}
	return sum, nil
}

// weighLoop returns the weight of the loop of the node at a place, which has so many ends and
// such a stored weight.
func (w *walk) weighLoop(place uint32, ends, weight float64) (float64, error) {
	own := float64(max(1, w.degree[place]))
	switch w.weights {
	case UnitWeights:
		return ends, nil
	case DegreeWeights:
		return ends / own, nil
	}
	if u := w.seen.nodes[place]; !(weight >= 0) {
		return 0, w.weightError(u, u, float32(weight))
	}
	if w.weights == CappedWeights {
		return min(ends, weight) / own, nil
	}
	return weight, nil
}

// done gives what grew back to s.
func (w *walk) done(s *localScratch) { s.ids, s.w = w.ids, w.w }
