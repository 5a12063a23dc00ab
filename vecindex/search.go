package vecindex

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
)

// Search says what to look for.
type Search struct {
	// Vector is the query. Under [Cosine] its length does not matter.
	Vector []float32
	// K is how many hits are wanted; fewer if there are not as many
	// vectors, none if it is not positive. It is not used with Layers.
	K int
	// Ef is the width of the search of a kind that is not exact, up to
	// 16,384; 0 is 64. Of a graph it is at least the number of hits wanted; of an IVF it is
	// how many lists, and how many vectors, are read at most. Flat has no use for it.
	Ef int
	// Allow holds the node ids that may be found; nil allows all. Ids from
	// 2^32 on are not in any bitmap. The bitmap must not change meanwhile.
	Allow *roaring.Bitmap
	// Layers asks for the best of each of some layers, each named once (an
	// error otherwise); nil for the best K of all layers together.
	Layers []LayerK
	// Exact asks a kind that is not exact to compare all vectors.
	Exact bool
	// Distances, if not nil, is set to the number of vectors that the query
	// was compared with. Of a graph a vector counts on each level on which it
	// is met, and once if an estimate is followed by a better one.
	Distances *int
}

// LayerK asks for the best K vectors of a layer.
type LayerK struct {
	Layer uint8
	K     int
}

// blockRows is the most rows that are scored by one call of a kernel.
const blockRows = 256

// scratch is what a search needs beside its result, kept between searches.
type scratch struct {
	query  []float32
	scores [blockRows]float32
	row    []float32
	tops   []topK
	layer  [256]int16 // layer -> place in tops, -1 for a layer not asked for
	// distances counts what the query was compared with.
	distances int
	ids       []uint64
	raw       []byte
	sieve     sieve
	far       farScratch
	graph     graphScratch
	lists     listRoom
}

// maxKept is the most hits that a scratch keeps room for.
const maxKept = 1 << 12

// Search appends to dst the vectors nearest to the query and returns it. Hits
// are ordered by score descending, then id ascending; with Layers they are
// grouped by layer, in the order of Layers, and so ordered in each group. Flat
// is exact. A query of another dimension is a [*DimensionError], one that the
// metric cannot take (NaN or infinite elements; zero under [Cosine]) a
// [*VectorError].
//
// It takes O(n d) time for n vectors of d elements, or O(a d) if Allow
// holds few ids, a; in memory it allocates nothing but room in dst, unless
// Allow is set.
func (v *View) Search(ctx context.Context, q Search, dst []Hit) ([]Hit, error) {
	if err := v.check("search"); err != nil {
		return dst, err
	}
	sc := v.ix.scratch.Get().(*scratch)
	sc.distances = 0
	out, err := v.search(ctx, &q, sc, dst)
	if q.Distances != nil {
		*q.Distances = sc.distances
	}
	for i := range sc.tops {
		if cap(sc.tops[i].heap) > maxKept {
			sc.tops[i].heap = nil
		}
	}
	v.ix.scratch.Put(sc)
	if err != nil {
		return dst, v.ix.wrap("search", err)
	}
	return out, nil
}

func (v *View) search(ctx context.Context, q *Search, sc *scratch, dst []Hit) ([]Hit, error) {
	if q.Ef < 0 || q.Ef > maxEf {
		return nil, fmt.Errorf("Ef %d is not within 0 to %d: %w", q.Ef, maxEf, ErrRange)
	}
	var err error
	if sc.query, err = v.ix.cfg.appendPrepared(sc.query[:0], q.Vector, asks); err != nil {
		return nil, err
	}
	wanted, err := sc.plan(q)
	if err != nil || !wanted || v.meta.live == 0 || q.Allow != nil && q.Allow.IsEmpty() {
		return dst, err
	}
	if large, err := v.large(ctx); err != nil {
		return nil, err
	} else if large {
		return v.searchLarge(ctx, *q, sc, dst)
	}
	first := v.walksFirst(q)
	if first {
		if out, ok, err := v.searchCold(ctx, q, sc, dst, true); ok || err != nil {
			return out, err
		}
	}
	st, err := v.source(ctx)
	if err != nil {
		return nil, err
	}
	if st == nil {
		v.ix.refused()
		if out, ok, err := v.searchCold(ctx, q, sc, dst, false); ok || err != nil {
			return out, err
		}
	}
	var m *mirror
	if st != nil {
		if st.graph != nil && !q.Exact {
			if dst, err = v.searchGraph(ctx, st, *q, sc, dst); err == nil && st.graph.made() != math.MaxUint32 {
				err = v.searched(ctx, st)
			}
			return dst, err
		}
		m = st.all()
	}
	switch {
	case q.Allow != nil && v.few(m, q.Allow):
		err = v.searchAllowed(ctx, m, q.Allow, sc)
	case m != nil:
		err = v.searchMirror(ctx, m, q.Allow, sc)
	default:
		err = v.searchStored(ctx, q.Allow, sc)
	}
	if err != nil {
		return nil, err
	}
	for i := range sc.tops {
		dst = sc.tops[i].appendSorted(dst)
	}
	return dst, nil
}

