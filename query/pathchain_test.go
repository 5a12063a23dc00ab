package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// path returns the path of fewest edges whose nodes, compared one by one, are
// the first by less; nil where there is none of at most most edges, 0: any.
func (g walkable) path(from, to engine.NodeID, most int, less func(a, b engine.NodeID) int) []engine.NodeID {
	back := walkable{}
	for u := range g {
		for v := range g[u] {
			if back[v] == nil {
				back[v] = map[engine.NodeID]float64{}
			}
			back[v][u] = 1
		}
	}
	for id := range g {
		if back[id] == nil {
			back[id] = map[engine.NodeID]float64{}
		}
	}
	far := back.hops(map[engine.NodeID]float64{to: 1})
	n, ok := far[from]
	if !ok || most > 0 && n > most {
		return nil
	}
	path := []engine.NodeID{from}
	for ; n > 0; n-- {
		var next []engine.NodeID
		for v := range g[path[len(path)-1]] {
			if h, ok := far[v]; ok && h == n-1 {
				next = append(next, v)
			}
		}
		path = append(path, slices.MinFunc(next, less))
	}
	return path
}

func TestPathChain(t *testing.T) {
	t.Parallel()
	typeSets := [][]string{nil, {"link"}, {"cites", "link"}, {"said"}, {"unknown"}}
	broken := 0
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 32))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in := w.randomInput(r, "in")
		allow := w.someNodes(r)
		var keys []query.Item
		for _, it := range in.items {
			if allow == nil || allow[it.ID] {
				keys = append(keys, it)
			}
		}
		in.items = append(in.items, query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9})
		o := &query.PathChain{
			In: in, Graph: w.g, Types: typeSets[r.IntN(len(typeSets))], Direction: engine.Direction(r.IntN(3)),
			MaxDepth: r.IntN(4), InMemory: r.IntN(2) == 0,
		}
		e := w.env()
		e.Trace = &query.Trace{}
		e.Graphs = graphops.NewCache(1 << 20)
		e.AllowAny = r.IntN(2) == 0
		if allow != nil {
			allowing(e, allow)
		}
		g := w.walkable(o.Types, o.Direction, allow, e.AllowAny)
		less := func(a, b engine.NodeID) int { return int(a) - int(b) }
		if o.InMemory && allow == nil { // by type, thing being made first
			less = func(a, b engine.NodeID) int {
				if w.kind[a] != w.kind[b] {
					return map[string]int{"thing": -1, "place": 1}[w.kind[a]]
				}
				return int(a) - int(b)
			}
		}
		score := map[engine.NodeID]float64{}
		for _, k := range keys {
			score[k.ID] = k.Score
		}
		want := []row{}
		add := func(id engine.NodeID, s float64) {
			if own, ok := score[id]; ok {
				s = own
			}
			if !slices.ContainsFunc(want, func(x row) bool { return x.id == id }) {
				want = append(want, row{graph: w.g.ID(), id: id, score: s})
			}
		}
		var notes []string
		for i, k := range keys {
			if i > 0 {
				path := g.path(keys[i-1].ID, k.ID, o.MaxDepth, less)
				for _, id := range path {
					add(id, min(keys[i-1].Score, k.Score))
				}
				if path == nil {
					notes = append(notes, fmt.Sprintf("path %d, from node %d to node %d: ", i, keys[i-1].ID, k.ID))
				}
			}
			add(k.ID, 0)
		}
		got := run(t, e, o)
		same(t, seed, got, want)
		have := e.Trace.Ops[0].Notes
		if len(have) != len(notes) {
			t.Fatalf("seed %d: notes %q, want %q", seed, have, notes)
		}
		for i, n := range notes {
			if have[i] != n+"none" && have[i] != n+"not found within the limits" {
				t.Fatalf("seed %d: note %q, want %q", seed, have[i], n)
			}
			broken++
		}
		for i, it := range got.Items {
			last := it.Why[len(it.Why)-1]
			_, edge := g[last.From.ID][it.ID]
			apart := last.Note == "no path: none" || last.Note == "no path: not found within the limits"
			if it.Why[0].Op != "input" || last.Op != "path" || edge == apart && i > 0 && !(apart && o.MaxDepth > 0) || (i == 0) != (last.Note == "start") {
				t.Fatalf("seed %d: item %d, node %d: %+v", seed, i, it.ID, it.Why)
			}
		}
	}
	if broken == 0 {
		t.Error("all nodes were joined by paths")
	}
}
