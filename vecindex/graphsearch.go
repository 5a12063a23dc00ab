package vecindex

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// stepCost is about how many distances a walk computes for each candidate of
// its width, measured on sets of 100,000 vectors with M = 16.
const stepCost = 14

// graphScratch is what a search of a graph needs beside its result.
type graphScratch struct {
	codec   *quant.Codec
	encoder *quant.Encoder
	query   *quant.Query
	hits    []Hit
	found   []Hit
	slots   []uint32
	all     []hnsw.Candidate
	row     []float32
	code    []byte // of the node whose low plane is made
	plane   []int8
	search  graphSearch
}

// prepare makes the scratch one for a codec.
func (sc *graphScratch) prepare(c *quant.Codec) {
	if sc.codec != c {
		sc.codec, sc.encoder, sc.query = c, c.NewEncoder(), c.NewQuery()
		sc.row, sc.code, sc.plane = make([]float32, c.Dim()), make([]byte, c.Size()), make([]int8, c.LowSize())
	}
}

// graphSearch is a search of one layer of a graph.
type graphSearch struct {
	v     *View
	st    *state
	q     Search
	sc    *scratch
	s     *hnsw.Searcher
	ver   *hnsw.Version
	nodes nodeReader // ver or disk
	disk  *coldGraph // of a walk on disk, which has no st and ver
	low   bool       // low planes tell better distances, else stored vectors
	// made is the number below which all slots have low planes in memory.
	made  uint32
	layer uint8
	k, ef int
	// from are nodes to begin at, of a walk that comes from the layer above.
	from []uint32
	// pass says that the walk only leads to the next layer.
	pass bool
}

// searchGraph appends the hits of the wanted layers of an index with a graph.
func (v *View) searchGraph(ctx context.Context, st *state, q Search, sc *scratch, dst []Hit) ([]Hit, error) {
	s := st.graph.Searcher()
	defer func() {
		sc.distances += s.Total()
		st.graph.Release(s)
	}()
	gs := &sc.graph.search
	*gs = graphSearch{v: v, st: st, q: q, sc: sc, s: s, ver: st.graph.Version(), from: gs.from[:0]}
	gs.nodes, gs.low, gs.made = gs.ver, st.graph.Params().Low, st.graph.made()
	defer func() { *gs = graphSearch{from: gs.from[:0]} }() // what it holds can go
	return gs.run(ctx, st.graph.Codec(), dst)
}