// plan prepares the heaps; wanted is false if no hit is asked for.
func (sc *scratch) plan(q *Search) (wanted bool, err error) {
	if q.Layers == nil {
		clear(sc.layer[:])
		sc.setTops(1)
		sc.tops[0].reset(q.K)
		return q.K > 0, nil
	}
	for i := range sc.layer {
		sc.layer[i] = -1
	}
	var named [256]bool
	sc.setTops(len(q.Layers))
	for i, l := range q.Layers {
		if named[l.Layer] {
			return false, fmt.Errorf("layer %d is asked for twice", l.Layer)
		}
		named[l.Layer] = true
		sc.tops[i].reset(l.K)
		if l.K > 0 {
			sc.layer[l.Layer] = int16(i)
			wanted = true
		}
	}
	return wanted, nil
}

func (sc *scratch) setTops(n int) {
	if n > cap(sc.tops) {
		sc.tops = append(sc.tops[:cap(sc.tops)], make([]topK, n-cap(sc.tops))...)
	}
	sc.tops = sc.tops[:n]
}

// hits returns how many hits are wanted.
func (sc *scratch) hits() int {
	n := 0
	for i := range sc.tops {
		n += max(sc.tops[i].k, 0)
	}
	return n
}

// wants reports whether vectors of a layer can be hits.
func (sc *scratch) wants(layer uint8) bool { return sc.layer[layer] >= 0 }

// offer takes a vector of a wanted layer if it is among the best and allowed.
// The bitmap is asked last: most vectors of a scan are not among the best.
func (sc *scratch) offer(h Hit, allow *roaring.Bitmap) {
	t := &sc.tops[sc.layer[h.Layer]]
	if t.accepts(h) && (allow == nil || allowed(allow, h.ID)) {
		t.take(h)
	}
}

func allowed(allow *roaring.Bitmap, id uint64) bool {
	return id>>32 == 0 && allow.Contains(uint32(id))
}

// few reports whether looking the allowed ids up costs less than a scan, by
// BenchmarkSearch: in memory a vector out of order costs about three in order,
// or ten that are sifted by their codes, and in a store about sixteen.
func (v *View) few(m *mirror, allow *roaring.Bitmap) bool {
	times := uint64(16)
	switch {
	case m != nil && m.tier == bareRows: // as in a store
	case m != nil && m.coded:
		times = 10
	case m != nil:
		times = 3
	}
	return times*allow.GetCardinality() <= uint64(v.meta.live)
}

// searchAllowed scores the allowed ids one by one.
func (v *View) searchAllowed(ctx context.Context, m *mirror, allow *roaring.Bitmap, sc *scratch) (err error) {
	metric := v.ix.cfg.Metric
	score := func(i int, layer uint8, x []float32) error {
		if sc.wants(layer) {
			sc.distances++
			sc.offer(Hit{ID: sc.ids[i], Layer: layer, Score: metric.score(sc.query, x)}, nil)
		}
		return nil
	}
	var f *far
	if m != nil && m.sifts(sc) && m.tier != wholeRows {
		sc.sieve.set(sc.query, m.coder)
		f = v.newFar(ctx, m, nil, sc)
		defer func() { err = errors.Join(err, f.close()) }()
	}
	it := allow.ManyIterator()
	var page [fetchBatch]uint32
	for n := it.NextMany(page[:]); n > 0; n = it.NextMany(page[:]) {
		sc.ids = sc.ids[:0]
		for _, id := range page[:n] {
			if f == nil || !f.resident(uint64(id)) {
				sc.ids = append(sc.ids, uint64(id))
			}
		}
		if err := v.each(ctx, m, sc.ids, score); err != nil {
			return err
		}
	}
	if f == nil {
		return nil
	}
	return f.finish()
}

// searchStored scores all vectors as they stream from the snapshot.
func (v *View) searchStored(ctx context.Context, allow *roaring.Bitmap, sc *scratch) error {
	metric := v.ix.cfg.Metric
	if len(sc.row) != v.src.dim {
		sc.row = make([]float32, v.src.dim)
	}
	return v.src.scan(ctx, func(rec slotRecord, _ uint32, key, raw []byte) error {
		if !sc.wants(rec.layer) || allow != nil && !allowed(allow, rec.id) {
			return nil
		}
		if err := v.src.element.read(key, raw, sc.row); err != nil {
			return err
		}
		sc.distances++
		sc.offer(Hit{ID: rec.id, Layer: rec.layer, Score: metric.score(sc.query, sc.row)}, nil)
		return nil
	})
}
