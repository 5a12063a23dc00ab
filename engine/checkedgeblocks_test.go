package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// TestCheckFindsDamagedEdgeBlocks damages the columns of edges in each way that a check
// tells apart. Reads of what cannot be read are errors and say nothing else.
func TestCheckFindsDamagedEdgeBlocks(t *testing.T) {
	blocks := func(t *testing.T, s kv.Store, g uint32) (keys, values [][]byte) {
		eachRaw(t, s, g, layout.TagEdgeBlock, func(k, v []byte) { keys, values = append(keys, k), append(values, v) })
		return keys, values
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, s kv.Store, b kv.Batch, g uint32)
		what   string
		reads  bool // what is left can be read
	}{
		"cut": {func(t *testing.T, s kv.Store, b kv.Batch, g uint32) {
			k, v := blocks(t, s, g)
			b.Set(k[1], v[1][:len(v[1])-1])
		}, "malformed block", false},
		"of another version": {func(t *testing.T, s kv.Store, b kv.Batch, g uint32) {
			k, _ := blocks(t, s, g)
			b.Set(k[0], []byte{9})
		}, "malformed block", false},
		"under the key of another": {func(t *testing.T, s kv.Store, b kv.Batch, g uint32) {
			k, v := blocks(t, s, g)
			b.Set(k[1], v[0])
		}, "a block that ends with the edge", true},
		"twice": {func(t *testing.T, s kv.Store, b kv.Batch, g uint32) {
			k, v := blocks(t, s, g)
			from, typ, to, _ := layout.EdgeOf(k[0])
			b.Set(layout.EdgeBlock(g, from, typ, to, 7), v[0])
		}, "begins before the end of the one before it", true},
		"of an edge that is gone": {func(t *testing.T, s kv.Store, b kv.Batch, g uint32) {
			eachRaw(t, s, g, layout.TagOut, func(k, _ []byte) { b.Delete(k) })
			eachRaw(t, s, g, layout.TagIn, func(k, _ []byte) { b.Delete(k) })
		}, "which is not there", true},
		"a record that hides nothing": {func(t *testing.T, s kv.Store, b kv.Batch, g uint32) {
			k, _ := blocks(t, s, g)
			from, typ, to, _ := layout.EdgeOf(k[0])
			_, empty := first(t, s, g, layout.TagEdge, nil)
			b.Set(layout.Edge(g, from, typ, to, 40), empty)
		}, "of an edge that no block has", true},
	} {
		t.Run(name, func(t *testing.T) {
			var store kv.Store
			db := open(t, &engine.Options{BlockEdges: 2, OpenStore: func(ctx context.Context, path string, s *kv.Schema) (_ kv.Store, err error) {
				store, err = pebblekv.Open(ctx, path, s, nil)
				return store, err
			}})
			g := graph(t, db, "g")
			var ids []engine.NodeID
			var knows engine.EdgeType
			err := db.Load(t.Context(), g, func(l *engine.Loader) (err error) {
				n, err := l.MakeNodeType("n")
				if err != nil {
					return err
				}
				if knows, err = l.MakeEdgeType("knows", true); err != nil {
					return err
				}
				for i := range 7 {
					id, err := l.Node(n, fmt.Sprint(i), nil)
					if err != nil {
						return err
					}
					ids = append(ids, id)
				}
				for i := range 6 {
					if err := l.EdgeWith(ids[i], ids[i+1], knows, 1, engine.Props{"since": engine.Int(int64(i))}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			update(t, g, func(v *engine.TxView) {
				if err := v.SetEdgeProps(engine.Edge{From: ids[0], To: ids[1], Type: knows}, nil); err != nil {
					t.Fatal(err)
				}
			})
			sound(t, db, "before")
			b := store.NewBatch()
			c.damage(t, store, b, uint32(g.ID()))
			if err := store.Apply(t.Context(), b, kv.Sync); err != nil {
				t.Fatal(err)
			}
			found := check(t, db, engine.CheckOptions{Full: true})
			if !strings.Contains(fmt.Sprint(found), c.what) {
				t.Errorf("found %v, want %q", found, c.what)
			}
			err = db.View(t.Context(), func(s *engine.Snapshot) (err error) {
				for _, e := range s.Graph(g).EdgeColumns(knows, []string{"since"}) {
					err = e
				}
				return err
			})
			if (err == nil) != c.reads {
				t.Errorf("reading ends with %v", err)
			}
		})
	}
}
