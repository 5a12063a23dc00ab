package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestSCANReference(t *testing.T) {
	t.Parallel()
	var ref struct {
		Cases []struct {
			Name      string
			Nodes, Mu int
			Edges     [][3]float64
			Epsilon   float64
			Of        []int
			Roles     []string
			Count     int
		}
	}
	readReference(t, "scan.json", &ref)
	if len(ref.Cases) == 0 {
		t.Fatal("no cases")
	}
	names := map[string]string{
		"core": "core", "border": "border", "hub": "hub", "outlier": "outlier",
	}
	for _, c := range ref.Cases {
		p := must(graphops.FromEdges(c.Nodes, triples(c.Edges), graphops.EdgeOptions{}))(t)
		o := graphops.SCANOptions{Epsilon: c.Epsilon, Mu: c.Mu}
		if c.Epsilon == 0.7 && c.Mu == 2 {
			o = graphops.SCANOptions{} // the defaults
		}
		r := must(graphops.SCAN(t.Context(), p, o))(t)
		if r.Partition.Count != c.Count {
			t.Errorf("%s: %d clusters, want %d", c.Name, r.Partition.Count, c.Count)
		}
		for u, of := range c.Of {
			if got := r.Partition.Of[u]; got != uint32(of) { // -1 is None
				t.Errorf("%s: node %d is in %d, want %d", c.Name, u, int32(got), of)
			}
			if got := names[r.Roles[u]]; got != c.Roles[u] {
				t.Errorf("%s: node %d is a %s, want %s", c.Name, u, got, c.Roles[u])
			}
		}
	}
}

// scanByDefinition compares all pairs of neighbours and joins the cores until
// nothing changes.
func scanByDefinition(p *graphops.Projection, epsilon float64, mu int) (of []uint32, roles []string) {
	n := p.Len()
	within := make([]map[uint32]bool, n)
	for u := range n {
		within[u] = map[uint32]bool{uint32(u): true}
		to, _ := p.Row(uint32(u))
		for _, v := range to {
			within[u][v] = true
		}
	}
	alike := func(u, v uint32) bool {
		common := 0
		for x := range within[u] {
			if within[v][x] {
				common++
			}
		}
		return float64(common)/math.Sqrt(float64(len(within[u])*len(within[v]))) >= epsilon
	}
	near := make([][]uint32, n)
	roles = make([]string, n)
	of = make([]uint32, n)
	for u := range uint32(n) {
		of[u], roles[u] = graphops.None, "outlier"
		for v := range uint32(n) {
			if within[u][v] && alike(u, v) {
				near[u] = append(near[u], v)
			}
		}
		if len(near[u]) >= mu {
			roles[u], of[u] = "core", u
		}
	}
	for changed := true; changed; {
		changed = false
		for u := range uint32(n) {
			for _, v := range near[u] {
				if roles[u] == "core" && roles[v] == "core" && of[v] < of[u] {
					of[u], changed = of[v], true
				}
			}
		}
	}
	for u := range n {
		if roles[u] == "core" {
			continue
		}
		for _, v := range near[u] {
			if roles[v] == "core" {
				roles[u], of[u] = "border", of[v]
				break
			}
		}
	}
	for u := range n {
		if of[u] != graphops.None {
			continue
		}
		clusters := map[uint32]bool{}
		for v := range within[u] {
			if of[v] != graphops.None {
				clusters[of[v]] = true
			}
		}
		if len(clusters) > 1 {
			roles[u] = "hub"
		}
	}
	return of, roles
}

func TestSCANAgainstDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(70)
		edges := randomEdges(r, n, r.IntN(6*n))
		if seed%3 == 0 { // a hub, so that rows of very different length meet
			for v := range n {
				edges = append(edges, graphops.WeightedEdge{From: 0, To: uint32(v)})
			}
		}
		p := must(graphops.FromEdges(n, edges, graphops.EdgeOptions{}))(t)
		for _, epsilon := range []float64{.2, .35, .5, .6, .75, 1} {
			mu := 1 + r.IntN(5)
			res := must(graphops.SCAN(t.Context(), p, graphops.SCANOptions{Epsilon: epsilon, Mu: mu}))(t)
			of, roles := scanByDefinition(p, epsilon, mu)
			number := map[uint32]uint32{graphops.None: graphops.None}
			for u, c := range of {
				if c == uint32(u) {
					number[c] = uint32(len(number) - 1)
				}
			}
			for u := range n {
				if res.Partition.Of[u] != number[of[u]] || res.Roles[u] != roles[u] {
					t.Fatalf("seed %d, epsilon %g, mu %d: node %d is in %d as %s, want %d as %s", seed, epsilon, mu,
						u, int32(res.Partition.Of[u]), res.Roles[u], int32(number[of[u]]), roles[u])
				}
			}
			if res.Partition.Count != len(number)-1 {
				t.Fatalf("seed %d: %d clusters, want %d", seed, res.Partition.Count, len(number)-1)
			}
		}
	}
}

// A hub's row is searched, not merged.
func TestSCANOfALongRow(t *testing.T) {
	t.Parallel()
	var edges [][2]uint32
	for v := uint32(2); v < 400; v++ {
		edges = append(edges, [2]uint32{1, v})
	}
	for _, v := range []uint32{1, 2, 150, 399} {
		edges = append(edges, [2]uint32{0, v})
	}
	p := undirected(t, 400, edges...)
	// 0 has 5 within a step, 1 has 400, and they share 0, 1, 2, 150 and 399.
	similarity := 5 / math.Sqrt(5*400)
	for _, test := range []struct {
		epsilon float64
		alike   bool
	}{{similarity - 1e-9, true}, {similarity + 1e-9, false}} {
		r := must(graphops.SCAN(t.Context(), p, graphops.SCANOptions{Epsilon: test.epsilon, Mu: 2}))(t)
		of, roles := scanByDefinition(p, test.epsilon, 2)
		if !slices.Equal(r.Roles, roles) || (r.Partition.Of[0] == r.Partition.Of[1]) != (of[0] == of[1]) {
			t.Errorf("epsilon %g: %v, want %v", test.epsilon, r.Roles[:3], roles[:3])
		}
	}
}

// Renamed, or beside another graph, nodes have the same roles and neighbours
// in their clusters.
func TestSCANOfRenamedAndJoined(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 2))
	const n = 200
	edges := randomEdges(r, n, 4*n)
	for i := range edges {
		edges[i].To = (edges[i].From + uint32(r.IntN(6))) % n
	}
	perm := r.Perm(n)
	both := slices.Clone(edges)
	for _, e := range edges {
		both = append(both, graphops.WeightedEdge{From: uint32(n + perm[e.From]), To: uint32(n + perm[e.To])})
	}
	o := graphops.SCANOptions{Epsilon: .7, Mu: 4}
	a := must(graphops.SCAN(t.Context(), must(graphops.FromEdges(n, edges, graphops.EdgeOptions{}))(t), o))(t)
	b := must(graphops.SCAN(t.Context(), must(graphops.FromEdges(2*n, both, graphops.EdgeOptions{}))(t), o))(t)
	if !slices.Equal(a.Partition.Of, b.Partition.Of[:n]) || b.Partition.Count != 2*a.Partition.Count || a.Partition.Count < 3 {
		t.Errorf("%d clusters, joined %d", a.Partition.Count, b.Partition.Count)
	}
	for u := range n {
		// Whether a node is a hub may depend on where borders of several
		// clusters went.
		x, y := a.Roles[u], b.Roles[n+perm[u]]
		if x != y && (x == "border" || x == "core" || y == "border" || y == "core") {
			t.Errorf("node %d is %s, renamed %s", u, x, y)
		}
		for v := range n {
			if a.Roles[u] == "core" && a.Roles[v] == "core" &&
				(a.Partition.Of[u] == a.Partition.Of[v]) != (b.Partition.Of[n+perm[u]] == b.Partition.Of[n+perm[v]]) {
				t.Fatalf("cores %d and %d", u, v)
			}
		}
	}
}

func TestSCANOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 4} {
		r := must(graphops.SCAN(t.Context(), undirected(t, n), graphops.SCANOptions{}))(t)
		if len(r.Roles) != n || len(r.Partition.Of) != n || r.Partition.Count != 0 || slices.ContainsFunc(r.Roles, func(role string) bool { return role != "outlier" }) {
			t.Errorf("%d nodes: %+v", n, r)
		}
	}
	// Parallel edges are one, loops none: a triangle.
	p := undirected(t, 3, [2]uint32{0, 1}, [2]uint32{1, 0}, [2]uint32{1, 2}, [2]uint32{2, 0}, [2]uint32{2, 2})
	r := must(graphops.SCAN(t.Context(), p, graphops.SCANOptions{Epsilon: 1, Mu: 3}))(t)
	if r.Partition.Count != 1 || !slices.Equal(r.Roles, []string{"core", "core", "core"}) {
		t.Errorf("%+v", r)
	}
}

func TestSCANRefuses(t *testing.T) {
	t.Parallel()
	p := undirected(t, 2, [2]uint32{0, 1})
	for _, o := range []graphops.SCANOptions{{Epsilon: -1}, {Epsilon: 1.1}, {Epsilon: math.NaN()}, {Mu: -1}} {
		if r, err := graphops.SCAN(t.Context(), p, o); !errors.Is(err, engine.ErrInvalid) || r != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := graphops.SCAN(t.Context(), directed(t, 2, [2]uint32{0, 1}), graphops.SCANOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("directed: %v", err)
	}
	const need = 2*5 + 2*24
	if _, err := graphops.SCAN(t.Context(), p, graphops.SCANOptions{MaxBytes: need}); err != nil {
		t.Error(err)
	}
	var over *graphops.MemoryError
	if _, err := graphops.SCAN(t.Context(), p, graphops.SCANOptions{MaxBytes: need - 1}); !errors.As(err, &over) || over.Need != need {
		t.Error(err)
	}
}

func TestSCANIsCancelled(t *testing.T) {
	t.Parallel()
	s := rmat(13, 12, 1, 4)
	p := s.project(t, false)
	r := must(graphops.SCAN(t.Context(), p, graphops.SCANOptions{Epsilon: .2}))(t)
	if r.Compared == 0 || r.Compared > p.Edges() {
		t.Errorf("%d of %d edges compared", r.Compared, p.Edges())
	}
	for _, k := range []int{0, 1, 2, 3, 5, 8, 20} {
		ctx := &endsAfter{Context: t.Context(), left: k}
		if r, err := graphops.SCAN(ctx, p, graphops.SCANOptions{Epsilon: .2}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("after %d looks: %v", k, err)
		}
	}
}

// BenchmarkSCAN finds clusters; edges/s counts edges of the graph, compared
// ones or not.
func BenchmarkSCAN(b *testing.B) {
	for _, name := range []string{"rmat16", "noderag"} {
		b.Run(name, func(b *testing.B) {
			s := samples(b)[name]()
			p := s.project(b, false)
			for _, epsilon := range []float64{.3, .7} {
				b.Run(fmt.Sprint("epsilon=", epsilon), func(b *testing.B) {
					var r *graphops.SCANResult
					cpu := cpuTime()
					for b.Loop() {
						r = must(graphops.SCAN(b.Context(), p, graphops.SCANOptions{Epsilon: epsilon}))(b)
					}
					reportCPU(b, cpu)
					b.ReportMetric(float64(p.Edges()*b.N)/b.Elapsed().Seconds(), "edges/s")
					b.ReportMetric(float64(r.Compared)/float64(p.Edges()), "compared/edge")
				})
			}
		})
	}
}
