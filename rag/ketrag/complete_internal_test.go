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
	"github.com/ragdb/ragdb/vecindex"
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
			if err := st.lexical(t.Context(), v, ids, found, x.k, everything(len(ids))); err != nil {
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

// TestCompleteVectors is [TestCompleteIsKept] by vectors: a chunk that has all its edges
// looks again only if words find other chunks than before, and what words find it leaves
// out. The chunks point to 0, 6, 45 and 90 degrees.
func TestCompleteVectors(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys, err := Open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g, model := sys.Graph(), llm.SpaceInfo{Model: "m", Dim: 2}
	space := spaceOf(method.ChunkNodeType, model.Model)
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err == nil {
			err = method.MakeSpace(v, space, model, vecindex.Cosine)
		}
		for i, vec := range [][]float32{{1, 0}, {1, .1}, {1, 1}, {0, 1}} {
			var id engine.NodeID
			if err == nil {
				id, _, err = v.PutNode(chunk, fmt.Sprintf("d#%d", i), nil)
			}
			if err == nil {
				err = v.PutVector(space, id, vec)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p, r := parse(nil)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	st := &nearStage{s: &system{Identity: sys.Identity, p: p, c: c.Docs(), g: g}, model: model, exact: exactChunks}
	far := [][]near{{{3, 0}}, {{3, .0995}}, {{0, .7071}}, {{0, 0}}}
	for _, x := range []struct {
		name          string
		old, was, now [][]near // by vector, and by words before and now
		want          []int
	}{
		{"at first", make([][]near, 4), make([][]near, 4), make([][]near, 4), []int{1, 0, 1, 2}},
		{"all complete", far, make([][]near, 4), make([][]near, 4), []int{3, 3, 0, 0}},
		{"words find another for the first", far, [][]near{{{1, 1}}, nil, nil, nil}, [][]near{{{2, 1}}, nil, nil, nil}, []int{1, 0, 0, 0}},
		{"words find the same for the first", far, [][]near{{{1, 1}}, nil, nil, nil}, [][]near{{{1, 2}}, nil, nil, nil}, []int{3, 3, 0, 0}},
		{"words find the nearest", make([][]near, 4), make([][]near, 4), [][]near{{{1, 1}}, nil, nil, nil}, []int{2, 0, 1, 2}},
		{"the last is new", [][]near{{{1, .995}}, {{0, .995}}, {{0, .7}}, nil}, make([][]near, 4), make([][]near, 4), []int{1, 0, 3, 2}},
	} {
		found := &channel{old: x.old}
		for _, list := range x.old {
			found.now = append(found.now, append([]near(nil), list...))
		}
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			ids, err := graph.Of(s.Graph(g), method.ChunkNodeType)
			if err != nil {
				return err
			}
			return st.nearest(t.Context(), s, space, ids, found, &channel{old: x.was, now: x.now}, 1, everything(len(ids)))
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, list := range found.now {
			if len(list) != 1 {
				t.Fatalf("%s: %v", x.name, found.now)
			}
			got = append(got, list[0].to)
		}
		if !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}
