package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// checkCommunities checks what holds for every result: the numbering, the
// quality, that communities are connected, and that no two would be better as
// one.
func checkCommunities(t testing.TB, p *graphops.Projection, r *graphops.LeidenResult, o *graphops.LeidenOptions) {
	t.Helper()
	resolution := o.Resolution
	if resolution == 0 {
		resolution = 1
	}
	next := uint32(0)
	for u, c := range r.Of {
		if c == next {
			next++
		}
		if c != graphops.None && c >= next {
			t.Fatalf("community %d of node %d comes before %d", c, u, next)
		}
	}
	if int(next) != r.Count {
		t.Fatalf("%d communities of %d", next, r.Count)
	}
	q, err := graphops.Modularity(p, &r.Partition, resolution)
	if o.CPM {
		q, err = graphops.CPM(p, &r.Partition, resolution)
	}
	if err != nil || q != r.Quality {
		t.Fatalf("quality %v, it says %v: %v", q, r.Quality, err)
	}
	checkConnected(t, p, &r.Partition)

	mass, links, all := make([]float64, r.Count), map[[2]uint32]float64{}, 0.0
	for u, c := range r.Of {
		row, w := p.Row(uint32(u))
		k := 0.0
		for i, v := range row {
			if d := r.Of[v]; c != graphops.None && d != graphops.None {
				links[[2]uint32{c, d}] += weight(w, i)
				k += weight(w, i)
			}
		}
		if c != graphops.None {
			_, loop := p.Loop(uint32(u))
			k += loop
		}
		all += k
		if o.CPM {
			k = 1
		}
		if c != graphops.None {
			mass[c] += k
		}
	}
	for pair, w := range links {
		price := resolution * mass[pair[0]] * mass[pair[1]]
		if !o.CPM {
			price /= all
		}
		if pair[0] != pair[1] && w > price+1e-6*all {
			t.Fatalf("communities %v share %g and should at most %g", pair, w, price)
		}
	}
}

// checkConnected checks that each cluster is connected by positive weights.
func checkConnected(t testing.TB, p *graphops.Projection, part *graphops.Partition) {
	t.Helper()
	seen := make([]bool, p.Len())
	started := make([]bool, part.Count)
	for u, c := range part.Of {
		if c == graphops.None || seen[u] {
			continue
		}
		if started[c] {
			t.Fatalf("cluster %d is not connected: node %d", c, u)
		}
		started[c], seen[u] = true, true
		stack := []uint32{uint32(u)}
		for len(stack) > 0 {
			x := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			row, w := p.Row(x)
			for i, v := range row {
				if !seen[v] && part.Of[v] == c && weight(w, i) > 0 {
					seen[v] = true
					stack = append(stack, v)
				}
			}
		}
	}
}

