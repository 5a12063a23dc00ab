package query_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// walkable is a graph as walks see it: the summed weights of the edges from
// each node that may be seen, without loops.
type walkable map[engine.NodeID]map[engine.NodeID]float64

func (w *world) walkable(types []string, d engine.Direction, allow map[engine.NodeID]bool, any bool) walkable {
	g := walkable{}
	for _, id := range w.nodes {
		g[id] = map[engine.NodeID]float64{}
		for _, e := range w.edges {
			if other := e.Other(id); other != id && w.follows(e, id, types, d) && w.mayEdge(e, allow, any) {
				g[id][other] += float64(e.Weight)
			}
		}
	}
	return g
}

// loop is all loops of a node: by how many ends they lead back, and what they weigh.
type loop struct{ ends, weight float64 }

// loops returns the loops of a walkable graph: a loop counts once for each of its
// ends that may be followed.
func (w *world) loops(types []string, d engine.Direction, allow map[engine.NodeID]bool, any bool) map[engine.NodeID]loop {
	out := map[engine.NodeID]loop{}
	for _, e := range w.edges {
		if e.From != e.To || !w.follows(e, e.From, types, d) || !w.mayEdge(e, allow, any) {
			continue
		}
		ends := 1.0
		if !e.Type.Directed() || d == engine.Both {
			ends = 2
		}
		l := out[e.From]
		out[e.From] = loop{max(l.ends, ends), l.weight + ends*float64(e.Weight)}
	}
	return out
}

// ppr is personalised PageRank by products with the whole matrix.
func (g walkable) ppr(o *query.PPR, start map[engine.NodeID]float64, loops map[engine.NodeID]loop) map[engine.NodeID]float64 {
	alpha, steps := o.Alpha, o.Steps
	if alpha == 0 {
		alpha = 0.5
	}
	if steps == 0 {
		steps = 2
	}
	total := 0.0
	for _, s := range start {
		total += s
	}
	weight := func(u, v engine.NodeID) float64 {
		switch o.Weights {
		case graphops.UnitWeights:
			return 1
		case graphops.DegreeWeights:
			return 1 / float64(max(len(g[u]), len(g[v])))
		}
		return g[u][v]
	}
	stay := func(u engine.NodeID) float64 {
		switch l := loops[u]; o.Weights {
		case graphops.UnitWeights:
			return l.ends
		case graphops.DegreeWeights:
			return l.ends / float64(max(1, len(g[u])))
		default:
			return l.weight
		}
	}
	at := map[engine.NodeID]float64{}
	for id, s := range start {
		at[id] = s / total
	}
	for range steps {
		next := map[engine.NodeID]float64{}
		for u, x := range at {
			sum := stay(u)
			for v := range g[u] {
				sum += weight(u, v)
			}
			switch {
			case sum == 0 && o.Lazy:
				next[u] += alpha * x
			case sum == 0:
				for id, s := range start {
					next[id] += (1 - alpha) * x * s / total
				}
			}
			follow := 1 - alpha
			if o.Lazy {
				follow = alpha
			}
			if sum > 0 {
				next[u] += follow * x * stay(u) / sum
			}
			for v := range g[u] {
				next[v] += follow * x * weight(u, v) / sum
			}
			if o.Lazy {
				next[u] += (1 - alpha) * x
			}
		}
		if !o.Lazy {
			for id, s := range start {
				next[id] += alpha * s / total
			}
		}
		at = next
	}
	return at
}

func TestPPR(t *testing.T) {
	t.Parallel()
	typeSets := [][]string{nil, {"link"}, {"cites", "said"}, {"said"}, {"unknown"}}
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 31))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in := w.randomInput(r, "in")
		for i := range in.items {
			in.items[i].Score -= float64(r.IntN(2))
		}
		allow := w.someNodes(r)
		o := &query.PPR{
			In: in, Graph: w.g, Types: typeSets[r.IntN(len(typeSets))], Direction: engine.Direction(r.IntN(3)),
			Lazy: r.IntN(2) == 1, Weights: graphops.EdgeWeights(r.IntN(3)), Uniform: r.IntN(2) == 0,
			Steps: r.IntN(4), InMemory: r.IntN(2) == 0,
		}
		if r.IntN(2) == 0 {
			o.Alpha = 0.25
		}
		start := map[engine.NodeID]float64{}
		for _, it := range in.items {
			if allow != nil && !allow[it.ID] {
				continue
			}
			if o.Uniform {
				start[it.ID] = 1
			} else if it.Score > 0 {
				start[it.ID] = it.Score
			}
		}
		in.items = append(in.items, query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9},
			query.Item{Graph: w.g.ID(), Edge: engine.Edge{From: 1, To: 1, Type: w.types["link"]}, Score: 1})
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		if e.Graphs = graphops.NewCache(1 << 20); r.IntN(3) == 0 {
			e.Graphs = nil
		}
		if allow != nil {
			allowing(e, allow)
		}
		g := w.walkable(o.Types, o.Direction, allow, e.AllowAny)
		want := g.ppr(o, start, w.loops(o.Types, o.Direction, allow, e.AllowAny))
		for id, s := range want {
			if s == 0 {
				delete(want, id)
			}
		}
		got := run(t, e, o)
		all := rows(got)
		if len(all) != len(want) || !slices.IsSortedFunc(all, byScore) {
			t.Fatalf("seed %d: %v, want %v", seed, all, want)
		}
		for _, it := range got.Items {
			if it.Graph != w.g.ID() || math.Abs(want[it.ID]-it.Score) > 1e-9 {
				t.Fatalf("seed %d: node %d scores %v, want %v", seed, it.ID, it.Score, want[it.ID])
			}
			checkWay(t, it, "ppr", start, g)
			if last := it.Why[len(it.Why)-1]; last.Score != it.Score {
				t.Fatalf("seed %d: node %d of %v because of %+v", seed, it.ID, it.Score, it.Why)
			}
		}
		if o.K = r.IntN(8); o.K > 0 {
			same(t, seed, run(t, e, o), all[:min(o.K, len(all))])
		}
	}
}

