package main

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// graphQuery asks one query of nodes, which are numbers of the adjacency, and
// returns a value of the answer, NaN if there is none.
type graphQuery func(ctx context.Context, a graphops.Adjacency, nodes []uint32) (float64, error)

// ask asks queries of so many nodes each, drawn from the seed, on the projection
// and straight on the store, and both must give the same answers. The value
// is the mean of those that have one. The first pass over the queries warms
// caches and is not counted.
func (b *graphBench) ask(ctx context.Context, d *database, p *graphops.Projection, nodes int, query graphQuery) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	state := draw(b.seed)
	inProjection, inStore := make([][]uint32, b.queries), make([][]uint32, b.queries)
	for i := range b.queries {
		for range nodes {
			u := state.below(p.Len())
			inProjection[i] = append(inProjection[i], numberOf(p, u))
			inStore[i] = append(inStore[i], u+1)
		}
	}
	// Searches on the store share their scratch memory, as they do in use.
	cache := graphops.NewCache(0)
	var memory, store costs
	var answers, stored []float64
	inMemory := func() (err error) {
		answers, err = memory.ask(inProjection, func(q []uint32) (float64, error) { return query(ctx, p, q) })
		return err
	}
	if err := inMemory(); err != nil {
		return err
	}
	memory = costs{}
	if err := b.repeat(inMemory); err != nil {
		return err
	}
	err := d.db.View(ctx, func(s *engine.Snapshot) (err error) {
		for pass := range 1 + b.reps {
			if pass == 1 {
				store = costs{}
			}
			stored, err = store.ask(inStore, func(q []uint32) (float64, error) {
				l := cache.Local(s.Graph(d.graph), engine.EdgeFilter{})
				x, err := query(ctx, l, q)
				if err == nil {
					err = l.Err()
				}
				return x, err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if i := firstOther(answers, stored); i >= 0 {
		return fmt.Errorf("query %d of nodes %v: %v on the projection, %v on the store", i, inStore[i], answers[i], stored[i])
	}
	b.out.setQueries(answers, &memory, &store)
	return nil
}

// pprSeeds is how many nodes a walk starts at, pprTop how many it returns, and
// pathVisits how many nodes a path may take to find, in place of the bound that
// searches on the store have.
const (
	pprSeeds   = 20
	pprTop     = 100
	pathVisits = 1 << 30
)

// measurePPR's value is the mean of the greatest scores after two steps.
func measurePPR(ctx context.Context, b *graphBench, d *database, p *graphops.Projection) error {
	o := graphops.PPROptions{Weights: graphops.UnitWeights, TopK: pprTop, MaxWork: math.MaxInt}
	return b.ask(ctx, d, p, pprSeeds, func(ctx context.Context, a graphops.Adjacency, nodes []uint32) (float64, error) {
		seeds := make([]graphops.Scored, len(nodes))
		for i, u := range nodes {
			seeds[i] = graphops.Scored{Node: u, Score: 1}
		}
		r, err := graphops.PPR(ctx, a, seeds, o)
		if err != nil || len(r.Scores) == 0 {
			return math.NaN(), err
		}
		return r.Scores[0].Score, nil
	})
}

// measurePath's value is the mean number of edges.
func measurePath(ctx context.Context, b *graphBench, d *database, p *graphops.Projection) error {
	o := graphops.PathOptions{MaxVisits: pathVisits}
	return b.ask(ctx, d, p, 2, func(ctx context.Context, a graphops.Adjacency, nodes []uint32) (float64, error) {
		return lengthOf(graphops.ShortestPath(ctx, a, nodes[0], nodes[1], o))
	})
}

// measureWeightedPath's value is the mean length, weights being lengths.
func measureWeightedPath(ctx context.Context, b *graphBench, d *database, p *graphops.Projection) error {
	o := graphops.PathOptions{MaxVisits: pathVisits}
	return b.ask(ctx, d, p, 2, func(ctx context.Context, a graphops.Adjacency, nodes []uint32) (float64, error) {
		return lengthOf(graphops.WeightedPath(ctx, a, nodes[0], nodes[1], o))
	})
}

func lengthOf(p *graphops.Path, err error) (float64, error) {
	if err != nil || !p.Found {
		return math.NaN(), err
	}
	return p.Length, nil
}

// ask asks all queries, adds what each costs, and returns the answers.
func (c *costs) ask(queries [][]uint32, query func(nodes []uint32) (float64, error)) (answers []float64, err error) {
	for _, q := range queries {
		var x float64
		err := c.time(func() (err error) {
			x, err = query(q)
			return err
		})
		if err != nil {
			return nil, err
		}
		answers = append(answers, x)
	}
	return answers, nil
}

// firstOther returns where two lists of answers differ by more than rounding,
// -1 if they do not.
func firstOther(a, b []float64) int {
	for i, x := range a {
		y := b[i]
		if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-9*math.Abs(x) {
			return i
		}
	}
	return -1
}

// setQueries keeps what queries cost and answered.
func (g *graphResult) setQueries(answers []float64, memory, store *costs) {
	sum, reached := 0.0, 0
	for _, x := range answers {
		if !math.IsNaN(x) {
			sum += x
			reached++
		}
	}
	g.Value = sum / float64(max(reached, 1))
	g.More = map[string]float64{"reached": float64(reached)}
	g.Queries = len(answers)
	g.P50, g.P99 = memory.cpu.at(0.5), memory.cpu.at(0.99)
	g.P50Wall, g.P99Wall = memory.wall.at(0.5), memory.wall.at(0.99)
	g.StoreP50, g.StoreP99 = store.cpu.at(0.5), store.cpu.at(0.99)
	g.StoreP50Wall, g.StoreP99Wall = store.wall.at(0.5), store.wall.at(0.99)
}