func TestLeidenOfSmallGraphs(t *testing.T) {
	cliques := [][2]uint32{{3, 4}} // two, of nodes 0 to 3 and 4 to 8, and a bridge
	for u := range uint32(9) {
		for v := range u {
			if (u < 4) == (v < 4) {
				cliques = append(cliques, [2]uint32{u, v})
			}
		}
	}
	n := graphops.None
	for _, test := range []struct {
		name string
		p    *graphops.Projection
		o    graphops.LeidenOptions
		want []uint32
	}{
		{"no node", undirected(t, 0), graphops.LeidenOptions{}, nil},
		{"one node", undirected(t, 1), graphops.LeidenOptions{}, []uint32{0}},
		{"one dropped", undirected(t, 1, [2]uint32{0, 0}), graphops.LeidenOptions{DropIsolated: true}, []uint32{n}},
		{"no edges", undirected(t, 3), graphops.LeidenOptions{}, []uint32{0, 1, 2}},
		{"no edges, CPM", undirected(t, 3), graphops.LeidenOptions{CPM: true}, []uint32{0, 1, 2}},
		{"an edge", undirected(t, 2, [2]uint32{0, 1}), graphops.LeidenOptions{}, []uint32{0, 0}},
		{"an edge that is not worth it", undirected(t, 2, [2]uint32{0, 1}), graphops.LeidenOptions{Resolution: 3}, []uint32{0, 1}},
		{"a star", undirected(t, 4, [2]uint32{2, 0}, [2]uint32{2, 1}, [2]uint32{2, 3}), graphops.LeidenOptions{}, []uint32{0, 0, 0, 0}},
		{"two edges and a node", undirected(t, 5, [2]uint32{0, 3}, [2]uint32{1, 4}), graphops.LeidenOptions{}, []uint32{0, 1, 2, 0, 1}},
		{"the node dropped", undirected(t, 5, [2]uint32{0, 3}, [2]uint32{1, 4}), graphops.LeidenOptions{DropIsolated: true}, []uint32{0, 1, n, 0, 1}},
		{"two cliques", undirected(t, 9, cliques...), graphops.LeidenOptions{}, []uint32{0, 0, 0, 0, 1, 1, 1, 1, 1}},
		{"two cliques, CPM", undirected(t, 9, cliques...), graphops.LeidenOptions{CPM: true, Resolution: .5}, []uint32{0, 0, 0, 0, 1, 1, 1, 1, 1}},
		{"low resolution", undirected(t, 9, cliques...), graphops.LeidenOptions{Resolution: .05}, make([]uint32, 9)},
		{"some of them", undirected(t, 9, cliques...), graphops.LeidenOptions{Nodes: []uint32{8, 6, 3, 2, 6}}, []uint32{n, n, 0, 0, n, n, 1, n, 1}},
		{"none of them", undirected(t, 2, [2]uint32{0, 1}), graphops.LeidenOptions{Nodes: []uint32{}}, []uint32{n, n}},
		{"one of them", undirected(t, 2, [2]uint32{0, 1}), graphops.LeidenOptions{Nodes: []uint32{1}}, []uint32{n, 0}},
		// They gain nothing by being together, and lose nothing.
		{"a tie", undirected(t, 2, [2]uint32{0, 1}), graphops.LeidenOptions{Resolution: 2,
			Initial: &graphops.Partition{Of: []uint32{0, 0}, Count: 1}}, []uint32{0, 0}},
		// Nothing that counts is lost by being together, but nothing holds
		// them there.
		{"what is not connected", undirected(t, 4, [2]uint32{0, 1}, [2]uint32{2, 3}), graphops.LeidenOptions{Resolution: 1e-14,
			Initial: &graphops.Partition{Of: []uint32{0, 0, 0, 0}, Count: 1}}, []uint32{0, 0, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, dendrogram := range []bool{false, true} {
				test.o.Dendrogram = dendrogram
				r := must(graphops.Leiden(t.Context(), test.p, test.o))(t)
				if !slices.Equal(r.Of, test.want) {
					t.Errorf("%v, want %v", r.Of, test.want)
				}
				checkCommunities(t, test.p, r, &test.o)
				if dendrogram {
					checkHierarchy(t, test.p, r.Dendrogram)
				}
			}
		})
	}
}

// What Leiden finds in very small graphs is seldom worse than the best of all
// partitions, and never better.
func TestLeidenAgainstAllPartitions(t *testing.T) {
	found, all := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		n := 2 + r.IntN(6)
		p := must(graphops.FromEdges(n, randomEdges(r, n, 1+r.IntN(3*n)), graphops.EdgeOptions{Weighted: seed%2 == 0}))(t)
		o := graphops.LeidenOptions{Iterations: -1, Seed: seed, Resolution: []float64{.5, 1, 1.5}[r.IntN(3)]}
		score := graphops.Modularity
		if r.IntN(2) == 0 {
			o.CPM, score = true, graphops.CPM
		}
		res := must(graphops.Leiden(t.Context(), p, o))(t)
		checkCommunities(t, p, res, &o)
		best := math.Inf(-1)
		part := graphops.Partition{Of: make([]uint32, n), Count: n}
		var try func(i int, used uint32)
		try = func(i int, used uint32) {
			if i == n {
				best = max(best, must(score(p, &part, o.Resolution))(t))
				return
			}
			for c := range used + 1 {
				part.Of[i] = c
				try(i+1, max(used, c+1))
			}
		}
		try(0, 0)
		all++
		if res.Quality > best-1e-9 {
			found++
		}
		if res.Quality > best+1e-9 {
			t.Errorf("seed %d: %g is better than the best, %g", seed, res.Quality, best)
		}
	}
	if found < all*9/10 {
		t.Errorf("the best of %d of %d graphs", found, all)
	}
}

