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

// TestCommonWords: of 2,000 chunks the first shares two words of 101 chunks with the second,
// and one word with the third alone. A word of over 5 % of the chunks does not count by
// default, so the third is the nearest; with a greater share it is the second.
func TestCommonWords(t *testing.T) {
	t.Parallel()
	const n = 2000
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
		words := map[string]engine.NodeID{}
		for i := range n {
			id, _, err := v.PutNode(chunk, fmt.Sprintf("d#%04d", i), nil)
			if err != nil {
				return err
			}
			var has []string
			if i < 2 || i >= n-99 {
				has = append(has, "granite", "lantern")
			}
			if i == 0 || i == 2 {
				has = append(has, "rare", "n1ne") // digits do not count
			}
			for _, w := range has {
				k, ok := words[w]
				if !ok {
					if k, _, err = v.DeriveNode(keyword, w); err != nil {
						return err
					}
					words[w] = k
				}
				if err := v.Contribute(id, engine.NodeTarget(k), engine.Contribution{Count: 1}); err != nil {
					return err
				}
				if err := v.AddEdge(k, id, contains, 1); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for df, want := range map[string][]near{"0.05": {{2, 1}}, "0.0505": {{1, 2}}, "1": {{1, 2}}, "0": {{2, 1}}} {
		p, r := parse(map[string]string{"df": df})
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		st := &nearStage{s: &system{Identity: sys.Identity, p: p, c: c.Docs(), g: g}, model: llm.SpaceInfo{Model: "m"}, exact: exactChunks}
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			v := s.Graph(g)
			ids, err := graph.Of(v, method.ChunkNodeType)
			if err != nil {
				return err
			}
			found := &channel{old: make([][]near, n), now: make([][]near, n)}
			if err := st.lexical(t.Context(), v, ids, found, 1, everything(n)); err != nil {
				return err
			}
			if !reflect.DeepEqual(found.now[0], want) {
				t.Errorf("df %s: the nearest to the first is %v, want %v", df, found.now[0], want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCut: near its cut a chunk stays where it is, and new ones are placed by rank.
func TestCut(t *testing.T) {
	t.Parallel()
	rank := []int{4, 0, 3, 1, 2, 5}
	for _, x := range []struct {
		n, slack int
		before   []standing
		want     []int
	}{
		{3, 0, make([]standing, 6), []int{4, 0, 3}},
		{3, 1, []standing{outside, inside, outside, inside, outside, inside}, []int{4, 0, 3, 1}},
		{3, 2, []standing{outside, inside, inside, inside, outside, unknown}, []int{4, 3, 1, 2}},
		{3, 6, []standing{outside, inside, outside, unknown, unknown, inside}, []int{4, 3, 1, 5}},
		{0, 0, []standing{inside, inside, inside, inside, inside, inside}, nil},
	} {
		if got := cut(rank, x.n, x.slack, x.before); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%+v: %v", x, got)
		}
	}
	// Of 10 chunks when all were weighed one has gone, and three came.
	c := choice{last: 12, full: 10, of: 10}
	if got := c.aged([]engine.NodeID{1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}); got != 4 {
		t.Errorf("%d chunks came or went, want 4", got)
	}
	if got := (choice{}).aged([]engine.NodeID{1, 2}); got != 2 {
		t.Errorf("at first %d, want 2", got)
	}
}
