package query_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// follows reports whether an edge leads away from a node under a filter.
func (w *world) follows(e engine.Edge, id engine.NodeID, types []string, d engine.Direction) bool {
	if types != nil && !slices.ContainsFunc(types, func(n string) bool { return w.types[n] == e.Type }) {
		return false
	}
	switch {
	case !e.Type.Directed() || d == engine.Both:
		return e.From == id || e.To == id
	case d == engine.Out:
		return e.From == id
	}
	return e.To == id
}

// around returns a node's neighbours, ascending, with the weight of the first
// edge to each by type and direction.
func (w *world) around(id engine.NodeID, types []string, d engine.Direction) (ids []engine.NodeID, weight map[engine.NodeID]float32) {
	return w.aroundSeen(id, types, d, nil, false)
}

// aroundSeen is around of the edges that may be seen.
func (w *world) aroundSeen(id engine.NodeID, types []string, d engine.Direction, allow map[engine.NodeID]bool, any bool) (ids []engine.NodeID, weight map[engine.NodeID]float32) {
	edges := slices.DeleteFunc(slices.Clone(w.edges), func(e engine.Edge) bool { return !w.mayEdge(e, allow, any) })
	slices.SortFunc(edges, func(a, b engine.Edge) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.From^id, b.From^id))
	})
	weight = map[engine.NodeID]float32{}
	for _, e := range edges {
		if !w.follows(e, id, types, d) {
			continue
		}
		if _, ok := weight[e.Other(id)]; !ok {
			weight[e.Other(id)] = e.Weight
			ids = append(ids, e.Other(id))
		}
	}
	slices.Sort(ids)
	return ids, weight
}

func sizeOf(id engine.NodeID) int { return int(id % 4) }

// neighbors is what Neighbors does, said plainly.
func (w *world) neighbors(o *query.Neighbors, in []query.Item, allow map[engine.NodeID]bool, any bool) []row {
	out := []row{}
	var by []query.Item
	if o.By != nil {
		by = o.By.(*input).items
	}
	used := 0
	for _, it := range in {
		if it.ID == 0 || it.Graph != w.g.ID() {
			continue
		}
		ids, weight := w.aroundSeen(it.ID, o.Types, o.Direction, allow, any)
		var found []row
		narrow := o.By != nil && (o.Rank == "" || len(ids) > o.Most)
		for _, id := range ids {
			r := row{graph: w.g.ID(), id: id, score: it.Score * float64(weight[id])}
			if narrow {
				n := slices.IndexFunc(by, func(x query.Item) bool { return x.Graph == w.g.ID() && x.ID == id })
				if n < 0 {
					continue
				}
				r.score = by[n].Score
			}
			if o.Rank != "" {
				s, ok := w.dot(vectorOf(o.Text), id)
				if !ok {
					continue
				}
				r.score = s
			}
			found = append(found, r)
		}
		if o.Rank != "" || narrow {
			slices.SortFunc(found, byScore)
		}
		for _, r := range found {
			if o.Tokens > 0 && used+sizeOf(r.id) > o.Tokens {
				return out
			}
			if !slices.ContainsFunc(out, func(have row) bool { return have.id == r.id }) {
				used += sizeOf(r.id)
				out = append(out, r)
			}
		}
	}
	return out
}

func TestNeighbors(t *testing.T) {
	t.Parallel()
	typeSets := [][]string{nil, {"link"}, {"cites"}, {"cites", "said"}, {"link", "unknown"}}
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		w := makeWorld(t, seed, 1+r.IntN(20))
		in := w.randomInput(r, "in")
		in.items = append(in.items,
			query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9},
			query.Item{Graph: w.g.ID(), Edge: engine.Edge{From: 1, To: 1, Type: w.types["link"]}})
		o := &query.Neighbors{
			In: in, Graph: w.g, Types: typeSets[r.IntN(len(typeSets))], Direction: engine.Direction(r.IntN(3)),
			Text: fmt.Sprint(r.IntN(3), r.IntN(3), 1),
			Size: func(_ context.Context, _ *query.Env, it query.Item) (int, error) { return sizeOf(it.ID), nil },
		}
		if r.IntN(2) == 0 {
			o.Rank = space
		}
		if r.IntN(2) == 0 {
			o.Tokens = 1 + r.IntN(20)
		}
		if r.IntN(3) == 0 {
			by := w.randomInput(r, "by")
			by.items = append(by.items, query.Item{Graph: w.far.ID(), ID: w.nodes[0], Score: 9})
			o.By, o.Most = by, r.IntN(4)
		}
		allow := w.someNodes(r)
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		if allow != nil {
			allowing(e, allow)
		}
		got := run(t, e, o)
		same(t, seed, got, w.neighbors(o, in.items, allow, e.AllowAny))
		for _, it := range got.Items {
			// The steps: how the node it was met from came there, then one for
			// each node that it was met from.
			if len(it.Why) < 2 || it.Why[0].Op != "input" || it.Why[1].Op != "neighbour" || it.Why[1].Score != it.Score {
				t.Fatalf("seed %d: node %d is there because %+v", seed, it.ID, it.Why)
			}
			for _, s := range it.Why[1:] {
				if ids, _ := w.around(s.From.ID, o.Types, o.Direction); !slices.Contains(ids, it.ID) {
					t.Fatalf("seed %d: node %d is no neighbour of %d", seed, it.ID, s.From.ID)
				}
			}
		}
	}
}

// TestNeighborsOfAHub walks over several pages of edges.
func TestNeighborsOfAHub(t *testing.T) {
	t.Parallel()
	db := open(t)
	ns, err := db.Namespace(t.Context(), "main")
	check(t, err)
	g, err := ns.Graph(t.Context(), "hub")
	check(t, err)
	const n = 1500
	var hub engine.NodeID
	want := []row{}
	check(t, db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		nt, err := v.MakeNodeType("thing")
		check(t, err)
		et, err := v.MakeEdgeType("link", false)
		check(t, err)
		cites, err := v.MakeEdgeType("cites", true)
		check(t, err)
		hub, _, err = v.PutNode(nt, "hub", nil)
		check(t, err)
		for i := range n {
			id, _, err := v.PutNode(nt, fmt.Sprint(i), nil)
			check(t, err)
			check(t, v.AddEdge(hub, id, et, 2))
			check(t, v.AddEdge(id, hub, cites, 3))
			want = append(want, row{graph: g.ID(), id: id, score: 2})
		}
		return nil
	}))
	check(t, db.View(t.Context(), func(s *engine.Snapshot) error {
		in := &input{items: []query.Item{{Graph: g.ID(), ID: hub, Score: 1}}}
		same(t, 0, run(t, &query.Env{Snap: s}, &query.Neighbors{In: in, Graph: g, Direction: engine.Both}), want)
		rel := run(t, &query.Env{Snap: s}, &query.Incident{In: in, Graph: g, PerNode: 2 * n})
		if len(rel.Items) != 2*n {
			t.Errorf("%d relations, want %d", len(rel.Items), 2*n)
		}
		return nil
	}))
}
