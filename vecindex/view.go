package vecindex

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync/atomic"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// View shows the vectors of one snapshot. It is safe for concurrent use as far
// as its reader is: a View over a [kv.Overlay] is not.
type View struct {
	ix     *Index
	src    stored
	meta   meta
	raw    []byte // of an index that follows: the record of the graph
	state  atomic.Pointer[state]
	onDisk atomic.Pointer[coldView]  // nil if no search has walked on disk
	listed atomic.Pointer[listsView] // nil if no search has read lists
	small  atomic.Bool               // of an Auto index: the snapshot is known to have no lists
	closed atomic.Bool
}

// fetchBatch is how many ids are read from the store at a time.
const fetchBatch = 256

// At returns the view of the snapshot s, taken at epoch seq. It reads one
// record. s must stay open and must not change until the View is closed: over
// an Overlay, a View is opened after the writes that it is to show. The error
// is ErrSequence if s holds a change of the index made after seq.
func (ix *Index) At(ctx context.Context, s kv.Reader, seq uint64) (*View, error) {
	read := ix.atLatest
	if ix.follows {
		read = ix.atFollowed
	}
	m, raw, err := read(ctx, s)
	if err != nil {
		return nil, ix.wrap("view", err)
	}
	if m.seq > seq {
		return nil, ix.wrap("view", fmt.Errorf("snapshot of epoch %d holds commit %d: %w", seq, m.seq, ErrSequence))
	}
	v := &View{ix: ix, src: ix.in(s), meta: m, raw: raw}
	if ix.follows {
		ix.outdated(v)
		if st := ix.state.Load(); st != nil && st.isOf(v) {
			v.state.Store(st)
		}
		return v, nil
	}
	if ix.cfg.graph() {
		// What the View sees must not be taken out of the graph.
		ix.mu.Lock()
		defer ix.mu.Unlock()
		if ix.open == nil {
			ix.open = map[uint64]int{}
		}
		ix.open[m.seq]++
	}
	v.hold(ix.state.Load())
	return v, nil
}

// atLatest is atFollowed for an index that this process writes: its memory tells of the
// graph.
func (ix *Index) atLatest(ctx context.Context, r kv.Reader) (m meta, graph []byte, err error) {
	m, err = ix.readMeta(ctx, r)
	return m, nil, err
}

// Close releases the memory that only this View holds. The View is of no use
// afterwards: its methods return ErrClosed.
func (v *View) Close() {
	if v.closed.Swap(true) {
		return
	}
	v.state.Store(nil)
	v.onDisk.Store(nil)
	v.listed.Store(nil)
	if ix := v.ix; ix.cfg.graph() && !ix.follows {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		if ix.open[v.meta.seq]--; ix.open[v.meta.seq] == 0 {
			delete(ix.open, v.meta.seq)
		}
	}
}

// Len returns the number of vectors.
func (v *View) Len() int { return int(v.meta.live) }

// hold takes st for the View if st shows its snapshot.
func (v *View) hold(st *state) *state {
	if st == nil || !st.shows(v.meta.seq) {
		return nil
	}
	v.state.Store(st)
	return st
}

