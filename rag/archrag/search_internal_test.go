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
	s := &system{p: Params{M: 32}}
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

// searched is what searches for the best 5 of each layer came to.
type searched struct {
	recall    []float64 // of each layer, against an exact search
	times     []time.Duration
	distances float64 // of a search, in the mean
}

// searches asks n questions of the layers from lowest on.
func searches(tb testing.TB, db *engine.DB, g *engine.Graph, space string, lowest, layers, n int) (out searched) {
	tb.Helper()
	var want []vecindex.LayerK
	for l := lowest; l < layers; l++ {
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
			var compared int
			start := time.Now()
			got, err := vecs.Search(context.Background(), vecindex.Search{
				Vector: q, Layers: want, Ef: 40, Distances: &compared,
			}, nil)
			if err != nil {
				return err
			}
			out.times = append(out.times, time.Since(start))
			out.distances += float64(compared) / float64(n)
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
	for l := lowest; l < layers; l++ {
		found[l] /= all[l]
	}
	slices.Sort(out.times)
	out.recall = found
	return out
}

// TestSearchRecall says that the one descent finds what comparing all finds.
func TestSearchRecall(t *testing.T) {
	t.Parallel()
	db, g, space, layers := layered(t, 3000, 32)
	if layers != 3 {
		t.Fatalf("%d layers", layers)
	}
	for l, r := range searches(t, db, g, space, 0, layers, 200).recall {
		if r < 0.99 {
			t.Errorf("layer %d: recall@5 %.3f", l, r)
		}
	}
}

// TestSearchGrowsSlowly says that the entities take at most half as many
// distances again where there are ten times as many, and that with the level
// that comes on top a search takes no more than another walk: what it costs
// grows with the logarithm. "bench archrag" measures 100,000.
func TestSearchGrowsSlowly(t *testing.T) {
	t.Parallel()
	all, entities := map[int]float64{}, map[int]float64{}
	for _, n := range []int{1000, 10_000} {
		db, g, space, layers := layered(t, n, 128)
		all[n] = searches(t, db, g, space, 0, layers, 200).distances
		entities[n] = all[n] - searches(t, db, g, space, 1, layers, 200).distances
		t.Logf("%d entities, %d layers: %.0f distances, %.0f in the lowest", n, layers, all[n], entities[n])
	}
	if growth := entities[10_000] / entities[1000]; growth > 1.5 {
		t.Errorf("ten times the entities take %.2f times the distances", growth)
	}
	if more := all[10_000] - all[1000]; more > 1.5*entities[10_000] {
		t.Errorf("another level takes %.0f distances, a walk %.0f", more, entities[10_000])
	}
}

// BenchmarkSearch measures the hierarchical search: -nodes entities of 128
// elements and the communities over them, the best 5 of each layer.
func BenchmarkSearch(b *testing.B) {
	db, g, space, layers := layered(b, *nodes, 128)
	var s searched
	for b.Loop() {
		s = searches(b, db, g, space, 0, layers, 2000)
	}
	b.ReportMetric(float64(s.times[len(s.times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(s.times[len(s.times)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(s.distances, "distances/op")
	b.ReportMetric(slices.Min(s.recall), "recall@5")
}
