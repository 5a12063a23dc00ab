package graphops_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// randomPair returns a random graph without communities, with leaves and isolated nodes,
// with its rows as numbers and in bytes, what is made of these taking limit bytes.
func randomPair(t *testing.T, nodes, edges int, weighted bool, limit int64) (plain, packed *graphops.Projection) {
	t.Helper()
	r := rand.New(rand.NewPCG(19, uint64(nodes)))
	g := openGraph(t, engine.Memory, nil)
	update(t, g, func(v *engine.TxView) error {
		nt, et := must(v.MakeNodeType("n"))(t), must(v.MakeEdgeType("e", false))(t)
		for i := range nodes {
			if _, _, err := v.PutNode(nt, fmt.Sprint(i), nil); err != nil {
				return err
			}
		}
		for range edges {
			from, to := engine.NodeID(1+float64(nodes)*r.Float64()*r.Float64()), engine.NodeID(1+float64(nodes)*r.Float64()*r.Float64())
			if err := v.AddEdge(from, to, et, float32(1+r.IntN(3))/4); err != nil {
				return err
			}
		}
		return nil
	})
	v, s := viewOf(t, g), graphops.Spec{Weighted: weighted}
	return must(graphops.Project(t.Context(), v, s))(t), must(graphops.ProjectPacked(t.Context(), v, s, limit))(t)
}

// TestLeidenOnBytes finds the same communities in rows in bytes as in rows as numbers,
// whether levels are kept or their rows made as they are read.
func TestLeidenOnBytes(t *testing.T) {
	const nodes = 2000
	r := rand.New(rand.NewPCG(5, 7))
	initial := &graphops.Partition{Of: make([]uint32, nodes), Count: 40}
	for u := range initial.Of {
		if initial.Of[u] = uint32(r.IntN(41)); initial.Of[u] == 40 {
			initial.Of[u] = graphops.None
		}
	}
	options := map[string]graphops.LeidenOptions{
		"defaults":       {},
		"seed":           {Seed: 9, Workers: 3},
		"all iterations": {Iterations: -1, Workers: 2},
		"dendrogram":     {Dendrogram: true},
		"initial":        {Initial: initial, DropIsolated: true},
		"fine":           {Resolution: 3},
		"coarse":         {Resolution: .3},
		"CPM":            {CPM: true, Resolution: .01},
		"random":         {Theta: .05},
	}
	for _, c := range []struct {
		edges    int
		weighted bool
		limit    int64
		made     int // levels that are not kept, at least, by the defaults
	}{
		{8000, false, 1, 2}, {20_000, false, 1, 2}, {8000, false, 1 << 40, 0}, {8000, true, 1, 0},
	} {
		t.Run(fmt.Sprintf("%d edges, weighted %v, limit %d", c.edges, c.weighted, c.limit), func(t *testing.T) {
			plain, packed := randomPair(t, nodes, c.edges, c.weighted, c.limit)
			for name, o := range options {
				want := must(graphops.Leiden(t.Context(), plain, o))(t)
				if got := must(graphops.Leiden(t.Context(), packed, o))(t); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: other communities, %d of quality %v, not %d of %v", name, got.Count, got.Quality, want.Count, want.Quality)
				}
			}
			if made := must(graphops.LeidenMade(t.Context(), packed, graphops.LeidenOptions{}))(t); made < c.made || c.made == 0 && made > 0 {
				t.Errorf("%d levels are not kept, want %d", made, c.made)
			}
		})
	}
}
