package vecindex

import (
	"bytes"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// An index that follows is written by another process: nothing is published to it, and
// linkers change its records in commits that it does not hear of. So each View
// compares what is in memory with the records in its snapshot. A mirror of all vectors is
// brought up to date by the slots that were given out since, which ascend, and, if the
// number of vectors says that some are gone, by looking which slots are left. A graph
// does not say what of it changed: one that is not that of the snapshot is given up, and
// searches walk it in the store until they have read so much that it is worth reading.

// atFollowed is what [Index.At] reads of an index that follows: its record, and that of
// the graph as it is stored, nil if there is none.
func (ix *Index) atFollowed(ctx context.Context, r kv.Reader) (m meta, graph []byte, err error) {
	if !ix.cfg.graph() {
		m, err = ix.readMeta(ctx, r)
		return m, nil, err
	}
	t := ix.cfg.Table
	keys := [][]byte{t.Meta(metaName), t.Meta(graphName)}
	err = r.MultiGet(ctx, keys, func(i int, b []byte) (err error) {
		switch {
		case b == nil:
		case i == 0:
			m, err = ix.stamped(keys[i], b)
		default:
			graph = slices.Clone(b)
		}
		return err
	})
	return m, graph, err
}

// isOf reports whether a state that follows is that of a View's snapshot.
func (st *state) isOf(v *View) bool { return st.shows(v.meta.seq) && bytes.Equal(st.raw, v.raw) }

// outdated gives up a graph in memory that is not that of the View, unless the View is
// of an older commit.
func (ix *Index) outdated(v *View) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	st := ix.state.Load()
	if st == nil || st.graph == nil && v.raw == nil || st.head > v.meta.seq || st.isOf(v) {
		return
	}
	ix.state.Store(nil)
	ix.walks.Store(nil)
	ix.cold.Store(0)
}

// follow returns the state of the View's snapshot, which it reads or brings up to
// date, or nil if the store has to be read: memory is for the latest commit.
func (v *View) follow(ctx context.Context) (*state, error) {
	ix := v.ix
	if ix.limit < 0 {
		return nil, nil
	}
	done := make(chan struct{})
	for {
		ix.mu.Lock()
		st, other := ix.state.Load(), ix.loading
		switch {
		case st != nil && st.isOf(v):
			v.state.Store(st)
			ix.mu.Unlock()
			return st, nil
		case st != nil && st.head > v.meta.seq:
			ix.mu.Unlock()
			return nil, nil
		case other == nil:
			ix.loading = done
			ix.mu.Unlock()
			next, err := v.next(ctx, st)
			ix.mu.Lock()
			defer ix.mu.Unlock()
			ix.loading = nil
			ix.keep(next) // none after an error: rows may have been added to the one before
			close(done)
			if next = ix.state.Load(); next == nil || !next.isOf(v) {
				return nil, err
			}
			v.state.Store(next)
			return next, err
		}
		ix.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next returns the state of the View's snapshot, given the one in memory.
func (v *View) next(ctx context.Context, st *state) (next *state, err error) {
	if st != nil && st.graph == nil && v.raw == nil && v.meta.next < maxSlots {
		if next, err = v.advance(ctx, st); err != nil {
			return nil, err
		}
	}
	if next == nil {
		if next, err = v.ix.buildFrom(ctx, v.src.r, v.meta, false); err != nil || next == nil {
			return nil, err
		}
	}
	next.next, next.raw = v.meta.next, v.raw
	return next, nil
}

// advance brings a mirror of all vectors up to the View's commit; nil if that does not
// do.
func (v *View) advance(ctx context.Context, st *state) (*state, error) {
	m, to := st.mirror.next(), &v.meta
	row := make([]float32, v.src.dim)
	err := v.src.scanFrom(ctx, st.next, func(rec slotRecord, slot uint32, key, raw []byte) error {
		if err := to.accepts(rec, slot, key); err != nil {
			return err
		}
		if err := v.src.element.read(key, raw, row); err != nil {
			return err
		}
		m.kill(rec.id, to.seq)
		m.add(rec, slot, row)
		return nil
	})
	if err == nil && m.live > int(to.live) {
		err = v.killGone(ctx, m, st.next)
	}
	if err != nil || m.live != int(to.live) {
		return nil, err
	}
	m.tidy(to.seq)
	m.floor = to.seq // when between its commits rows came and went is not known
	return mirrored(m), nil
}

// killGone ends the lives of the rows whose slots, all below a bound, hold nothing any
// more.
func (v *View) killGone(ctx context.Context, m *mirror, below uint32) error {
	left := roaring.New()
	t := v.src.table
	err := (&loader{ix: v.ix, r: v.src.r}).within(ctx, t.Prefix(layout.TagSlot), t.Slot(layout.TagSlot, 0), t.Slot(layout.TagSlot, below), 4,
		func(key, _, _ []byte) error {
			slot, err := keySlot(key)
			left.Add(slot)
			return err
		})
	if err != nil {
		return err
	}
	for ci, c := range m.chunks {
		for i := range m.rows(ci) {
			if c.died[i].Load() == 0 && c.slots[i] < below && !left.Contains(c.slots[i]) {
				m.kill(c.ids[i], v.meta.seq)
			}
		}
	}
	return nil
}
