package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
)

// TestPromotionAfterFailure says that no list grows beyond Options.PromoteAt
// under one key, whatever transactions that failed made of it.
func TestPromotionAfterFailure(t *testing.T) {
	const promoteAt = 8
	o, store := captured(&engine.Options{PromoteAt: promoteAt, OpenStore: memory})
	g := graph(t, open(t, o), "g")
	var hub engine.NodeID
	var near engine.EdgeType
	other := func(i int) engine.NodeID { return hub + 1 + engine.NodeID(i) }
	add := func(v *engine.TxView, from, to int) {
		for i := from; i < to; i++ {
			if err := v.AddEdge(hub, other(i), near, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	update(t, g, func(v *engine.TxView) {
		typ := must(t, must2of(v.MakeNodeType("n")), nil)
		near = must(t, must2of(v.MakeEdgeType("near", false)), nil)
		for i := range 100 {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				hub = id
			}
		}
		add(v, 0, promoteAt)
	})
	boom := errors.New("boom")
	err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		for i := range promoteAt {
			if err := v.RemoveEdge(engine.Edge{From: hub, To: other(i), Type: near}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 2 { // a read makes what was written the state
			if n, err := v.Degree(hub, engine.EdgeFilter{}); n != i || err != nil {
				t.Fatal(n, err)
			}
			add(v, i, i+1)
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	update(t, g, func(v *engine.TxView) { add(v, promoteAt, 2*promoteAt-2) })
	eachKey(t, *store, g, layout.TagOut, func(key, value []byte) {
		k, _ := layout.ReadAdjacency(key)
		n, err := layout.SetLen(value)
		if err != nil || k.Inline && n > promoteAt {
			t.Errorf("%d neighbours under one key, %v", n, err)
		}
	})
	checkClean(t, g.DB())
}
