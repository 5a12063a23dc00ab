package graphops

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/engine"
)

// Project builds the projection of what s keeps of the graph that v reads.
// [Cache.Project] keeps it for the next call.
//
// It reads the out-lists of the kept nodes once, in ranges of node ids and in
// parallel, and then fills the rows; a few nodes of a large graph cost a seek
// each. The time is O(n + m log d) for m edges at the kept nodes, most of it
// the reading, for which m counts also edges that s does not keep. A
// projection that would take more than s.MaxBytes is refused with a
// [*MemoryError] before it is allocated. The result does not depend on the
// number of workers.
func Project(ctx context.Context, v *engine.View, s Spec) (*Projection, error) {
	p, err := project(ctx, v.WithContext(ctx), &s)
	if err != nil {
		return nil, phase.Errorf("project %s: %w", v.Graph().Name(), err)
	}
	return p, nil
}

func project(ctx context.Context, v *engine.View, s *Spec) (*Projection, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	version, err := v.Version()
	if err != nil {
		return nil, err
	}
	sel, err := selectNodes(v, s)
	if err != nil {
		return nil, err
	}
	// Nodes are known before they are allocated, edges only once read.
	limit := s.limit(v)
	fixed := rowBytes(sel.len(), 0, s.Weighted) + 4*int64(sel.len()) + pageTableBytes(sel.last())
	if fixed > limit {
		return nil, &MemoryError{Op: "project", Need: fixed, Limit: limit}
	}
	p := &Projection{types: sel.types, version: version, ids: sel.ids(), scratch: new(sync.Pool)}
	pages := p.index.reserve(sel.last(), p.ids)
	if fixed += pages; fixed > limit {
		return nil, &MemoryError{Op: "project", Need: fixed, Limit: limit}
	}
	p.index.fill(p.ids, pages)

	sc := &edgeScan{v: v, s: s, sel: &sel, index: &p.index, fixed: fixed, limit: limit}
	parts, err := sc.run(ctx)
	if err != nil {
		return nil, err
	}
	p.need, p.loops, p.symmetric = sc.need(), int(sc.loops.Load()), !sc.oneWay.Load()
	p.csr, err = buildRows(ctx, sel.len(), parts, s.Weighted, s.Combine, workersOf(s.Workers))
	return p, err
}

// rowBytes returns the size of the rows of n nodes.
func rowBytes(n int, entries int64, weighted bool) int64 {
	return 4*int64(n+1) + entries*entryBytes(weighted)
}

// entryBytes returns the size of an entry of a row, or of an edge in a part.
func entryBytes(weighted bool) int64 {
	if weighted {
		return 8
	}
	return 4
}

// sortBytes returns what sorting rows takes besides: without weights, other
// rows of as many entries.
func sortBytes(entries int64, weighted bool) int64 {
	if weighted {
		return 0
	}
	return 4 * entries
}

// edgeScan reads the edges of a projection. It keeps them until it is clear
// that their rows would not fit; from then on it only counts.
type edgeScan struct {
	v     *engine.View
	s     *Spec
	sel   *selection
	index *nodeIndex
	fixed int64 // bytes whatever the edges
	limit int64

	entries, kept atomic.Int64 // row entries; bytes of parts
	loops         atomic.Int64
	oneWay        atomic.Bool // some edge is in one row only
}

// need returns how many bytes the rows, the parts they are made of, and sorting
// them take.
func (sc *edgeScan) need() int64 {
	entries := sc.entries.Load()
	return sc.fixed + sc.kept.Load() + entries*entryBytes(sc.s.Weighted) + sortBytes(entries, sc.s.Weighted)
}

// run returns the edges of each window, in order.
func (sc *edgeScan) run(ctx context.Context) ([]part, error) {
	windows := sc.sel.windows()
	parts := make([]part, len(windows))
	workers := workersOf(sc.s.Workers)
	scratch := make([]part, max(1, min(workers, len(windows))))
	var over atomic.Bool
	err := parallel(ctx, workers, len(windows), func(worker, i int) error {
		p := &scratch[worker]
		p.reset()
		if err := sc.window(windows[i], p); err != nil {
			return err
		}
		sc.kept.Add(runBytes*int64(len(p.runs)) + int64(len(p.to))*entryBytes(sc.s.Weighted))
		if sc.need() > sc.limit {
			over.Store(true)
		}
		if !over.Load() {
			parts[i] = p.clone()
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case over.Load():
		return nil, &MemoryError{Op: "project", Need: sc.need(), Limit: sc.limit}
	case sc.entries.Load() > math.MaxUint32:
		return nil, ErrTooLarge
	}
	return parts, nil
}

// window appends the edges of one window's nodes to p.
func (sc *edgeScan) window(window uint32, p *part) error {
	filter := sc.s.filter()
	from := window << windowBits
	for lo, hi := range sc.sel.spans(from, uint64(from)+windowSize, windowSize) {
		for l, err := range sc.v.Lists(engine.Out, lo, hi, filter) {
			if err != nil {
				return err
			}
			if u := sc.index.find(uint64(l.Node)); u != none {
				sc.list(u, l, p)
			}
		}
	}
	oneWay, entries := false, int64(0)
	for _, r := range p.runs {
		oneWay = oneWay || r.ways != forward|backward
		entries += int64(r.n) * int64(r.ways.entries())
	}
	sc.entries.Add(entries)
	if oneWay {
		sc.oneWay.Store(true)
	}
	return nil
}

// list appends the edges of a list of u to p.
func (sc *edgeScan) list(u uint32, l *engine.List, p *part) {
	n, loops := len(p.to), 0
	to, w := slices.Grow(p.to, len(l.Others)), p.w
	for i, other := range l.Others {
		switch v := sc.index.find(other); v {
		case none:
		case u:
			loops++
		default:
			to = append(to, v)
			if sc.s.Weighted {
				w = append(w, weightAt(l.Weights, i))
			}
		}
	}
	p.to, p.w = to, w
	p.pushRun(u, len(to)-n, sc.s.ways(l.Type))
	if loops > 0 {
		sc.loops.Add(int64(loops))
	}
}

// weightAt returns the i-th of weights that are nil if all are 1.
func weightAt(w []float32, i int) float32 {
	if w == nil {
		return 1
	}
	return w[i]
}
