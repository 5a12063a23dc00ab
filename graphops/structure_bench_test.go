package graphops_test

import (
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// benchmarkOf runs an algorithm on the sampled graphs without weights. edges/s
// counts every edge once a run.
func benchmarkOf(b *testing.B, run func(b *testing.B, p *graphops.Projection)) {
	for _, name := range []string{"rmat16", "noderag"} {
		b.Run(name, func(b *testing.B) {
			s := samples(b)[name]()
			p := s.project(b, false)
			b.ReportAllocs()
			cpu := cpuTime()
			for b.Loop() {
				run(b, p)
			}
			reportCPU(b, cpu)
			b.ReportMetric(float64(p.Edges()*b.N)/b.Elapsed().Seconds(), "edges/s")
		})
	}
}

func BenchmarkKCore(b *testing.B) {
	benchmarkOf(b, func(b *testing.B, p *graphops.Projection) {
		must(graphops.KCore(b.Context(), p))(b)
	})
}

func BenchmarkComponents(b *testing.B) {
	benchmarkOf(b, func(b *testing.B, p *graphops.Projection) {
		must(graphops.Components(b.Context(), p))(b)
	})
}

func BenchmarkTriangles(b *testing.B) {
	benchmarkOf(b, func(b *testing.B, p *graphops.Projection) {
		must(graphops.Triangles(b.Context(), p, graphops.TrianglesOptions{}))(b)
	})
}

// BenchmarkBetweenness counts from ten sources; edges/s counts an edge once for
// all of them.
func BenchmarkBetweenness(b *testing.B) {
	benchmarkOf(b, func(b *testing.B, p *graphops.Projection) {
		must(graphops.Betweenness(b.Context(), p, graphops.BetweennessOptions{Sources: 10}))(b)
	})
}
