package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// sameRows fails if two projections differ in anything that can be read of them.
func sameRows(t *testing.T, got, want *graphops.Projection) {
	t.Helper()
	if got.Len() != want.Len() || got.Edges() != want.Edges() || got.Loops() != want.Loops() ||
		got.Symmetric() != want.Symmetric() || got.Weighted() != want.Weighted() {
		t.Fatalf("%d nodes, %d edges, %d loops, symmetric %v, weighted %v; want %d, %d, %d, %v, %v",
			got.Len(), got.Edges(), got.Loops(), got.Symmetric(), got.Weighted(),
			want.Len(), want.Edges(), want.Loops(), want.Symmetric(), want.Weighted())
	}
	for u := range uint32(want.Len()) {
		to, w := got.Row(u)
		wantTo, wantW := want.Row(u)
		ids, weights := got.Neighbors(u, []uint32{7}, nil)
		if !slices.Equal(to, wantTo) || !slices.Equal(w, wantW) || !slices.Equal(ids[1:], wantTo) || !slices.Equal(weights, wantW) ||
			got.Degree(u) != len(wantTo) || got.NodeOf(u) != want.NodeOf(u) || got.TypeOf(u) != want.TypeOf(u) {
			t.Fatalf("row of %d: %v %v, want %v %v", u, to, w, wantTo, wantW)
		}
		ends, loop := got.Loop(u)
		if wantEnds, wantLoop := want.Loop(u); ends != wantEnds || loop != wantLoop {
			t.Fatalf("loop of %d: %d %v, want %d %v", u, ends, loop, wantEnds, wantLoop)
		}
		if v, ok := got.Index(want.NodeOf(u)); !ok || v != u {
			t.Fatalf("node %d is %d %v, want %d", want.NodeOf(u), v, ok, u)
		}
	}
	if n := uint32(got.Len()); got.Degree(n) != 0 {
		t.Error("a node beyond the last has neighbours")
	}
}

// TestPackedRows makes rows in bytes of random parts of graphs, with any number of
// workers, and compares them with rows as numbers.
func TestPackedRows(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 31))
		m := newMessy(t, r, 50+r.IntN(5000), 2500)
		v := viewOf(t, m.g)
		for range 4 {
			s := m.spec(r)
			want := must(graphops.Project(t.Context(), v, s))(t)
			sameRows(t, must(graphops.ProjectPacked(t.Context(), v, s, math.MaxInt64))(t), want)
		}
	}
}

// packedPair returns the same part of a graph with its rows as numbers and in bytes,
// and, if it is denser, one whose nodes have consecutive ids.
func packedPair(t *testing.T, s graphops.Spec, limit int64) (plain, packed *graphops.Projection) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 31))
	g := openGraph(t, engine.Memory, nil)
	const nodes = 3000
	update(t, g, func(v *engine.TxView) error {
		nt, et := must(v.MakeNodeType("n"))(t), must(v.MakeEdgeType("e", s.Direction != engine.Both))(t)
		for i := range nodes {
			if _, _, err := v.PutNode(nt, fmt.Sprint(i), nil); err != nil {
				return err
			}
		}
		for range 5 * nodes {
			from, to := engine.NodeID(1+nodes*r.Float64()*r.Float64()), engine.NodeID(1+r.IntN(nodes))
			if err := v.AddEdge(from, to, et, float32(1+r.IntN(5))); err != nil {
				return err
			}
		}
		return nil
	})
	v := viewOf(t, g)
	plain = must(graphops.Project(t.Context(), v, s))(t)
	packed = must(graphops.ProjectPacked(t.Context(), v, s, limit))(t)
	sameRows(t, packed, plain)
	if packed.Bytes() >= plain.Bytes() {
		t.Fatalf("%d bytes packed, %d plain", packed.Bytes(), plain.Bytes())
	}
	return plain, packed
}

