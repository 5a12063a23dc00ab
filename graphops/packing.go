package graphops

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/ragdb/ragdb/engine"
)

// packScan makes packed rows: it reads the lists of both directions of some nodes at
// a time, which together are their rows, so that it holds no more than what is packed.
type packScan struct {
	v     *engine.View
	s     *Spec
	sel   *selection
	p     *Projection
	fixed int64 // bytes whatever the edges
	limit int64
	room  *room // nil has no bound

	types [2][]engine.EdgeType // that are read of the out-lists, and of the in-lists
	one   map[engine.EdgeType]bool

	bytes, entries atomic.Int64
	loops          loopSet
	oneWay, full   atomic.Bool // full: the room was too small
}

// packer is what a worker of a packScan works in.
type packer struct {
	lists [2]packLists // out, in
	to    []uint32
	w     []float32
	keys  []uint64
	block []byte
}

// packLists are lists of some nodes, ascending.
type packLists struct {
	runs []packRun
	to   []uint32
	w    []float32
}

// packRun is the next n neighbours of a node.
type packRun struct {
	node engine.NodeID
	u    uint32
	n    int
}

// newPackScan returns a scan for p, whose nodes are known.
func newPackScan(v *engine.View, s *Spec, sel *selection, p *Projection, limit int64) *packScan {
	sc := &packScan{v: v, s: s, sel: sel, p: p, limit: limit, one: map[engine.EdgeType]bool{}}
	types := s.Edges
	if types == nil {
		types = v.EdgeTypes()
	}
	for _, t := range distinct(types) {
		ways := s.ways(t)
		if ways&forward != 0 {
			sc.types[0] = append(sc.types[0], t)
		}
		if ways&backward != 0 {
			sc.types[1] = append(sc.types[1], t)
		}
		sc.one[t] = ways != forward|backward
	}
	windows := int64(sel.last()>>windowBits) + 1
	sc.fixed = 4*int64(sel.len()) + blockBytes*windows + p.nodeBytes()
	return sc
}

func (sc *packScan) need() int64 { return sc.fixed + sc.bytes.Load() + sc.loops.bytes() }

