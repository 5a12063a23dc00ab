package vecindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/internal/layout"
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

// get reads a record of the index, nil if there is none.
func (ix *Index) get(ctx context.Context, r kv.Reader, name string) (key, b []byte, err error) {
	key = ix.cfg.Table.Meta(name)
	b, err = r.Get(ctx, key, nil)
	if errors.Is(err, kv.ErrNotFound) {
		return key, nil, nil
	}
	return key, b, err
}

func (l *loader) readRecords(ctx context.Context) (ok bool, err error) {
	ix := l.ix
	key, b, err := ix.get(ctx, l.r, graphName)
	if err != nil || b == nil {
		return false, err
	}
	l.raw = b
	if l.record, err = readGraph(key, b, l.meta.next); err != nil {
		return false, err
	}
	if l.record.m != uint32(ix.cfg.m()) {
		return false, fmt.Errorf("graph of M %d, not %d: %w", l.record.m, ix.cfg.m(), ErrModelMismatch)
	}
	key, b, err = ix.get(ctx, l.r, codecName(l.record.edition))
	if err != nil {
		return false, err
	}
	l.codec, err = ix.readCodec(key, b)
	return err == nil, err
}

// readCodec returns the codec of a record: the same one for the same record,
// since searches that read it each have what they prepared for it.
func (ix *Index) readCodec(key, b []byte) (*quant.Codec, error) {
	if last := ix.codec.Load(); last != nil && bytes.Equal(last.record, b) {
		return last.codec, nil
	}
	codec, err := quant.ReadRecord(b, ix.cfg.Dim, ix.cfg.Metric == InnerProduct)
	if err != nil {
		return nil, corrupt(key, "%v", err)
	}
	ix.codec.Store(&readCodec{bytes.Clone(b), codec})
	return codec, nil
}

// readCodec is a codec with the record that it was read from.
type readCodec struct {
	record []byte
	codec  *quant.Codec
}

// linked returns the number of nodes of the graph, dead ones included.
func (l *loader) linked() (n int) {
	for _, in := range l.record.layers {
		n += in.Linked
	}
	return n
}

// marks returns up to n slots that are marked, the first at from or above: 0
// for those to be linked, 1 for those to be taken out. They ascend. Of the latter
// it counts the layers in gone, unless that is nil.
func (l *loader) marks(ctx context.Context, kind uint8, from uint32, n int, gone *[256]int) (slots []uint32, err error) {
	if n <= 0 {
		return nil, nil
	}
	prefix := append(l.ix.cfg.Table.Prefix(layout.TagPending), kind)
	lower := binary.BigEndian.AppendUint32(slices.Clone(prefix), from)
	err = l.within(ctx, prefix, lower, layout.Next(prefix), 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		if slot >= l.meta.next || len(value) != int(kind) {
			return corrupt(key, "malformed mark of slot %d of %d", slot, l.meta.next)
		}
		if gone != nil {
			gone[value[0]]++
		}
		if slots = append(slots, slot); len(slots) == n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return slots, err
}

// each calls fn with what follows a prefix in its keys, and the values.
func (l *loader) each(ctx context.Context, prefix []byte, rest int, fn func(key, rest, value []byte) error) error {
	return l.within(ctx, prefix, prefix, layout.Next(prefix), rest, fn)
}

// within is each for the keys of a range.
func (l *loader) within(ctx context.Context, prefix, from, to []byte, rest int, fn func(key, rest, value []byte) error) (err error) {
	it, err := l.r.Iter(ctx, from, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok, n := it.First(), 1; ok; ok, n = it.Next(), n+1 {
		if n%ctxStride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key := it.Key()
		if len(key) != len(prefix)+rest {
			return corrupt(key, "key of %d bytes", len(key))
		}
		if err := fn(key, key[len(prefix):], it.Value()); err != nil {
			return err
		}
	}
	return it.Err()
}

func (l *loader) readPending(ctx context.Context) error {
	return l.each(ctx, l.ix.cfg.Table.Prefix(layout.TagPending), 5, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest[1:])
		switch {
		case slot >= l.meta.next:
			return corrupt(key, "slot %d of %d", slot, l.meta.next)
		case rest[0] == 0 && len(value) == 0:
			l.pending[slot] = true
		case rest[0] == 1 && len(value) == 1:
			l.dead[slot] = value[0]
		default:
			return corrupt(key, "malformed mark of pending work")
		}
		return nil
	})
}