func TestLeidenOfRandomGraphs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 1 + r.IntN(300)
		edges := randomEdges(r, n, r.IntN(4*n))
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: r.IntN(2) == 0}))(t)
		o := graphops.LeidenOptions{Seed: seed, Iterations: 1 + r.IntN(3), DropIsolated: r.IntN(2) == 0, Dendrogram: true}
		o.Resolution = []float64{.3, 1, 2}[r.IntN(3)]
		if r.IntN(2) == 0 {
			o.CPM, o.Resolution = true, o.Resolution/10
		}
		if r.IntN(3) == 0 {
			o.Theta = .1
		}
		if r.IntN(3) == 0 {
			o.Nodes = []uint32{}
			for u := range uint32(n) {
				if r.IntN(3) > 0 {
					o.Nodes = append(o.Nodes, u)
				}
			}
		}
		if r.IntN(3) == 0 {
			o.Initial = &graphops.Partition{Of: make([]uint32, n), Count: 7}
			for u := range o.Initial.Of {
				if o.Initial.Of[u] = uint32(r.IntN(8)); o.Initial.Of[u] == 7 {
					o.Initial.Of[u] = graphops.None
				}
			}
		}
		res := must(graphops.Leiden(t.Context(), p, o))(t)
		checkCommunities(t, p, res, &o)
		checkHierarchy(t, p, res.Dendrogram)
		if !slices.Equal(res.Dendrogram.Levels[0].Of, res.Of) {
			t.Errorf("seed %d: the dendrogram begins with other communities", seed)
		}
		again := o
		again.Initial = &res.Partition
		again.Iterations = 1
		if more := must(graphops.Leiden(t.Context(), p, again))(t); more.Quality < res.Quality-1e-12*math.Abs(res.Quality) {
			t.Errorf("seed %d: an iteration more takes %v to %v", seed, res.Quality, more.Quality)
		}
		for u, c := range res.Of {
			none := o.Nodes != nil && !slices.Contains(o.Nodes, uint32(u))
			if !none && o.DropIsolated {
				none = true
				row, w := p.Row(uint32(u))
				for i, v := range row {
					none = none && (weight(w, i) == 0 || o.Nodes != nil && !slices.Contains(o.Nodes, v))
				}
			}
			if (c == graphops.None) != none {
				t.Fatalf("seed %d: node %d in %d", seed, u, c)
			}
		}
	}
}

// A restriction gives what the induced subgraph gives.
func TestLeidenOfNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	const n = 400
	edges := randomEdges(r, n, 3*n)
	for _, o := range []graphops.EdgeOptions{{}, {Weighted: true}} {
		p := must(graphops.FromEdges(n, edges, o))(t)
		var nodes []uint32
		number := map[uint32]uint32{}
		for u := range uint32(n) {
			if r.IntN(2) == 0 {
				number[u] = uint32(len(nodes))
				nodes = append(nodes, u)
			}
		}
		var inner []graphops.WeightedEdge
		for _, e := range edges {
			u, ok := number[e.From]
			v, also := number[e.To]
			if ok && also {
				inner = append(inner, graphops.WeightedEdge{From: u, To: v, Weight: e.Weight})
			}
		}
		sub := must(graphops.FromEdges(len(nodes), inner, o))(t)
		want := must(graphops.Leiden(t.Context(), sub, graphops.LeidenOptions{}))(t)
		got := must(graphops.Leiden(t.Context(), p, graphops.LeidenOptions{Nodes: nodes}))(t)
		for i, u := range nodes {
			if got.Of[u] != want.Of[i] {
				t.Fatalf("%+v: node %d in %d, want %d", o, u, got.Of[u], want.Of[i])
			}
		}
		if got.Quality != want.Quality || got.Count != want.Count {
			t.Errorf("%+v: %d of quality %v, want %d of %v", o, got.Count, got.Quality, want.Count, want.Quality)
		}
	}
}

