package graphops

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Loop is all edges from a node to itself as one.
type Loop struct {
	Node uint32
	// Ends is how many ends lead from the node: 1, or 2 if a loop has no direction or
	// it is ignored. 0 says that there is no loop.
	Ends uint32
	// Weight is the weight of all loops, that of each counted for each end. It is Ends if
	// edges have no weights, and if a loop weighs less than 0, the least weight.
	Weight float64
}

// Looped is an [Adjacency] that knows its loops. Random walks ask it; all other
// algorithms that read an Adjacency give the same result with loops and without.
type Looped interface {
	Adjacency
	// Loop returns the loops of u.
	Loop(u uint32) Loop
}

var (
	_ Looped = (*Projection)(nil)
	_ Looped = (*LocalGraph)(nil)
)

// storedLoop is one edge from a node to itself.
type storedLoop struct {
	u    uint32
	ways ways
	w    float32
}

// loopBytes is what a loop takes: a [Loop], and a storedLoop while the projection is built.
const loopBytes = 16 + 12

// A loopSet collects the loops that several goroutines meet.
type loopSet struct {
	mu   sync.Mutex
	list []storedLoop
	n    atomic.Int64
}

func (s *loopSet) add(u uint32, ways ways, w float32) {
	s.mu.Lock()
	s.list = append(s.list, storedLoop{u, ways, w})
	s.mu.Unlock()
	s.n.Add(1)
}

func (s *loopSet) bytes() int64 { return loopBytes * s.n.Load() }

// setLoops sets the loops of p, which may be given in any order.
func (p *Projection) setLoops(list []storedLoop, weighted bool, c Combine) {
	if p.loopEdges = len(list); len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b storedLoop) int {
		return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.w, b.w), cmp.Compare(a.ways, b.ways))
	})
	p.loops = make([]Loop, 0, len(list))
	for i := 0; i < len(list); {
		u, all, t := list[i].u, ways(0), total{how: c}
		for ; i < len(list) && list[i].u == u; i++ {
			t.addLoop(list[i].w, list[i].ways)
			all |= list[i].ways
		}
		l := Loop{Node: u, Ends: uint32(all.entries()), Weight: float64(t.weight())}
		if !weighted {
			l.Weight = float64(l.Ends)
		}
		p.loops = append(p.loops, l)
	}
}

// addLoop adds the weight of a loop for each of its ends.
func (t *total) addLoop(w float32, ways ways) {
	for range ways.entries() {
		t.add(w)
	}
}

// Loop implements [Looped].
func (p *Projection) Loop(u uint32) Loop {
	if l := p.loopsIn(u, u+1); len(l) > 0 {
		return l[0]
	}
	return Loop{}
}

// loopsIn returns the loops of the nodes lo <= u < hi.
func (p *Projection) loopsIn(lo, hi uint32) []Loop {
	if len(p.loops) == 0 {
		return nil
	}
	at := func(u uint32) int {
		i, _ := slices.BinarySearchFunc(p.loops, u, func(l Loop, u uint32) int { return cmp.Compare(l.Node, u) })
		return i
	}
	return p.loops[at(lo):at(hi)]
}

// checkLoops returns an error if a loop weighs less than 0.
func (p *Projection) checkLoops() error {
	for _, l := range p.loops {
		if !(l.Weight >= 0) {
			return p.weightError(l.Node, l.Node, float32(l.Weight))
		}
	}
	return nil
}

// weightError returns the error of an edge that weighs too little.
func (p *Projection) weightError(u, v uint32, w float32) error {
	return phase.At("", &WeightError{From: p.NodeOf(u), To: p.NodeOf(v), Weight: w})
}