// run packs the rows of all nodes.
func (sc *packScan) run(ctx context.Context) error {
	if sc.fixed > sc.limit {
		return &MemoryError{Op: "project", Need: sc.fixed, Limit: sc.limit}
	}
	rows := &packed{
		at: make([]uint32, sc.sel.len()), blocks: make([][]byte, sc.sel.last()>>windowBits+1), weighted: sc.s.Weighted,
	}
	for u := range rows.at {
		rows.at[u] = none
	}
	windows := sc.sel.windows()
	workers := workersOf(sc.s.Workers)
	scratch := make([]packer, max(1, min(workers, len(windows))))
	err := parallel(ctx, workers, len(windows), func(worker, i int) error {
		k := &scratch[worker]
		if err := sc.window(windows[i], k, rows.at); err != nil {
			return err
		}
		// Beyond the limit what would be needed is counted, and not kept.
		sc.bytes.Add(int64(len(k.block)))
		fits, err := sc.room.fits(ctx, min(sc.need(), sc.limit))
		if err != nil {
			return err
		}
		if !fits {
			sc.full.Store(true)
		}
		if fits && sc.need() <= sc.limit && len(k.block) > 0 {
			rows.blocks[windows[i]] = append(make([]byte, 0, len(k.block)), k.block...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case sc.need() > sc.limit:
		return &MemoryError{Op: "project", Need: sc.need(), Limit: sc.limit}
	case sc.full.Load():
		return &MemoryError{Op: "project", Need: sc.need(), Limit: sc.room.share.Used()}
	}
	rows.entries = sc.entries.Load()
	sc.p.packed, sc.p.need = rows, sc.need()
	sc.p.symmetric = !sc.oneWay.Load()
	sc.p.setLoops(sc.loops.list, sc.s.Weighted, sc.s.Combine)
	return nil
}

// window packs the rows of one window's nodes into k.block and sets where they begin.
func (sc *packScan) window(window uint32, k *packer, at []uint32) error {
	from := window << windowBits
	return sc.nodes(from, uint64(from)+windowSize, windowSize, k, func(u uint32, begin int) { at[u] = uint32(begin) })
}

// nodes packs the rows of the first most selected nodes from <= id < end into
// k.block and says where each begins.
func (sc *packScan) nodes(from uint32, end uint64, most int, k *packer, begins func(u uint32, at int)) error {
	for i, dir := range []engine.Direction{engine.Out, engine.In} {
		l := &k.lists[i]
		l.runs, l.to, l.w = l.runs[:0], l.to[:0], l.w[:0]
		if len(sc.types[i]) == 0 {
			continue
		}
		for lo, hi := range sc.sel.spans(from, end, most) {
			for list, err := range sc.v.Lists(dir, lo, hi, engine.EdgeFilter{Types: sc.types[i]}) {
				if err != nil {
					return err
				}
				sc.list(dir, list, l)
			}
		}
	}
	k.block = k.block[:0]
	out, in := &k.lists[0], &k.lists[1]
	var i, j, outAt, inAt int
	for i < len(out.runs) || j < len(in.runs) {
		k.to, k.w = k.to[:0], k.w[:0]
		var next packRun
		if j == len(in.runs) || i < len(out.runs) && out.runs[i].node < in.runs[j].node {
			next = out.runs[i]
		} else {
			next = in.runs[j]
		}
		// Neighbours by undirected edges come in order: the lower ones stand among the in-lists.
		j, inAt = k.take(in, j, inAt, next.node)
		i, outAt = k.take(out, i, outAt, next.node)
		if n := k.sort(sc.s); n > 0 {
			begins(next.u, len(k.block))
			k.block = appendRow(k.block, k.to[:n], k.w[:min(n, len(k.w))])
			sc.entries.Add(int64(n))
		}
	}
	if len(k.block) > 0 {
		k.block = append(k.block, make([]byte, packedPad)...)
	}
	if uint64(len(k.block)) >= none {
		return ErrTooLarge
	}
	return nil
}

// list adds the neighbours of a list that are kept.
func (sc *packScan) list(dir engine.Direction, list *engine.List, l *packLists) {
	u := sc.p.index.find(uint64(list.Node))
	if u == none {
		return
	}
	from, ways := len(l.to), sc.s.ways(list.Type)
	for i, other := range list.Others {
		switch v := sc.p.index.find(other); v {
		case none:
		case u:
			// A loop is in the lists of both directions.
			if dir == engine.Out || ways&forward == 0 {
				sc.loops.add(u, ways, weightAt(list.Weights, i))
			}
		default:
			l.to = append(l.to, v)
			if sc.s.Weighted {
				l.w = append(l.w, weightAt(list.Weights, i))
			}
		}
	}
	if n := len(l.to) - from; n > 0 {
		l.runs = append(l.runs, packRun{list.Node, u, n})
		if sc.one[list.Type] {
			sc.oneWay.Store(true)
		}
	}
}

// take appends the neighbours of a node to the row at hand, from run i on, whose
// neighbours begin at at. It returns the first run of another node, and where that
// begins.
func (k *packer) take(l *packLists, i, at int, node engine.NodeID) (next, end int) {
	for ; i < len(l.runs) && l.runs[i].node == node; i++ {
		n := l.runs[i].n
		k.to = append(k.to, l.to[at:at+n]...)
		if len(l.w) > 0 {
			k.w = append(k.w, l.w[at:at+n]...)
		}
		at += n
	}
	return i, at
}

// sort puts the row at hand in order with parallel edges combined, and returns how many
// entries are left.
func (k *packer) sort(s *Spec) int {
	switch {
	case ascending(k.to):
		return len(k.to)
	case s.Weighted:
		return sortWeighted(k.to, k.w, &k.keys, s.Combine)
	}
	slices.Sort(k.to)
	return len(slices.Compact(k.to))
}
