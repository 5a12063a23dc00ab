package vecindex

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// Slots are given out in ascending order as long as there are any. A graph has
// tables by slot, and a linker works on slots: it knows which ones came free,
// and these are given out first. A flat index has nothing by slot but the
// records, of which every snapshot has its own. So it looks for slots without a
// record, a million at a time, when all were given out.

// maxFree bounds the free slots that are kept in memory.
const maxFree = 1 << 20

// freeAt returns the slots that a write after the commit seq can be given. A
// commit that was not published may have used some: then there are none. The
// caller holds mu.
func (ix *Index) freeAt(seq uint64) []uint32 {
	head := ix.freeHead
	if ix.cfg.lists() {
		return nil
	}
	if ix.cfg.graph() {
		st := ix.state.Load()
		if st == nil {
			return nil
		}
		head = st.head
	}
	if head != seq {
		return nil
	}
	return ix.free
}

// spend takes the slots that a published write used off the free ones. The
// caller holds mu.
func (ix *Index) spend(w *Write) {
	flat := ix.cfg.Kind == Flat
	switch used := w.free[:w.reused]; {
	case flat && w.found:
		ix.free, ix.freeHead = w.free[w.reused:], w.seq
		return
	case flat && ix.freeHead != w.base, len(used) == 0:
	case len(used) <= len(ix.free) && slices.Equal(used, ix.free[:len(used)]):
		ix.free = ix.free[len(used):] // the write began with the same ones, or fewer
	default: // they were read again since
		gone := make(map[uint32]bool, len(used))
		for _, s := range used {
			gone[s] = true
		}
		ix.free = slices.DeleteFunc(slices.Clone(ix.free), func(s uint32) bool { return gone[s] })
	}
	if flat && ix.freeHead == w.base {
		ix.freeHead = w.seq
	}
}

// makeSlot sees to it that newSlot has a slot to return; ErrFull if it cannot.
func (w *Write) makeSlot(ctx context.Context) error {
	if w.reused < len(w.free) || w.meta.next < maxSlots {
		return nil
	}
	if w.ix.cfg.Kind != Flat {
		return ErrFull
	}
	free, err := w.gaps(ctx)
	if err != nil {
		return err
	}
	if len(free) == 0 {
		return ErrFull
	}
	w.free, w.reused, w.found = free, 0, true
	return nil
}

// gaps returns slots without a record, ascending. What this write has used is
// not among them, though the store does not have it yet.
func (w *Write) gaps(ctx context.Context) (free []uint32, err error) {
	used := map[uint32]bool{}
	for i := range w.staged {
		if s := &w.staged[i]; s.live {
			used[s.slot] = true
		}
	}
	it, err := w.ix.in(w.ix.store).iter(ctx, layout.TagSlot)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	at := uint32(0)
	for ok := it.First(); ; ok = it.Next() {
		end := w.fresh
		if ok {
			if end, err = keySlot(it.Key()); err != nil {
				return nil, err
			}
		}
		for ; at < end && len(free) < maxFree; at++ {
			if !used[at] {
				free = append(free, at)
			}
		}
		if !ok || len(free) == maxFree {
			return free, errors.Join(it.Err(), ctx.Err())
		}
		at = end + 1
	}
}

// newSlot returns a slot for a vector: a free one, or the next.
func (w *Write) newSlot() uint32 {
	if w.reused < len(w.free) {
		w.reused++
		return w.free[w.reused-1]
	}
	w.meta.next++
	return w.meta.next - 1
}