// source returns the state that shows the snapshot, built now if there is none
// yet, or nil if the store has to be read.
func (v *View) source(ctx context.Context) (*state, error) {
	if large, err := v.large(ctx); err != nil || large {
		return nil, err
	}
	if v.ix.large.Load() {
		return v.state.Load(), nil // the snapshot is of before there were lists
	}
	if st := v.state.Load(); st != nil {
		// One of the latest commit is read again if more of it fits by now.
		if st.head != v.meta.seq || st != v.ix.state.Load() || !v.ix.roomier(st) || !v.ix.Release() {
			return st, nil
		}
		v.state.Store(nil)
	}
	if v.ix.follows {
		return v.follow(ctx)
	}
	for {
		st, err := v.ix.load(ctx)
		if err != nil || st == nil {
			return nil, err
		}
		wait := v.ix.unpublished(v.meta.seq)
		if wait == nil {
			return v.hold(st), nil
		}
		// The commit is applied, so its Publish is under way: reading all
		// vectors from the store would take far longer.
		timer := time.NewTimer(publishWait)
		select {
		case <-wait:
		case <-timer.C:
			v.ix.giveUp(v.meta.seq)
		case <-ctx.Done():
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// publishWait is how long a View waits for a commit to be published.
const publishWait = 50 * time.Millisecond

// giveUp ends all waits for the commit seq.
func (ix *Index) giveUp(seq uint64) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.begun == seq {
		ix.begun = 0
	}
}

// unpublished returns what is closed when the commit seq is published, nil
// if it is already or is not the last Write's.
func (ix *Index) unpublished(seq uint64) <-chan struct{} {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if st := ix.state.Load(); st == nil || st.head >= seq || ix.begun != seq {
		return nil
	}
	if ix.publish == nil {
		ix.publish = make(chan struct{})
	}
	return ix.publish
}

// rows returns the mirror of all vectors that the View holds, nil if there
// is none.
func (v *View) rows() *mirror {
	if st := v.state.Load(); st != nil {
		return st.all()
	}
	return nil
}

func (v *View) check(op string) error {
	if v.closed.Load() {
		return v.ix.wrap(op, fmt.Errorf("view: %w", kv.ErrClosed))
	}
	return nil
}

// Score appends to dst the exact score of q against the vector of each of ids,
// in the order of ids. An id without a vector scores negative infinity, which
// no vector does. A query that the metric cannot take is an error as in
// [View.Search].
func (v *View) Score(ctx context.Context, q []float32, ids []uint64, dst []float32) ([]float32, error) {
	if err := v.check("score"); err != nil {
		return dst, err
	}
	sc := v.ix.scratch.Get().(*scratch)
	defer v.ix.scratch.Put(sc)
	var err error
	if sc.query, err = v.ix.cfg.appendPrepared(sc.query[:0], q, asks); err != nil {
		return dst, v.ix.wrap("score", err)
	}
	if _, err := v.source(ctx); err != nil {
		return dst, v.ix.wrap("score", err)
	}
	n := len(dst)
	for range ids {
		dst = append(dst, float32(math.Inf(-1)))
	}
	metric := v.ix.cfg.Metric
	err = v.each(ctx, v.rows(), ids, func(i int, _ uint8, x []float32) error {
		dst[n+i] = metric.score(sc.query, x)
		return nil
	})
	if err != nil {
		return dst[:n], v.ix.wrap("score", err)
	}
	return dst, nil
}

// Vector appends the vector of node id to dst, in the form it is stored in:
// under [Cosine] scaled to length 1. The error is [kv.ErrNotFound] if the
// node has none.
func (v *View) Vector(ctx context.Context, id uint64, dst []float32) ([]float32, error) {
	if err := v.check("vector"); err != nil {
		return dst, err
	}
	n := len(dst)
	err := v.each(ctx, v.rows(), []uint64{id}, func(_ int, _ uint8, x []float32) error {
		dst = append(dst, x...)
		return nil
	})
	if err == nil && len(dst) == n {
		err = kv.ErrNotFound
	}
	if err != nil {
		return dst[:n], v.ix.wrap(fmt.Sprintf("vector of node %d", id), err)
	}
	return dst, nil
}

// Entry is one vector of an index, in the form it is stored in.
type Entry struct {
	ID     uint64
	Layer  uint8
	Vector []float32
}

// All returns all vectors, ids ascending. An Entry's Vector is valid until the
// next step. An error ends the sequence.
func (v *View) All(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := v.all(ctx, func(e Entry) bool { return yield(e, nil) }); err != nil {
			yield(Entry{}, v.ix.wrap("read all", err))
		}
	}
}

func (v *View) all(ctx context.Context, yield func(Entry) bool) (err error) {
	if v.closed.Load() {
		return fmt.Errorf("view: %w", kv.ErrClosed)
	}
	it, err := v.src.iter(ctx, layout.TagSlotOf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	dim := v.src.dim
	ids := make([]uint64, 0, fetchBatch)
	layers := make([]uint8, fetchBatch)
	buffer := make([]float32, fetchBatch*dim)
	seen := 0
	for ok := it.First(); ok; {
		ids = ids[:0]
		for ; ok && len(ids) < fetchBatch; ok = it.Next() {
			id, err := keyNode(it.Key())
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		found := 0
		err := v.each(ctx, v.rows(), ids, func(i int, layer uint8, x []float32) error {
			layers[i] = layer
			copy(buffer[i*dim:], x)
			found++
			return nil
		})
		if err != nil {
			return err
		}
		if seen += found; found < len(ids) {
			return corrupt(v.src.table.Meta(metaName), "%d nodes with a slot have no vector", len(ids)-found)
		}
		for i, id := range ids {
			if !yield(Entry{ID: id, Layer: layers[i], Vector: buffer[i*dim : (i+1)*dim : (i+1)*dim]}) {
				return nil
			}
		}
	}
	if err := errors.Join(it.Err(), ctx.Err()); err != nil {
		return err
	}
	if seen != int(v.meta.live) {
		return corrupt(v.src.table.Meta(metaName), "%d vectors of %d", seen, v.meta.live)
	}
	return nil
}

// each calls fn with the place in ids, layer and vector of each id that the
// View has, in any order, from m if it is not nil and knows. The vector is
// valid until fn returns.
func (v *View) each(ctx context.Context, m *mirror, ids []uint64, fn func(i int, layer uint8, x []float32) error) error {
	var rest []int // places of the ids that the store has to be asked for
	var restIDs []uint64
	var held []place // those of which only the vector is not in memory
	for from := 0; from < len(ids); from += fetchBatch {
		if err := ctx.Err(); err != nil {
			return err
		}
		rest, restIDs, held = rest[:0], restIDs[:0], held[:0]
		for i := from; i < min(from+fetchBatch, len(ids)); i++ {
			where := unknown
			if m != nil {
				var c *chunk
				var row int
				switch c, row, where = m.find(ids[i], v.meta.seq); {
				case where == resident && c.tier != wholeRows:
					held = append(held, place{i, c.slots[row], c.layers[row]})
				case where == resident:
					if err := fn(i, c.layers[row], c.vector(row, m.dim)); err != nil {
						return err
					}
				}
			}
			if where == unknown {
				rest, restIDs = append(rest, i), append(restIDs, ids[i])
			}
		}
		if err := v.src.inSlots(ctx, held, fn); err != nil {
			return err
		}
		if len(rest) == 0 {
			continue
		}
		err := v.src.vectors(ctx, restIDs, func(j int, layer uint8, x []float32) error {
			return fn(rest[j], layer, x)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
