package query_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// TestNode says that a node is as the snapshot has it, whether it is read alone
// or along with others that are packed, of the right graph, and missing where
// it is.
func TestNode(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 150)
	const none = engine.NodeID(1 << 30)
	in := &input{items: []query.Item{w.item(none, 1)}}
	for _, id := range w.nodes {
		in.items = append(in.items, w.item(id, 1), query.Item{Graph: w.far.ID(), ID: id}) // by turns of two graphs
	}
	e, met := w.env(), 0
	render := func(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
		g := w.g
		if it.Graph == w.far.ID() {
			g = w.far
		}
		n, err := e.Node(ctx, g, it.ID)
		if it.ID == none {
			if !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("a missing node: %v", err)
			}
			return "", 0, nil
		}
		want, alone := w.snap.Graph(g).Node(it.ID)
		if err != nil || alone != nil || n.ID != it.ID || n.Key != want.Key || n.Type != want.Type {
			t.Errorf("node %d of graph %d is %q, %v, and alone %q, %v", it.ID, it.Graph, n.Key, err, want.Key, alone)
		}
		met++
		return n.Key, 0, nil
	}
	if _, err := query.Run(t.Context(), e, &query.Pack{In: in, Budget: 1 << 20, Render: render}); err != nil {
		t.Fatal(err)
	}
	if met != 2*len(w.nodes) {
		t.Errorf("%d nodes were packed of %d", met, 2*len(w.nodes))
	}
	if _, err := e.Node(t.Context(), w.g, w.nodes[0]); err != nil { // after the run, as who cites does
		t.Error(err)
	}
}

// TestEachNode says that nodes which were read together are those of the graph,
// and are not read again: the run has them after its snapshot is closed.
func TestEachNode(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 4, 150)
	e := w.env()
	run(t, e, &input{})
	met := map[engine.NodeID]string{}
	ids := append([]engine.NodeID{1 << 30}, w.nodes...) // the first is not there
	err := e.EachNode(t.Context(), w.g, ids, func(n engine.Node) error {
		met[n.ID] = n.Key
		return nil
	})
	if err != nil || len(met) != len(w.nodes) {
		t.Errorf("%d nodes of %d, %v", len(met), len(w.nodes), err)
	}
	for _, id := range w.nodes {
		if want, err := w.snap.Graph(w.g).Node(id); err != nil || met[id] != want.Key {
			t.Errorf("node %d is %q, alone %q, %v", id, met[id], want.Key, err)
		}
	}
	odd := errors.New("odd")
	if err := e.EachNode(t.Context(), w.g, ids, func(engine.Node) error { return odd }); !errors.Is(err, odd) {
		t.Errorf("%v, want %v", err, odd)
	}
	if err := w.snap.Close(); err != nil {
		t.Fatal(err)
	}
	for _, id := range w.nodes {
		if n, err := e.Node(t.Context(), w.g, id); err != nil || n.Key != met[id] {
			t.Errorf("node %d is %q, %v after the snapshot", id, n.Key, err)
		}
	}
}
