package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// TestRead reads more nodes than are read at once, in several orders.
func TestRead(t *testing.T) {
	t.Parallel()
	const n = 3000
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	var ids []engine.NodeID
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		typ, err := v.MakeNodeType("thing")
		for i := range n {
			if err != nil {
				return err
			}
			var id engine.NodeID
			id, _, err = v.PutNode(typ, fmt.Sprint("n", i), nil)
			ids = append(ids, id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(s *engine.Snapshot) error {
		v := s.Graph(g)
		at := 0
		for node, err := range graph.ReadAll(v, "thing") {
			if err != nil {
				return err
			}
			if node.ID != ids[at] || node.Key != fmt.Sprint("n", at) {
				t.Errorf("node %d is %d, %q", at, node.ID, node.Key)
			}
			at++
		}
		if at != n {
			t.Errorf("%d nodes of %d", at, n)
		}
		for range graph.ReadAll(v, "nothing") {
			t.Error("a node of no type")
		}
		back := slices.Clone(ids[:100])
		slices.Reverse(back)
		nodes, err := graph.Read(v, append(back, back[0]))
		if err != nil {
			return err
		}
		for i, node := range nodes {
			if want := fmt.Sprint("n", (199-i)%100); node.Key != want {
				t.Errorf("node %d of the list is %q, want %q", i, node.Key, want)
			}
		}
		if _, err := graph.Read(v, []engine.NodeID{ids[0], 1 << 40}); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a node that is not there: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