// Edges of weight 0 change nothing, nor does the unit of weight.
func TestLeidenOfWeights(t *testing.T) {
	s := rmat(10, 6, 1, 4)
	n := len(s.types)
	project := func(edges []graphops.WeightedEdge) []uint32 {
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{Weighted: true}))(t)
		return must(graphops.Leiden(t.Context(), p, graphops.LeidenOptions{}))(t).Of
	}
	want := project(s.edges)
	scaled, more := slices.Clone(s.edges), slices.Clone(s.edges)
	for i := range scaled {
		scaled[i].Weight *= 1024
	}
	for u := range uint32(n) {
		more = append(more, graphops.WeightedEdge{From: u, To: (u*7 + 1) % uint32(n)})
	}
	if !slices.Equal(project(scaled), want) {
		t.Error("weights of another unit give other communities")
	}
	if !slices.Equal(project(more), want) {
		t.Error("edges of weight 0 give other communities")
	}
}

func TestLeidenIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(13, 12, 1, 9)
	for name, o := range map[string]graphops.LeidenOptions{
		"default":    {},
		"CPM":        {CPM: true, Resolution: .01},
		"theta":      {Theta: .05, Seed: 5},
		"resolution": {Resolution: 1.5, Seed: 3, Dendrogram: true},
	} {
		for _, weighted := range []bool{false, true} {
			p := s.project(t, weighted)
			o.Workers = 1
			one := must(graphops.Leiden(t.Context(), p, o))(t)
			checkCommunities(t, p, one, &o)
			for _, workers := range []int{1, 2, 7} {
				o.Workers = workers
				r := must(graphops.Leiden(t.Context(), p, o))(t)
				if !slices.Equal(r.Of, one.Of) || r.Quality != one.Quality {
					t.Errorf("%s, weighted %t: %d workers differ from one", name, weighted, workers)
				}
				if o.Dendrogram {
					checkHierarchy(t, p, r.Dendrogram)
				}
			}
			o.Seed++
			if r := must(graphops.Leiden(t.Context(), p, o))(t); slices.Equal(r.Of, one.Of) {
				t.Errorf("%s, weighted %t: the seed changes nothing", name, weighted)
			}
		}
	}
}

func TestLeidenOptions(t *testing.T) {
	p := undirected(t, 3, [2]uint32{0, 1})
	for name, o := range map[string]graphops.LeidenOptions{
		"negative resolution": {Resolution: -1},
		"resolution NaN":      {Resolution: math.NaN()},
		"infinite resolution": {Resolution: math.Inf(1)},
		"negative theta":      {Theta: -1},
		"nodes":               {Nodes: []uint32{3}},
		"initial length":      {Initial: &graphops.Partition{Of: []uint32{0}, Count: 1}},
		"initial cluster":     {Initial: &graphops.Partition{Of: []uint32{0, 1, 1}, Count: 1}},
	} {
		if r, err := graphops.Leiden(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		if r, err := graphops.HierarchicalLeiden(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("hierarchical, %s: %v, %v", name, r, err)
		}
	}
	weighted := func(w ...float32) *graphops.Projection {
		var edges []graphops.WeightedEdge
		for i, x := range w {
			edges = append(edges, graphops.WeightedEdge{From: 0, To: uint32(i + 1), Weight: x})
		}
		return must(graphops.FromEdges(3, edges, graphops.EdgeOptions{Weighted: true}))(t)
	}
	for name, p := range map[string]*graphops.Projection{
		"directed":        directed(t, 3, [2]uint32{0, 1}),
		"negative weight": weighted(1, -1),
		"weights too big": weighted(math.MaxFloat32, math.MaxFloat32),
	} {
		if r, err := graphops.Leiden(t.Context(), p, graphops.LeidenOptions{}); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	const need = 3*(140+12) + 2*24
	if _, err := graphops.Leiden(t.Context(), p, graphops.LeidenOptions{MaxBytes: need}); err != nil {
		t.Error(err)
	}
	var e *graphops.MemoryError
	if _, err := graphops.Leiden(t.Context(), p, graphops.LeidenOptions{MaxBytes: need - 1}); !errors.As(err, &e) || e.Need != need {
		t.Errorf("a byte short: %v", err)
	}
}

func TestLeidenIterations(t *testing.T) {
	p := (&sample{types: make([]byte, 1<<10), edges: rmat(10, 6, 1, 4).edges}).project(t, false)
	last := 0.0
	for _, iterations := range []int{1, 2, 3, -1} {
		r := must(graphops.Leiden(t.Context(), p, graphops.LeidenOptions{Iterations: iterations}))(t)
		if r.Quality < last || iterations > 0 && r.Iterations != iterations || iterations < 0 && r.Iterations < 4 {
			t.Errorf("%d of %d iterations: %g after %g", r.Iterations, iterations, r.Quality, last)
		}
		last = r.Quality
	}
}

func TestLeidenIsCancelled(t *testing.T) {
	s := rmat(13, 12, 1, 9)
	p := s.project(t, true)
	o := graphops.LeidenOptions{Workers: 1}
	for _, k := range []int{0, 1, 2, 5, 10, 20, 40} {
		r, err := graphops.Leiden(&endsAfter{Context: t.Context(), left: k}, p, o)
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v, %v", k, r, err)
		}
		h, err := graphops.HierarchicalLeiden(&endsAfter{Context: t.Context(), left: k}, p,
			graphops.LeidenOptions{Workers: 1, MaxSize: 10})
		if !errors.Is(err, context.Canceled) || h != nil {
			t.Errorf("hierarchical, after %d looks: %v, %v", k, h, err)
		}
	}
	r, err := graphops.Leiden(&endsAfter{Context: t.Context(), left: 100}, p, graphops.LeidenOptions{Workers: 2, Iterations: 10_000})
	if !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("with many iterations: %v, %v", r, err)
	}
}

