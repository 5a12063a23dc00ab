package vecindex

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Write stages the changes of one commit: its records go into the caller's
// batch at once, and into the mirror when the caller says that the batch was
// applied. It is not safe for concurrent use.
type Write struct {
	ix     *Index
	b      kv.Batch
	base   uint64 // sequence of the commit before
	seq    uint64
	meta   meta
	byID   map[uint64]int // place in staged
	staged []staged
	buffer []float32 // vectors of staged, one after the other
	enc    []byte
	free   []uint32 // slots that can be given out again
	reused int      // of free
	found  bool     // this write has looked for free slots
	fresh  uint32   // first slot that no write before gave out
	waits  int64    // vectors that a graph has to get, in all
	marks  bool     // changes leave marks for those who link
	// changed says that b holds records of this write; done that it ended.
	changed, done bool
}

// staged is the last change of one id. A live one has a slot of this write.
type staged struct {
	id     uint64
	slot   uint32
	layer  uint8
	live   bool
	vector int // place in buffer, in vectors; valid while live
	// old is the slot that the id had before the write, if had.
	old uint32
	had bool
}

// Begin starts the write whose records b receives and whose commit will have
// the sequence seq, which must be above that of every earlier commit that
// changed the index; ErrSequence otherwise. There is one Write at a time: the
// caller applies or drops b, and calls Publish in the first case, before it
// begins the next one. A batch takes one Write of an index.
func (ix *Index) Begin(ctx context.Context, b kv.Batch, seq uint64) (*Write, error) {
	m, err := ix.readMeta(ctx, ix.store)
	if err != nil {
		return nil, ix.wrap("begin", err)
	}
	marks, err := ix.marks(ctx)
	if err != nil {
		return nil, ix.wrap("begin", err)
	}
	if seq <= m.seq || seq > maxSeq {
		return nil, ix.wrap("begin", fmt.Errorf("commit %d after %d: %w", seq, m.seq, ErrSequence))
	}
	w := &Write{ix: ix, b: b, base: m.seq, seq: seq, meta: m, fresh: m.next, marks: marks, byID: make(map[uint64]int)}
	w.meta.seq = seq
	ix.mu.Lock()
	ix.begun = seq
	w.free = ix.freeAt(m.seq)
	ix.mu.Unlock()
	w.meta.stamp = ix.cfg.stamp()
	return w, nil
}

// Put gives node id the vector v on a layer, in place of the one it has. v is
// copied. Of several changes of an id in one Write the last holds. A vector
// that the index refuses is a [*DimensionError] or a [*VectorError]; an error
// leaves the Write as it was.
func (w *Write) Put(ctx context.Context, id uint64, layer uint8, v []float32) error {
	if w.done {
		return w.ix.wrap("put", fmt.Errorf("write of commit %d: %w", w.seq, kv.ErrClosed))
	}
	dim := w.ix.cfg.Dim
	buffer, err := w.ix.cfg.appendPrepared(w.buffer, v, stores)
	if err != nil {
		return w.ix.wrap(fmt.Sprintf("put node %d", id), err)
	}
	i, known := w.byID[id]
	reuse := known && w.staged[i].live
	if !reuse {
		if err := w.makeSlot(ctx); err != nil {
			return w.ix.wrap(fmt.Sprintf("put node %d", id), err)
		}
	}
	if !known {
		if i, err = w.stage(ctx, id); err != nil {
			return w.ix.wrap(fmt.Sprintf("put node %d", id), err)
		}
	}
	s := &w.staged[i]
	if reuse {
		copy(w.vector(s), buffer[len(w.buffer):])
	} else {
		s.slot = w.newSlot()
		s.vector = len(w.buffer) / dim
		w.buffer = buffer
		w.meta.live++
		w.waits++
	}
	s.live, s.layer = true, layer

	t := w.ix.cfg.Table
	w.enc = w.ix.cfg.Element.append(w.enc[:0], w.vector(s))
	w.b.Set(t.Slot(layout.TagVector, s.slot), w.enc)
	w.enc = appendSlot(w.enc[:0], slotRecord{id: id, layer: layer, born: w.seq})
	w.b.Set(t.Slot(layout.TagSlot, s.slot), w.enc)
	w.enc = binary.LittleEndian.AppendUint32(w.enc[:0], s.slot)
	w.b.Set(t.SlotOf(id), w.enc)
	if w.marks {
		w.b.Set(t.Pending(false, s.slot), nil)
	}
	w.setMeta()
	return nil
}

