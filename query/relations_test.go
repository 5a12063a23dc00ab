package query_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// relations is what Relations does, said plainly.
func (w *world) relations(o *query.Relations, in []query.Item, allow map[engine.NodeID]bool, any bool) []row {
	inside := map[engine.NodeID]bool{}
	nodes := 0
	for _, it := range in {
		if it.ID != 0 && it.Graph == w.g.ID() {
			inside[it.ID] = true
			nodes++
		}
	}
	degree := func(id engine.NodeID) float64 {
		ids, _ := w.around(id, o.Types, engine.Both)
		return float64(len(ids))
	}
	within, leaving := []row{}, []row{}
	links := map[engine.NodeID]map[engine.NodeID]bool{}
	outer := func(e engine.Edge) (out, in engine.NodeID) {
		if inside[e.From] {
			return e.To, e.From
		}
		return e.From, e.To
	}
	for _, e := range w.edges {
		if e.From == e.To || !w.follows(e, e.From, o.Types, engine.Both) || !w.mayEdge(e, allow, any) {
			continue
		}
		r := row{graph: w.g.ID(), edge: e, score: degree(e.From) + degree(e.To)}
		switch {
		case inside[e.From] && inside[e.To]:
			within = append(within, r)
		case inside[e.From] || inside[e.To]:
			leaving = append(leaving, r)
			out, in := outer(e)
			if links[out] == nil {
				links[out] = map[engine.NodeID]bool{}
			}
			links[out][in] = true
		}
	}
	slices.SortFunc(within, byScore)
	slices.SortFunc(leaving, func(a, b row) int {
		x, _ := outer(a.edge)
		y, _ := outer(b.edge)
		return cmp.Or(cmp.Compare(len(links[y]), len(links[x])), byScore(a, b))
	})
	per := o.PerNode
	if per == 0 {
		per = 10
	}
	return append(within, leaving[:max(0, min(len(leaving), per*nodes))]...)
}

func TestRelations(t *testing.T) {
	t.Parallel()
	typeSets := [][]string{nil, {"link"}, {"said"}, {"said", "cites"}}
	wider := 0
	for seed := range seeds(80) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := makeWorld(t, seed, 1+r.IntN(20))
		in := w.randomInput(r, "in")
		allow := w.someNodes(r)
		if allow != nil { // inputs hold what may be seen
			in.items = slices.DeleteFunc(in.items, func(it query.Item) bool { return !allow[it.ID] })
		}
		in.items = append(in.items,
			query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9},
			query.Item{Graph: w.g.ID(), Edge: engine.Edge{From: 1, To: 1, Type: w.types["link"]}})
		o := &query.Relations{In: in, Graph: w.g, Types: typeSets[r.IntN(len(typeSets))], PerNode: r.IntN(4) - 1}
		for _, any := range []bool{false, true} {
			e := w.env()
			e.AllowAny = any
			if allow != nil {
				allowing(e, allow)
			}
			want := w.relations(o, in.items, allow, any)
			same(t, seed, run(t, e, o), want)
			if any && len(want) > len(w.relations(o, in.items, allow, false)) {
				wider++
			}
		}
	}
	if wider == 0 {
		t.Error("AllowAny never let in an edge more")
	}
	t.Run("no such type", func(t *testing.T) {
		w := makeWorld(t, 1, 5)
		in := &input{items: []query.Item{w.item(w.nodes[0], 1)}}
		same(t, 1, run(t, w.env(), &query.Relations{In: in, Graph: w.g, Types: []string{"unknown"}}), []row{})
		same(t, 1, run(t, w.env(), &query.Neighbors{In: in, Graph: w.g, Types: []string{"unknown"}}), []row{})
		same(t, 1, run(t, w.env(), &query.Neighbors{In: in, Graph: w.g, Types: []string{}}), []row{})
	})
}
