package engine_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

func TestDeleteHubInPages(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		const n = 120_000 // more than one transaction removes
		var hub engine.NodeID
		err := g.DB().Load(t.Context(), g, engine.LoadOptions{}, func(l *engine.Loader) error {
			nt, err := l.MakeNodeType("n")
			if err != nil {
				return err
			}
			et, err := l.MakeEdgeType("e", false)
			if err != nil {
				return err
			}
			if hub, err = l.Node(nt, "hub", nil); err != nil {
				return err
			}
			for i := range n {
				id, err := l.Node(nt, strconv.Itoa(i), nil)
				if err != nil {
					return err
				}
				if err := l.Edge(hub, id, et, 1); err != nil {
					return err
				}
			}
			loop, err := l.MakeEdgeType("loop", true)
			if err != nil {
				return err
			}
			return l.Edge(hub, hub, loop, 1)
		})
		if err != nil {
			t.Fatal(err)
		}
		err = g.DB().Update(t.Context(), func(tx *engine.Tx) error {
			_, err := tx.Graph(g).DeleteNode(hub)
			return err
		})
		if !errors.Is(err, engine.ErrTxTooLarge) {
			t.Fatalf("in one transaction: %v", err)
		}
		r, err := g.DB().DeleteNode(t.Context(), g, hub)
		if err != nil || r.Edges != n+1 || len(r.Nodes) != 1 || len(r.Dirty) != n {
			t.Fatalf("%d nodes, %d edges, %d dirty, %v", len(r.Nodes), r.Edges, len(r.Dirty), err)
		}
		view(t, g, func(v *engine.View) {
			if _, err := v.Node(hub); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("the hub: %v", err)
			}
			for e, err := range v.Edges(engine.EdgeFilter{}) {
				t.Fatalf("edge %v left, %v", e, err)
			}
		})
	})
}