// What is allocated, most of which is held to the end, is no more than what
// MaxBytes is compared with.
func TestLeidenKeepsToItsMemory(t *testing.T) {
	path := make([][2]uint32, 20_000)
	for i := range path {
		path[i] = [2]uint32{uint32(i), uint32(i + 1)}
	}
	s := rmat(13, 12, 1, 9)
	for name, p := range map[string]*graphops.Projection{
		"path": undirected(t, len(path)+1, path...), "rmat": s.project(t, false), "weighted rmat": s.project(t, true),
	} {
		for _, o := range []graphops.LeidenOptions{{}, {CPM: true, Resolution: .01}} {
			o.Workers = 1
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			must(graphops.Leiden(t.Context(), p, o))(t)
			runtime.ReadMemStats(&after)
			need := int64(p.Len())*(140+12) + 2*int64(p.Edges())*24
			if got := int64(after.TotalAlloc - before.TotalAlloc); got > need {
				t.Errorf("%s, %+v: %d bytes allocated, %d announced", name, o, got, need)
			}
		}
	}
}

func ExampleLeiden() {
	// Two triangles and an edge between them.
	p, err := graphops.FromEdges(6, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3},
		{From: 3, To: 4}, {From: 3, To: 5}, {From: 4, To: 5},
	}, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := graphops.Leiden(context.Background(), p, graphops.LeidenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %.3f\n", r.Of, r.Quality)
	// Output: [0 0 0 1 1 1] 0.357
}

// BenchmarkLeiden clusters with the default options. edges/s counts an edge
// once an iteration.
func BenchmarkLeiden(b *testing.B) {
	for _, name := range []string{"rmat16", "noderag", "lfr10k"} {
		b.Run(name, func(b *testing.B) {
			var s sample
			if name == "lfr10k" {
				s = sampleFile(b, "lfr10k.bin")
			} else {
				s = samples(b)[name]()
			}
			for _, weighted := range []bool{false, true} {
				b.Run(fmt.Sprintf("weighted=%t", weighted), func(b *testing.B) {
					p := s.project(b, weighted)
					var r *graphops.LeidenResult
					b.ReportAllocs()
					cpu := cpuTime()
					for b.Loop() {
						r = must(graphops.Leiden(b.Context(), p, graphops.LeidenOptions{}))(b)
					}
					reportCPU(b, cpu)
					b.ReportMetric(float64(p.Edges()*r.Iterations*b.N)/b.Elapsed().Seconds(), "edges/s")
					b.ReportMetric(r.Quality, "modularity")
				})
			}
			b.Run("hierarchical", func(b *testing.B) {
				p := s.project(b, false)
				cpu := cpuTime()
				for b.Loop() {
					must(graphops.HierarchicalLeiden(b.Context(), p, graphops.LeidenOptions{MaxSize: 10}))(b)
				}
				reportCPU(b, cpu)
			})
		})
	}
}
