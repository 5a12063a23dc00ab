package vecindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// A graph that is not in memory is walked in the store, in the snapshot of the
// View: a walk reads some thousand codes and lists of links. It is the same
// walk, and so is what it finds. Searches do so
//   - right after opening, until they have read a tenth of the codes: then all
//     are read into memory, if they fit;
//   - if the graph does not fit, or what is in memory does not show the
//     snapshot.

const (
	// minCold is the number of vectors below which the graph is read at once,
	// or all vectors are compared.
	minCold = 2048
	// coldShare is the share of the codes that walks read before the graph is
	// read into memory, or is asked again whether it fits.
	coldShare = 10
	// maxColdMarks is how many vectors may wait to be linked, or to be taken
	// out, at least; an eighth of all may. A search compares each with
	// what it looks for.
	maxColdMarks = 1024
	// coldFilter is how many allowed ids, for each candidate of the width, make
	// a walk cheaper than reading all vectors in order. See few for less.
	coldFilter = 640
)

// errNoWalk says that a search cannot be answered by a walk on disk.
var errNoWalk = errors.New("no walk")

// walks is what the searches of a graph on disk share: an empty graph, whose
// searchers they use.
type walks struct{ *hnsw.Graph }

// coldView is what a View knows of the graph in its snapshot.
type coldView struct {
	ok            bool // it can be walked
	record        graphRecord
	raw           []byte // of record
	seq           uint64 // of the index's record
	codec         *quant.Codec
	pending, dead []uint32 // slots, ascending
	gone          [256]int // dead nodes, by layer
}

// maxMarks is how many marks of either kind a walk puts up with.
func maxMarks(live uint32) int { return max(maxColdMarks, int(live/8)) }

// cold returns what the View knows of the graph in its snapshot.
func (v *View) cold(ctx context.Context) (*coldView, error) {
	if c := v.onDisk.Load(); c != nil {
		return c, nil
	}
	c, err := v.ix.readCold(ctx, v.src.r, v.meta)
	if err == nil {
		v.onDisk.Store(c)
	}
	return c, err
}

// readCold reads what a snapshot has of the graph. Marks are made and removed
// by commits that change the index's record or that of the graph, so they
// are those of the last snapshot that was read if these two are: reading them
// is passing by all that were removed of late. An overlay changes its marks
// within one commit.
func (ix *Index) readCold(ctx context.Context, r kv.Reader, m meta) (*coldView, error) {
	l := &loader{ix: ix, r: r, meta: m}
	if some, err := l.readRecords(ctx); err != nil || !some {
		return &coldView{}, err
	}
	_, changing := r.(*kv.Overlay)
	if c := ix.lastCold.Load(); c != nil && !changing && c.seq == m.seq && bytes.Equal(c.raw, l.raw) {
		return c, nil
	}
	c := &coldView{record: l.record, codec: l.codec, seq: m.seq, raw: l.raw}
	most := maxMarks(m.live)
	var err error
	if c.dead, err = l.marks(ctx, 1, 0, most+1, &c.gone); err != nil {
		return nil, err
	}
	// The first look is not at slots of which there are no marks by now. That
	// may not be so of the snapshot: then the numbers do not agree.
	for _, from := range []uint32{ix.marksFrom.Load(), 0} {
		if c.pending, err = l.marks(ctx, 0, from, most+1, nil); err != nil {
			return nil, err
		}
		if c.ok = len(c.pending) <= most && len(c.dead) <= most && l.linked()-len(c.dead)+len(c.pending) == int(m.live); c.ok {
			break
		}
	}
	if !changing {
		ix.lastCold.Store(c)
	}
	return c, nil
}

// walksFirst reports whether a search walks the graph on disk before it is read
// into memory.
func (v *View) walksFirst(q *Search) bool {
	ix := v.ix
	return ix.limit >= 0 && q.Allow == nil && v.state.Load() == nil && ix.state.Load() == nil &&
		ix.cold.Load() < int64(v.meta.live/coldShare)
}

// searchCold is search by a walk on disk; ok is false if there is none. first
// says that the graph may be read into memory instead, where dead nodes and the
// lists of a linker that was interrupted are passed by in another way.
func (v *View) searchCold(ctx context.Context, q *Search, sc *scratch, dst []Hit, first bool) (out []Hit, ok bool, err error) {
	ix := v.ix
	if !ix.cfg.graph() || q.Exact || v.meta.live < ix.minCold {
		return nil, false, nil
	}
	if q.Allow != nil && q.Allow.GetCardinality() < uint64(coldFilter*width(q)) {
		return nil, false, nil
	}
	c, err := v.cold(ctx)
	if err != nil || !c.ok || first && (c.record.flags&graphTorn != 0 || len(c.dead) > 0) {
		return nil, false, err
	}
	g := ix.walkGraph(c.codec, int(v.meta.next))
	src := &coldGraph{ctx: ctx, ix: ix, r: v.src.r, coldView: c, codes: map[uint32][]byte{}, ids: map[uint32]uint64{}}
	defer func() { ix.cold.Add(int64(len(src.codes))) }()
	gs := &graphSearch{v: v, q: *q, sc: sc, s: g.Searcher(), nodes: src, low: g.Params().Low, disk: src}
	defer func() {
		sc.distances += gs.s.Total()
		g.Release(gs.s)
	}()
	out, err = gs.run(ctx, c.codec, dst)
	if errors.Is(err, errNoWalk) {
		_, err = sc.plan(q) // forgets what was pending
		return nil, false, err
	}
	return out, err == nil, err
}

