package graphops

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// A nodeLoop is all edges from a node to itself as one.
type nodeLoop struct {
	node uint32
	// ends and weight are what [Projection.Loop] returns.
	ends   uint32
	weight float64
}

// looped is an [Adjacency] that knows its loops, as [Projection.Loop] says. Random walks
// ask it; all other algorithms that read an Adjacency give the same result with loops and
// without.
type looped interface {
	Loop(u uint32) (ends uint32, weight float64)
}

var (
	_ looped = (*Projection)(nil)
	_ looped = (*LocalGraph)(nil)
)

// storedLoop is one edge from a node to itself.
type storedLoop struct {
	u    uint32
	ways ways
	w    float32
}

// loopBytes is what a loop takes: a nodeLoop, and a storedLoop while the projection is built.
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
	p.loops = make([]nodeLoop, 0, len(list))
	for i := 0; i < len(list); {
		u, all, t := list[i].u, ways(0), total{how: c}
		for ; i < len(list) && list[i].u == u; i++ {
			t.addLoop(list[i].w, list[i].ways)
			all |= list[i].ways
		}
		l := nodeLoop{u, uint32(all.entries()), float64(t.weight())}
		if !weighted {
			l.weight = float64(l.ends)
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

// Loop returns how many ends of edges from u to itself lead from u: 1, or 2 if one of them has
// no direction or it is ignored, or 0 if there is no such edge. weight is that of all
// of them, each counted for each end: ends if edges have no weights, and if one weighs
// less than 0 the least weight.
func (p *Projection) Loop(u uint32) (ends uint32, weight float64) {
	if l := p.loopsIn(u, u+1); len(l) > 0 {
		return l[0].ends, l[0].weight
	}
	return 0, 0
}

// loopsIn returns the loops of the nodes lo <= u < hi.
func (p *Projection) loopsIn(lo, hi uint32) []nodeLoop {
	if len(p.loops) == 0 {
		return nil
	}
	at := func(u uint32) int {
		i, _ := slices.BinarySearchFunc(p.loops, u, func(l nodeLoop, u uint32) int { return cmp.Compare(l.node, u) })
		return i
	}
	return p.loops[at(lo):at(hi)]
}

// checkLoops returns an error if a loop weighs less than 0.
func (p *Projection) checkLoops() error {
	for _, l := range p.loops {
		if !(l.weight >= 0) {
			return p.weightError(l.node, l.node, float32(l.weight))
		}
	}
	return nil
}

// weightError returns the error of an edge that weighs too little.
func (p *Projection) weightError(u, v uint32, w float32) error {
	return phase.At("", &weightError{p.NodeOf(u), p.NodeOf(v), w})
}
