package vecindex

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// refine returns the k best of the candidates with scores.
func (gs *graphSearch) refine(ctx context.Context, all []hnsw.Candidate) ([]Hit, error) {
	sc := &gs.sc.graph
	sc.hits = sc.hits[:0]
	cosine := gs.v.ix.cfg.Metric == Cosine
	hit := func(slot uint32, score float32) {
		sc.hits = append(sc.hits, Hit{ID: gs.nodes.ID(slot), Layer: gs.layer, Score: score})
	}
	if gs.low {
		sc.stored.begin(all, gs.k)
		refined, err := gs.s.Refine(gs.nodes, sc.query, all, gs.k, gs.lowPlane(ctx))
		if err != nil {
			return nil, err
		}
		for _, r := range refined {
			hit(r.Slot, sc.query.Score(r.Distance, cosine))
		}
		slices.SortFunc(sc.hits, compareHits)
		return sc.hits, nil
	}
	sure, doubt := gs.s.Doubtful(gs.nodes, sc.query, all, gs.k)
	sc.stored.begin(doubt, len(doubt))
	for _, c := range doubt {
		x, err := gs.stored(ctx, c.Slot())
		if err != nil {
			return nil, err
		}
		hit(c.Slot(), gs.v.ix.cfg.Metric.score(gs.sc.query, x))
	}
	slices.SortFunc(sc.hits, compareHits)
	sc.hits = sc.hits[:min(len(sc.hits), gs.k-len(sure))]
	for _, c := range sure {
		hit(c.Slot(), sc.query.Score(c.Distance(), cosine))
	}
	slices.SortFunc(sc.hits, compareHits)
	return sc.hits, nil
}

// How many stored vectors are read together: those that are surely wanted, and others.
const (
	mostStored    = 256
	perhapsStored = 16
)

// storedVectors reads the stored vectors of candidates from the snapshot, several at a
// time: each read may be a way to a server and back.
type storedVectors struct {
	rest  []hnsw.Candidate // that were not read, in the order in which they are asked for
	sure  int              // so many of them are asked for
	slots []uint32         // that were read
	spans [][2]int         // of their vectors in raw, none if there is no vector
	raw   []byte
}

// begin forgets what was read. The first ones of the candidates are asked for surely, the
// others perhaps.
func (r *storedVectors) begin(all []hnsw.Candidate, sure int) {
	r.rest, r.sure = all, sure
	r.slots, r.spans, r.raw = r.slots[:0], r.spans[:0], r.raw[:0]
}

// stored returns the vector in a slot, which is that of a candidate after those that were
// asked for; it is valid until the next call.
func (gs *graphSearch) stored(ctx context.Context, slot uint32) ([]float32, error) {
	r := &gs.sc.graph.stored
	at := slices.Index(r.slots, slot)
	if at < 0 {
		if err := gs.readStored(ctx, slot); err != nil {
			return nil, err
		}
		at = 0
	}
	key, span := gs.v.src.table.Slot(layout.TagVector, slot), r.spans[at]
	if span[1] == 0 {
		return nil, corrupt(key, "a node of the graph without its vector")
	}
	return gs.sc.graph.row, gs.v.ix.cfg.Element.read(key, r.raw[span[0]:span[1]], gs.sc.graph.row)
}

// readStored reads the vector in a slot and some of those that may be asked for next.
func (gs *graphSearch) readStored(ctx context.Context, slot uint32) error {
	r := &gs.sc.graph.stored
	r.slots, r.spans, r.raw = append(r.slots[:0], slot), r.spans[:0], r.raw[:0]
	// Those before it were passed over.
	at := 1 + slices.IndexFunc(r.rest, func(c hnsw.Candidate) bool { return c.Slot() == slot })
	r.rest, r.sure = r.rest[at:], r.sure-at
	for len(r.rest) > 0 && (r.sure > 0 && len(r.slots) < mostStored || len(r.slots) < perhapsStored) {
		next := r.rest[0].Slot()
		r.rest, r.sure = r.rest[1:], r.sure-1
		if !gs.hasPlane(next) {
			r.slots = append(r.slots, next)
		}
	}
	keys := make([][]byte, len(r.slots))
	for i, s := range r.slots {
		keys[i] = gs.v.src.table.Slot(layout.TagVector, s)
	}
	r.spans = slices.Grow(r.spans, len(keys))[:len(keys)]
	clear(r.spans)
	return gs.v.src.r.MultiGet(ctx, keys, func(i int, v []byte) error {
		if v != nil {
			from := len(r.raw)
			r.raw = append(r.raw, v...)
			r.spans[i] = [2]int{from, len(r.raw)}
		}
		return nil
	})
}
