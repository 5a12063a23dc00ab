package graphops

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
)

// Project builds the projection of what s keeps of the graph that v reads.
// [Cache.Project] keeps it for the next call.
//
// It reads the out-lists of the kept nodes once, in ranges of node ids and in
// parallel, and then fills the rows; a few nodes of a large graph cost a seek
// each. The time is O(n + m log d) for m edges at the kept nodes, most of it
// the reading, for which m counts also edges that s does not keep. If that would
// take more than s.MaxBytes, it reads the in-lists too, by turns, and keeps the rows
// in bytes, some 3 an entry; a projection that does not fit either is refused with a
// [*MemoryError]. Reading fills the store's cache to an eighth of its room. The result does not depend on the number of workers, and, but
// for its size, not on which of the two it is.
func Project(ctx context.Context, v *engine.View, s Spec) (*Projection, error) {
	defer v.Graph().DB().HoldCache()()
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
	p := &Projection{types: sel.types, version: version, limit: limit, scratch: new(sync.Pool)}
	if err := p.setNodes(&sel, s); err != nil {
		return nil, err
	}
	r := newRoom(v)
	defer r.share.Close()
	need, err := p.setRows(ctx, v, s, &sel, r)
	switch {
	case err != nil:
		return nil, err
	case need > limit && s.NoPacking:
		return nil, &MemoryError{Op: "project", Need: need, Limit: limit}
	case need > limit:
		r.share.Close() // what was read is not kept
		sc := newPackScan(v, s, &sel, p, limit)
		sc.room = r
		if err := sc.run(ctx); err != nil {
			return nil, err
		}
	}
	memory.Hold(v.Graph().DB().Memory(), p, p.Bytes())
	return p, nil
}

// setNodes sets which node each dense id is, and the other way round.
func (p *Projection) setNodes(sel *selection, s *Spec) error {
	if sel.consecutive() {
		p.index.first, p.index.n = sel.all.Minimum(), uint32(sel.len())
		return nil
	}
	limit := p.limit
	need := 4*int64(sel.len()) + pageTableBytes(sel.last())
	if need > limit {
		return &MemoryError{Op: "project", Need: need + rowBytes(sel.len(), 0, s.Weighted), Limit: limit}
	}
	p.ids = sel.ids()
	pages := p.index.reserve(sel.last(), p.ids)
	if need += pages; need > limit {
		return &MemoryError{Op: "project", Need: need + rowBytes(sel.len(), 0, s.Weighted), Limit: limit}
	}
	p.index.fill(p.ids, pages)
	return nil
}

// sampleWorth is the number of nodes from which it is worth a sample to know that
// rows do not fit before they are read in vain.
const sampleWorth = 1 << 20

// setRows reads the edges and makes rows of them. It returns what that takes: if it is
// over the limit, about or at least, there are no rows.
func (p *Projection) setRows(ctx context.Context, v *engine.View, s *Spec, sel *selection, r *room) (need int64, err error) {
	fixed := rowBytes(sel.len(), 0, s.Weighted) + p.nodeBytes()
	if fixed > p.limit {
		return fixed, nil
	}
	if sel.len() >= sampleWorth {
		// A sample errs. If it says half as much again as the limit, that is believed.
		size, err := plainSize(ctx, v, s, sel)
		if err != nil || size.BuildBytes/3*2 > p.limit {
			return size.BuildBytes, err
		}
	}
	sc := &edgeScan{v: v, s: s, sel: sel, index: &p.index, fixed: fixed, limit: p.limit, room: r}
	parts, fits, err := sc.run(ctx)
	if err != nil || !fits {
		return max(sc.need(), p.limit+1), err
	}
	p.need, p.symmetric = sc.need(), !sc.oneWay.Load()
	p.setLoops(sc.loops.list, s.Weighted, s.Combine)
	p.csr, err = buildRows(ctx, sel.len(), parts, s.Weighted, s.Combine, workersOf(s.Workers))
	return p.need, err
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

// edgeScan reads the edges of a projection, until it is clear that their rows would
// not fit.
type edgeScan struct {
	v     *engine.View
	s     *Spec
	sel   *selection
	index *nodeIndex
	fixed int64 // bytes whatever the edges
	limit int64
	room  *room

	entries, kept atomic.Int64 // row entries; bytes of parts
	loops         loopSet
	oneWay        atomic.Bool // some edge is in one row only
}

// need returns how many bytes the rows, the parts they are made of, and sorting
// them take.
func (sc *edgeScan) need() int64 {
	entries := sc.entries.Load()
	return sc.fixed + sc.kept.Load() + sc.loops.bytes() + entries*entryBytes(sc.s.Weighted) + sortBytes(entries, sc.s.Weighted)
}

// run returns the edges of each window, in order, and whether their rows fit.
func (sc *edgeScan) run(ctx context.Context) (parts []part, fits bool, err error) {
	over := errors.New("over the limit")
	windows := sc.sel.windows()
	parts = make([]part, len(windows))
	workers := workersOf(sc.s.Workers)
	scratch := make([]part, max(1, min(workers, len(windows))))
	err = parallel(ctx, workers, len(windows), func(worker, i int) error {
		p := &scratch[worker]
		p.reset()
		if err := sc.window(windows[i], p); err != nil {
			return err
		}
		sc.kept.Add(runBytes*int64(len(p.runs)) + int64(len(p.to))*entryBytes(sc.s.Weighted))
		if sc.need() > sc.limit || sc.entries.Load() > math.MaxUint32 {
			return over
		}
		if fits, err := sc.room.fits(ctx, sc.need()); !fits {
			return cmp.Or(err, over)
		}
		parts[i] = p.clone()
		return nil
	})
	if errors.Is(err, over) {
		return nil, false, nil
	}
	return parts, err == nil, err
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
	n, ways := len(p.to), sc.s.ways(l.Type)
	to, w := slices.Grow(p.to, len(l.Others)), p.w
	for i, other := range l.Others {
		switch v := sc.index.find(other); v {
		case none:
		case u:
			sc.loops.add(u, ways, weightAt(l.Weights, i))
		default:
			to = append(to, v)
			if sc.s.Weighted {
				w = append(w, weightAt(l.Weights, i))
			}
		}
	}
	p.to, p.w = to, w
	p.pushRun(u, len(to)-n, ways)
}

// weightAt returns the i-th of weights that are nil if all are 1.
func weightAt(w []float32, i int) float32 {
	if w == nil {
		return 1
	}
	return w[i]
}