// Delete removes the vector of node id and reports whether it had one.
func (w *Write) Delete(ctx context.Context, id uint64) (bool, error) {
	if w.done {
		return false, w.ix.wrap("delete", fmt.Errorf("write of commit %d: %w", w.seq, kv.ErrClosed))
	}
	t := w.ix.cfg.Table
	i, known := w.byID[id]
	if !known {
		before := w.meta.live
		if _, err := w.stage(ctx, id); err != nil {
			return false, w.ix.wrap(fmt.Sprintf("delete node %d", id), err)
		}
		if w.meta.live == before {
			return false, nil
		}
	} else if s := &w.staged[i]; s.live {
		w.deleteSlot(s.slot)
		if w.marks {
			w.b.Delete(t.Pending(false, s.slot))
		}
		s.live = false
		w.meta.live--
		w.waits--
	} else {
		return false, nil
	}
	w.b.Delete(t.SlotOf(id))
	w.setMeta()
	return true, nil
}

// Publish makes the changes visible to Views of the commit that are opened
// from now on in memory; until then they read it from their snapshots. It must
// be called after the batch was applied, and never if it was not. Further
// calls do nothing.
func (w *Write) Publish() {
	if w.done {
		return
	}
	w.done = true
	ix := w.ix
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.publish != nil {
		defer close(ix.publish)
		ix.publish = nil
	}
	if !w.changed {
		return
	}
	if w.marks {
		ix.wait(w.waits)
	}
	ix.took(w) // at once: a linker's commit may come before the load's end
	if ix.loading != nil {
		ix.buffered = append(ix.buffered, w)
		return
	}
	st := ix.state.Load()
	if st == nil || w.seq <= st.head {
		return
	}
	if w.base != st.head {
		ix.state.Store(nil) // a commit was not published: rebuilt when needed
		return
	}
	ix.keep(st.apply(w))
}

// took notes what a published write did to slots: it used free ones, and ended
// the lives of some that are being linked.
func (ix *Index) took(w *Write) {
	ix.spend(w)
	for i := range w.staged {
		if s := &w.staged[i]; s.live {
			ix.lowest = min(ix.lowest, s.slot)
		}
		if s := &w.staged[i]; s.had && ix.inFlight[s.old] {
			ix.lost[s.old] = w.seq
		}
	}
	ix.marksFrom.Store(min(ix.marksFrom.Load(), ix.lowest))
}

// stage notes id as changed and deletes the records of the slot it has.
func (w *Write) stage(ctx context.Context, id uint64) (int, error) {
	slot, ok, err := w.ix.in(w.ix.store).slotOf(ctx, id)
	if err != nil {
		return 0, err
	}
	if ok {
		if w.meta.live == 0 {
			return 0, corrupt(w.ix.cfg.Table.SlotOf(id), "slot in an index of no vectors")
		}
		if err := w.bury(ctx, slot); err != nil {
			return 0, err
		}
		w.deleteSlot(slot)
		w.meta.live--
	}
	i := len(w.staged)
	w.byID[id] = i
	w.staged = append(w.staged, staged{id: id, old: slot, had: ok})
	return i, nil
}

// bury marks a slot that dies to be taken out of the graph, or forgets that it
// was to be linked.
func (w *Write) bury(ctx context.Context, slot uint32) error {
	t := w.ix.cfg.Table
	if !w.marks {
		return nil
	}
	if w.ix.cfg.lists() {
		// It may be on its way into lists: a mark of what is in none is no harm.
		w.b.Delete(t.Pending(false, slot))
		w.b.Set(t.Pending(true, slot), []byte{0})
		return nil
	}
	pending := t.Pending(false, slot)
	_, err := w.ix.store.Get(ctx, pending, nil)
	if err == nil {
		w.b.Delete(pending)
		w.waits--
		return nil
	}
	if !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	key := t.Slot(layout.TagSlot, slot)
	b, err := w.ix.store.Get(ctx, key, nil)
	if err != nil {
		return err
	}
	rec, err := readSlot(key, b)
	if err != nil {
		return err
	}
	w.b.Set(t.Pending(true, slot), []byte{rec.layer})
	return nil
}

func (w *Write) deleteSlot(slot uint32) {
	t := w.ix.cfg.Table
	w.b.Delete(t.Slot(layout.TagVector, slot))
	w.b.Delete(t.Slot(layout.TagSlot, slot))
}

// setMeta keeps the index's record in the batch current, so that the batch can
// be applied or read through an overlay at any time.
func (w *Write) setMeta() {
	w.changed = true
	w.enc = appendMeta(w.enc[:0], &w.meta)
	w.b.Set(w.ix.cfg.Table.Meta(metaName), w.enc)
}

// vector returns the vector of a live change.
func (w *Write) vector(s *staged) []float32 {
	dim := w.ix.cfg.Dim
	return w.buffer[s.vector*dim : s.vector*dim+dim]
}
