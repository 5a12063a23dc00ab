package query_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// hubs is a graph in which two nodes are joined to very many others, by plain edges and
// by relations that these others said.
type hubs struct {
	g    *engine.Graph
	snap *engine.Snapshot
	// a and b are the hubs; the last of others is joined to both.
	a, b   engine.NodeID
	others []engine.NodeID
	// said is the relation of a and b.
	said engine.EdgeType
}

func makeHubs(t *testing.T, n int) *hubs {
	t.Helper()
	db := open(t)
	ns, err := db.Namespace(t.Context(), "main")
	check(t, err)
	h := &hubs{}
	h.g, err = ns.Graph(t.Context(), "g")
	check(t, err)
	check(t, db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(h.g)
		thing, err := v.MakeNodeType("thing")
		check(t, err)
		link, err := v.MakeEdgeType("link", false)
		check(t, err)
		h.said, err = v.MakeEdgeType("said", false)
		check(t, err)
		check(t, v.MakeSpace(space, engine.SpaceOptions{Dim: dim, Model: "m", Metric: vecindex.InnerProduct}))
		node := func(key string) engine.NodeID {
			id, _, err := v.PutNode(thing, key, nil)
			check(t, err)
			return id
		}
		h.a, _, err = v.DeriveNode(thing, "a")
		check(t, err)
		for i := range n {
			id := node(fmt.Sprint("n", i))
			h.others = append(h.others, id)
			check(t, v.PutVector(space, id, []float32{float32(i + 1), 1, 0}))
			check(t, v.AddEdge(h.a, id, link, 1))
		}
		h.b, _, err = v.DeriveNode(thing, "b")
		check(t, err)
		for i, id := range h.others {
			one := engine.Contribution{Weight: 1, Count: 1}
			check(t, v.Contribute(id, engine.NodeTarget(h.a), one))
			check(t, v.Contribute(id, engine.EdgeTarget(h.a, id, h.said), one))
			if i == n-1 {
				check(t, v.Contribute(id, engine.NodeTarget(h.b), one))
				check(t, v.Contribute(id, engine.EdgeTarget(h.b, id, h.said), one))
				check(t, v.Contribute(id, engine.EdgeTarget(h.a, h.b, h.said), one))
			}
		}
		return nil
	}))
	h.snap, err = db.Snapshot(t.Context())
	check(t, err)
	t.Cleanup(func() { check(t, h.snap.Close()) })
	return h
}

func (h *hubs) in(ids ...engine.NodeID) *input {
	in := &input{}
	for i, id := range ids {
		in.items = append(in.items, query.Item{Graph: h.g.ID(), ID: id, Score: float64(9 - i)})
	}
	return in
}

func (h *hubs) env() *query.Env {
	return &query.Env{Snap: h.snap, Tokens: countTokens, Embed: func(context.Context, string) ([]float32, error) { return []float32{1, 0, 0}, nil }}
}

// TestHubs counts what is read at nodes with 3,000 neighbours: with the bounds of the
// operators no more than they say, and the result is what the bounds leave of it.
func TestHubs(t *testing.T) {
	t.Parallel()
	const n = 3000
	h := makeHubs(t, n)
	last := h.others[n-1]

	// The greatest number is the nearest: so are the last.
	nearest := &query.VectorSearch{Graph: h.g, Space: space, Text: "q", K: 20}
	by := &query.Neighbors{In: h.in(h.a), Graph: h.g, Types: []string{"link"}, By: nearest}
	e := h.env()
	got := run(t, e, by)
	if edges, vectors, _ := e.Looked(); len(got.Items) != 20 || got.Items[0].ID != last || edges+vectors > 0 {
		t.Errorf("by a set of 20: %d neighbours, the first %d, of %d edges and %d vectors", len(got.Items), got.Items[0].ID, edges, vectors)
	}
	ranked := *by
	ranked.Rank, ranked.Text, ranked.Most = space, "q", n-1
	e = h.env()
	again := run(t, e, &ranked)
	same(t, 0, again, rows(got))
	if edges, vectors, _ := e.Looked(); edges > 0 || vectors != 20 {
		t.Errorf("ranked among 20: %d edges and %d vectors", edges, vectors)
	}
	ranked.Most = n
	e = h.env()
	if all := run(t, e, &ranked); len(all.Items) != n {
		t.Errorf("%d neighbours of a node with as many as Most", len(all.Items))
	}

	// Tables read the edges of each item once, Most and one that tells of more.
	tables := &query.Tables{
		In: h.in(h.a, h.b, last, h.others[0], h.others[1]), Budget: 1 << 20, Header: "h", EdgeHeader: "e",
		Edges:  &query.Incident{Graph: h.g, Types: []string{"said"}, PerNode: 1, Most: 50},
		Render: func(context.Context, *query.Env, query.Item, int) (string, error) { return "row", nil },
	}
	tables.Edges.In = tables.In
	e = h.env()
	got = run(t, e, tables)
	if edges, _, _ := e.Looked(); edges > 5*(256+1) { // a page is 256
		t.Errorf("tables of 5 items read %d edges", edges)
	}
	// The relations between items are there, though a's first 50 lead elsewhere; of the
	// others one for each item.
	var within []engine.Edge
	outer := 0
	for _, it := range got.Items[5:] {
		inside := func(id engine.NodeID) bool {
			return slices.ContainsFunc(got.Items[:5], func(x query.Item) bool { return x.ID == id })
		}
		if inside(it.Edge.From) && inside(it.Edge.To) {
			within = append(within, it.Edge)
		} else {
			outer++
		}
	}
	if len(within) != 5 || outer != 5 {
		t.Errorf("%d relations between the items, want a-b, a-last, b-last and two of a, and %d others, want 5", len(within), outer)
	}

	// Sources: those that were found in the edges that were read, then the first.
	sources := &query.Sources{In: h.in(h.b, h.a), Graph: h.g, Near: []string{"said"}, Most: 40}
	e = h.env()
	got = run(t, e, sources)
	if _, _, sets := e.Looked(); sets > 2+2*40 {
		t.Errorf("of two nodes %d sets of sources were read", sets)
	}
	if len(got.Items) != 41 || got.Items[0].ID != last || got.Items[1].ID != h.others[0] {
		t.Errorf("%d sources, the first %v", len(got.Items), rows(query.Set{Items: got.Items[:2]}))
	}
}
