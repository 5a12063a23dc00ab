package vecindex

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// A search of an index with lists reads the few lists whose centroids are nearest
// to the query, estimates the distances of their vectors from codes, and compares the
// vectors that may be among the best. So it takes two rounds of reads as a rule,
// whatever the number of vectors.

const (
	// leastLists is how many lists are read at least, if they are there.
	leastLists = 4
	// hitsPerList is how many hits wanted ask for one list more: what is far is in many lists.
	hitsPerList = 4
	// reach is how much farther than the nearest centroid one may be, of distances,
	// at the default width. It goes with the root of the width.
	reach = 0.3
	// sure is how many standard deviations an estimate is taken to be off by.
	sure = 1.25
	// perHit is how many vectors are compared in the first round for each hit wanted, or as many as
	// are wanted and moreWidths times the width if that is less, and at least the width.
	perHit, moreWidths = 4, 3
	// routeGroups is the least number of groups of lists that are looked at.
	routeGroups = 48
	// directly is how many allowed ids, for each of the width, are compared without
	// looking at the lists.
	directly = 16
)

// guess is a vector that a list has, and what its code says.
type guess struct {
	d, within float32
	slot      uint32
	layer     uint8
	id        uint64
}

// compareGuesses orders by distance and id, not by slot: slots depend on the history.
func compareGuesses(a, b guess) int {
	return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.id, b.id), cmp.Compare(a.slot, b.slot))
}

// listSearch is a search by lists.
type listSearch struct {
	ctx   context.Context
	v     *View
	q     *Search
	sc    *scratch
	lists *listsView
	*listRoom
	it    kv.Iterator // of postings
	found int         // in this layer
}

// listRoom is kept between searches.
type listRoom struct {
	turner  *turner
	query   *ivf.Query
	guesses []guess
	left    []guess
	held    []posting
	bounds  []float32
	seen    map[uint32]bool // slots that were compared
	taken   map[uint32]bool // slots that are to be compared next
	opened  map[uint32]bool // lists that were read
}

// prepare makes the room that of a search.
func (r *listRoom) prepare(ix *Index, codec *quant.Codec) {
	if r.turner == nil || r.turner.codec != codec {
		r.turner = ix.newTurner(codec)
		r.query = r.turner.coder.NewQuery()
		r.seen, r.taken, r.opened = map[uint32]bool{}, map[uint32]bool{}, map[uint32]bool{}
	}
	if cap(r.guesses) > maxKept*4 {
		r.guesses, r.left = nil, nil
	}
	clear(r.seen)
	clear(r.opened)
}

// searchLarge is search of an index with lists.
func (v *View) searchLarge(ctx context.Context, q Search, sc *scratch, dst []Hit) ([]Hit, error) {
	ok, err := v.searchLists(ctx, &q, sc)
	if err == nil && !ok {
		if q.Allow != nil && (v.few(nil, q.Allow) || q.Allow.GetCardinality() <= uint64(directly*width(&q))) {
			err = v.searchAllowed(ctx, nil, q.Allow, sc)
		} else {
			err = v.searchStored(ctx, q.Allow, sc)
		}
	}
	if err != nil {
		return nil, err
	}
	for i := range sc.tops {
		dst = sc.tops[i].appendSorted(dst)
	}
	return dst, nil
}

