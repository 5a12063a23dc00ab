package vecindex

import (
	"context"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// newGraph returns an empty graph for n nodes beside what is held already, nil
// if there is no room. A linker gets one in any case, without low planes if
// they do not fit: see beyond.
func (ix *Index) newGraph(codec *quant.Codec, n int, held int64, linker bool) *hnsw.Graph {
	p := ix.params()
	fits := func(low bool) *hnsw.Graph {
		p.Low = low
		if g := hnsw.New(codec, p); ix.limit >= 0 && ix.makeRoom(held+g.BytesFor(n)) {
			return g
		}
		return nil
	}
	// Plain codes have no low planes, and need none.
	if ix.rerank != RerankStore || codec.Plain() {
		if g := fits(true); g != nil {
			return g
		}
	}
	if ix.rerank != RerankPlane {
		if g := fits(false); g != nil {
			return g
		}
	}
	if !linker {
		return nil
	}
	ix.beyond.Store(true)
	p.Low = ix.lowOnDisk(codec)
	return hnsw.New(codec, p)
}

func (ix *Index) params() hnsw.Params {
	return hnsw.Params{M: ix.cfg.m(), EfConstruction: ix.cfg.efConstruction(), Seed: ix.cfg.Seed, Down: ix.cfg.Kind == CHNSW}
}

// lowOnDisk reports whether searches of a graph that does not fit refine
// distances by low planes, which they make of the stored vectors.
func (ix *Index) lowOnDisk(codec *quant.Codec) bool {
	return ix.rerank == RerankPlane || codec.Plain()
}

// loader reads a graph back.
type loader struct {
	ix      *Index
	r       kv.Reader
	meta    meta
	record  graphRecord
	raw     []byte // the record as it is stored
	codec   *quant.Codec
	graph   *hnsw.Graph
	pending map[uint32]bool
	dead    map[uint32]uint8 // layer
	lives   []hnsw.Life
	// slots is the number that all slots in use are below: where the index's
	// record is damaged it may count far more.
	slots uint32
	// has holds the slots that are in the graph.
	has []uint64
}

func (l *loader) known(slot uint32) bool {
	return slot < l.slots && l.has[slot/64]&(1<<(slot%64)) != 0
}

// buildGraph reads the state of an index that has a graph; it is nil if
// there is none, or no room for it. some reports whether there is one.
func (ix *Index) buildGraph(ctx context.Context, r kv.Reader, m meta, linker bool) (_ *state, some bool, err error) {
	l := &loader{ix: ix, r: r, meta: m, pending: map[uint32]bool{}, dead: map[uint32]uint8{}}
	ok, err := l.readRecords(ctx)
	if err != nil || !ok {
		return nil, false, err
	}
	if err := l.readTop(ctx); err != nil {
		return nil, true, err
	}
	if l.graph = ix.newGraph(l.codec, int(l.slots), ix.held(), linker); l.graph == nil {
		return nil, true, nil
	}
	st, err := l.state(ctx)
	return st, true, err
}

// state reads the state into the loader's graph.
func (l *loader) state(ctx context.Context) (*state, error) {
	ix := l.ix
	if err := l.readPending(ctx); err != nil {
		return nil, err
	}
	for slot := range l.dead {
		l.slots = max(l.slots, slot+1)
	}
	l.has = make([]uint64, (l.slots+63)/64)
	restored := l.graph.Restore(l.slots)
	if err := l.readSlots(ctx, restored); err != nil {
		return nil, err
	}
	if err := l.readGraph(ctx, restored); err != nil {
		return nil, err
	}
	if err := restored.Done(l.record.layers); err != nil {
		return nil, corrupt(ix.cfg.Table.Meta(graphName), "%v", err)
	}
	l.graph.Show(l.lives)
	if l.record.flags&graphTorn != 0 {
		l.graph.Adopt()
	}
	planes := &atomic.Uint32{}
	if !l.graph.Params().Low || l.codec.Plain() {
		planes.Store(math.MaxUint32) // there are none
	}
	st := &state{graph: &graph{Graph: l.graph, record: l.record, planes: planes}, floor: l.meta.seq, head: l.meta.seq}
	var err error
	if st.mirror, err = l.pendingMirror(ctx, st.bytes()); err != nil {
		return nil, err
	}
	var free []uint32
	if f := l.record.flags; f != 0 && f&graphTorn == 0 {
		// Else slots are in the order of ids, and go on so; or lists lead to
		// slots that an interrupted linker did not come to.
		free = l.freeSlots()
	}
	ix.setFree(free)
	return st, nil
}

// readGraph reads codes and links, in parts at the same time.
func (l *loader) readGraph(ctx context.Context, restored *hnsw.Restored) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(l.ix.goroutines())
	part := max(l.slots/uint32(4*l.ix.goroutines()), 4096)
	var codes atomic.Int64
	for from := uint32(0); from < l.slots; from += part {
		g.Go(func() error {
			n, err := l.readCodes(gctx, restored, from, from+min(part, l.slots-from))
			codes.Add(int64(n))
			return err
		})
	}
	g.Go(func() error { return l.readLinks(gctx, restored) })
	err := g.Wait()
	if n := int(codes.Load()); err == nil && n != len(l.lives) {
		err = corrupt(l.ix.cfg.Table.Meta(graphName), "%d codes of %d nodes", n, len(l.lives))
	}
	return err
}

func (ix *Index) setFree(slots []uint32) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.free = slots
}

// pendingMirror returns the mirror of the pending vectors, nil if they do
// not fit.
func (l *loader) pendingMirror(ctx context.Context, held int64) (*mirror, error) {
	if l.ix.limit < 0 || !l.ix.fits(uint32(len(l.pending)), held) {
		return nil, nil
	}
	m := newMirror(l.ix.cfg.Dim, l.ix.cfg.coded(), len(l.pending), l.meta.seq)
	err := l.ix.in(l.r).pending(ctx, 0, func(slot uint32, rec slotRecord, x []float32) error {
		m.add(rec, slot, x)
		return nil
	})
	return m, err
}

// freeSlots returns slots that hold nothing, ascending.
func (l *loader) freeSlots() []uint32 {
	var out []uint32
	for slot := range l.meta.next {
		if !l.known(slot) && !l.pending[slot] {
			if out = append(out, slot); len(out) == maxFree {
				break
			}
		}
	}
	return out
}

// CheckGraph reads the graph from a state of the store and returns what is
// wrong with it, marked as corruption. A flat index has none.
func (ix *Index) CheckGraph(ctx context.Context, r kv.Reader) error {
	if ix.cfg.lists() {
		return ix.wrap("check", ix.checkLists(ctx, r))
	}
	if !ix.cfg.graph() {
		return nil
	}
	m, err := ix.readMeta(ctx, r)
	if err != nil {
		return ix.wrap("check", err)
	}
	unbound := &Index{store: ix.store, cfg: ix.cfg, rerank: RerankStore}
	st, _, err := unbound.buildGraph(ctx, r, m, false)
	if err != nil {
		return ix.wrap("check", err)
	}
	if st == nil {
		return nil
	}
	if err := st.graph.Version().Verify(); err != nil {
		return ix.wrap("check", corrupt(ix.cfg.Table.Meta(graphName), "%v", err))
	}
	return nil
}
