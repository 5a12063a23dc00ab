package graphops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// counting counts what is read of an adjacency as MaxWork does.
type counting struct {
	graphops.Adjacency
	work int
}

func (c *counting) Degree(u uint32) int {
	c.work += 512
	return c.Adjacency.Degree(u)
}

func (c *counting) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	from := len(ids)
	ids, w = c.Adjacency.Neighbors(u, ids, w)
	c.work += 512 + len(ids) - from
	return ids, w
}

// TestPPRBound says how far a walk that may not read all is from the whole walk: on a graph
// with hubs of some 500 neighbours, from the store and from another adjacency.
func TestPPRBound(t *testing.T) {
	t.Parallel()
	s := rmat(10, 30, 1, 5)
	g := openGraph(t, engine.Memory, &engine.Options{PromoteAt: 200})
	s.store(t, g)
	v := viewOf(t, g)
	f := engine.EdgeFilter{}
	seeds := []graphops.Scored{{Node: 3, Score: 1}, {Node: 70, Score: 2}, {Node: 1000, Score: 1}, {Node: 222, Score: .5}}
	for _, o := range []graphops.PPROptions{
		{}, {Weights: graphops.UnitWeights, Steps: 3}, {Lazy: true, Alpha: .6, Steps: 4}, {Weights: graphops.DegreeWeights}, {Weights: graphops.CappedWeights, Alpha: .2},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			o.MaxWork = math.MaxInt
			whole := must(graphops.PPR(t.Context(), graphops.Local(v, f), seeds, o))(t)
			if whole.Missed != 0 {
				t.Fatalf("without a bound %g is missed", whole.Missed)
			}
			last := 1.0
			for work := 512; work < 1<<28; work *= 8 {
				o.MaxWork = work
				for _, a := range []graphops.Adjacency{graphops.Local(v, f), &counting{Adjacency: graphops.Local(v, f)}} {
					r := must(graphops.PPR(t.Context(), a, seeds, o))(t)
					off, sum := apart(whole.Scores, r.Scores)
					if off > r.Missed+1e-12 || sum > 2*r.Missed+1e-12 {
						t.Errorf("work %d, %T: a score is off by %g, all by %g, and %g is missed", work, a, off, sum, r.Missed)
					}
					if c, ok := a.(*counting); ok {
						// The row that does not fit is read, and no other.
						if c.work > work+512+len(s.types) {
							t.Errorf("work %d: read %d", work, c.work)
						}
						continue
					}
					if r.Missed > last {
						t.Errorf("work %d misses %g, a quarter of it %g", work, r.Missed, last)
					}
					last = r.Missed
				}
			}
			if last != 0 {
				t.Errorf("%g is missed where all may be read", last)
			}
		})
	}
}

// apart returns the greatest difference of two nodes' scores, and the sum of all.
func apart(a, b []graphops.Scored) (most, sum float64) {
	of := map[uint32]float64{}
	for _, s := range a {
		of[s.Node] = s.Score
	}
	for _, s := range b {
		of[s.Node] -= s.Score
	}
	for _, d := range of {
		most, sum = max(most, math.Abs(d)), sum+math.Abs(d)
	}
	return most, sum
}

// TestPPRHubsWait gives a walk room for two small rows or for a hub: it takes those.
func TestPPRHubsWait(t *testing.T) {
	t.Parallel()
	g := openGraph(t, engine.Memory, nil)
	// 1 leads to the hub 2 and to 3 and 4; the hub to 2,000 others, 3 to 5, 4 to 6.
	update(t, g, func(v *engine.TxView) error {
		typ := must(v.MakeNodeType("n"))(t)
		to := must(v.MakeEdgeType("to", true))(t)
		for i := range 2010 {
			if _, _, err := v.PutNode(typ, fmt.Sprint(i), nil); err != nil {
				return err
			}
		}
		edges := [][2]engine.NodeID{{1, 2}, {1, 3}, {1, 4}, {3, 5}, {4, 6}}
		for i := range engine.NodeID(2000) {
			edges = append(edges, [2]engine.NodeID{2, 10 + i})
		}
		for _, e := range edges {
			if err := v.AddEdge(e[0], e[1], to, 1); err != nil {
				return err
			}
		}
		return nil
	})
	r := must(graphops.PPR(t.Context(), graphops.Local(viewOf(t, g), engine.EdgeFilter{}), seedsOf(1), graphops.PPROptions{MaxWork: 512*4 + 2*512 + 1024}))(t)
	// After a step 1 has a half, and 2, 3 and 4 a sixth each. Half of each goes on, but the hub's
	// twelfth goes back to 1, and is what is missed.
	want := map[uint32]float64{1: 7. / 12, 2: 1. / 12, 3: 1. / 12, 4: 1. / 12, 5: 1. / 12, 6: 1. / 12}
	for _, s := range r.Scores {
		if math.Abs(s.Score-want[s.Node]) > 1e-12 {
			t.Errorf("node %d has %g, want %g", s.Node, s.Score, want[s.Node])
		}
	}
	if len(r.Scores) != 6 || math.Abs(r.Missed-1./12) > 1e-12 {
		t.Fatalf("%v, missed %g", r.Scores, r.Missed)
	}
}