// searchLists is search of an index with lists; ok is false if vectors have to be
// compared one by one.
func (v *View) searchLists(ctx context.Context, q *Search, sc *scratch) (ok bool, err error) {
	width := max(width(q), 1)
	if q.Exact || q.Allow != nil && q.Allow.GetCardinality() <= uint64(directly*width) {
		return false, nil
	}
	lists, err := v.lists(ctx)
	if err != nil || lists == nil {
		return false, err
	}
	s := &listSearch{ctx: ctx, v: v, q: q, sc: sc, lists: lists, listRoom: &sc.lists}
	s.prepare(v.ix, lists.codec)
	lists.codec.Turn(s.turner.turned, s.turner.room, sc.query, true)
	s.query.Set(s.turner.turned)
	s.turner.row.Set(s.turner.turned)
	prefix := v.src.table.Links(lists.record.edition, postingLevel, 0)
	prefix = prefix[:len(prefix)-4]
	if s.it, err = v.src.r.Iter(ctx, prefix, layout.Next(prefix)); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.it.Close()) }()
	if err := s.comparePending(); err != nil {
		return false, err
	}
	for _, layer := range lists.router.Layers() {
		if sc.wants(layer) {
			if err := s.layer(layer, width); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// comparePending compares the vectors that are in no list yet.
func (s *listSearch) comparePending() error {
	if len(s.lists.pending) == 0 {
		return nil
	}
	return s.v.src.pending(s.ctx, s.lists.pending[0], func(slot uint32, rec slotRecord, x []float32) error {
		if s.sc.wants(rec.layer) {
			s.sc.distances++
			s.sc.offer(Hit{ID: rec.id, Layer: rec.layer, Score: s.v.ix.cfg.Metric.score(s.sc.query, x)}, s.q.Allow)
		}
		s.seen[slot] = true
		return nil
	})
}

// layer searches the lists of a layer, more of them until there are as many hits as
// wanted.
func (s *listSearch) layer(layer uint8, width int) error {
	r, ip := s.lists.router, s.v.ix.cfg.Metric == InnerProduct
	t := &s.sc.tops[s.sc.layer[layer]]
	if s.q.Allow != nil {
		// The fewer are allowed, the farther they are from each other.
		share := float64(s.v.meta.live) / float64(max(s.q.Allow.GetCardinality(), 1))
		width = int(float64(width) * math.Sqrt(min(max(share, 1), 256)))
	}
	least := leastLists + t.k/hitsPerList
	s.guesses, s.found = s.guesses[:0], 0
	near := s.turner.near
	defer func() { s.turner.near = near[:0] }()
	for first, n := true, max(width, least); ; first, n = false, 4*n {
		near = r.Nearest(&s.turner.route, s.turner.row, ip, layer, n, routeGroups, near[:0])
		some := near
		if first && !ip && s.q.Allow == nil {
			some = within(near, least, width)
		}
		if err := s.read(some, ip); err != nil {
			return err
		}
		if err := s.compare(t.k, width); err != nil {
			return err
		}
		if len(t.heap) >= t.k || s.found >= t.k || len(some) == len(near) && n >= r.Lists() {
			return nil
		}
	}
}

// within returns the lists that are not much farther than the nearest, and least of them
// at least.
func within(near []ivf.Near, least, width int) []ivf.Near {
	if len(near) <= least {
		return near
	}
	far := 1 + reach*math.Sqrt(float64(width)/defaultEf)
	limit := float64(max(near[0].Distance, 0)) * far * far
	n := least
	for n < len(near) && float64(near[n].Distance) <= limit {
		n++
	}
	return near[:n]
}

// read reads lists that were not read yet and estimates the distances of their vectors.
func (s *listSearch) read(near []ivf.Near, ip bool) error {
	edition, table := s.lists.record.edition, s.v.src.table
	slices.SortFunc(near, func(a, b ivf.Near) int { return cmp.Compare(a.ID, b.ID) })
	for i := range near {
		if i%16 == 15 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		n := &near[i]
		if s.opened[n.ID] {
			continue
		}
		s.opened[n.ID] = true
		prefix := table.Links(edition, postingLevel, n.ID)
		s.held = s.held[:0]
		s.query.Reset()
		for ok := s.it.SeekGE(prefix); ok && hasPrefix(s.it.Key(), prefix); ok = s.it.Next() {
			p, err := readPosting(s.it.Key(), s.it.Value(), s.turner.coder)
			if err != nil {
				return err
			}
			if s.q.Allow != nil && !allowed(s.q.Allow, p.id) {
				continue
			}
			s.query.Add(p.code)
			p.code = nil
			s.held = append(s.held, p)
		}
		if err := s.it.Err(); err != nil {
			return err
		}
		between := n.Distance // squared, of the query and the centroid
		if ip {
			between += s.turner.row.Norm + n.Row.Norm
		}
		between = float32(math.Sqrt(float64(max(between, 0))))
		s.sc.distances += s.query.Len()
		s.query.Estimates(n.Distance, func(i int, d, deviation float32) {
			p := &s.held[i]
			s.guesses = append(s.guesses, guess{d: d, within: sure * deviation * between, slot: p.slot, layer: n.Layer, id: p.id})
		})
	}
	return nil
}

func hasPrefix(key, prefix []byte) bool {
	return len(key) >= len(prefix) && string(key[:len(prefix)]) == string(prefix)
}

// compare compares vectors with the query: in the first round those whose estimates say
// that they may be among the best k, and more as long as there are less than k hits.
func (s *listSearch) compare(k, width int) error {
	most := max(width, min(perHit*k, k+moreWidths*width))
	for first := true; len(s.guesses) > 0 && (first || s.found < k); first = false {
		some := s.promising(k, most)
		if err := s.score(some); err != nil {
			return err
		}
	}
	return nil
}

// promising takes from the guesses those that may be among the best k, at most most of
// them, each slot once. The others stay.
func (s *listSearch) promising(k, most int) []guess {
	all := s.guesses
	front := min(len(all), 2*(most+k)) // a slot may be in two lists
	selectGuesses(all, front)
	some := all[:front]
	slices.SortFunc(some, compareGuesses)
	clear(s.taken)
	some = slices.DeleteFunc(some, func(g guess) bool {
		twice := s.taken[g.slot] || s.seen[g.slot]
		s.taken[g.slot] = true
		return twice
	})
	limit := float32(math.Inf(1))
	if len(some) >= k {
		s.bounds = s.bounds[:0]
		for _, g := range some {
			s.bounds = append(s.bounds, g.d+g.within)
		}
		slices.Sort(s.bounds)
		limit = s.bounds[k-1]
	}
	s.left = s.left[:0]
	n := 0
	for i, g := range some {
		if i < k || n < most && g.d-g.within <= limit {
			some[n] = g
			n++
		} else {
			s.left = append(s.left, g)
		}
	}
	s.left = append(s.left, all[front:]...)
	s.guesses, s.left = s.left, s.guesses
	return some[:n]
}

// selectGuesses moves the n least guesses to the front.
func selectGuesses(all []guess, n int) {
	for len(all) > 32 && n > 0 && n < len(all) {
		three := []guess{all[0], all[len(all)/2], all[len(all)-1]}
		slices.SortFunc(three, compareGuesses)
		pivot := three[1]
		i, j := 0, len(all)-1
		for i <= j {
			for compareGuesses(all[i], pivot) < 0 {
				i++
			}
			for compareGuesses(all[j], pivot) > 0 {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			all = all[:j+1]
		case n >= i:
			all, n = all[i:], n-i
		default:
			return
		}
	}
	slices.SortFunc(all, compareGuesses)
}

// score compares vectors with the query. A slot without a vector is of one that died.
func (s *listSearch) score(some []guess) error {
	src := s.v.src
	slices.SortFunc(some, func(a, b guess) int { return cmp.Compare(a.slot, b.slot) })
	keys := make([][]byte, len(some))
	for i, g := range some {
		keys[i] = src.table.Slot(layout.TagVector, g.slot)
		s.seen[g.slot] = true
	}
	row := s.turner.room
	return src.r.MultiGet(s.ctx, keys, func(i int, b []byte) error {
		if b == nil {
			return nil
		}
		if err := src.element.read(keys[i], b, row); err != nil {
			return err
		}
		g := &some[i]
		s.found++
		s.sc.offer(Hit{ID: g.id, Layer: g.layer, Score: s.v.ix.cfg.Metric.score(s.sc.query, row)}, nil)
		return nil
	})
}
