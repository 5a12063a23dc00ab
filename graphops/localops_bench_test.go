package graphops_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// A localBench is a graph to ask, in memory and in a warm store on disk. The
// nodes of one have other numbers than those of the other.
type localBench struct {
	v     *engine.View
	p     *graphops.Projection
	cache *graphops.Cache
	r     *rand.Rand
}

func newLocalBench(b *testing.B) *localBench {
	s := samples(b)["noderag"]()
	v := viewOf(b, compacted(b, &s))
	p := must(graphops.Project(b.Context(), v, graphops.Spec{Weighted: true}))(b)
	return &localBench{
		v: v, p: p, cache: graphops.NewCache(0),
		r: rand.New(rand.NewPCG(1, 1)),
	}
}

// run calls query for the projection and for the store, the store being opened
// again each time, with the numbers of the same random nodes, and reports
// percentiles of the processor time that a call takes, or of the time where
// that is not known.
func (l *localBench) run(b *testing.B, nodes int, query func(a graphops.Adjacency, nodes []uint32) error) {
	for _, tier := range []string{"projection", "store"} {
		b.Run(tier, func(b *testing.B) {
			r := rand.New(rand.NewPCG(7, 7))
			at := make([]uint32, nodes)
			var times []time.Duration
			ask := func() {
				var a graphops.Adjacency = l.p
				if tier == "store" {
					a = l.cache.Local(l.v, engine.EdgeFilter{})
				}
				for i := range at {
					at[i] = r.Uint32N(uint32(l.p.Len()))
					if tier == "store" {
						at[i] = uint32(l.p.NodeOf(at[i]))
					}
				}
				begin, cpu := time.Now(), cpuTime()
				if err := query(a, at); err != nil {
					b.Fatal(err)
				}
				took := time.Since(begin)
				if cpu > 0 {
					took = cpuTime() - cpu
				}
				times = append(times, took)
			}
			for range 200 {
				ask() // so that the store is warm
			}
			times = times[:0]
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
			slices.Sort(times)
			for _, q := range []struct {
				name  string
				share float64
			}{{"p50-us", .5}, {"p99-us", .99}, {"max-us", 1}} {
				at := times[int(q.share*float64(len(times)-1))]
				b.ReportMetric(float64(at.Nanoseconds())/1e3, q.name)
			}
		})
	}
}

// BenchmarkPPR ranks from 20 random seeds with the default steps and takes the
// best of each type.
func BenchmarkPPR(b *testing.B) {
	l := newLocalBench(b)
	for _, bench := range []struct {
		name string
		o    graphops.PPROptions
	}{
		{"restart", graphops.PPROptions{}},
		{"lazy", graphops.PPROptions{Lazy: true}},
		{"degree-weights", graphops.PPROptions{Lazy: true, Weights: graphops.DegreeWeights}},
		{"top100", graphops.PPROptions{TopK: 100}},
		{"5steps", graphops.PPROptions{Steps: 5, MaxWork: 1 << 20}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l.run(b, 20, func(a graphops.Adjacency, nodes []uint32) error {
				seeds := make([]graphops.Scored, len(nodes))
				for i, u := range nodes {
					seeds[i] = graphops.Scored{Node: u, Score: 1}
				}
				_, err := graphops.PPR(b.Context(), a, seeds, bench.o)
				return err
			})
		})
	}
}

// BenchmarkShortestPath and BenchmarkWeightedPath search for a path between
// two random nodes, BenchmarkPathChain for one through ten.
func BenchmarkShortestPath(b *testing.B) {
	l := newLocalBench(b)
	l.run(b, 2, func(a graphops.Adjacency, nodes []uint32) error {
		return found(graphops.ShortestPath(b.Context(), a, nodes[0], nodes[1], graphops.PathOptions{}))
	})
}

func BenchmarkWeightedPath(b *testing.B) {
	l := newLocalBench(b)
	l.run(b, 2, func(a graphops.Adjacency, nodes []uint32) error {
		return found(graphops.WeightedPath(b.Context(), a, nodes[0], nodes[1], graphops.PathOptions{}))
	})
}

func BenchmarkPathChain(b *testing.B) {
	l := newLocalBench(b)
	l.run(b, 10, func(a graphops.Adjacency, nodes []uint32) error {
		_, err := graphops.PathChain(b.Context(), a, nodes, graphops.PathOptions{})
		return err
	})
}

// found fails if there is an error, or no path.
func found(p *graphops.Path, err error) error {
	if err == nil && !p.Found {
		err = errors.New("no path")
	}
	return err
}

// BenchmarkLocalReads reads the neighbours of one random node from a warm
// store on disk.
func BenchmarkLocalReads(b *testing.B) {
	l := newLocalBench(b)
	g := graphops.Local(l.v, engine.EdgeFilter{})
	b.Run("neighbors", func(b *testing.B) {
		var ids []uint32
		var w []float32
		b.ReportAllocs()
		for b.Loop() {
			ids, w = g.Neighbors(1+l.r.Uint32N(uint32(l.p.Len())), ids[:0], w[:0])
		}
	})
	b.Run("degree", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			g.Degree(1 + l.r.Uint32N(uint32(l.p.Len())))
		}
	})
	if g.Err() != nil {
		b.Fatal(g.Err())
	}
}
