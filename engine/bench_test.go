package engine_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// The benchmarks run on an RMAT graph of 2^benchScale nodes and benchEdges
// edges of one type. Run them with -cpu 1 for the cost of one core.
const (
	benchScale = 16
	benchEdges = 1 << 19
)

// benchGraph returns edges over nodes 1 to 2^scale, with hubs.
func benchGraph(scale, n int) [][2]engine.NodeID {
	r := rand.New(rand.NewPCG(1, 0))
	out := make([][2]engine.NodeID, n)
	for i := range out {
		var from, to engine.NodeID
		for range scale {
			p := r.Float64()
			from, to = from<<1, to<<1
			if p >= 0.76 {
				from++
			}
			if p >= 0.57 && p < 0.76 || p >= 0.95 {
				to++
			}
		}
		out[i] = [2]engine.NodeID{from + 1, to + 1}
	}
	return out
}

// benchDB is a database on disk and its store.
type benchDB struct {
	*engine.Graph
	store *pebblekv.Store
}

// openBench returns a new database with the nodes of the benchmarks.
func openBench(b *testing.B) benchDB {
	b.Helper()
	var d benchDB
	db := open(b, &engine.Options{OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
		var err error
		d.store, err = pebblekv.Open(ctx, path, s, nil)
		return d.store, err
	}})
	d.Graph = graph(b, db, "g")
	err := db.Load(b.Context(), d.Graph, func(l *engine.Loader) error {
		t, err := l.MakeNodeType("node")
		for i := 0; i < 1<<benchScale && err == nil; i++ {
			_, err = l.Node(t, strconv.Itoa(i), engine.Props{"name": engine.String("node"), "n": engine.Int(int64(i))})
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func (d benchDB) loadEdges(b *testing.B, edges [][2]engine.NodeID, weight func() float32) {
	b.Helper()
	err := d.DB().Load(b.Context(), d.Graph, func(l *engine.Loader) error {
		t, err := l.MakeEdgeType("cites", true)
		for i := 0; i < len(edges) && err == nil; i++ {
			err = l.Edge(edges[i][0], edges[i][1], t, weight())
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (d benchDB) compact(b *testing.B) {
	b.Helper()
	if err := d.store.Compact(b.Context(), nil, nil); err != nil {
		b.Fatal(err)
	}
}

func unit() float32 { return 1 }

// perCPU reports how many of something a second of processor time did, and
// a second if that is not known.
func perCPU(b *testing.B, n int, what string, since time.Duration) {
	if now := cpuTime(); now > since {
		b.ReportMetric(float64(n)/(now-since).Seconds(), what+"/CPU-s")
		return
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), what+"/s")
}

// BenchmarkLoad loads all edges in both directions, the sort included.
func BenchmarkLoad(b *testing.B) {
	edges := benchGraph(benchScale, benchEdges)
	for _, c := range []struct {
		name   string
		weight func() float32
	}{{"plain", unit}, {"weighted", rand.New(rand.NewPCG(1, 1)).Float32}} {
		b.Run(c.name, func(b *testing.B) {
			var cpu time.Duration
			for b.Loop() {
				b.StopTimer()
				d := openBench(b)
				from := cpuTime()
				b.StartTimer()
				d.loadEdges(b, edges, c.weight)
				b.StopTimer()
				cpu += cpuTime() - from
				b.StartTimer()
			}
			perCPU(b, b.N*len(edges), "edges", cpuTime()-cpu)
		})
	}
}

// BenchmarkAddEdges adds edges in both directions, 1000 a transaction.
func BenchmarkAddEdges(b *testing.B) {
	edges := benchGraph(benchScale, benchEdges)
	d := openBench(b)
	n := 0
	from := cpuTime()
	for b.Loop() {
		err := d.DB().UpdateWith(b.Context(), kv.NoSync, func(tx *engine.Tx) error {
			v := tx.Graph(d.Graph)
			t, err := v.MakeEdgeType("cites", true)
			for i := 0; i < 1000 && err == nil; i++ {
				e := edges[n%len(edges)]
				n++
				err = v.AddEdge(e[0], e[1], t, 1)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	perCPU(b, n, "edges", from)
}

// reads runs a benchmark of reads on a loaded and compacted graph.
func benchReads(b *testing.B, weight func() float32, run func(b *testing.B, v *engine.View, edges [][2]engine.NodeID)) {
	edges := benchGraph(benchScale, benchEdges)
	d := openBench(b)
	d.loadEdges(b, edges, weight)
	d.compact(b)
	view(b, d.Graph, func(v *engine.View) { run(b, v, edges) })
}

// BenchmarkNeighbors reads all out-neighbours of nodes in random order. ns/op
// is for a node.
func BenchmarkNeighbors(b *testing.B) {
	for _, c := range []struct {
		name   string
		weight func() float32
	}{{"plain", unit}, {"weighted", rand.New(rand.NewPCG(1, 1)).Float32}} {
		b.Run(c.name, func(b *testing.B) {
			benchReads(b, c.weight, func(b *testing.B, v *engine.View, _ [][2]engine.NodeID) {
				order := rand.New(rand.NewPCG(1, 2)).Perm(1 << benchScale)
				page := make([]engine.Edge, 0, 1024)
				n, i := 0, 0
				b.ReportAllocs()
				from := cpuTime()
				for b.Loop() {
					id := engine.NodeID(order[i%len(order)] + 1)
					i++
					for after := engine.NodeID(0); ; {
						got, err := v.Neighbors(id, engine.EdgeFilter{}, after, page)
						if err != nil {
							b.Fatal(err)
						}
						n += len(got)
						if len(got) < cap(page) {
							break
						}
						after = got[len(got)-1].To
					}
				}
				perCPU(b, n, "neighbours", from)
			})
		})
	}
}

// BenchmarkDegrees counts the edges of all nodes. ns/op is for all of them.
func BenchmarkDegrees(b *testing.B) {
	benchReads(b, unit, func(b *testing.B, v *engine.View, _ [][2]engine.NodeID) {
		n := 0
		from := cpuTime()
		for b.Loop() {
			of, err := v.Degrees(engine.EdgeFilter{}, nil)
			if err != nil {
				b.Fatal(err)
			}
			n += len(of)
		}
		perCPU(b, n, "nodes", from)
	})
}

// BenchmarkLists scans all lists of both directions. ns/op is for the scan.
func BenchmarkLists(b *testing.B) {
	benchReads(b, unit, func(b *testing.B, v *engine.View, _ [][2]engine.NodeID) {
		n := 0
		from := cpuTime()
		for b.Loop() {
			for _, dir := range []engine.Direction{engine.Out, engine.In} {
				for l, err := range v.Lists(dir, 0, 0, engine.EdgeFilter{}) {
					if err != nil {
						b.Fatal(err)
					}
					n += len(l.Others)
				}
			}
		}
		perCPU(b, n, "edges", from)
	})
}

// BenchmarkNode reads the records of random nodes.
func BenchmarkNode(b *testing.B) {
	benchReads(b, unit, func(b *testing.B, v *engine.View, _ [][2]engine.NodeID) {
		r := rand.New(rand.NewPCG(1, 3))
		n := 0
		b.ReportAllocs()
		from := cpuTime()
		for b.Loop() {
			if _, err := v.Node(engine.NodeID(1 + r.IntN(1<<benchScale))); err != nil {
				b.Fatal(err)
			}
			n++
		}
		perCPU(b, n, "nodes", from)
	})
}

// BenchmarkHasEdge looks for edges that are there.
func BenchmarkHasEdge(b *testing.B) {
	benchReads(b, unit, func(b *testing.B, v *engine.View, edges [][2]engine.NodeID) {
		t, _ := v.EdgeType("cites")
		n := 0
		b.ReportAllocs()
		from := cpuTime()
		for b.Loop() {
			e := edges[(n*7919)%len(edges)]
			if _, ok, err := v.HasEdge(e[0], e[1], t); err != nil || !ok {
				b.Fatal(e, ok, err)
			}
			n++
		}
		perCPU(b, n, "edges", from)
	})
}
