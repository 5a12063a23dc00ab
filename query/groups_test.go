package query_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// joined tells which nodes each node leads to by edges that may be seen, loops
// included.
func (w *world) joined(types []string, d engine.Direction, allow map[engine.NodeID]bool, any bool) map[engine.NodeID]map[engine.NodeID]bool {
	out := map[engine.NodeID]map[engine.NodeID]bool{}
	for _, id := range w.nodes {
		out[id] = map[engine.NodeID]bool{}
		for _, e := range w.edges {
			if w.follows(e, id, types, d) && w.mayEdge(e, allow, any) {
				out[id][e.Other(id)] = true
			}
		}
	}
	return out
}

var groupTypes = [][]string{nil, {"link"}, {"cites", "said"}, {"said"}, {"unknown"}}

// TestCommunities takes the communities of nodes: neighbours by how many of the
// nodes they have.
func TestCommunities(t *testing.T) {
	t.Parallel()
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 34))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in := w.randomInput(r, "in")
		allow := w.someNodes(r)
		o := &query.Neighbors{In: in, Graph: w.g, Types: groupTypes[r.IntN(5)], Direction: engine.Direction(r.IntN(3)), Combine: query.Count}
		sorted := &query.Sort{In: o}
		if r.IntN(2) == 0 {
			sorted.Then = []*query.Measure{query.Property(w.g, "rating")}
		}
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		if allow != nil {
			allowing(e, allow)
		}
		joined := w.joined(o.Types, o.Direction, allow, e.AllowAny)
		count := map[engine.NodeID]float64{}
		for _, it := range in.items {
			for id := range joined[it.ID] {
				count[id]++
			}
		}
		want := []row{}
		for id, n := range count {
			want = append(want, row{graph: w.g.ID(), id: id, score: n})
		}
		rating := func(id engine.NodeID) int64 {
			if x, ok := w.rating[id]; ok && sorted.Then != nil {
				return x
			}
			return -1
		}
		slices.SortFunc(want, func(a, b row) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(rating(b.id), rating(a.id)), cmp.Compare(a.id, b.id))
		})
		got := run(t, e, sorted)
		same(t, seed, got, want)
		for _, it := range got.Items {
			if len(it.Why) != 1+int(it.Score) || it.Why[0].Op != "input" {
				t.Fatalf("seed %d: node %d because of %+v", seed, it.ID, it.Why)
			}
			for _, s := range it.Why[1:] {
				if s.Op != "neighbour" || !joined[s.From.ID][it.ID] {
					t.Fatalf("seed %d: node %d because of %+v", seed, it.ID, it.Why)
				}
			}
		}
	}
}

func TestTopPerGroup(t *testing.T) {
	t.Parallel()
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 35))
		w := makeWorld(t, seed, 1+r.IntN(25))
		in, of := w.randomInput(r, "in"), w.randomInput(r, "of")
		if r.IntN(5) == 0 {
			of.items = nil
		}
		allow := w.someNodes(r)
		visible := func(items []query.Item) []query.Item {
			return slices.DeleteFunc(slices.Clone(items), func(it query.Item) bool { return allow != nil && !allow[it.ID] })
		}
		in.items = visible(in.items)
		groups := visible(of.items)
		of.items = append(of.items, query.Item{Graph: w.far.ID(), ID: w.nodes[0]})
		o := &query.TopPerGroup{
			In: in, Of: of, Graph: w.g, Types: groupTypes[r.IntN(5)], Direction: engine.Direction(r.IntN(3)),
			Most: r.IntN(5) - 1, AllIfNone: r.IntN(2) == 0,
		}
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		if allow != nil {
			allowing(e, allow)
		}
		joined := w.joined(o.Types, o.Direction, allow, e.AllowAny)
		want := []row{}
		steps := map[engine.NodeID][]engine.NodeID{}
		for _, g := range groups {
			left := o.Most
			for _, it := range in.items {
				if left <= 0 || !joined[g.ID][it.ID] {
					continue
				}
				left--
				if steps[it.ID] == nil {
					want = append(want, row{graph: w.g.ID(), id: it.ID, score: it.Score})
				}
				steps[it.ID] = append(steps[it.ID], g.ID)
			}
		}
		if len(groups) == 0 && o.AllIfNone {
			want = rows(query.Set{Items: in.items[:max(0, min(o.Most, len(in.items)))]})
		}
		got := run(t, e, o)
		same(t, seed, got, want)
		for _, it := range got.Items {
			var from []engine.NodeID
			for _, s := range it.Why[1:] {
				from = append(from, s.From.ID)
			}
			if !slices.Equal(from, steps[it.ID]) {
				t.Fatalf("seed %d: node %d is of %v, want %v", seed, it.ID, from, steps[it.ID])
			}
		}
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 36))
		w := makeWorld(t, seed, 1+r.IntN(30))
		in := w.randomInput(r, "in")
		var types []string
		for range r.IntN(3) {
			types = append(types, []string{"thing", "place", "unknown"}[r.IntN(3)])
		}
		in.items = append([]query.Item{
			{Graph: w.far.ID(), ID: w.nodes[0], Score: 9},
			{Graph: w.g.ID(), Edge: engine.Edge{From: 1, To: 1, Type: w.types["link"]}},
		}, in.items...)
		f := &query.Filter{In: in, Graph: w.g, Types: types}
		want := []row{}
		for _, it := range in.items {
			if it.ID != 0 && it.Graph == w.g.ID() && (types == nil || slices.Contains(types, w.kind[it.ID])) {
				want = append(want, row{graph: w.g.ID(), id: it.ID, score: it.Score})
			}
		}
		same(t, seed, run(t, w.env(), f), want)

		least := int64(r.IntN(4))
		f.Where = engine.Comparison{Property: "rating", Op: engine.OpGreaterEqual, Values: []engine.Value{engine.Int(least)}}
		want = slices.DeleteFunc(want, func(x row) bool {
			rating, ok := w.rating[x.id]
			return !ok || rating < least
		})
		same(t, seed, run(t, w.env(), f), want)
	}
	w := makeWorld(t, 1, 3)
	f := &query.Filter{In: &input{}, Graph: w.g, Where: engine.Comparison{Property: "other", Op: engine.OpExists}}
	if _, err := query.Run(t.Context(), w.env(), f); err == nil {
		t.Error("a property without an index was asked for")
	}
}

