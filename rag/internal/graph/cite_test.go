package graph_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// TestCiting cites the nodes and edges of a small tree: x, y and z are made of
// chunks, top is made of all of them.
func TestCiting(t *testing.T) {
	t.Parallel()
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
	ids := map[string]engine.NodeID{}
	var edge engine.EdgeType
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return err
		}
		part, err := v.MakeNodeType("part")
		if err != nil {
			return err
		}
		tops, err := v.MakeNodeType("tops")
		if err != nil {
			return err
		}
		if edge, err = v.MakeEdgeType("joins", false); err != nil {
			return err
		}
		for _, key := range []string{"a", "b", "c", "d"} {
			if ids[key], _, err = v.PutNode(chunk, key, nil); err != nil {
				return err
			}
		}
		for _, of := range []struct {
			key  string
			typ  engine.TypeID
			from string
		}{{"x", part, "cd"}, {"y", part, "bd"}, {"z", part, "d"}, {"top", tops, "xyz"}} {
			if ids[of.key], _, err = v.DeriveNode(of.typ, of.key); err != nil {
				return err
			}
			for _, from := range of.from {
				if err := v.Contribute(ids[string(from)], engine.NodeTarget(ids[of.key]), engine.Contribution{Count: 1}); err != nil {
					return err
				}
			}
		}
		return v.AddEdge(ids["y"], ids["x"], edge, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	joins := query.Item{Edge: engine.Edge{From: ids["y"], To: ids["x"], Type: edge}}
	node := func(key string) query.Item { return query.Item{ID: ids[key]} }
	err = db.View(t.Context(), func(s *engine.Snapshot) error {
		for _, x := range []struct {
			name string
			how  graph.Citing
			of   query.Item
			want string
		}{
			{"a chunk", graph.Citing{}, node("b"), "b"},
			{"its sources", graph.Citing{}, node("x"), "cd"},
			{"as they are met", graph.Citing{}, node("top"), "cdb"},
			{"in order of id", graph.Citing{Sorted: true}, node("top"), "bcd"},
			{"so many at most", graph.Citing{Most: map[string]int{"part": 1}, Else: 2}, node("top"), "cd"},
			{"the last so many in order", graph.Citing{Sorted: true, Else: 2}, node("top"), "bd"},
			{"so many of a type", graph.Citing{Most: map[string]int{"part": 1}, Else: 2}, node("x"), "c"},
			{"the most shared first", graph.Citing{Shared: "tops", Members: 9}, node("top"), "dbc"},
			{"of the first members", graph.Citing{Shared: "tops", Members: 1}, node("top"), "cd"},
			{"an edge without sources", graph.Citing{}, joins, ""},
			{"an edge by its ends", graph.Citing{Ends: 3}, joins, "cdb"},
		} {
			cite := x.how.Cite(s.Graph(g))
			for range 2 { // the second time from what is known
				got, err := cite(x.of)
				if err != nil {
					return err
				}
				var want []string
				for _, key := range x.want {
					want = append(want, string(key))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", x.name, got, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
