package graphops_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// plainAdjacency is a graph of which no more is known than an Adjacency says.
type plainAdjacency struct{ graphops.Adjacency }

// seedsOf returns seeds of equal weight.
func seedsOf(nodes ...uint32) []graphops.Scored {
	out := make([]graphops.Scored, len(nodes))
	for i, u := range nodes {
		out[i] = graphops.Scored{Node: u, Score: 1}
	}
	return out
}

// The vectors were computed by hand from the formulas of NodeRAG's code and
// paper.
func TestPPRAsNodeRAG(t *testing.T) {
	const n1, n2, r1, s1, s2, t1 = 0, 1, 2, 3, 4, 5
	p := must(graphops.FromEdges(6, []graphops.WeightedEdge{
		{From: s1, To: n1, Weight: 1}, {From: s1, To: n2, Weight: 3}, {From: n1, To: r1, Weight: 1},
		{From: r1, To: n2, Weight: 1}, {From: s1, To: t1, Weight: 1}, {From: s2, To: n2, Weight: 1},
		{From: s1, To: s2, Weight: 2},
	}, graphops.EdgeOptions{Weighted: true}))(t)
	// Of the edge S1-S2 there is a half only: near edges weigh less than 1.
	half := must(graphops.FromEdges(6, []graphops.WeightedEdge{
		{From: s1, To: n1, Weight: 1}, {From: s1, To: n2, Weight: 3}, {From: n1, To: r1, Weight: 1},
		{From: r1, To: n2, Weight: 1}, {From: s1, To: t1, Weight: 1}, {From: s2, To: n2, Weight: 1},
		{From: s1, To: s2, Weight: .5},
	}, graphops.EdgeOptions{Weighted: true}))(t)
	whole := p
	for _, test := range []struct {
		name string
		o    graphops.PPROptions
		want [6]float64
	}{
		{"capped, no weight below 1", graphops.PPROptions{Lazy: true, Weights: graphops.CappedWeights},
			[6]float64{.247917, .124107, .198864, .271916, .084280, .072917}},
		{"capped, half an edge", graphops.PPROptions{Lazy: true, Weights: graphops.CappedWeights},
			[6]float64{.258333, .129654, .203463, .270563, .054654, .083333}},
		{"code, adjusted", graphops.PPROptions{Lazy: true, Weights: graphops.DegreeWeights},
			[6]float64{.247917, .124107, .198864, .271916, .084280, .072917}},
		{"code, not adjusted", graphops.PPROptions{Lazy: true},
			[6]float64{.200893, .177083, .144643, .332738, .100000, .044643}},
		{"paper, adjusted", graphops.PPROptions{Weights: graphops.DegreeWeights},
			[6]float64{.341667, .092857, .115530, .355249, .053030, .041667}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := whole
			if test.name == "capped, half an edge" {
				p = half
			}
			for _, a := range []graphops.Adjacency{p, plainAdjacency{p}} {
				scores := must(graphops.PPR(t.Context(), a, seedsOf(s1, n1), test.o))(t).Scores
				if len(scores) != 6 {
					t.Fatalf("%d scores", len(scores))
				}
				for i, s := range scores {
					if !(math.Abs(s.Score-test.want[s.Node]) < 1e-6) {
						t.Errorf("node %d: %f, want %f", s.Node, s.Score, test.want[s.Node])
					}
					if i > 0 && scores[i-1].Score < s.Score {
						t.Errorf("%v before %v", scores[i-1], s)
					}
				}
			}
		})
	}
}

// denseWalk returns the scores after some steps by products with the whole
// matrix, and the probability of going from each node to each.
func denseWalk(a graphops.Adjacency, n int, seeds []graphops.Scored, o graphops.PPROptions) []float64 {
	p := make([][]float64, n)
	for u := range p {
		p[u] = make([]float64, n)
		ids, w := a.Neighbors(uint32(u), nil, nil)
		total := 0.0
		for i, v := range ids {
			x := 1.0
			switch {
			case o.Weights == graphops.DegreeWeights:
				x = 1 / float64(max(len(ids), a.Degree(v)))
			case o.Weights == graphops.CappedWeights:
				x = 1 / float64(max(len(ids), a.Degree(v)))
				if len(w) > 0 {
					x *= min(1, float64(w[i]))
				}
			case o.Weights == graphops.StoredWeights && len(w) > 0:
				x = float64(w[i])
			}
			p[u][v] = x
			total += x
		}
		if g, ok := a.(*graphops.Projection); ok {
			n, loop := g.Loop(uint32(u))
			ends, own := float64(n), float64(max(1, len(ids)))
			p[u][u] = map[graphops.EdgeWeights]float64{
				graphops.StoredWeights: loop, graphops.UnitWeights: ends,
				graphops.DegreeWeights: ends / own, graphops.CappedWeights: min(ends, loop) / own,
			}[o.Weights]
			total += p[u][u]
		}
		for v := range p[u] {
			if total > 0 {
				p[u][v] /= total
			}
		}
	}
	start, total := make([]float64, n), 0.0
	for _, s := range seeds {
		start[s.Node] += s.Score
		total += s.Score
	}
	for u := range start {
		start[u] /= total
	}
	x := slices.Clone(start)
	for range o.Steps {
		next := make([]float64, n)
		for u := range n {
			out := 0.0
			for v := range n {
				next[v] += p[u][v] * x[u]
				out += p[u][v]
			}
			if out == 0 && o.Lazy {
				next[u] += x[u]
			} else if out == 0 {
				for v := range n {
					next[v] += start[v] * x[u]
				}
			}
		}
		for u := range n {
			if o.Lazy {
				x[u] = o.Alpha*next[u] + (1-o.Alpha)*x[u]
			} else {
				x[u] = o.Alpha*start[u] + (1-o.Alpha)*next[u]
			}
		}
	}
	return x
}

