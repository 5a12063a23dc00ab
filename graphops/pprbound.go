package graphops

import (
	"cmp"
	"slices"
)

// maxLocalWork is how much a walk may read of a graph that is not a projection, in
// entries, if its options do not say.
const maxLocalWork = 1 << 18

// workRow is what a row or a degree counts beside its entries: to find one whose block is not
// in the cache takes as long as to follow so many.
const workRow = 512

// A farRow is a row of more than a page of the store, which waits. How long it is costs one
// more read.
type farRow struct {
	place  uint32
	length int
}

// readLikeliest reads the rows of the nodes where the walk is, as far as they fit: by
// falling probability, then the long ones by that of each of their entries.
func (w *walk) readLikeliest() error {
	todo := w.order[:0]
	for place := range uint32(len(w.score)) {
		if w.score[place] > 0 && w.begin[place] == unread {
			todo = append(todo, place)
		}
	}
	w.order = todo
	slices.SortFunc(todo, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(w.score[b], w.score[a]), cmp.Compare(a, b))
	})
	var far []farRow
	for _, place := range todo {
		if w.left < workRow {
			return nil
		}
		n, err := w.readWithin(place, w.local != nil)
		if err != nil {
			return err
		}
		if n > 0 {
			far = append(far, farRow{place, n})
		}
	}
	slices.SortFunc(far, func(a, b farRow) int {
		return cmp.Or(cmp.Compare(w.score[b.place]/float64(b.length), w.score[a.place]/float64(a.length)), cmp.Compare(a.place, b.place))
	})
	for _, f := range far {
		if w.cost(f.length) > w.left {
			continue // a shorter one may fit
		}
		if _, err := w.readWithin(f.place, false); err != nil {
			return err
		}
	}
	return nil
}

// cost is what a row of so many neighbours counts, with their degrees if the walk's
// weights want them.
func (w *walk) cost(neighbours int) int {
	each := 1
	if w.weights >= DegreeWeights {
		each += workRow
	}
	return workRow + neighbours*each
}

// readWithin reads the row of the node at a place if it fits. If long rows wait and it is
// one, it returns how long it is.
func (w *walk) readWithin(place uint32, wait bool) (length int, err error) {
	u := w.seen.nodes[place]
	if wait {
		var more bool
		w.ids, w.w, more = w.local.page(u, w.ids[:0], w.w[:0])
		if err := w.local.Err(); err != nil {
			return 0, err
		}
		if more {
			w.left -= 2 * workRow
			return w.degreeOf(u)
		}
	}
	row, weights := w.ids, w.w
	if !wait {
		if row, weights, err = w.row(u); err != nil {
			return 0, err
		}
	} else if w.credit -= creditRow + len(row); w.credit <= 0 {
		if err := w.ctx.Err(); err != nil {
			return 0, err
		}
		w.credit = rowCredit
	}
	c := w.cost(len(row))
	if c > w.left {
		w.left -= workRow
		return 0, nil
	}
	w.left -= c
	return 0, w.take(place, row, weights)
}
