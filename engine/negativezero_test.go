package engine_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
)

// TestNegativeZero loads properties that are -0 into blocks of nodes and of edges. They
// become 0, as in records, so that blocks and records have the same values.
func TestNegativeZero(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, store := raw(t)
		g := graph(t, db, "g")
		zero := engine.Props{"x": engine.Float(math.Copysign(0, -1))}
		const n = 1100
		err := db.Load(t.Context(), g, func(l *engine.Loader) error {
			typ, err := l.MakeNodeType("n")
			if err != nil {
				return err
			}
			next, err := l.MakeEdgeType("next", true)
			last := engine.NodeID(0)
			for i := 0; i < n && err == nil; i++ {
				var id engine.NodeID
				if id, err = l.Node(typ, fmt.Sprint(i), zero); err == nil && last > 0 {
					err = l.EdgeWith(last, id, next, 1, zero)
				}
				last = id
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if blocks, _ := blockCount(t, store, g); blocks == 0 {
			t.Error("no node is in a block")
		}
		sound(t, db, "loaded")
		view(t, g, func(v *engine.View) {
			x := v.NodeColumns(nil).Column("x")
			for _, id := range []engine.NodeID{1, 1023, 1024, n} {
				node, err := v.Node(id)
				if err != nil {
					t.Fatal(err)
				}
				value, err := x.Value(id)
				if err != nil || math.Signbit(value.AsFloat()) || math.Signbit(node.Prop("x").AsFloat()) {
					t.Errorf("node %d: %v in its block, %v in its record, %v", id, value, node.Prop("x"), err)
				}
			}
		})
	})
}
