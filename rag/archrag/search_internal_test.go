package archrag

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/vecindex"
)

var nodes = flag.Int("nodes", 100_000, "nodes of BenchmarkSearch")

// layered makes a space as the method makes it, with as many vectors in layer
// 0, an eighth of them in the next and so on down to 10, each near one of those
// of the layer above.
func layered(tb testing.TB, n, dim int) (*engine.DB, *engine.Graph, string, int) {
	tb.Helper()
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		tb.Fatal(err)
	}
	g, err := ns.Graph(ctx, "g")
	if err != nil {
		tb.Fatal(err)
	}
	s := &System{p: Params{M: 32}}
	model := llm.SpaceInfo{Model: "test", Dim: dim}
	space := nodeSpace(model.Model)
	var sizes []int
	for k := n; k >= 10; k /= 8 {
		sizes = append(sizes, k)
	}
	r := rand.New(rand.NewPCG(9, uint64(n)))
	var above [][]float32
	made := 0
	for layer := len(sizes) - 1; layer >= 0; layer-- {
		now := make([][]float32, sizes[layer])
		for i := range now {
			now[i] = make([]float32, dim)
			for k := range now[i] {
				now[i][k] = float32(r.NormFloat64())
				if above != nil {
					now[i][k] = 0.7*now[i][k] + above[i%len(above)][k]
				}
			}
		}
		above = now
		for run := range slices.Chunk(now, 4096) {
			err := db.Update(ctx, func(tx *engine.Tx) error {
				v := tx.Graph(g)
				typ, err := v.MakeNodeType("node")
				if err != nil {
					return err
				}
				if err := v.MakeSpace(space, s.spaceOptions(model)); err != nil {
					return err
				}
				for _, vec := range run {
					id, _, err := v.PutNode(typ, strconv.Itoa(made), nil)
					if err != nil {
						return err
					}
					made++
					if err := v.PutLayerVector(space, id, uint8(layer), vec); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := db.SettleSpace(ctx, g, space); err != nil {
		tb.Fatal(err)
	}
	return db, g, space, len(sizes)
}

// searches asks for the best 5 of each layer, and returns the recall of each
// layer against an exact search, and the times.
func searches(tb testing.TB, db *engine.DB, g *engine.Graph, space string, layers, n int) (recall []float64, times []time.Duration) {
	tb.Helper()
	var want []vecindex.LayerK
	for l := range layers {
		want = append(want, vecindex.LayerK{Layer: uint8(l), K: 5})
	}
	found, all := make([]float64, layers), make([]float64, layers)
	err := db.View(context.Background(), func(snap *engine.Snapshot) error {
		vecs, err := snap.Graph(g).Vectors(space)
		if err != nil {
			return err
		}
		info, err := snap.Graph(g).SpaceInfo(space)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(10, 0))
		for i := range n {
			// A question is near some node, as questions are.
			q, err := vecs.Vector(context.Background(), 1+r.Uint64N(uint64(vecs.Len())), nil)
			if err != nil {
				return err
			}
			for k := range q {
				q[k] += float32(0.5 * r.NormFloat64() / float64(info.Dim))
			}
			start := time.Now()
			got, err := vecs.Search(context.Background(), vecindex.Search{Vector: q, Layers: want, Ef: 40}, nil)
			if err != nil {
				return err
			}
			times = append(times, time.Since(start))
			if n > 500 && i%20 > 0 {
				continue
			}
			exact, err := vecs.Search(context.Background(), vecindex.Search{Vector: q, Layers: want, Exact: true}, nil)
			if err != nil {
				return err
			}
			for _, h := range exact {
				all[h.Layer]++
				if slices.ContainsFunc(got, func(x vecindex.Hit) bool { return x.ID == h.ID }) {
					found[h.Layer]++
				}
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	for l := range found {
		found[l] /= all[l]
	}
	slices.Sort(times)
	return found, times
}

// TestSearchRecall says that the one descent finds what comparing all finds.
func TestSearchRecall(t *testing.T) {
	t.Parallel()
	db, g, space, layers := layered(t, 3000, 32)
	if layers != 3 {
		t.Fatalf("%d layers", layers)
	}
	recall, _ := searches(t, db, g, space, layers, 200)
	for l, r := range recall {
		if r < 0.99 {
			t.Errorf("layer %d: recall@5 %.3f", l, r)
		}
	}
}

// BenchmarkSearch measures the hierarchical search: -nodes entities of 128
// elements and the communities over them, the best 5 of each layer.
func BenchmarkSearch(b *testing.B) {
	db, g, space, layers := layered(b, *nodes, 128)
	var recall []float64
	var times []time.Duration
	for b.Loop() {
		recall, times = searches(b, db, g, space, layers, 2000)
	}
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(slices.Min(recall), "recall@5")
}
