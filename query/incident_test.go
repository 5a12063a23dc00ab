package query_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// incident is what Incident does, said plainly.
func (w *world) incident(o *query.Incident, in []query.Item, allow map[engine.NodeID]bool, any bool) []row {
	place, score := map[engine.NodeID]int{}, map[engine.NodeID]float64{}
	nodes := 0
	for _, it := range in {
		if it.ID != 0 && it.Graph == w.g.ID() {
			nodes++
			place[it.ID], score[it.ID] = nodes, it.Score
		}
	}
	degree := func(id engine.NodeID) float64 {
		ids, _ := w.around(id, o.Types, engine.Both)
		return float64(len(ids))
	}
	within, leaving := []row{}, []row{}
	links := map[engine.NodeID]map[engine.NodeID]bool{}
	// ends returns the end that is earlier in the set, and the other.
	ends := func(e engine.Edge) (first, other engine.NodeID) {
		if place[e.From] == 0 || place[e.To] > 0 && place[e.To] < place[e.From] {
			return e.To, e.From
		}
		return e.From, e.To
	}
	for _, e := range w.edges {
		if e.From == e.To || place[e.From]+place[e.To] == 0 || !w.follows(e, e.From, o.Types, engine.Both) || !w.mayEdge(e, allow, any) {
			continue
		}
		first, other := ends(e)
		r := row{graph: w.g.ID(), edge: e, score: score[first]}
		if o.Ranked || o.PerNode > 0 {
			r.score = degree(e.From) + degree(e.To)
		}
		if place[other] > 0 {
			within = append(within, r)
			continue
		}
		leaving = append(leaving, r)
		if links[other] == nil {
			links[other] = map[engine.NodeID]bool{}
		}
		links[other][first] = true
	}
	if o.Within && !o.Leaving {
		leaving = nil
	}
	if o.Leaving && !o.Within {
		within = []row{}
	}
	if o.PerNode > 0 {
		slices.SortFunc(within, byScore)
		slices.SortFunc(leaving, func(a, b row) int {
			_, x := ends(a.edge)
			_, y := ends(b.edge)
			return cmp.Or(cmp.Compare(len(links[y]), len(links[x])), byScore(a, b))
		})
		return append(within, leaving[:min(len(leaving), o.PerNode*nodes)]...)
	}
	all := append(within, leaving...)
	slices.SortFunc(all, func(a, b row) int {
		if o.Ranked {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.edge.Weight, a.edge.Weight), byScore(a, b))
		}
		x, to := ends(a.edge)
		y, with := ends(b.edge)
		return cmp.Or(cmp.Compare(place[x], place[y]), cmp.Compare(to, with), cmp.Compare(a.edge.Type, b.edge.Type))
	})
	return all
}

func TestIncident(t *testing.T) {
	t.Parallel()
	wider := 0
	for seed := range seeds(160) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := makeWorld(t, seed, 1+r.IntN(20))
		in := w.randomInput(r, "in")
		allow := w.someNodes(r)
		if allow != nil { // inputs hold what may be seen
			in.items = slices.DeleteFunc(in.items, func(it query.Item) bool { return !allow[it.ID] })
		}
		place := map[engine.NodeID]int{}
		for i, it := range in.items {
			place[it.ID] = i + 1
		}
		in.items = append(in.items,
			query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9},
			query.Item{Graph: w.g.ID(), Edge: engine.Edge{From: 1, To: 1, Type: w.types["link"]}})
		o := &query.Incident{In: in, Graph: w.g, Types: groupTypes[r.IntN(5)], Within: r.IntN(2) == 0, Leaving: r.IntN(2) == 0}
		if r.IntN(3) == 0 {
			o.PerNode = 1 + r.IntN(3)
		} else {
			o.Ranked = r.IntN(2) == 0
		}
		for _, any := range []bool{false, true} {
			e := w.env()
			e.AllowAny = any
			if allow != nil {
				allowing(e, allow)
			}
			want := w.incident(o, in.items, allow, any)
			got := run(t, e, o)
			if o.Ranked || o.PerNode > 0 {
				same(t, seed, got, want)
			} else {
				sameButDirection(t, seed, got, want)
			}
			for _, it := range got.Items {
				first := it.Edge.From
				if at := place[it.Edge.To]; place[first] == 0 || at > 0 && at < place[first] {
					first = it.Edge.To
				}
				if last := it.Why[len(it.Why)-1]; last.Op != "relation" || last.From.ID != first || last.Score != it.Score {
					t.Fatalf("seed %d: %+v because of %+v", seed, it.Edge, it.Why)
				}
			}
			if any && len(want) > len(w.incident(o, in.items, allow, false)) {
				wider++
			}
		}
	}
	if wider == 0 {
		t.Error("AllowAny never let in an edge more")
	}
	w := makeWorld(t, 1, 5)
	in := &input{items: []query.Item{w.item(w.nodes[0], 1)}}
	same(t, 1, run(t, w.env(), &query.Incident{In: in, Graph: w.g, Types: []string{"unknown"}}), []row{})
	same(t, 1, run(t, w.env(), &query.Neighbors{In: in, Graph: w.g, Types: []string{"unknown"}}), []row{})
	same(t, 1, run(t, w.env(), &query.Neighbors{In: in, Graph: w.g, Types: []string{}}), []row{})
}

// sameButDirection compares sets in which edges of one type between two nodes
// may stand in either order of their directions.
func sameButDirection(t *testing.T, seed uint64, got query.Set, want []row) {
	t.Helper()
	undirected := func(all []row) []row {
		all = slices.Clone(all)
		for i := range all {
			if e := &all[i].edge; e.From > e.To {
				e.From, e.To = e.To, e.From
			}
			all[i].edge.Weight = 0
		}
		return all
	}
	if g := undirected(rows(got)); !slices.Equal(g, undirected(want)) {
		t.Fatalf("seed %d:\n got %v\nwant %v", seed, rows(got), want)
	}
}

// TestIncidentMost: of each node the edges to the least ids are looked at, those
// too that are not wanted.
func TestIncidentMost(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 20)
	for most := range 4 {
		o := &query.Incident{Graph: w.g, Types: []string{"link"}, Leaving: true, Most: most}
		for _, id := range w.nodes {
			in := &input{items: []query.Item{w.item(id, 1)}}
			o.In = in
			ids, _ := w.around(id, o.Types, engine.Both)
			if most > 0 {
				ids = ids[:min(most, len(ids))]
			}
			ids = slices.DeleteFunc(ids, func(other engine.NodeID) bool { return other == id })
			var got []engine.NodeID
			for _, it := range run(t, w.env(), o).Items {
				got = append(got, it.Edge.Other(id))
			}
			if !slices.Equal(got, ids) {
				t.Errorf("most %d, node %d: edges to %v, want %v", most, id, got, ids)
			}
		}
	}
}
