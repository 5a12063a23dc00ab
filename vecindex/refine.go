package vecindex

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
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
		first := min(len(all), gs.k) // all of these are looked at, and some more as a rule
		if err := gs.aheadPlanes(ctx, all[:min(len(all), first+max(first/2, 8))]); err != nil {
			return nil, err
		}
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
	if err := gs.ahead(ctx, doubt); err != nil {
		return nil, err
	}
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

// ahead reads ahead the stored vectors of candidates, if each read of the store is a
// round trip.
func (gs *graphSearch) ahead(ctx context.Context, some []hnsw.Candidate) error {
	r, ok := gs.v.src.r.(kv.Gatherer)
	if !ok || len(some) < 2 {
		return nil
	}
	keys := make([][]byte, len(some))
	for i, c := range some {
		keys[i] = gs.v.src.table.Slot(layout.TagVector, c.Slot())
	}
	_, _, err := r.Gather(ctx, keys, nil, 1)
	return err
}

// stored reads the vector in a slot from the snapshot; it is valid until the
// next call.
func (gs *graphSearch) stored(ctx context.Context, slot uint32) ([]float32, error) {
	key := gs.v.src.table.Slot(layout.TagVector, slot)
	raw, err := gs.v.src.r.Get(ctx, key, gs.sc.raw[:0])
	if errors.Is(err, kv.ErrNotFound) {
		return nil, corrupt(key, "a node of the graph without its vector")
	}
	if err != nil {
		return nil, err
	}
	gs.sc.raw = raw
	return gs.sc.graph.row, gs.v.ix.cfg.Element.read(key, raw, gs.sc.graph.row)
}
