package engine_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// loadHub loads a node with undirected edges to n others, whose ids follow its
// own, and a directed loop.
func loadHub(t *testing.T, g *engine.Graph, n int) (hub engine.NodeID) {
	t.Helper()
	err := g.DB().Load(t.Context(), g, func(l *engine.Loader) error {
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
	return hub
}

func TestDeleteHubInPages(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), "g")
		const n = 100_100 // more than one transaction removes
		hub := loadHub(t, g, n)
		err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
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

// gate is a store that calls after when a batch has been applied.
type gate struct {
	kv.Store
	after func()
}

func (g *gate) Apply(ctx context.Context, b kv.Batch, d kv.Durability) error {
	err := g.Store.Apply(ctx, b, d)
	g.after()
	return err
}

// A removal that is interrupted returns what it has removed: no later call can name
// the former neighbours.
func TestDeleteHubInterrupted(t *testing.T) {
	t.Parallel()
	store := &gate{memkv.New(layout.Schema()), func() {}}
	g := graph(t, open(t, &engine.Options{OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) {
		return store, nil
	}}), "g")
	const n = 100_100
	hub := loadHub(t, g, n)
	ctx, cancel := context.WithCancel(t.Context())
	store.after = cancel
	first, err := g.DB().DeleteNode(ctx, g, hub)
	if !errors.Is(err, context.Canceled) || len(first.Nodes) != 0 {
		t.Fatalf("interrupted: %v removed, %v", first.Nodes, err)
	}
	store.after = func() {}
	if len(first.Dirty) < 1000 || len(first.Dirty) > n-1000 {
		t.Fatalf("interrupted: %d neighbours", len(first.Dirty))
	}
	rest, err := g.DB().DeleteNode(t.Context(), g, hub)
	if err != nil || !slices.Equal(rest.Nodes, []engine.NodeID{hub}) {
		t.Fatalf("again: %v removed, %v", rest.Nodes, err)
	}
	if sum := first.Edges + rest.Edges; sum != n+1 {
		t.Errorf("%d edges, want %d", sum, n+1)
	}
	got := slices.Concat(first.Dirty, rest.Dirty)
	slices.Sort(got)
	if len(got) != n {
		t.Fatalf("%d neighbours in both, want %d", len(got), n)
	}
	for i, id := range got {
		if id != hub+1+engine.NodeID(i) {
			t.Fatalf("neighbour %d is %d, want %d", i, id, hub+1+engine.NodeID(i))
		}
	}
}
