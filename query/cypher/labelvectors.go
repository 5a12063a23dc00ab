package cypher

import (
	"github.com/ragdb/ragdb/engine"
)

// moveVectors takes the vectors of a node whose labels changed to where its new labels
// have them: into a vector index, out of it into a list of numbers, or from one to
// another. It reads vectors as of the last commit, so a statement that has written some
// of the node cannot change its labels too.
func (w writer) moveVectors(n engine.Node, was, is []string) error {
	all, err := w.x.graph.vectorIndexes()
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, ix := range all {
		if done[ix.Property] {
			continue
		}
		done[ix.Property] = true
		from, err := w.x.graph.vectorIndexOf(was, ix.Property)
		if err != nil {
			return err
		}
		to, err := w.x.graph.vectorIndexOf(is, ix.Property)
		if err != nil {
			return err
		}
		if from == to {
			continue
		}
		if err := w.moveVector(n, ix.Property, from, to); err != nil {
			return err
		}
	}
	return nil
}

// moveVector takes a property from one vector index to another; "" is the node's own
// record.
func (w writer) moveVector(n engine.Node, property, from, to string) error {
	var value Value
	var err error
	if from == "" {
		if value, err = w.x.graph.stored(n.ID, property, n.Prop(property)); err != nil || value.IsNull() {
			return err
		}
	} else {
		if w.x.vectored[n.ID] {
			return w.fail("a statement that writes the vector %s of a node cannot change the labels that index it", property)
		}
		if value, err = w.x.graph.vectorIn(from, n.ID); err != nil || value.IsNull() {
			return err
		}
		if err := w.x.tx.DeleteVector(from, n.ID); err != nil {
			return err
		}
	}
	if to == "" {
		list, err := toStored(w.at, value)
		if err != nil {
			return err
		}
		return w.x.tx.SetProps(n.ID, engine.Props{property: list})
	}
	vec, ok := vectorOfList(value)
	if !ok {
		return w.fail("the property %s would be in the vector index %s, which takes a list of numbers", property, to)
	}
	if from == "" {
		if err := w.x.tx.SetProps(n.ID, engine.Props{property: {}}); err != nil {
			return err
		}
	}
	return w.putVectors(n.ID, map[string][]float32{to: vec})
}