// readTop finds the highest slot with a vector.
func (l *loader) readTop(ctx context.Context) (err error) {
	it, err := l.ix.in(l.r).iter(ctx, layout.TagSlot)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.Last() {
		return it.Err()
	}
	slot, err := keySlot(it.Key())
	if err != nil {
		return err
	}
	if slot >= l.meta.next {
		return corrupt(it.Key(), "slot %d of %d", slot, l.meta.next)
	}
	l.slots = max(l.slots, slot+1)
	return nil
}

// readSlots notes which nodes the graph has.
func (l *loader) readSlots(ctx context.Context, g *hnsw.Restored) error {
	node := func(slot uint32, id uint64, layer uint8, life hnsw.Life) {
		g.Node(slot, id, layer)
		l.has[slot/64] |= 1 << (slot % 64)
		l.lives = append(l.lives, life)
	}
	live := 0
	err := l.each(ctx, l.ix.cfg.Table.Prefix(layout.TagSlot), 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		rec, err := readSlot(key, value)
		if err != nil {
			return err
		}
		if err := l.meta.accepts(rec, slot, key); err != nil {
			return err
		}
		live++
		if _, dead := l.dead[slot]; dead {
			return corrupt(key, "a slot that is alive and dead")
		}
		if !l.pending[slot] {
			node(slot, rec.id, rec.layer, hnsw.Life{Slot: slot, Born: rec.born})
		}
		return nil
	})
	if err == nil && live != int(l.meta.live) {
		err = corrupt(l.ix.cfg.Table.Meta(metaName), "%d vectors of %d", live, l.meta.live)
	}
	if err != nil {
		return err
	}
	for slot, layer := range l.dead {
		// Nobody sees it: which node it was does not matter.
		node(slot, ^uint64(slot), layer, hnsw.Life{Slot: slot, Born: 1, Died: l.meta.seq})
	}
	nodes := 0
	for _, layer := range l.record.layers {
		nodes += layer.Linked
	}
	if nodes != len(l.lives) {
		return corrupt(l.ix.cfg.Table.Meta(graphName), "%d nodes of %d", len(l.lives), nodes)
	}
	return nil
}

// readCodes reads the codes of a range of slots and returns how many there
// are.
func (l *loader) readCodes(ctx context.Context, g *hnsw.Restored, from, to uint32) (n int, err error) {
	size, t := l.codec.Size(), l.ix.cfg.Table
	v := g.Version()
	prefix := append(t.Prefix(layout.TagCode), l.record.edition)
	lower, upper := t.Code(l.record.edition, from), t.Code(l.record.edition, to)
	err = l.within(ctx, prefix, lower, upper, 4, func(key, rest, value []byte) error {
		slot := binary.BigEndian.Uint32(rest)
		if !l.known(slot) {
			return nil
		}
		if len(value) != size {
			return corrupt(key, "code of %d bytes", len(value))
		}
		if !l.codec.Valid(value) {
			return corrupt(key, "malformed code")
		}
		n++
		copy(v.Code(slot), value)
		return nil
	})
	return n, err
}

func (l *loader) readLinks(ctx context.Context, g *hnsw.Restored) error {
	n := 0
	var links []uint32
	prefix := append(l.ix.cfg.Table.Prefix(layout.TagLinks), l.record.edition)
	err := l.each(ctx, prefix, 5, func(key, rest, value []byte) error {
		list := hnsw.List{Key: hnsw.ListKey{Level: rest[0], Slot: binary.BigEndian.Uint32(rest[1:])}}
		if !l.known(list.Key.Slot) {
			return nil
		}
		if len(value)%4 != 0 || list.Key.Level == 0 && len(value) == 0 {
			return corrupt(key, "links of %d bytes", len(value))
		}
		if list.Key.Level == 0 {
			n++
			list.Parent = binary.LittleEndian.Uint32(value)
			value = value[4:]
		}
		links = links[:0]
		for ; len(value) > 0; value = value[4:] {
			links = append(links, binary.LittleEndian.Uint32(value))
		}
		list.Links = links
		if err := g.List(list, l.known); err != nil {
			return corrupt(key, "%v", err)
		}
		return nil
	})
	if err == nil && n != len(l.lives) {
		err = corrupt(l.ix.cfg.Table.Meta(graphName), "links of %d nodes of %d", n, len(l.lives))
	}
	return err
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
