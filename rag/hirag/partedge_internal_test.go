package hirag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestPartEdge: a community and the one that it is a part of are joined by an edge of
// weight 1, whichever is made first.
func TestPartEdge(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	st := &reportStage{s: s}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		bucket, err := v.MakeBucket(bucketPlan)
		if err != nil {
			return err
		}
		for _, order := range [][]plannedCommunity{
			{{Key: "0/a"}, {Key: "1/b", Level: 1, Parent: "0/a"}},
			{{Key: "1/d", Level: 1, Parent: "0/c"}, {Key: "0/c"}},
		} {
			ids := map[int]engine.NodeID{}
			for _, p := range order {
				if p.Parent != "" {
					if err := bucket.Set(append(partsPrefix(p.Parent), p.Key...), nil); err != nil {
						return err
					}
				}
			}
			for _, p := range order {
				if ids[p.Level], err = st.node(v, p); err != nil {
					return err
				}
			}
			part, _ := v.EdgeType(edgePart)
			if w, ok, err := v.HasEdge(ids[1], ids[0], part); !ok || w != 1 || err != nil {
				t.Errorf("%s first: an edge %v of weight %g, %v", order[0].Key, ok, w, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
