package graphops_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// openGraph returns an empty graph of a new database, which is closed with the
// test.
func openGraph(t testing.TB, path string, o *engine.Options) *engine.Graph {
	t.Helper()
	db, err := engine.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func update(t testing.TB, g *engine.Graph, fn func(v *engine.TxView) error) {
	t.Helper()
	o := kv.NoSync
	err := g.DB().UpdateWith(t.Context(), o, func(tx *engine.Tx) error { return fn(tx.Graph(g)) })
	if err != nil {
		t.Fatal(err)
	}
}

// viewOf returns a view of the latest commit, which is closed with the test.
func viewOf(t testing.TB, g *engine.Graph) *engine.View {
	t.Helper()
	// Cleanups run after t.Context has ended.
	s, err := g.DB().Snapshot(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.Graph(g)
}

// hookedStore is a store in memory whose snapshots call a hook before each
// scan.
type hookedStore struct {
	kv.Store
	hook func(ctx context.Context) error // nil: none
}

func (s *hookedStore) options() *engine.Options {
	return &engine.Options{OpenStore: func(_ context.Context, _ string, sc *kv.Schema) (kv.Store, error) {
		s.Store = memkv.New(sc)
		return s, nil
	}}
}

func (s *hookedStore) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	sn, err := s.Store.Snapshot(ctx)
	return &hookedSnapshot{sn, s}, err
}

type hookedSnapshot struct {
	kv.Snapshot
	store *hookedStore
}

func (s *hookedSnapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if s.store.hook != nil {
		if err := s.store.hook(ctx); err != nil {
			return nil, err
		}
	}
	return s.Snapshot.Iter(ctx, lo, hi)
}

// must returns v, or fails the test.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// undirected and directed return graphs of unweighted edges.
func undirected(t testing.TB, n int, edges ...[2]uint32) *graphops.Projection {
	t.Helper()
	return must(graphops.FromEdges(n, plain(edges), graphops.EdgeOptions{}))(t)
}

func directed(t testing.TB, n int, edges ...[2]uint32) *graphops.Projection {
	t.Helper()
	return must(graphops.FromEdges(n, plain(edges), graphops.EdgeOptions{Directed: true}))(t)
}

func plain(edges [][2]uint32) []graphops.WeightedEdge {
	out := make([]graphops.WeightedEdge, len(edges))
	for i, e := range edges {
		out[i] = graphops.WeightedEdge{From: e[0], To: e[1], Weight: 1}
	}
	return out
}

// sample is a graph to measure with. Node types are small numbers.
type sample struct {
	types []byte
	edges []graphops.WeightedEdge
}

// rmat returns a recursive-matrix graph (Chakrabarti, Zhan and Faloutsos 2004,
// with Graph500's parameters) of 2^scale nodes of types types and perNode
// edges a node before loops and repetitions are taken out.
func rmat(scale, perNode, types int, seed uint64) sample {
	r := rand.New(rand.NewPCG(seed, 0))
	n := 1 << scale
	perm := r.Perm(n)
	keys := make([]uint64, 0, n*perNode)
	for range n * perNode {
		u, v := 0, 0
		for b := range scale {
			switch x := r.Float64(); {
			case x < 0.57:
			case x < 0.76:
				v |= 1 << b
			case x < 0.95:
				u |= 1 << b
			default:
				u |= 1 << b
				v |= 1 << b
			}
		}
		u, v = perm[u], perm[v]
		if u != v {
			keys = append(keys, uint64(min(u, v))<<32|uint64(max(u, v)))
		}
	}
	slices.Sort(keys)
	s := sample{types: make([]byte, n)}
	for i := range s.types {
		s.types[i] = byte(r.IntN(types))
	}
	for _, k := range slices.Compact(keys) {
		s.edges = append(s.edges, graphops.WeightedEdge{
			From: uint32(k >> 32), To: uint32(k), Weight: 0.1 + 0.9*r.Float32(),
		})
	}
	return s
}

// nodeRAG reads the measured graph of the shared data that is like NodeRAG's:
// 172,973 nodes of 7 types and 759,812 edges.
func nodeRAG(t testing.TB) sample {
	t.Helper()
	return sampleFile(t, "noderag.bin")
}

// sampleFile reads a graph of the shared data. The format: "RGB1", n u32, m
// u32, n types u8, m edges {u u32, v u32, weight f32}, little-endian.
func sampleFile(t testing.TB, name string) sample {
	t.Helper()
	f, err := os.Open(evaldata.Shared(t, "../peers/graph/data/"+name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var head struct {
		Magic [4]byte
		N, M  uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil || string(head.Magic[:]) != "RGB1" {
		t.Fatalf("%q: %v", head.Magic, err)
	}
	s := sample{types: make([]byte, head.N), edges: make([]graphops.WeightedEdge, head.M)}
	if _, err := io.ReadFull(r, s.types); err != nil {
		t.Fatal(err)
	}
	if err := binary.Read(r, binary.LittleEndian, s.edges); err != nil {
		t.Fatal(err)
	}
	return s
}

// samples are what benchmarks measure with.
func samples(t testing.TB) map[string]func() sample {
	return map[string]func() sample{
		"rmat16":  func() sample { return rmat(16, 12, 4, 1) },
		"noderag": func() sample { return nodeRAG(t) },
	}
}

// store writes a sample to a graph: edges of weight 1 as one undirected type,
// the others as another.
func (s *sample) store(t testing.TB, g *engine.Graph) {
	t.Helper()
	ids := make([]engine.NodeID, len(s.types))
	var has, near engine.EdgeType
	update(t, g, func(v *engine.TxView) (err error) {
		types := map[byte]engine.TypeID{}
		for i, k := range s.types {
			if _, ok := types[k]; !ok {
				if types[k], err = v.MakeNodeType(fmt.Sprint("type", k)); err != nil {
					return err
				}
			}
			if ids[i], _, err = v.PutNode(types[k], fmt.Sprint(i), nil); err != nil {
				return err
			}
		}
		if has, err = v.MakeEdgeType("has", false); err != nil {
			return err
		}
		near, err = v.MakeEdgeType("near", false)
		return err
	})
	for chunk := range slices.Chunk(s.edges, 200_000) {
		update(t, g, func(v *engine.TxView) error {
			for _, e := range chunk {
				kind := near
				if e.Weight == 1 {
					kind = has
				}
				if err := v.AddEdge(ids[e.From], ids[e.To], kind, e.Weight); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// project returns the sample as a projection, without a store.
func (s *sample) project(t testing.TB, weighted bool) *graphops.Projection {
	t.Helper()
	return must(graphops.FromEdges(len(s.types), s.edges, graphops.EdgeOptions{Weighted: weighted}))(t)
}
