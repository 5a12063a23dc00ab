package graphops_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// BenchmarkProject builds projections from a warm store on disk. ns/edge
// counts edges once. Run it with -cpu 1 for the cost of one core.
func BenchmarkProject(b *testing.B) {
	for _, name := range []string{"rmat16", "noderag"} {
		b.Run(name, func(b *testing.B) {
			s := samples(b)[name]()
			v := viewOf(b, compacted(b, &s))
			for _, bench := range []struct {
				name string
				spec graphops.Spec
			}{
				{"plain", graphops.Spec{}},
				{"weighted", graphops.Spec{Weighted: true}},
			} {
				b.Run(bench.name, func(b *testing.B) {
					b.ReportAllocs()
					var p *graphops.Projection
					cpu := cpuTime()
					for b.Loop() {
						p = must(graphops.Project(b.Context(), v, bench.spec))(b)
					}
					edges := float64(p.Edges())
					reportCPU(b, cpu)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/edges, "ns/edge")
					b.ReportMetric(edges*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
					b.ReportMetric(float64(p.Bytes())/1e6, "MB")
				})
			}
			b.Run("lists", func(b *testing.B) {
				// What of it is the reading.
				n, cpu := 0, cpuTime()
				for b.Loop() {
					n = 0
					for l, err := range v.Lists(engine.Out, 0, 0, engine.EdgeFilter{}) {
						if err != nil {
							b.Fatal(err)
						}
						n += len(l.Others)
					}
				}
				reportCPU(b, cpu)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/edge")
			})
			b.Run("estimate", func(b *testing.B) {
				cpu := cpuTime()
				for b.Loop() {
					must(graphops.Estimate(b.Context(), v, graphops.Spec{}))(b)
				}
				reportCPU(b, cpu)
			})
		})
	}
}

// reportCPU reports the processor time of all threads for an operation.
func reportCPU(b *testing.B, since time.Duration) {
	if now := cpuTime(); now > 0 {
		b.ReportMetric(float64((now-since).Microseconds())/float64(b.N)/1e3, "cpu-ms/op")
	}
}

// compacted stores a sample on disk in its best shape.
func compacted(b *testing.B, s *sample) *engine.Graph {
	var store kv.Store
	dir := filepath.Join(b.TempDir(), "db")
	g := openGraph(b, dir, &engine.Options{OpenStore: func(ctx context.Context, path string, sc *kv.Schema) (kv.Store, error) {
		var err error
		store, err = pebblekv.Open(ctx, path, sc, &pebblekv.Options{CacheBytes: 256 << 20})
		return store, err
	}})
	s.store(b, g)
	if err := store.(kv.Maintainer).Compact(b.Context(), nil, nil); err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkPageRank ranks with the default options. edges/s counts an edge
// once an iteration.
func BenchmarkPageRank(b *testing.B) {
	for _, name := range []string{"rmat16", "noderag"} {
		b.Run(name, func(b *testing.B) {
			s := samples(b)[name]()
			for _, weighted := range []bool{false, true} {
				b.Run(fmt.Sprintf("weighted=%t", weighted), func(b *testing.B) {
					p := s.project(b, weighted)
					var r *graphops.PageRankResult
					b.ReportAllocs()
					cpu := cpuTime()
					for b.Loop() {
						r = must(graphops.PageRank(b.Context(), p, graphops.PageRankOptions{}))(b)
					}
					reportCPU(b, cpu)
					b.ReportMetric(float64(p.Edges()*r.Iterations*b.N)/b.Elapsed().Seconds(), "edges/s")
					b.ReportMetric(float64(r.Iterations), "iterations")
				})
			}
		})
	}
}
