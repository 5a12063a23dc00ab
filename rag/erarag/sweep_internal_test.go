package erarag

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// TestSweepInParts: the summaries of another tree go a batch at a time, in as many items
// as there are begun batches and one more for a full last one. The tree goes with the last.
func TestSweepInParts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][]int{sweepBatch - 1: {0}, sweepBatch: {0, 0}, sweepBatch + 2: {2, 0}} {
		c := corpus(t)
		s := opened(t, c, small)
		st := &sweepStage{Stage: graph.NewStage("sweep", s.g), s: s, tree: "kept"}
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			for _, tree := range []string{"kept", "other"} {
				made, err := s.change(tx, tree)
				if err != nil {
					return err
				}
				typ, err := made.v.MakeNodeType(typeSummary)
				if err != nil {
					return err
				}
				trees, err := made.v.MakeBucket(bucketTrees)
				if err == nil {
					err = trees.Set([]byte(tree), nil)
				}
				if err == nil && tree == "other" { // a leaf, which is no summary
					err = made.w.Set(idKey('n', 0, 1), make([]byte, 8))
				}
				for i := range n {
					var id engine.NodeID
					if err == nil {
						id, _, err = made.v.PutNode(typ, tree+string(binary.BigEndian.AppendUint64(nil, uint64(i))), nil)
					}
					if err == nil {
						err = made.w.Set(idKey('n', 1, uint64(id)), make([]byte, 8))
					}
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// left counts the summaries that there are of a tree's.
		left := func(tree string) (count int, noted bool) {
			view(t, c, s, func(v *engine.View) (err error) {
				if noted, err = v.Bucket(bucketTrees).Has([]byte(tree)); err != nil {
					return err
				}
				return s.tree(v, tree).summaries(func(uint8, engine.NodeID) bool { count++; return true })
			})
			return count, noted
		}
		var items []method.WorkItem
		err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			for w, err := range st.Items(t.Context(), snap) {
				if err != nil {
					return err
				}
				items = append(items, w)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for i, w := range items {
			if err := c.DB().Update(t.Context(), func(tx *engine.Tx) error { return st.Apply(t.Context(), tx, w, nil) }); err != nil {
				t.Fatal(err)
			}
			count, noted := left("other")
			got = append(got, count)
			if noted != (i < len(items)-1) {
				t.Errorf("of %d: after item %d the tree is noted: %v", n, i, noted)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d summaries %v are left, want %v", n, got, want)
		}
		if count, noted := left("kept"); count != n || !noted {
			t.Errorf("of the tree that is kept %d of %d summaries are left", count, n)
		}
		view(t, c, s, func(v *engine.View) error {
			typ, _ := v.NodeType(typeSummary)
			set, err := v.Nodes(typ)
			if err == nil && int(set.GetCardinality()) != n {
				t.Errorf("%d nodes, want %d", set.GetCardinality(), n)
			}
			return err
		})
	}
}
