package vecindex

import (
	"context"

	"github.com/ragdb/ragdb/kv"
)

// An Auto index has the records of a flat one until a Flush finds it large. The Flush
// makes lists of all vectors, beside writes, and one commit makes them the index's; from
// then on it has the records of an IVF. Only from the beginning of that Flush on do
// writes leave marks.
//
// Where a vector is listed follows from the lists and the vector, and only a Flush makes or
// divides lists. So what a search finds follows from what was there at each Flush, not
// from when the background worked.

// exactElements is the default of [Options.ExactElements]: the size from which on
// comparing all vectors takes longer than searching lists for the hundreds of candidates that
// plans ask for.
const exactElements = 1 << 26

// outgrown reports whether a Flush is to make the lists of an Auto index: it is large and
// has none, or they were made of two thirds of the vectors or less, or twice as many.
func (ix *Index) outgrown(d listsDue) bool {
	if d.rec == nil {
		return int64(d.live)*int64(ix.cfg.Dim) > ix.exact
	}
	of := int(d.rec.madeOf)
	return d.live > 0 && (2*d.live >= 3*of || 2*d.live <= of)
}

// marks reports whether a write that begins now leaves marks of what it changes. No
// commit of a linker comes between that and the end of the write.
func (ix *Index) marks(ctx context.Context) (bool, error) {
	switch {
	case ix.cfg.Kind != Auto:
		return ix.cfg.Kind != Flat, nil
	case ix.making.Load() || ix.large.Load():
		return true, nil
	}
	rec, _, err := ix.readListsRecord(ctx, ix.store)
	if rec != nil {
		ix.grown()
	}
	return rec != nil, err
}

// ByLists reports whether searches of the View that are not exact read lists: those of an
// IVF, and of an Auto index that was large at a Flush.
func (v *View) ByLists(ctx context.Context) (bool, error) {
	if err := v.check("look for lists"); err != nil {
		return false, err
	}
	large, err := v.large(ctx)
	if err == nil && large {
		var l *listsView
		l, err = v.lists(ctx)
		large = l != nil
	}
	return large, v.ix.wrap("look for lists", err)
}

// large reports whether searches of the View's snapshot go by lists, or would if there
// were any.
func (v *View) large(ctx context.Context) (bool, error) {
	switch {
	case v.ix.cfg.Kind != Auto:
		return v.ix.cfg.lists(), nil
	case v.small.Load():
		return false, nil
	}
	l, err := v.lists(ctx)
	if err != nil || l != nil {
		if l != nil && v.ix.follows && !v.ix.large.Load() {
			v.ix.grown()
		}
		return true, err
	}
	if _, changing := v.src.r.(*kv.Overlay); !changing {
		v.small.Store(true)
	}
	return false, nil
}

// grown gives up the mirror of an Auto index that has lists.
func (ix *Index) grown() {
	if ix.cfg.Kind != Auto {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.large.Store(true)
	ix.state.Store(nil)
}