// TestPackedResults runs every algorithm on rows in bytes and on rows as numbers: the
// results are the same bits.
func TestPackedResults(t *testing.T) {
	type run func(ctx context.Context, p *graphops.Projection) (any, error)
	both := map[string]run{
		"k-core": func(ctx context.Context, p *graphops.Projection) (any, error) { return graphops.KCore(ctx, p) },
		"components": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.Components(ctx, p)
		},
		"pagerank": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.PageRank(ctx, p, graphops.PageRankOptions{Workers: 3})
		},
		"betweenness": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.Betweenness(ctx, p, graphops.BetweennessOptions{Sources: 20})
		},
		"ppr": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.PPR(ctx, p, []graphops.Scored{{Node: 3, Score: 1}, {Node: 9, Score: 2}}, graphops.PPROptions{TopK: 50})
		},
		"path": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.ShortestPath(ctx, p, 1, 2, graphops.PathOptions{})
		},
	}
	undirected := map[string]run{
		"leiden": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.Leiden(ctx, p, graphops.LeidenOptions{Workers: 3, Dendrogram: true})
		},
		"leiden of leaves apart": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.Leiden(ctx, p, graphops.LeidenOptions{Resolution: 1.5, Nodes: []uint32{1, 2, 3, 50, 60, 70, 80, 90, 100, 200, 300}})
		},
		"hierarchical leiden": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.HierarchicalLeiden(ctx, p, graphops.LeidenOptions{MaxSize: 100})
		},
		"triangles": func(ctx context.Context, p *graphops.Projection) (any, error) {
			return graphops.Triangles(ctx, p, graphops.TrianglesOptions{})
		},
		"contract": func(ctx context.Context, p *graphops.Projection) (any, error) {
			part, err := graphops.Components(ctx, p)
			if err != nil {
				return nil, err
			}
			q, err := graphops.Contract(ctx, p, part, graphops.ContractOptions{})
			if err != nil {
				return nil, err
			}
			return q.Bytes(), nil
		},
		"augmented degree": func(_ context.Context, p *graphops.Projection) (any, error) {
			return graphops.AugmentDegree(p, 1), nil
		},
	}
	for name, c := range map[string]struct {
		s    graphops.Spec
		runs []map[string]run
	}{
		"undirected": {graphops.Spec{Direction: engine.Both}, []map[string]run{both, undirected}},
		"weighted":   {graphops.Spec{Direction: engine.Both, Weighted: true}, []map[string]run{both, undirected}},
		"directed":   {graphops.Spec{}, []map[string]run{both}},
	} {
		t.Run(name, func(t *testing.T) {
			plain, packed := packedPair(t, c.s, math.MaxInt64)
			for _, runs := range c.runs {
				for _, name := range slices.Sorted(maps.Keys(runs)) {
					want, err := runs[name](t.Context(), plain)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if got, err := runs[name](t.Context(), packed); err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%s is another on rows in bytes, or %v", name, err)
					}
				}
			}
		})
	}
}

// TestPackedLimit asks for what needs rows as numbers where they do not fit.
func TestPackedLimit(t *testing.T) {
	plain, packed := packedPair(t, graphops.Spec{Direction: engine.Both}, 100_000)
	need := 4 * int64(plain.Len()+1+2*plain.Edges())
	for name, run := range map[string]func() error{
		"triangles": func() error {
			_, err := graphops.Triangles(t.Context(), packed, graphops.TrianglesOptions{})
			return err
		},
		"hierarchical leiden": func() error {
			_, err := graphops.HierarchicalLeiden(t.Context(), packed, graphops.LeidenOptions{MaxSize: 100})
			return err
		},
	} {
		var e *graphops.MemoryError
		if err := run(); !errors.As(err, &e) || e.Need != need || e.Limit != 100_000 {
			t.Errorf("%s: %v, and %d bytes are needed", name, err, need)
		}
	}
	if _, err := graphops.KCore(t.Context(), packed); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, run := range map[string]func() error{
		"k-core":     func() error { _, err := graphops.KCore(ctx, packed); return err },
		"components": func() error { _, err := graphops.Components(ctx, packed); return err },
		"pagerank":   func() error { _, err := graphops.PageRank(ctx, packed, graphops.PageRankOptions{}); return err },
		"leiden":     func() error { _, err := graphops.Leiden(ctx, packed, graphops.LeidenOptions{}); return err },
	} {
		if err := run(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after its context ended: %v", name, err)
		}
	}
}
