package vecindex

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// A graph that is in the store only is searched there at first: a walk reads
// some thousand codes and lists of links, which takes a few milliseconds, where
// reading all takes as long as that for each 2,000 vectors. The walk is the
// same, and so is what it finds. When searches have read as much as there is,
// the graph is read into memory.

const (
	// minCold is the number of vectors below which the graph is read at once.
	minCold = 2048
	// maxColdPending is how many vectors may wait to be linked: a search
	// compares each with what it looks for.
	maxColdPending = 1024
)

// searchCold is search for a graph that is not in memory; ok is false if it
// has to be, or does not fit.
func (v *View) searchCold(ctx context.Context, q *Search, sc *scratch, dst []Hit) (out []Hit, ok bool, err error) {
	ix := v.ix
	switch {
	case ix.cfg.Kind != HNSW, q.Exact, q.Allow != nil, ix.limit < 0, v.meta.live < minCold,
		ix.cold.Load() >= int64(v.meta.live), v.state.Load() != nil, ix.state.Load() != nil:
		return nil, false, nil
	}
	l := &loader{ix: ix, r: v.src.r, meta: v.meta, pending: map[uint32]bool{}, dead: map[uint32]uint8{}}
	if ok, err := l.readRecords(ctx); err != nil || !ok || l.record.flags&graphTorn != 0 {
		return nil, false, err
	}
	if err := l.readPending(ctx); err != nil {
		return nil, false, err
	}
	linked := 0
	for _, in := range l.record.layers {
		linked += in.Linked
	}
	if len(l.dead) > 0 || len(l.pending) > maxColdPending || linked+len(l.pending) != int(v.meta.live) {
		return nil, false, nil
	}
	g := ix.newGraph(l.codec, int(v.meta.next))
	if g == nil {
		return nil, false, nil
	}
	src := &coldGraph{ctx: ctx, loader: l, codes: map[uint32][]byte{}, ids: map[uint32]uint64{}}
	defer func() { ix.cold.Add(int64(len(src.codes))) }()
	sc.graph.prepare(l.codec)
	sc.graph.query.Fill(sc.graph.encoder, sc.query)
	s := g.Searcher()
	defer g.Release(s)
	gs := &graphSearch{v: v, q: *q, sc: sc, s: s, nodes: src, low: g.Params().Low}
	if err := gs.storedPending(ctx); err != nil {
		return nil, false, err
	}
	defer func() {
		if !ok && err == nil {
			_, err = sc.plan(q) // forgets what was pending
		}
	}()
	search := func(layer uint8, k int) ([]Hit, bool, error) {
		gs.layer, gs.k = layer, k
		gs.setEf()
		if int(layer) >= len(l.record.layers) {
			return nil, true, nil
		}
		in := l.record.layers[layer]
		all, err := s.SearchSource(src, sc.graph.query, in, gs.ef)
		if err != nil || len(all) < min(gs.k, in.Linked) {
			return nil, false, err
		}
		if err := src.name(all); err != nil {
			return nil, false, err
		}
		hits, err := gs.refine(ctx, all)
		return hits, err == nil, err
	}
	from := len(dst)
	if q.Layers != nil {
		for i, want := range q.Layers {
			if want.K <= 0 {
				continue
			}
			hits, ok, err := search(want.Layer, want.K)
			if !ok {
				return dst[:from], false, err
			}
			dst = merged(dst, hits, sc.tops[i].appendSorted(nil), want.K)
		}
		return dst, true, nil
	}
	var all []Hit
	for layer, in := range l.record.layers {
		if in.Linked == 0 {
			continue
		}
		hits, ok, err := search(uint8(layer), q.K)
		if !ok {
			return dst[:from], false, err
		}
		all = append(all, hits...)
	}
	return merged(dst, all, sc.tops[0].appendSorted(nil), q.K), true, nil
}

// coldGraph reads nodes of a graph from the store, each once.
type coldGraph struct {
	*loader
	ctx   context.Context
	codes map[uint32][]byte // nil of what the graph does not have
	ids   map[uint32]uint64
	keys  [][]byte
	want  []uint32
	links []byte
}

// Links implements [hnsw.Source].
func (c *coldGraph) Links(slot uint32, level int, dst []uint32) ([]uint32, error) {
	key := c.ix.cfg.Table.Links(c.record.edition, uint8(level), slot)
	b, err := c.r.Get(c.ctx, key, c.links[:0])
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return nil, corrupt(key, "a node of the graph without its links")
	case err != nil:
		return nil, err
	}
	c.links = b
	if len(b)%4 != 0 || level == 0 && len(b) == 0 {
		return nil, corrupt(key, "links of %d bytes", len(b))
	}
	if level == 0 {
		b = b[4:] // the parent
	}
	for ; len(b) > 0; b = b[4:] {
		dst = append(dst, binary.LittleEndian.Uint32(b))
	}
	return dst, nil
}

// Read implements [hnsw.Source].
func (c *coldGraph) Read(slots []uint32) ([]uint32, error) {
	t, size := c.ix.cfg.Table, c.codec.Size()
	c.keys, c.want = c.keys[:0], c.want[:0]
	for _, slot := range slots {
		if _, ok := c.codes[slot]; !ok {
			c.keys, c.want = append(c.keys, t.Code(c.record.edition, slot)), append(c.want, slot)
		}
	}
	err := c.r.MultiGet(c.ctx, c.keys, func(i int, b []byte) error {
		slot := c.want[i]
		if b == nil || c.pending[slot] {
			c.codes[slot] = nil // of a linker that was interrupted
			return nil
		}
		if len(b) != size || !c.codec.Valid(b) {
			return corrupt(c.keys[i], "malformed code of %d bytes", len(b))
		}
		c.codes[slot] = append(make([]byte, 0, size), b...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n := 0
	for _, slot := range slots {
		if c.codes[slot] != nil {
			slots[n] = slot
			n++
		}
	}
	return slots[:n], nil
}

// Code implements [hnsw.Source].
func (c *coldGraph) Code(slot uint32) []byte { return c.codes[slot] }

// ID returns the node in a slot that was named.
func (c *coldGraph) ID(slot uint32) uint64 { return c.ids[slot] }

// name reads which nodes are in the slots of candidates.
func (c *coldGraph) name(all []hnsw.Candidate) error {
	c.keys = c.keys[:0]
	for _, x := range all {
		c.keys = append(c.keys, c.ix.cfg.Table.Slot(layout.TagSlot, x.Slot()))
	}
	return c.r.MultiGet(c.ctx, c.keys, func(i int, b []byte) error {
		if b == nil {
			return corrupt(c.keys[i], "a node of the graph without its slot")
		}
		rec, err := readSlot(c.keys[i], b)
		c.ids[all[i].Slot()] = rec.id
		return err
	})
}

// nodeReader has the codes and ids of a graph's nodes.
type nodeReader interface {
	hnsw.Codes
	ID(slot uint32) uint64
}

var (
	_ nodeReader  = (*hnsw.Version)(nil)
	_ hnsw.Source = (*coldGraph)(nil)
)
