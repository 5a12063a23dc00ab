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
