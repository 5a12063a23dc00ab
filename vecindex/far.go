package vecindex

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Where vectors do not fit into memory, their codes do, in a quarter or an
// eighth of the bytes. They bound each score from below too: the k-th best of
// these bounds is a score that k vectors reach, whichever they are. What cannot
// reach it is passed over, and the vectors of the others are read from the
// snapshot, the most promising first, until none of those left can be a hit. So
// the hits and their scores have the same bits as if all had been compared.

// far is a search of rows whose vectors are in the store.
type far struct {
	ctx   context.Context
	v     *View
	m     *mirror
	allow *roaring.Bitmap
	sc    *scratch
	*farScratch
	chunk int         // where the doubts of the chunk at hand begin
	it    kv.Iterator // of vectors, nil until one is wanted
	at    uint32      // slot of its key
}

// farScratch is kept between searches.
type farScratch struct {
	doubts []doubt
	floors []topK // the best lower bounds, as tops
	places []place
}

// doubt is a row that may be among the hits.
type doubt struct {
	id    uint64
	most  float64 // its score is not above
	slot  uint32
	layer uint8
}

const (
	// walkShare says from which share of the rows on the vectors in doubt are
	// read by going through all: to seek one costs as much as some ten steps.
	walkShare = 8
	// keptDoubts is how many doubts wait for the end, besides those of a share
	// of hits.
	keptDoubts = 2048
	// skipSlots is how many keys an iterator steps over before it seeks.
	skipSlots = 2 * walkShare
)

func (v *View) newFar(ctx context.Context, m *mirror, allow *roaring.Bitmap, sc *scratch) *far {
	f := &far{ctx: ctx, v: v, m: m, allow: allow, sc: sc, farScratch: &sc.far}
	f.doubts = f.doubts[:0]
	if n := len(sc.tops) - len(f.floors); n > 0 {
		f.floors = append(f.floors, make([]topK, n)...)
	}
	for i := range sc.tops {
		f.floors[i].reset(sc.tops[i].k)
	}
	return f
}

// close gives up what the search holds.
func (f *far) close() error {
	if cap(f.doubts) > maxKept {
		f.doubts, f.places = nil, nil
	}
	for i := range f.floors {
		if cap(f.floors[i].heap) > maxKept {
			f.floors[i].heap = nil
		}
	}
	if f.it == nil {
		return nil
	}
	return f.it.Close()
}

// reaches reports whether a row of a layer that scores most at best may be
// among the hits.
func (f *far) reaches(layer uint8, most float64) bool {
	i := f.sc.layer[layer]
	if worst, full := f.sc.tops[i].worst(); full && most < float64(worst) {
		return false
	}
	floor, full := f.floors[i].worst()
	return !full || most >= float64(floor)
}

// sift notes which of the rows from from to to of a chunk are in doubt.
func (f *far) sift(c *chunk, from, to int) {
	s := &f.sc.sieve
	s.bounds(c, from, to)
	for row := from; row < to; row++ {
		score, within := s.bound(row-from, &c.residues[row])
		layer := c.layers[row]
		if !f.reaches(layer, score+within) || f.allow != nil && !allowed(f.allow, c.ids[row]) {
			continue
		}
		floor := Hit{ID: c.ids[row], Layer: layer, Score: below(score - within)}
		if t := &f.floors[f.sc.layer[layer]]; t.accepts(floor) {
			t.take(floor)
		}
		f.doubts = append(f.doubts, doubt{c.ids[row], score + within, c.slots[row], layer})
	}
}

// below returns a float32 that is not above x.
func below(x float64) float32 {
	y := float32(x)
	if float64(y) > x {
		y = math.Nextafter32(y, float32(math.Inf(-1)))
	}
	return y
}

// want notes all rows from from to to of a chunk.
func (f *far) want(c *chunk, from, to int) {
	for row := from; row < to; row++ {
		if f.allow == nil || allowed(f.allow, c.ids[row]) {
			f.doubts = append(f.doubts, doubt{c.ids[row], math.Inf(1), c.slots[row], c.layers[row]})
		}
	}
}

