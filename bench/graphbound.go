package main

import (
	"context"
	"runtime"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// measurePPRBound asks walks of the store within the default bound, each once, and
// compares them with the whole walk. The value is the mean share of the whole walk's best
// nodes that are among the bounded one's.
func measurePPRBound(ctx context.Context, b *graphBench, d *database, p *graphops.Projection) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	state := draw(b.seed)
	cache := graphops.NewCache(0)
	var store costs
	var same, missed []float64
	err := d.db.View(ctx, func(s *engine.Snapshot) error {
		for range b.queries {
			inStore, inMemory := make([]graphops.Scored, pprSeeds), make([]graphops.Scored, pprSeeds)
			for i := range inStore {
				u := state.below(p.Len())
				inStore[i] = graphops.Scored{Node: u + 1, Score: 1}
				inMemory[i] = graphops.Scored{Node: numberOf(p, u), Score: 1}
			}
			o := graphops.PPROptions{Weights: graphops.UnitWeights, TopK: pprTop}
			l := cache.Local(s.Graph(d.graph), engine.EdgeFilter{})
			var part *graphops.PPRResult
			err := store.time(func() (err error) {
				if part, err = graphops.PPR(ctx, l, inStore, o); err == nil {
					err = l.Err()
				}
				return err
			})
			if err != nil {
				return err
			}
			whole, err := graphops.PPR(ctx, p, inMemory, o)
			if err != nil {
				return err
			}
			same, missed = append(same, common(p, whole.Scores, part.Scores)), append(missed, part.Missed)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.out.setQueries(same, &costs{}, &store)
	slices.Sort(same)
	slices.Sort(missed)
	n := len(same)
	b.out.More = map[string]float64{"same, p1": same[n/100], "same, p10": same[n/10], "missed, p50": missed[n/2], "missed, p99": missed[n*99/100]}
	return nil
}

// common returns which share of the nodes of whole, numbers of a projection, are in part,
// which are ids.
func common(p *graphops.Projection, whole, part []graphops.Scored) float64 {
	in := map[engine.NodeID]bool{}
	for _, s := range part {
		in[engine.NodeID(s.Node)] = true
	}
	n := 0
	for _, s := range whole {
		if in[p.NodeOf(s.Node)] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(whole)))
}
