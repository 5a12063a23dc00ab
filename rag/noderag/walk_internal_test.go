package noderag

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// fixed is a set that is given.
type fixed struct{ set query.Set }

func (o *fixed) Run(context.Context, *query.Env) (query.Set, error) { return o.set, nil }
func (o *fixed) Explain() query.Explanation                         { return query.Explanation{Op: "Fixed"} }
func (o *fixed) Inputs() []query.Op                                 { return nil }

// TestWalk compares the scores of the plan's walk with vectors that were
// computed apart from it, by the formulas in plain Python: on the edges S1-N1
// 1, S1-N2 3, N1-R1 1, R1-N2 1, S1-T1 1, S2-N2 1, S1-S2 2 (a stored edge and a
// near one), from S1 and N1. With CappedWeights S1-S2 weighs 1; if the near edge is
// the only one between them and weighs half, they are half as near.
func TestWalk(t *testing.T) {
	t.Parallel()
	names := []string{"N1", "N2", "R1", "S1", "S2", "T1"}
	for _, x := range []struct {
		params map[string]string
		half   bool
		want   []float64
	}{
		{nil, false, []float64{.247917, .124107, .198864, .271916, .084280, .072917}},
		{map[string]string{"near": "off"}, false, []float64{.247917, .124107, .198864, .271916, .084280, .072917}},
		{nil, true, []float64{.258333, .129654, .203463, .270563, .054654, .083333}},
		{map[string]string{"neighbours": "0"}, true, []float64{.247917, .124107, .198864, .271916, .084280, .072917}},
		{map[string]string{"adjust": "off"}, false, []float64{.200893, .177083, .144643, .332738, .100000, .044643}},
		{map[string]string{"ppr": "restart"}, false, []float64{.341667, .092857, .115530, .355249, .053030, .041667}},
	} {
		t.Run(fmt.Sprint(x.params, x.half), func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
			s, err := open(t.Context(), c.Docs(), x.params)
			if err != nil {
				t.Fatal(err)
			}
			ids := golden(t, c, s)
			if x.half {
				halve(t, c, s, ids)
			}
			scores := map[string]float64{}
			err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
				item := func(name string) query.Item { return query.Item{Graph: s.g.ID(), ID: ids[name], Score: .7} }
				seeds := s.seeds(&fixed{query.Set{Items: []query.Item{item("S1")}}}, &fixed{query.Set{Items: []query.Item{item("N1")}}})
				op := s.walk(seeds, s.quotas(2))
				set, err := query.Run(t.Context(), &query.Env{Snap: snap}, op)
				if err != nil {
					return err
				}
				for i, it := range set.Items {
					for name, id := range ids {
						if it.ID == id {
							scores[name] = it.Score
						}
					}
					if i > 0 && it.Score > set.Items[i-1].Score {
						t.Errorf("item %d scores more than the one before", i)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, name := range names {
				if math.Abs(scores[name]-x.want[i]) > 1e-6 {
					t.Errorf("%s has %.6f, want %.6f", name, scores[name], x.want[i])
				}
			}
		})
	}
}

// golden writes the graph of TestWalk.
func golden(t *testing.T, c *ragtest.Corpus, s *system) map[string]engine.NodeID {
	t.Helper()
	ids := map[string]engine.NodeID{}
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		for _, n := range [][2]string{
			{"T1", schema.Text}, {"S1", schema.Unit}, {"S2", schema.Unit}, {"N1", schema.Entity}, {"N2", schema.Entity}, {"R1", schema.Relationship},
		} {
			typ, err := v.MakeNodeType(n[1])
			if err != nil {
				return err
			}
			if ids[n[0]], _, err = v.PutNode(typ, n[0], nil); err != nil {
				return err
			}
		}
		for _, e := range []struct {
			from, to, kind string
			weight         float32
		}{
			{"S1", "N1", schema.Mentions, 1}, {"S1", "N2", schema.Mentions, 3}, {"R1", "N1", schema.Relates, 1}, {"R1", "N2", schema.Relates, 1},
			{"S1", "T1", schema.Source, 1}, {"S2", "N2", schema.Mentions, 1}, {"S1", "S2", schema.Covers, 1}, {"S1", "S2", schema.Near, 1},
		} {
			typ, err := v.MakeEdgeType(e.kind, false)
			if err != nil {
				return err
			}
			if err := v.AddEdge(ids[e.from], ids[e.to], typ, e.weight); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// halve leaves of the edges between S1 and S2 a near one of weight half.
func halve(t *testing.T, c *ragtest.Corpus, s *system, ids map[string]engine.NodeID) {
	t.Helper()
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		covers, _ := v.EdgeType(schema.Covers)
		near, _ := v.EdgeType(schema.Near)
		if err := v.RemoveEdge(engine.Edge{From: ids["S1"], To: ids["S2"], Type: covers}); err != nil {
			return err
		}
		return v.AddEdge(ids["S1"], ids["S2"], near, .5)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestQuotas says that each type has its own quota, that the four types with vectors
// share one if quotas=shared, that a larger budget has more, and that what was found
// by vector does not count.
func TestQuotas(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	for _, x := range []struct {
		params map[string]string
		hit    string
		times  int
		want   int
	}{
		{nil, "", 1, 6},
		{map[string]string{"enode": "1"}, "", 1, 5},
		{map[string]string{"enode": "1"}, "", 2, 6},
		{map[string]string{"enode": "0", "rnode": "0"}, "", 1, 3},
		{map[string]string{"cnode": "2", "quotas": "shared"}, "", 1, 5},
		{map[string]string{"cnode": "2", "quotas": "shared"}, "S1", 1, 5}, // T1 and S2 take its place
		{map[string]string{"cnode": "1", "quotas": "shared"}, "", 2, 5},
		{map[string]string{"cnode": "1"}, "", 1, 5}, // a unit and a text
		{map[string]string{"cnode": "0"}, "", 9, 3},
		{nil, "S1", 1, 5},
	} {
		s, err := open(t.Context(), c.Docs(), x.params)
		if err != nil {
			t.Fatal(err)
		}
		ids := golden(t, c, s)
		err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			hits := &fixed{}
			if x.hit != "" {
				hits.set.Items = []query.Item{{Graph: s.g.ID(), ID: ids[x.hit]}}
			}
			from := &fixed{query.Set{Items: []query.Item{{Graph: s.g.ID(), ID: ids["S1"], Score: 1}, {Graph: s.g.ID(), ID: ids["N1"], Score: 1}}}}
			set, err := query.Run(t.Context(), &query.Env{Snap: snap}, s.walk(s.seeds(from, nil), s.quotas(x.times), hits))
			if err != nil {
				return err
			}
			if len(set.Items) != x.want {
				t.Errorf("%v without %q: %d nodes, want %d", x.params, x.hit, len(set.Items), x.want)
			}
			for _, it := range set.Items {
				if x.hit != "" && it.ID == ids[x.hit] {
					t.Errorf("%s is taken again", x.hit)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