// checkScores compares scores with those of all nodes, and their order.
func checkScores(t testing.TB, got []graphops.Scored, want []float64, within float64) {
	t.Helper()
	scores := make([]float64, len(want))
	for i, s := range got {
		scores[s.Node] = s.Score
		if !(s.Score > 0) {
			t.Errorf("score %v", s)
		}
		if i > 0 && (got[i-1].Score < s.Score || got[i-1].Score == s.Score && got[i-1].Node >= s.Node) {
			t.Fatalf("%v before %v", got[i-1], s)
		}
	}
	if d := distance(scores, want); !(d <= within) {
		t.Fatalf("distance %g", d)
	}
}

// The store, a projection and the products with the whole matrix agree.
func TestPPRAgainstMatrix(t *testing.T) {
	const seed = 5
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 12 {
		m := newMessy(t, r, 20+r.IntN(60), r.IntN(250))
		v := viewOf(t, m.g)
		f := engine.EdgeFilter{Direction: engine.Direction(round % 3)}
		p := must(graphops.Project(t.Context(), v, graphops.Spec{Direction: f.Direction, Weighted: true}))(t)
		var inMemory, inStore []graphops.Scored
		for range 1 + r.IntN(6) {
			u, x := r.Uint32N(uint32(p.Len())), 0.25+r.Float64()
			inMemory = append(inMemory, graphops.Scored{Node: u, Score: x})
			inStore = append(inStore, graphops.Scored{Node: uint32(p.NodeOf(u)), Score: x})
		}
		g := graphops.Local(v, f)
		for _, lazy := range []bool{false, true} {
			for weights := graphops.StoredWeights; weights <= graphops.CappedWeights; weights++ {
				for _, steps := range []int{1, 2, 5} {
					o := graphops.PPROptions{Lazy: lazy, Weights: weights, Steps: steps, Alpha: 0.1 + 0.9*r.Float64()}
					t.Run(fmt.Sprintf("%d/%+v", round, o), func(t *testing.T) {
						want := denseWalk(p, p.Len(), inMemory, o)
						checkSum(t, want)
						checkScores(t, must(graphops.PPR(t.Context(), p, inMemory, o))(t).Scores, want, 1e-9)

						got := must(graphops.PPR(t.Context(), g, inStore, o))(t).Scores
						for i, s := range got {
							u, ok := p.Index(engine.NodeID(s.Node))
							if !ok {
								t.Fatalf("node %d", s.Node)
							}
							got[i].Node = u
						}
						slices.SortFunc(got, func(a, b graphops.Scored) int {
							return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Node, b.Node))
						})
						checkScores(t, got, want, 1e-9)
					})
				}
			}
		}
		if err := g.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// At convergence PPR is networkx's PageRank with a restart.
func TestPPRConverges(t *testing.T) {
	b, err := os.ReadFile("testdata/pagerank.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(b, &ref); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, c := range ref.Cases {
		if c.Restart == nil {
			continue
		}
		tried++
		t.Run(c.Name, func(t *testing.T) {
			edges := make([]graphops.WeightedEdge, len(c.Edges))
			for i, e := range c.Edges {
				edges[i] = graphops.WeightedEdge{From: uint32(e[0]), To: uint32(e[1]), Weight: float32(e[2])}
			}
			p := must(graphops.FromEdges(c.Nodes, edges, graphops.EdgeOptions{Directed: c.Directed, Weighted: c.Weighted}))(t)
			var seeds []graphops.Scored
			for u, x := range c.Restart {
				seeds = append(seeds, graphops.Scored{Node: uint32(u), Score: x})
			}
			scores := must(graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{Alpha: 1 - c.Damping, Steps: 1000}))(t).Scores
			checkScores(t, scores, c.Scores, 1e-9)
		})
	}
	if tried < 3 {
		t.Errorf("%d cases", tried)
	}
}

func TestPPRSeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	p := must(graphops.FromEdges(60, randomEdges(r, 50, 130), graphops.EdgeOptions{Weighted: true}))(t)
	seeds := []graphops.Scored{{Node: 9, Score: .5}, {Node: 3, Score: 1}, {Node: 9, Score: .25}, {Node: 30, Score: 2}, {Node: 7}, {Node: 55, Score: 1}}
	want := must(graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{}))(t).Scores
	t.Run("order does not matter", func(t *testing.T) {
		for range 20 {
			r.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
			if got := must(graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{}))(t).Scores; !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
	t.Run("equal nodes are added, scale does not matter", func(t *testing.T) {
		sum := []graphops.Scored{{Node: 3, Score: 4}, {Node: 9, Score: 3}, {Node: 30, Score: 8}, {Node: 55, Score: 4}}
		if got := must(graphops.PPR(t.Context(), p, sum, graphops.PPROptions{}))(t).Scores; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("the input is left alone", func(t *testing.T) {
		given := slices.Clone(seeds)
		must(graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{}))(t)
		if !slices.Equal(seeds, given) {
			t.Errorf("%v, were %v", seeds, given)
		}
	})
	t.Run("TopK is the begin", func(t *testing.T) {
		for _, k := range []int{1, 3, 7, len(want) - 1, len(want), len(want) + 1} {
			got := must(graphops.PPR(t.Context(), p, seeds, graphops.PPROptions{TopK: k}))(t).Scores
			if !slices.Equal(got, want[:min(k, len(want))]) {
				t.Errorf("best %d: %v, want %v", k, got, want)
			}
		}
	})
	t.Run("a seed without edges keeps its share", func(t *testing.T) {
		for _, lazy := range []bool{false, true} {
			got := must(graphops.PPR(t.Context(), p, seedsOf(58), graphops.PPROptions{Lazy: lazy}))(t).Scores
			if !slices.Equal(got, seedsOf(58)) {
				t.Errorf("%v", got)
			}
		}
	})
	t.Run("no seeds", func(t *testing.T) {
		if got := must(graphops.PPR(t.Context(), p, nil, graphops.PPROptions{}))(t).Scores; len(got) != 0 {
			t.Errorf("%v", got)
		}
	})
}

// Scores that differ in the last bits only are in order too, and equal ones
// are by number.
func TestPPROrder(t *testing.T) {
	var edges []graphops.WeightedEdge
	want := []graphops.Scored{}
	for i := range uint32(200) {
		w := float32(1) + float32(i/4)*math.Float32frombits(0x34000000) // 2^-23
		edges = append(edges, graphops.WeightedEdge{From: 0, To: i + 1, Weight: w})
		want = append(want, graphops.Scored{Node: i + 1, Score: float64(w)})
	}
	p := must(graphops.FromEdges(201, edges, graphops.EdgeOptions{Directed: true, Weighted: true}))(t)
	slices.SortFunc(want, func(a, b graphops.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Node, b.Node))
	})
	got := must(graphops.PPR(t.Context(), p, seedsOf(0), graphops.PPROptions{Steps: 1, Lazy: true, Alpha: 1}))(t).Scores
	for i := range got {
		if got[i].Node != want[i].Node {
			t.Fatalf("place %d: %v, want %v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d scores", len(got))
	}
}

func TestPPRRefuses(t *testing.T) {
	p := undirected(t, 3, [2]uint32{0, 1})
	negative := must(graphops.FromEdges(2, []graphops.WeightedEdge{{From: 0, To: 1, Weight: -1}}, graphops.EdgeOptions{Weighted: true}))(t)
	for _, test := range []struct {
		name  string
		p     *graphops.Projection
		seeds []graphops.Scored
		o     graphops.PPROptions
	}{
		{"Alpha", p, seedsOf(0), graphops.PPROptions{Alpha: 1.1}},
		{"negative Alpha", p, seedsOf(0), graphops.PPROptions{Alpha: -.1}},
		{"NaN Alpha", p, seedsOf(0), graphops.PPROptions{Alpha: math.NaN()}},
		{"Steps", p, seedsOf(0), graphops.PPROptions{Steps: -1}},
		{"Weights", p, seedsOf(0), graphops.PPROptions{Weights: 4}},
		{"TopK", p, seedsOf(0), graphops.PPROptions{TopK: -1}},
		{"MaxWork", p, seedsOf(0), graphops.PPROptions{MaxWork: -1}},
		{"seed beyond", p, seedsOf(3), graphops.PPROptions{}},
		{"negative seed", p, []graphops.Scored{{Node: 1, Score: -1}, {Node: 0, Score: 2}}, graphops.PPROptions{}},
		{"infinite seed", p, []graphops.Scored{{Node: 1, Score: math.Inf(1)}}, graphops.PPROptions{}},
		{"seed that is no number", p, []graphops.Scored{{Node: 1, Score: math.NaN()}}, graphops.PPROptions{}},
		{"seeds of 0", p, []graphops.Scored{{Node: 1}, {Node: 0}}, graphops.PPROptions{}},
		{"seeds too great", p, []graphops.Scored{{Node: 1, Score: math.MaxFloat64}, {Node: 0, Score: math.MaxFloat64}}, graphops.PPROptions{}},
		{"negative weight", negative, seedsOf(0), graphops.PPROptions{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := graphops.PPR(t.Context(), test.p, test.seeds, test.o); !errors.Is(err, engine.ErrInvalid) || got != nil {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	if _, err := graphops.PPR(t.Context(), negative, seedsOf(0), graphops.PPROptions{Weights: graphops.UnitWeights}); err != nil {
		t.Errorf("unit weights: %v", err)
	}
}
