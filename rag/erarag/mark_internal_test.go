package erarag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestMarkDirty: a segment whose summary is not of its items is noted, and so is that it
// has one, if it has.
func TestMarkDirty(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	s := opened(t, c, small)
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		tree, err := s.change(tx, "marked")
		if err != nil {
			return err
		}
		for _, summary := range []engine.NodeID{0, 7, 0} {
			if err := tree.markDirty(1, &segment{number: 3, summary: summary}); err != nil {
				return err
			}
			dirty, err := tree.Has(idKey('d', 1, 3))
			if err != nil {
				return err
			}
			has, err := tree.Has(idKey('x', 1, 3))
			if err != nil {
				return err
			}
			if !dirty || has != (summary != 0) {
				t.Errorf("summary %d: dirty %v, has one %v", summary, dirty, has)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNearestOf: a search by layers asks each of them for k nodes, and none for none.
func TestNearestOf(t *testing.T) {
	t.Parallel()
	r := nearest{s: &system{}}
	for _, x := range []struct{ from, to, k, want int }{{0, 3, 5, 4}, {1, 3, 5, 3}, {2, 2, 1, 1}, {1, 0, 5, 0}, {0, 3, 0, 0}} {
		got := r.of(x.from, x.to, x.k).Layers
		if len(got) != x.want {
			t.Errorf("from %d to %d, %d each: %v", x.from, x.to, x.k, got)
		}
		for i, l := range got {
			if int(l.Layer) != x.from+i || l.K != x.k {
				t.Errorf("from %d to %d, %d each: %v", x.from, x.to, x.k, got)
			}
		}
	}
}
