package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// fillVectorIndex moves the lists that nodes of a label have in the property of a
// new vector index into it. A list stays a property if it has another length than the
// index, or only zeros.
func fillVectorIndex(x *exec, ix vectorIndex, dim int) error {
	t, ok := x.tx.NodeType(ix.Label)
	if !ok {
		return nil
	}
	set, err := x.graph.nodesOf(t)
	if err != nil {
		return err
	}
	w := writer{x, 0}
	for _, id := range set.ToArray() {
		if err := x.tick(); err != nil {
			return err
		}
		n, err := x.graph.record(engine.NodeID(id))
		if err != nil {
			return err
		}
		vec, ok := vectorOfList(fromStored(n.Prop(ix.Property)))
		if !ok || len(vec) != dim || !slices.ContainsFunc(vec, func(x float32) bool { return x != 0 }) {
			continue
		}
		if err := w.putVectors(n.ID, map[string][]float32{ix.Name: vec}); err != nil {
			return err
		}
		if err := x.tx.SetProps(n.ID, engine.Props{ix.Property: {}}); err != nil {
			return err
		}
	}
	x.graph.changed()
	return nil
}