// TestTypesOfMany asks for the types of more nodes than are read one by one.
func TestTypesOfMany(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 9, 400)
	in := &input{}
	things, places := []row{}, []row{}
	for _, id := range w.nodes {
		in.items = append(in.items, w.item(id, 1))
		x := row{graph: w.g.ID(), id: id, score: 1}
		if w.kind[id] == "place" {
			places = append(places, x)
		} else {
			things = append(things, x)
		}
	}
	in.items = append(in.items, w.item(w.nodes[len(w.nodes)-1]+1, 1)) // there is no such node
	same(t, 9, run(t, w.env(), &query.Filter{In: in, Graph: w.g, Types: []string{"place"}}), places)
	same(t, 9, run(t, w.env(), &query.Filter{In: in, Graph: w.g, Types: []string{"thing"}}), things)
	for i := range places {
		places[i].score = 0
	}
	same(t, 9, run(t, w.env(), &query.All{Graph: w.g, Types: []string{"unknown", "place"}}), places)
}

func TestAtLeastIntersect(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 15)
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 37))
		in, with := w.randomInput(r, "in"), w.randomInput(r, "with")
		least := float64(r.IntN(5)) - 0.5*float64(r.IntN(2))
		all := rows(query.Set{Items: in.items})
		want := slices.DeleteFunc(slices.Clone(all), func(x row) bool { return x.score < least })
		same(t, seed, run(t, w.env(), &query.AtLeast{In: in, Least: least}), want)
		want = slices.DeleteFunc(slices.Clone(all), func(x row) bool {
			return !slices.ContainsFunc(with.items, func(it query.Item) bool { return it.ID == x.id })
		})
		got := run(t, w.env(), &query.Intersect{In: in, With: with})
		same(t, seed, got, want)
		for _, it := range got.Items {
			if len(it.Why) != 2 {
				t.Fatalf("seed %d: %+v", seed, it.Why)
			}
		}
	}
	// A part of the greatest score: of 4, 3, 2 and -1 a half of 4 keeps three, the bound
	// of 3 two; if no score is above 0 the bound alone counts.
	scored := func(scores ...float64) *input {
		in := &input{}
		for i, x := range scores {
			in.items = append(in.items, w.item(w.nodes[i], x))
		}
		return in
	}
	for _, x := range []struct {
		o    query.AtLeast
		want int
	}{
		{query.AtLeast{In: scored(2, 4, -1, 3), Part: 0.5}, 3}, {query.AtLeast{In: scored(2, 4, -1, 3), Part: 0.5, Least: 3}, 2},
		{query.AtLeast{In: scored(2, 4, -1, 3), Part: 1}, 1}, {query.AtLeast{In: scored(-1, -2), Part: 0.5, Least: -2}, 2}, {query.AtLeast{In: scored(), Part: 0.5}, 0},
	} {
		if got := run(t, w.env(), &x.o); len(got.Items) != x.want {
			t.Errorf("part %g, least %g: %v", x.o.Part, x.o.Least, rows(got))
		}
	}
	nan := &input{items: []query.Item{w.item(w.nodes[0], math.NaN())}}
	same(t, 0, run(t, w.env(), &query.AtLeast{In: nan, Least: math.Inf(-1)}), []row{})
}