// walkGraph returns the empty graph whose searchers walk on disk. They refine
// distances as they would in memory if the graph fits there.
func (ix *Index) walkGraph(codec *quant.Codec, n int) *hnsw.Graph {
	if w := ix.walks.Load(); w != nil && w.Codec() == codec {
		return w.Graph
	}
	g := ix.newGraph(codec, n, 0, false)
	if g == nil {
		p := ix.params()
		p.Low = ix.lowOnDisk(codec)
		g = hnsw.New(codec, p)
	}
	ix.walks.Store(&walks{g})
	return g
}

// refused notes that the graph was not read into memory: it is asked again when
// as much was read once more.
func (ix *Index) refused() {
	ix.cold.Store(0)
	ix.walks.Store(nil)
}

// coldGraph reads nodes of a graph from the store, each once.
type coldGraph struct {
	*coldView
	ix    *Index
	ctx   context.Context
	r     kv.Reader
	codes map[uint32][]byte // nil of what the graph does not have
	ids   map[uint32]uint64
	slab  []byte // that codes are cut from
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

// down returns the node of the layer below that a node leads to.
func (c *coldGraph) down(slot uint32) (below uint32, ok bool, err error) {
	key := c.ix.cfg.Table.Links(c.record.edition, hnsw.DownLevel, slot)
	b, err := c.r.Get(c.ctx, key, c.links[:0])
	if errors.Is(err, kv.ErrNotFound) || err == nil && len(b) == 0 {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if c.links = b; len(b) != 4 {
		return 0, false, corrupt(key, "links of %d bytes", len(b))
	}
	below = binary.LittleEndian.Uint32(b)
	has, err := c.Read([]uint32{below})
	return below, len(has) == 1, err
}

func marked(slots []uint32, slot uint32) bool {
	_, ok := slices.BinarySearch(slots, slot)
	return ok
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
		if b == nil || marked(c.pending, slot) {
			c.codes[slot] = nil // of a linker that was interrupted
			return nil
		}
		if len(b) != size || !c.codec.Valid(b) {
			return corrupt(c.keys[i], "malformed code of %d bytes", len(b))
		}
		if len(c.slab) < size {
			c.slab = make([]byte, 128*size)
		}
		c.codes[slot] = c.slab[:size:size]
		copy(c.slab, b)
		c.slab = c.slab[size:]
		return nil
	})
	if err == nil && c.record.flags&graphTorn != 0 {
		err = c.dropStray()
	}
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

// dropStray forgets the codes just read of slots that have no node: an interrupted
// linker wrote them, and their vectors were deleted since.
func (c *coldGraph) dropStray() error {
	read := slices.DeleteFunc(c.want, func(slot uint32) bool { return c.codes[slot] == nil || marked(c.dead, slot) })
	keys := make([][]byte, len(read))
	for i, slot := range read {
		keys[i] = c.ix.cfg.Table.Slot(layout.TagSlot, slot)
	}
	return c.r.MultiGet(c.ctx, keys, func(i int, b []byte) error {
		if b == nil {
			c.codes[read[i]] = nil
		}
		return nil
	})
}

// Code implements [hnsw.Source].
func (c *coldGraph) Code(slot uint32) []byte { return c.codes[slot] }

// ID returns the node in a slot that was named.
func (c *coldGraph) ID(slot uint32) uint64 { return c.ids[slot] }

// name reads which nodes are in slots.
func (c *coldGraph) name(slots ...uint32) error {
	c.keys, c.want = c.keys[:0], c.want[:0]
	for _, slot := range slots {
		if _, ok := c.ids[slot]; !ok {
			c.keys, c.want = append(c.keys, c.ix.cfg.Table.Slot(layout.TagSlot, slot)), append(c.want, slot)
		}
	}
	return c.r.MultiGet(c.ctx, c.keys, func(i int, b []byte) error {
		if b == nil {
			return corrupt(c.keys[i], "a node of the graph without its slot")
		}
		rec, err := readSlot(c.keys[i], b)
		c.ids[c.want[i]] = rec.id
		return err
	})
}

// walked is candidates of a graph on disk.
func (gs *graphSearch) walked() ([]hnsw.Candidate, error) {
	c, q := gs.disk, gs.sc.graph.query
	if int(gs.layer) >= len(c.record.layers) {
		return nil, nil
	}
	in := c.record.layers[gs.layer]
	n := in.Linked
	if n == 0 {
		return nil, nil
	}
	allow, budget, alive := gs.q.Allow, math.MaxInt, n-c.gone[gs.layer]
	accept := func(slot uint32) (bool, error) { return !marked(c.dead, slot), nil }
	if allow != nil && !gs.pass {
		budget = int(min(allow.GetCardinality(), uint64(n)))
		accept = func(slot uint32) (bool, error) {
			if marked(c.dead, slot) {
				return false, nil
			}
			err := c.name(slot)
			return err == nil && allowed(allow, c.ids[slot]), err
		}
	} else if len(c.dead) == 0 {
		all, err := gs.s.SearchSource(c, q, in, gs.from, gs.ef)
		if err != nil || len(all) >= min(gs.k, n) {
			return gs.named(all, err)
		}
	}
	all, ok, err := gs.s.AcceptedSource(c, q, in, gs.from, gs.ef, budget, accept)
	if err == nil && (!ok || len(all) < min(gs.k, alive)) {
		err = errNoWalk
	}
	return gs.named(all, err)
}

// named reads which nodes the candidates are.
func (gs *graphSearch) named(all []hnsw.Candidate, err error) ([]hnsw.Candidate, error) {
	if err != nil {
		return nil, err
	}
	slots := make([]uint32, len(all))
	for i, x := range all {
		slots[i] = x.Slot()
	}
	return all, gs.disk.name(slots...)
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
