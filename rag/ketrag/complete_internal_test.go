package ketrag

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// TestCompleteIsKept: a chunk that has all its edges by words is not looked at again; a
// chunk that has fewer looks for its own and offers itself to the others. The stored
// edges are not the nearest, so that each look would show.
func TestCompleteIsKept(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys, err := Open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := sys.Graph()
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return err
		}
		keyword, err := v.MakeNodeType(typeKeyword)
		if err != nil {
			return err
		}
		contains, err := v.MakeEdgeType(edgeContains, false)
		if err != nil {
			return err
		}
		// The first shares three words with the second, two with the third, one with the fourth.
		for i, words := range [][]string{{"amber", "basalt", "copper"}, {"amber", "basalt", "copper"}, {"amber", "basalt"}, {"amber"}} {
			id, _, err := v.PutNode(chunk, fmt.Sprintf("d#%d", i), nil)
			if err != nil {
				return err
			}
			for _, w := range words {
				k, _, err := v.DeriveNode(keyword, w)
				if err == nil {
					err = v.Contribute(id, engine.NodeTarget(k), engine.Contribution{Count: 1})
				}
				if err == nil {
					err = v.AddEdge(k, id, contains, 1)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p, r := parse(nil)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	st := &nearStage{s: &system{Identity: sys.Identity, p: p, c: c.Docs(), g: g}, model: llm.SpaceInfo{Model: "m"}, exact: exactChunks}
	for _, x := range []struct {
		name      string
		k         int
		old, want [][]near
	}{
		{"all complete", 1, [][]near{{{3, 1}}, {{3, 1}}, {{3, 1}}, {{2, 1}}}, [][]near{{{3, 1}}, {{3, 1}}, {{3, 1}}, {{2, 1}}}},
		{"the second is new", 1, [][]near{{{3, 1}}, nil, {{3, 1}}, {{2, 1}}}, [][]near{{{1, 3}}, {{0, 3}}, {{1, 2}}, {{1, 1}}}},
		{"the last is new", 1, [][]near{{{2, 2}}, {{2, 2}}, {{3, 1}}, nil}, [][]near{{{2, 2}}, {{2, 2}}, {{3, 1}}, {{0, 1}}}},
		{"all lack one", 2, [][]near{{{3, 1}}, {{3, 1}}, {{3, 1}}, {{2, 1}}}, [][]near{{{1, 3}, {2, 2}}, {{0, 3}, {2, 2}}, {{0, 2}, {1, 2}}, {{0, 1}, {1, 1}}}},
	} {
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			v := s.Graph(g)
			ids, err := graph.Of(v, method.ChunkNodeType)
			if err != nil {
				return err
			}
			found := &channel{old: x.old, now: make([][]near, len(ids))}
			for i := range x.old {
				found.now[i] = append(found.now[i], x.old[i]...)
			}
			if err := st.lexical(t.Context(), v, ids, found, x.k); err != nil {
				return err
			}
			if !reflect.DeepEqual(found.now, x.want) {
				t.Errorf("%s: %v, want %v", x.name, found.now, x.want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
