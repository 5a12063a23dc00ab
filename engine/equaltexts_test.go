package engine_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// TestEqualTexts writes many nodes with one and the same text, whose postings take less
// than a byte each: figures, checks and compaction work as for any other text, before
// and after most of the nodes are gone.
func TestEqualTexts(t *testing.T) {
	terms := text.Standard{}.Terms("The lighthouse of Karrow was built in 1840 by Ada Byron.")
	distinct := map[string]bool{}
	for _, term := range terms {
		distinct[term.Text] = true
	}
	onStores(t, func(t *testing.T, o *engine.Options) {
		for _, n := range []int{127, 128, 129, 257, 10_000} {
			for _, positions := range []bool{false, true} {
				t.Run(fmt.Sprint(n, " positions ", positions), func(t *testing.T) {
					db := open(t, o)
					g := graph(t, db, "texts")
					var ids []engine.NodeID
					update(t, g, func(v *engine.TxView) {
						typ, err := v.MakeNodeType("chunk")
						if err == nil {
							err = v.MakeField("f", engine.FieldOptions{Positions: positions})
						}
						for i := 0; i < n && err == nil; i++ {
							var id engine.NodeID
							if id, _, err = v.PutNode(typ, fmt.Sprint(i), nil); err == nil {
								err = v.PutTerms("f", id, terms)
							}
							ids = append(ids, id)
						}
						if err != nil {
							t.Fatal(err)
						}
					})
					works := func(nodes int) {
						t.Helper()
						if err := db.Compact(t.Context()); err != nil {
							t.Fatal(err)
						}
						f := stats(t, db).Graphs[0].Fields[0]
						if f.Nodes != int64(nodes) || f.Postings != int64(nodes*len(distinct)) {
							t.Errorf("%d nodes: %+v", nodes, f)
						}
						sound(t, db, fmt.Sprint(nodes, " equal texts"))
					}
					works(n)
					update(t, g, func(v *engine.TxView) {
						for _, id := range ids[:n-1] {
							if _, err := v.DeleteNode(id); err != nil {
								t.Fatal(err)
							}
						}
					})
					works(1)
				})
			}
		}
	})
}