// resident notes the row of an id if it is in memory without its vector, and
// reports whether it is.
func (f *far) resident(id uint64) bool {
	c, row, where := f.m.find(id, f.v.meta.seq)
	if where != resident || c.residues == nil || c.tier == wholeRows {
		return false
	}
	if f.sc.wants(c.layers[row]) {
		f.sc.distances++
		f.sift(c, row, row+1)
	}
	return true
}

// ended ends a chunk of n rows. If most of what there is of them has to be
// read, it is read now: it will not be less in the end.
func (f *far) ended(n int) error {
	here := f.left(f.doubts[f.chunk:])
	f.doubts = f.doubts[:f.chunk+len(here)]
	f.chunk = len(f.doubts)
	if len(here)*walkShare < n || len(f.doubts) < keptDoubts+sieveShare*f.sc.hits() {
		return nil
	}
	all := f.left(f.doubts)
	f.doubts, f.chunk = f.doubts[:0], 0
	return f.walk(all)
}

// left returns the doubts that are still in doubt.
func (f *far) left(all []doubt) []doubt {
	return slices.DeleteFunc(all, func(d doubt) bool { return !f.reaches(d.layer, d.most) })
}

// finish reads the vectors that are in doubt.
func (f *far) finish() error {
	all := f.left(f.doubts)
	if len(all)*walkShare >= f.m.live {
		return f.walk(all)
	}
	slices.SortFunc(all, func(a, b doubt) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.id, b.id))
	})
	n := f.sc.hits() + f.sc.hits()/2 + 8
	for len(all) > 0 {
		n = min(n, len(all))
		if err := f.read(all[:n]); err != nil {
			return err
		}
		all, n = f.left(all[n:]), fetchBatch
	}
	return nil
}

// offer compares the vector of a doubt with the query.
func (f *far) offer(d *doubt, x []float32) {
	f.sc.offer(Hit{ID: d.id, Layer: d.layer, Score: f.v.ix.cfg.Metric.score(f.sc.query, x)}, nil)
}

// read reads vectors that are far from each other.
func (f *far) read(some []doubt) error {
	f.places = f.places[:0]
	for i, d := range some {
		f.places = append(f.places, place{i, d.slot, d.layer})
	}
	return f.v.src.inSlots(f.ctx, f.places, func(i int, _ uint8, x []float32) error {
		f.offer(&some[i], x)
		return nil
	})
}

// walk reads vectors that are near each other.
func (f *far) walk(all []doubt) (err error) {
	slices.SortFunc(all, func(a, b doubt) int { return cmp.Compare(a.slot, b.slot) })
	src := f.v.src
	if f.it == nil {
		if f.it, err = src.iter(f.ctx, layout.TagVector); err != nil {
			return err
		}
	}
	if len(f.sc.row) != src.dim {
		f.sc.row = make([]float32, src.dim)
	}
	for i := range all {
		if i%ctxStride == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		d := &all[i]
		if err := f.seek(d.slot); err != nil {
			return err
		}
		if err := src.element.read(f.it.Key(), f.it.Value(), f.sc.row); err != nil {
			return err
		}
		f.offer(d, f.sc.row)
	}
	return nil
}

// seek moves the iterator to the vector of a slot.
func (f *far) seek(slot uint32) (err error) {
	key := f.v.src.table.Slot
	ok := f.it.Valid() && f.at < slot && slot-f.at <= skipSlots
	if ok {
		ok = f.it.Next()
	} else {
		ok = f.it.SeekGE(key(layout.TagVector, slot))
	}
	for ok {
		if f.at, err = keySlot(f.it.Key()); err != nil {
			return err
		}
		if f.at >= slot {
			break
		}
		ok = f.it.Next()
	}
	if ok && f.at == slot {
		return nil
	}
	if err := f.it.Err(); err != nil {
		return err
	}
	return corrupt(key(layout.TagVector, slot), "slot without a vector")
}
