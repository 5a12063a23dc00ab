package vecindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// routed is what an index with lists has in memory: where the lists are, as of one
// state of them. It is immutable.
type routed struct {
	record listsRecord // edition and state are those of the router
	codec  *quant.Codec
	router *ivf.Router
	before *routed // the state before, for Views that were opened in it; nil for none
}

// is reports whether the router is that of a record.
func (x *routed) is(r *listsRecord) bool {
	return x != nil && x.record.edition == r.edition && x.record.made == r.made
}

func (x *routed) bytes() int64 {
	if x == nil {
		return 0
	}
	return x.router.Bytes() + 64*int64(x.router.Lists()) // and what a lister knows of each
}

// listsView is what a View knows of the lists in its snapshot.
type listsView struct {
	*routed
	record  listsRecord
	raw     []byte // of record
	seq     uint64 // of the index's record
	pending []uint32
}

// readListsRecord reads the record of the lists, nil if there are none.
func (ix *Index) readListsRecord(ctx context.Context, r kv.Reader) (rec *listsRecord, raw []byte, err error) {
	key, b, err := ix.get(ctx, r, listsName)
	if err != nil || b == nil {
		return nil, nil, err
	}
	x, err := readLists(key, b)
	return &x, b, err
}

// lists returns what the View knows of the lists in its snapshot, nil if there are
// none.
func (v *View) lists(ctx context.Context) (*listsView, error) {
	if l := v.listed.Load(); l != nil {
		return l, nil
	}
	ix := v.ix
	rec, raw, err := ix.readListsRecord(ctx, v.src.r)
	if err != nil || rec == nil {
		return nil, err
	}
	// Marks are made and removed by commits that change one of the two records, so
	// that they are those of the last snapshot if these are. An overlay changes its
	// marks within a commit.
	_, changing := v.src.r.(*kv.Overlay)
	if l := ix.lastLists.Load(); l != nil && !changing && l.seq == v.meta.seq && bytes.Equal(l.raw, raw) {
		v.listed.Store(l)
		return l, nil
	}
	l := &listsView{record: *rec, raw: raw, seq: v.meta.seq}
	if l.routed, err = ix.routing(ctx, v.src.r, rec); err != nil {
		return nil, err
	}
	marks := &loader{ix: ix, r: v.src.r, meta: v.meta}
	if l.pending, err = marks.marks(ctx, 0, 0, int(v.meta.live)+1, nil); err != nil {
		return nil, err
	}
	if !changing {
		ix.lastLists.Store(l)
		v.listed.Store(l)
	}
	return l, nil
}

// routing returns the router of the lists that a record is of.
func (ix *Index) routing(ctx context.Context, r kv.Reader, rec *listsRecord) (*routed, error) {
	now := ix.routed.Load()
	switch {
	case now.is(rec):
		return now, nil
	case now != nil && now.before.is(rec):
		return now.before, nil
	}
	x, err := ix.loadRouter(ctx, r, rec)
	if err != nil {
		return nil, err
	}
	// It is kept if it is the latest: that of an old snapshot is its View's.
	ix.mu.Lock()
	defer ix.mu.Unlock()
	have := ix.routed.Load()
	switch {
	case ix.limit < 0:
	case have == nil && (now == nil || now.record.made < rec.made), ix.follows && have != nil && have.record.made < rec.made:
		ix.routed.Store(x)
	}
	return x, nil
}

// loadRouter reads the lists that a record is of.
func (ix *Index) loadRouter(ctx context.Context, r kv.Reader, rec *listsRecord) (*routed, error) {
	key, b, err := ix.get(ctx, r, codecName(rec.edition))
	if err != nil {
		return nil, err
	}
	codec, err := ix.readCodec(key, b)
	if err != nil {
		return nil, err
	}
	if !codec.Rotated() {
		return nil, corrupt(key, "the codec of lists does not rotate")
	}
	l := &loader{ix: ix, r: r}
	var all []ivf.List
	prefix := append(ix.cfg.Table.Prefix(layout.TagCode), rec.edition)
	err = l.each(ctx, prefix, 4, func(key, rest, value []byte) error {
		id := binary.BigEndian.Uint32(rest)
		list, err := readList(key, value, id, ix.cfg.Dim)
		if err == nil && (id >= rec.nextList || list.Group >= rec.nextGroup) {
			err = corrupt(key, "list %d of %d in group %d of %d", id, rec.nextList, list.Group, rec.nextGroup)
		}
		all = append(all, list)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &routed{record: *rec, codec: codec, router: ivf.NewRouter(ix.cfg.Dim, all)}, nil
}

// route publishes a router. It is called before its commit is applied, so that a
// View of that finds it.
func (ix *Index) route(x *routed) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.limit < 0 {
		return
	}
	if now := ix.routed.Load(); now != nil {
		last := *now
		last.before = nil
		x.before = &last
	}
	ix.routed.Store(x)
}

// unroute forgets the routers, which may be of a commit that failed.
func (ix *Index) unroute() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.routed.Store(nil)
	ix.lastLists.Store(nil)
}

// turner turns vectors into rows, in its own room.
type turner struct {
	codec        *quant.Codec
	turned, room []float32
	row          ivf.Row
	coder        *ivf.Coder
	centroid     []float32
	route        ivf.Route
	near         []ivf.Near
}

func (ix *Index) newTurner(codec *quant.Codec) *turner {
	d := ix.cfg.Dim
	return &turner{
		codec: codec, turned: make([]float32, d), room: make([]float32, d), row: ivf.Row{Q: make([]int8, d)},
		coder: ivf.NewCoder(d, ix.cfg.Metric == InnerProduct), centroid: make([]float32, d),
	}
}

// turn turns a stored vector.
func (t *turner) turn(x []float32) {
	t.codec.Turn(t.turned, t.room, x, false)
	t.row.Set(t.turned)
}

const (
	// choice is the number of near lists of which the second of a vector is chosen.
	choice = 16
	// placeGroups is the least number of groups that are looked at for them.
	placeGroups = 6
)

// place returns the lists that the vector last turned goes to, with their rows in
// t.near, the places there being given.
func (t *turner) place(r *ivf.Router, layer uint8) (at [2]int, n int) {
	t.near = r.Nearest(&t.route, t.row, false, layer, choice, placeGroups, t.near[:0])
	if len(t.near) == 0 {
		return at, 0
	}
	if second := t.route.Pick(t.turned, t.near); second > 0 {
		return [2]int{0, second}, 2
	}
	return at, 1
}

// append appends the posting of the vector last turned, of a node, in a list.
func (t *turner) append(dst []byte, id uint64, list *ivf.List) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, id)
	from := len(dst)
	dst = slices.Grow(dst, t.coder.Size())[:from+t.coder.Size()]
	list.Row.Vector(t.centroid)
	t.coder.Encode(dst[from:], t.turned, t.centroid)
	return dst
}

// turners has one turner for each goroutine that wants one.
type turners struct{ sync.Pool }

func (ix *Index) newTurners(codec *quant.Codec) *turners {
	return &turners{sync.Pool{New: func() any { return ix.newTurner(codec) }}}
}

func (p *turners) get() *turner  { return p.Get().(*turner) }
func (p *turners) put(t *turner) { p.Put(t) }
