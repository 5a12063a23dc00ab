package hirag

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestPlaceBounds: a cluster is divided on its own once it has over twice as many members
// as there may be, and not before.
func TestPlaceBounds(t *testing.T) {
	t.Parallel()
	f := &fit{Dim: 2}
	for _, x := range []float32{1, 0} {
		f.Centroids = binary.LittleEndian.AppendUint32(f.Centroids, math.Float32bits(x))
	}
	for n, whole := range map[int]bool{11: true, 20: true, 21: false} {
		m := graphops.Matrix{Dim: 2, Data: slices.Repeat([]float32{1, 0, 0, 1}, 11)[:2*n]}
		got, err := f.place(t.Context(), m, make([]uint64, n), 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || (len(got[0]) == 1) != whole {
			t.Errorf("%d nodes of at most 10: %v", n, got)
		}
	}
}

// TestUndoAllLevels: what an entity leaves are its communities of all levels.
func TestUndoAllLevels(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		entity, err := v.MakeNodeType(typeEntity)
		if err != nil {
			return err
		}
		community, err := v.MakeNodeType(typeCommunity)
		if err != nil {
			return err
		}
		id, _, err := v.PutNode(entity, "ferry", nil)
		if err != nil {
			return err
		}
		var want []engine.NodeID
		for level, key := range []string{"0/a", "1/b", "2/c"} {
			inside, err := v.MakeEdgeType(insideOf(level), true)
			if err != nil {
				return err
			}
			at, _, err := v.PutNode(community, key, nil)
			if err == nil {
				err = v.AddEdge(id, at, inside, 1)
			}
			if err != nil {
				return err
			}
			want = append(want, at)
		}
		u := &undoing{v: v, seen: map[engine.NodeID]bool{}}
		if err := u.node(id); err != nil {
			return err
		}
		if !slices.Equal(u.communities, want) || !slices.Equal(u.nodes, []engine.NodeID{id}) {
			t.Errorf("communities %v of %v, want %v", u.communities, u.nodes, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