// run appends the hits of the wanted layers.
func (gs *graphSearch) run(ctx context.Context, codec *quant.Codec, dst []Hit) ([]Hit, error) {
	sc, q := gs.sc, &gs.q
	sc.graph.prepare(codec)
	sc.graph.query.Fill(sc.graph.encoder, sc.query)
	if err := gs.pending(ctx); err != nil {
		return nil, err
	}
	if q.Layers != nil && gs.v.ix.cfg.Kind == CHNSW {
		return gs.down(ctx, dst)
	}
	if q.Layers != nil {
		for i, l := range q.Layers {
			if l.K <= 0 {
				continue
			}
			gs.layer, gs.k = l.Layer, l.K
			hits, err := gs.one(ctx)
			if err != nil {
				return nil, err
			}
			dst = merged(dst, hits, sc.tops[i].appendSorted(nil), l.K)
		}
		return dst, nil
	}
	all := sc.graph.found[:0]
	gs.k = q.K
	for layer, l := range gs.layers() {
		if l.Linked == 0 {
			continue
		}
		gs.layer = uint8(layer)
		hits, err := gs.one(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	sc.graph.found = all
	return merged(dst, all, sc.tops[0].appendSorted(nil), q.K), nil
}

func (gs *graphSearch) layers() []hnsw.Layer {
	if gs.disk != nil {
		return gs.disk.record.layers
	}
	return gs.ver.Layers()
}

// merged appends the k best of two lists of hits, each id once: one that a
// linker is moving stands in both.
func merged(dst, a, b []Hit, k int) []Hit {
	from := len(dst)
	dst = append(append(dst, b...), a...)
	if len(b) > 0 {
		// What is pending comes first, so its exact score is the one kept.
		slices.SortStableFunc(dst[from:], func(x, y Hit) int { return cmp.Compare(x.ID, y.ID) })
		dst = dst[:from+len(slices.CompactFunc(dst[from:], func(x, y Hit) bool { return x.ID == y.ID }))]
	}
	slices.SortFunc(dst[from:], compareHits)
	return dst[:min(len(dst), from+k)]
}

// pending offers the vectors that the graph does not have yet to the heaps.
func (gs *graphSearch) pending(ctx context.Context) error {
	if gs.disk != nil {
		if len(gs.disk.pending) == 0 {
			return nil
		}
		return gs.storedPending(ctx, gs.disk.pending[0])
	}
	if m := gs.st.mirror; m != nil {
		if m.live == 0 && m.dead == 0 {
			return nil
		}
		return gs.v.searchMirror(ctx, m, gs.q.Allow, gs.sc)
	}
	return gs.storedPending(ctx, 0)
}

// storedPending is pending for vectors that are in the store only, in slots
// from one on.
func (gs *graphSearch) storedPending(ctx context.Context, from uint32) error {
	v, sc, allow := gs.v, gs.sc, gs.q.Allow
	metric := v.ix.cfg.Metric
	return v.src.pending(ctx, from, func(_ uint32, rec slotRecord, x []float32) error {
		if sc.wants(rec.layer) {
			sc.distances++
			sc.offer(Hit{ID: rec.id, Layer: rec.layer, Score: metric.score(sc.query, x)}, allow)
		}
		return nil
	})
}

// one returns the hits of the search's layer; they are valid until the next
// call.
func (gs *graphSearch) one(ctx context.Context) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	gs.setEf()
	var all []hnsw.Candidate
	if gs.disk != nil {
		var err error
		if all, err = gs.walked(); err != nil {
			return nil, err
		}
	} else {
		all = gs.candidates()
	}
	if err := gs.lead(all); err != nil {
		return nil, err
	}
	return gs.refine(ctx, all)
}

// lead notes where the walk of the next layer begins, if walks go down.
func (gs *graphSearch) lead(all []hnsw.Candidate) error {
	gs.from = gs.from[:0]
	if gs.q.Layers == nil || gs.v.ix.cfg.Kind != CHNSW {
		return nil
	}
	for _, c := range all[:min(downBeam, len(all))] {
		if gs.disk == nil {
			if below, ok := gs.ver.Down(c.Slot()); ok {
				gs.from = append(gs.from, below)
			}
			continue
		}
		below, ok, err := gs.disk.down(c.Slot())
		if err != nil {
			return err
		}
		if ok {
			gs.from = append(gs.from, below)
		}
	}
	return nil
}

// width returns the width of the walks for a search.
func width(q *Search) int { return cmp.Or(q.Ef, defaultEf) }

// setEf sets the width of the walk.
func (gs *graphSearch) setEf() {
	gs.ef = width(&gs.q)
	if gs.pass {
		gs.ef = min(gs.ef, passEf)
	}
	gs.ef = max(gs.ef, gs.k)
}

const (
	// downBeam is how many nodes of a layer the walk of the next begins below.
	downBeam = 4
	// passEf is the width of the walk of a layer that nothing is wanted of.
	passEf = 16
)

// down searches the layers from the highest to the lowest that is wanted, each
// from the node that the level above leads to, and appends what is wanted, in the order
// in which it is.
func (gs *graphSearch) down(ctx context.Context, dst []Hit) ([]Hit, error) {
	lowest := 255
	found := make([][]Hit, len(gs.q.Layers))
	place := map[uint8]int{}
	for i, l := range gs.q.Layers {
		if l.K > 0 {
			lowest = min(lowest, int(l.Layer))
			place[l.Layer] = i
		}
	}
	for layer := len(gs.layers()) - 1; layer >= lowest; layer-- {
		i, wanted := place[uint8(layer)]
		gs.layer, gs.k = uint8(layer), downBeam
		if wanted {
			gs.k = gs.q.Layers[i].K
		}
		gs.pass = !wanted
		hits, err := gs.one(ctx)
		if err != nil {
			return nil, err
		}
		if wanted {
			found[i] = slices.Clone(hits)
		}
	}
	for i, l := range gs.q.Layers {
		if l.K > 0 {
			dst = merged(dst, found[i], gs.sc.tops[i].appendSorted(nil), l.K)
		}
	}
	return dst, nil
}

// candidates returns the candidates that are alive and allowed, ascending.
func (gs *graphSearch) candidates() []hnsw.Candidate {
	seq := gs.v.meta.seq
	n := gs.ver.Layer(gs.layer).Linked
	if n == 0 {
		return nil
	}
	if allow := gs.q.Allow; allow != nil && !gs.pass {
		matches := int(min(allow.GetCardinality(), uint64(n)))
		// Among n nodes a walk meets stepCost*ef*n/matches of them until it has
		// ef that match.
		if matches*matches <= stepCost*gs.ef*n {
			return gs.scan(allow)
		}
		all, ok := gs.s.SearchAccepted(gs.ver, gs.sc.graph.query, gs.layer, gs.from, gs.ef, matches, func(slot uint32) bool {
			return gs.ver.Visible(slot, seq) && allowed(allow, gs.ver.ID(slot))
		})
		if !ok || len(all) < gs.k {
			return gs.scan(allow)
		}
		return all
	}
	if gs.st.graph.Plain(seq) {
		all := gs.s.Search(gs.ver, gs.sc.graph.query, gs.layer, gs.from, gs.ef)
		if gs.allOpen(all) && len(all) >= min(gs.k, n) && gs.st.graph.Newest() <= seq {
			return all
		}
	}
	// What is shown during the walk moves Newest before it is open.
	plain := gs.st.graph.Newest() <= seq
	all, ok := gs.s.SearchAccepted(gs.ver, gs.sc.graph.query, gs.layer, gs.from, gs.ef, n, func(slot uint32) bool {
		return plain && gs.ver.Open(slot) || gs.ver.Visible(slot, seq)
	})
	if plain && gs.st.graph.Newest() > seq {
		all = slices.DeleteFunc(all, func(c hnsw.Candidate) bool { return !gs.ver.Visible(c.Slot(), seq) })
	}
	if !ok || len(all) < min(gs.k, n) {
		return gs.scan(nil)
	}
	return all
}

func (gs *graphSearch) allOpen(all []hnsw.Candidate) bool {
	for _, c := range all {
		if !gs.ver.Open(c.Slot()) {
			return false
		}
	}
	return true
}

// scan measures all nodes of the layer that are alive and allowed.
func (gs *graphSearch) scan(allow *roaring.Bitmap) []hnsw.Candidate {
	seq, sc := gs.v.meta.seq, &gs.sc.graph
	if allow == nil || !gs.findAllowed(allow) {
		sc.slots = sc.slots[:0]
		for slot := range gs.ver.Slots() {
			if gs.ver.Visible(slot, seq) && gs.ver.LayerOf(slot) == gs.layer &&
				(allow == nil || allowed(allow, gs.ver.ID(slot))) {
				sc.slots = append(sc.slots, slot)
			}
		}
	}
	sc.all = gs.s.Measure(gs.ver, sc.query, sc.slots, sc.all[:0])
	slices.Sort(sc.all)
	return sc.all[:min(len(sc.all), gs.ef)]
}

// findAllowed finds the slots of the layer by the ids that are allowed. It reports
// false if that does not tell: a node was replaced after the View's commit.
func (gs *graphSearch) findAllowed(allow *roaring.Bitmap) bool {
	sc := &gs.sc.graph
	sc.slots = sc.slots[:0]
	it := allow.Iterator()
	for it.HasNext() {
		slot, ok, known := gs.ver.Find(uint64(it.Next()), gs.v.meta.seq)
		if !known {
			return false
		}
		if ok && gs.ver.LayerOf(slot) == gs.layer {
			sc.slots = append(sc.slots, slot)
		}
	}
	return true
}
