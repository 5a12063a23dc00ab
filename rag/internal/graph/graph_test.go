package graph_test

import (
	"context"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// TestGraph reads a small graph: two of three chunks are in it; a and b rest on
// the first, b on the second too, and both are joined to c.
func TestGraph(t *testing.T) {
	t.Parallel()
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := c.Graph(t.Context(), "method")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]engine.NodeID{}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	list := func(v engine.Reader, typ string) (out []engine.NodeID) {
		for id, err := range graph.Nodes(v, typ) {
			check(err)
			out = append(out, id)
		}
		return out
	}
	chunks := []method.Chunk{{Key: "y#0"}, {Key: "failed#0"}, {Key: "x#0"}}
	var rest []engine.Target
	check(db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		if got, err := graph.Chunks(v, chunks); err != nil || got != nil {
			t.Errorf("chunks before there are any: %v, %v", got, err)
		}
		if got := list(v, "thing"); got != nil {
			t.Errorf("nodes of no type: %v", got)
		}
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		check(err)
		thing, err := v.MakeNodeType("thing")
		check(err)
		near, err := v.MakeEdgeType("near", true)
		check(err)
		for _, key := range []string{"x#0", "y#0"} {
			ids[key], _, err = v.PutNode(chunk, key, nil)
			check(err)
		}
		for _, key := range []string{"c", "b", "a"} {
			ids[key], _, err = v.PutNode(thing, key, nil)
			check(err)
		}
		for _, x := range [][2]string{{"x#0", "a"}, {"x#0", "b"}, {"y#0", "b"}} {
			check(v.Contribute(ids[x[0]], engine.NodeTarget(ids[x[1]]), engine.Contribution{Count: 1}))
		}
		check(v.AddEdge(ids["a"], ids["c"], near, 1))
		check(v.AddEdge(ids["b"], ids["c"], near, 1))
		rest, err = graph.Contributed(v, ids["x#0"])
		return err
	}))
	slices.SortFunc(rest, func(a, b engine.Target) int { return int(a.Node) - int(b.Node) })
	if want := []engine.Target{engine.NodeTarget(ids["b"]), engine.NodeTarget(ids["a"])}; !slices.Equal(rest, want) {
		t.Errorf("contributed to %v, want %v", rest, want)
	}
	check(db.View(context.Background(), func(s *engine.Snapshot) error {
		v := s.Graph(g)
		for _, x := range []struct {
			what string
			got  func() ([]engine.NodeID, error)
			want []string
		}{
			{"things", func() ([]engine.NodeID, error) { return list(v, "thing"), nil }, []string{"c", "b", "a"}},
			{"chunks", func() ([]engine.NodeID, error) { return graph.Chunks(v, chunks) }, []string{"y#0", "x#0"}},
			{"into c", func() ([]engine.NodeID, error) { return graph.Neighbors(v, ids["c"], "near", engine.In) }, []string{"b", "a"}},
			{"out of c", func() ([]engine.NodeID, error) { return graph.Neighbors(v, ids["c"], "near", engine.Out) }, nil},
			{"by no type", func() ([]engine.NodeID, error) { return graph.Neighbors(v, ids["c"], "far", engine.In) }, nil},
		} {
			got, err := x.got()
			var want []engine.NodeID
			for _, key := range x.want {
				want = append(want, ids[key])
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v (%v), want %v", x.what, got, err, want)
			}
		}
		return nil
	}))
	var asked []engine.Target
	check(db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		if _, err := v.Withdraw(ids["x#0"]); err != nil {
			return err
		}
		return graph.ForgetGone(v, rest, func(t engine.Target) string {
			asked = append(asked, t)
			return graph.NodeItem(t.Node)
		})
	}))
	if want := []engine.Target{engine.NodeTarget(ids["a"])}; !slices.Equal(asked, want) {
		t.Errorf("the marks of %v went, want %v", asked, want)
	}
}

func TestReadVector(t *testing.T) {
	t.Parallel()
	b := []byte{0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}
	if id, vec, err := graph.ReadVector(b); id != 258 || !slices.Equal(vec, []float32{1, -2}) || err != nil {
		t.Errorf("read node %d, %v, %v", id, vec, err)
	}
	if id, vec, err := graph.ReadVector(b[:8]); id != 258 || vec != nil || err != nil {
		t.Errorf("read node %d, %v, %v of no vector", id, vec, err)
	}
	if _, _, err := graph.ReadVector(b[:7]); err == nil {
		t.Error("seven bytes are read")
	}
}

func TestNodeItem(t *testing.T) {
	t.Parallel()
	for _, id := range []engine.NodeID{1, 1<<32 - 1} {
		if got, err := graph.ItemNode(graph.NodeItem(id)); got != id || err != nil {
			t.Errorf("%d is read as %d, %v", id, got, err)
		}
	}
	for _, item := range []string{"", "node:", "node:x", "chunk.md#3"} {
		if id, err := graph.ItemNode(item); err == nil {
			t.Errorf("%q is read as node %d", item, id)
		}
	}
}