// checkWay checks that the steps of an item lead from one of the starts, which
// came from an input, along edges to the node, and that no way is shorter.
func checkWay(t *testing.T, it query.Item, op string, start map[engine.NodeID]float64, g walkable) {
	t.Helper()
	if len(it.Why) < 2 || it.Why[0].Op != "input" {
		t.Fatalf("node %d because of %+v", it.ID, it.Why)
	}
	way := []engine.NodeID{}
	for _, s := range it.Why[1:] {
		if s.Op == op && s.Note != "start" {
			way = append(way, s.From.ID)
		}
	}
	way = append(way, it.ID)
	if _, ok := start[way[0]]; !ok {
		t.Fatalf("node %d was reached from %d, which starts nothing", it.ID, way[0])
	}
	for i := 1; i < len(way); i++ {
		if _, ok := g[way[i-1]][way[i]]; !ok {
			t.Fatalf("node %d: no edge leads from %d to %d", it.ID, way[i-1], way[i])
		}
	}
	if have, want := len(way)-1, g.hops(start)[it.ID]; have != want {
		t.Fatalf("node %d was reached by %d edges, want %d", it.ID, have, want)
	}
}

// hops tells how many edges the nearest of some nodes is away.
func (g walkable) hops(from map[engine.NodeID]float64) map[engine.NodeID]int {
	out := map[engine.NodeID]int{}
	for id := range from {
		out[id] = 0
	}
	for range g {
		for u := range g {
			if _, ok := out[u]; !ok {
				continue
			}
			for v := range g[u] {
				if h, ok := out[v]; !ok || h > out[u]+1 {
					out[v] = out[u] + 1
				}
			}
		}
	}
	return out
}

// TestPPRFallsBack reads more of the store than it may.
func TestPPRFallsBack(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 4, 25)
	in := &input{items: []query.Item{w.item(w.nodes[3], 1), w.item(w.nodes[7], 2)}}
	wide := &query.PPR{In: in, Graph: w.g, Direction: engine.Both, Steps: 3}
	narrow := &query.PPR{In: in, Graph: w.g, Direction: engine.Both, Steps: 3, MaxWork: 1100}
	want := run(t, w.env(), wide)

	e := w.env()
	// Without a cache the walk stays where it is likeliest.
	e.Trace = &query.Trace{}
	part := run(t, e, narrow)
	if notes := e.Trace.Ops[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "no score is off by more than 0.") {
		t.Errorf("notes %q", notes)
	}
	if len(part.Items) == 0 || len(part.Items) >= len(want.Items) {
		t.Errorf("%v of %v", rows(part), rows(want))
	}
	e.Graphs = graphops.NewCache(1 << 20)
	e.Trace = &query.Trace{}
	for n := range 2 {
		got := run(t, e, narrow)
		for i, it := range got.Items {
			if len(got.Items) != len(want.Items) || it.ID != want.Items[i].ID || math.Abs(it.Score-want.Items[i].Score) > 1e-12 {
				t.Fatalf("%v, want %v", rows(got), rows(want))
			}
		}
		if notes := e.Trace.Ops[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "projection") || e.Trace.Ops[1].Notes != nil {
			t.Errorf("notes %q", notes)
		}
		if hits, misses := e.Graphs.Counts(); misses != 1 || hits != int64(n) {
			t.Errorf("the cache found %d and built %d", hits, misses)
		}
	}
	// Under a filter everything that has to be is read.
	all := map[engine.NodeID]bool{}
	for _, id := range w.nodes {
		all[id] = true
	}
	if got := run(t, allowing(w.env(), all), narrow); len(got.Items) != len(want.Items) {
		t.Errorf("filtered: %v, want %v", rows(got), rows(want))
	}
}

func TestPPRRefuses(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	in := &input{items: []query.Item{w.item(w.nodes[0], 1)}}
	odd := &input{items: []query.Item{w.item(w.nodes[0], math.Inf(1))}}
	for _, op := range []*query.PPR{
		{In: in, Graph: w.g, Alpha: 2}, {In: in, Graph: w.g, Steps: -1}, {In: in, Graph: w.g, Weights: 9},
		{In: in, Graph: w.g, MaxWork: -1}, {In: odd, Graph: w.g},
	} {
		if _, err := query.Run(t.Context(), w.env(), op); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", op, err)
		}
	}
}
