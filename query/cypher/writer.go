package cypher

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// writer changes the graph of a statement for the clauses that write. Errors
// are placed at the clause.
type writer struct {
	x  *exec
	at Pos
}

// fail returns an error of a value that cannot be written.
func (w writer) fail(format string, args ...any) error { return argumentError(w.at, format, args...) }

// createNode makes a node of some labels with properties, of which key is its key.
func (w writer) createNode(labels []string, props map[string]Value) (engine.NodeID, error) {
	tx := w.x.tx
	types, err := w.types(labels)
	if err != nil {
		return 0, err
	}
	t := engine.NoType
	if len(types) > 0 {
		t = types[0]
	}
	var key string
	switch k := props[propKey]; k.Kind() {
	case KindString:
		key = k.AsString()
		if key == "" || generatedKey(key) && !w.x.generates(key) {
			return 0, w.fail("a key is not empty and does not begin with _: %q", key)
		}
	case KindNull:
		if key, err = w.x.generate(t); err != nil {
			return 0, err
		}
	default:
		return 0, w.fail("a key is a string, not %s", aKind(k))
	}
	if _, err := tx.Lookup(t, key); err == nil {
		return 0, w.fail("there is a %s with the key %q already; MERGE finds it or makes it", w.x.graph.typeName(t), key)
	} else if !errors.Is(err, engine.ErrNotFound) {
		return 0, err
	}
	stored, vectors, err := w.split(labels, props)
	if err != nil {
		return 0, err
	}
	id, _, err := tx.PutNode(t, key, stored)
	if err != nil {
		return 0, err
	}
	if len(types) > 1 {
		if err := tx.SetLabels(id, types); err != nil {
			return 0, err
		}
	}
	w.x.result.Counts.NodesCreated++
	w.x.result.Counts.PropertiesSet += len(stored)
	w.x.graph.changed()
	return id, w.putVectors(id, vectors)
}

// generate returns a new key of a type. One that an import brought may be taken.
func (x *exec) generate(t engine.TypeID) (string, error) {
	for {
		x.made++
		key := fmt.Sprintf("_%d.%d", x.epoch, x.made)
		_, err := x.tx.Lookup(t, key)
		if errors.Is(err, engine.ErrNotFound) {
			return key, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// generates reports whether a key has the form of those that generate makes: a script
// that makes a graph again gives them.
func (x *exec) generates(key string) bool {
	var epoch, made uint64
	n, err := fmt.Sscanf(key, "_%d.%d", &epoch, &made)
	return err == nil && n == 2 && key == fmt.Sprintf("_%d.%d", epoch, made)
}

// types returns the node types of labels, making those that are new.
func (w writer) types(labels []string) ([]engine.TypeID, error) {
	var out []engine.TypeID
	for _, name := range labels {
		t, err := w.x.tx.MakeNodeType(name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// split separates the properties that are stored with the node from those that
// a vector index holds. A nil vector is one to remove.
func (w writer) split(labels []string, props map[string]Value) (engine.Props, map[string][]float32, error) {
	stored, vectors := engine.Props{}, map[string][]float32{}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		v := props[name]
		if name == propKey {
			continue
		}
		if err := w.checkName(name); err != nil {
			return nil, nil, err
		}
		index, err := w.x.graph.vectorIndexOf(labels, name)
		if err != nil {
			return nil, nil, err
		}
		if index == "" {
			if stored[name], err = toStored(w.at, v); err != nil {
				return nil, nil, err
			}
			continue
		}
		vec, isVector := vectorOfList(v)
		if !isVector && !v.IsNull() {
			return nil, nil, w.fail("the property %s is in the vector index %s and takes a list of numbers", name, index)
		}
		vectors[index] = vec
	}
	return stored, vectors, nil
}

// checkName refuses the names of properties that are the store's own.
func (w writer) checkName(name string) error {
	if internalProperty(name) {
		return w.fail("properties whose names begin with _ are the store's own: %s", name)
	}
	return nil
}

// putVectors writes a node's vectors by index.
func (w writer) putVectors(id engine.NodeID, vectors map[string][]float32) error {
	for _, index := range slices.Sorted(maps.Keys(vectors)) {
		if w.x.vectored == nil {
			w.x.vectored = map[engine.NodeID]bool{}
		}
		w.x.vectored[id] = true
		w.x.result.Counts.VectorsSet++
		var err error
		if vec := vectors[index]; vec == nil {
			err = w.x.tx.DeleteVector(index, id)
		} else {
			err = w.x.tx.PutVector(index, id, vec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setNode changes properties of a node; null removes one.
func (w writer) setNode(id engine.NodeID, props map[string]Value) error {
	n, err := w.x.graph.record(id)
	if err != nil {
		return err
	}
	if k, ok := props[propKey]; ok && !(k.Kind() == KindString && k.AsString() == n.Key) {
		return w.fail("the key of a node cannot be changed: make another node")
	}
	labels, err := w.x.graph.labelsOf(id)
	if err != nil {
		return err
	}
	stored, vectors, err := w.split(labels, props)
	if err != nil {
		return err
	}
	w.x.result.Counts.PropertiesSet += len(stored)
	for name := range props {
		// A list that was stored before the vector index was made goes.
		if _, ok := stored[name]; !ok && !n.Prop(name).IsNull() {
			stored[name] = engine.Value{}
		}
	}
	if len(stored) > 0 {
		if err := w.x.tx.SetProps(id, stored); err != nil {
			return err
		}
	}
	w.x.graph.changed()
	return w.putVectors(id, vectors)
}

// changeLabels gives a node labels, or takes them from it.
func (w writer) changeLabels(id engine.NodeID, names []string, add bool) error {
	n, err := w.x.graph.record(id)
	if err != nil {
		return err
	}
	was, err := w.x.graph.labelsOf(id)
	if err != nil {
		return err
	}
	have := n.All()
	had := len(have)
	for _, name := range names {
		t, ok := w.x.tx.NodeType(name)
		if add && !ok {
			if t, err = w.x.tx.MakeNodeType(name); err != nil {
				return err
			}
		}
		switch at := slices.Index(have, t); {
		case add && at < 0:
			have = append(have, t)
		case !add && ok && at >= 0:
			have = slices.Delete(have, at, at+1)
		}
	}
	if len(have) == had {
		return nil // both only add, or only remove
	}
	err = w.x.tx.SetLabels(id, have)
	if errors.Is(err, engine.ErrExists) {
		return w.fail("a %s with the key %q is there already, and the node would be the second", w.x.graph.typeName(have[0]), n.Key)
	}
	if err != nil {
		return err
	}
	if add {
		w.x.result.Counts.LabelsAdded += len(have) - had
	} else {
		w.x.result.Counts.LabelsRemoved += had - len(have)
	}
	w.x.graph.changed()
	is, err := w.x.graph.labelsOf(id)
	if err != nil {
		return err
	}
	if err := w.moveVectors(n, was, is); err != nil {
		return err
	}
	w.x.graph.changed()
	return nil
}

// createEdge creates an edge. If first is set, one of its ends has no edge yet.
func (w writer) createEdge(from, to engine.NodeID, name string, props map[string]Value, first bool) (engine.Edge, error) {
	tx := w.x.tx
	t, ok := tx.EdgeType(name)
	if !ok {
		var err error
		if t, err = tx.MakeEdgeType(name, true); err != nil {
			return engine.Edge{}, err
		}
	}
	stored := engine.Props{}
	weight, err := w.edgeProps(stored, props)
	if err != nil {
		return engine.Edge{}, err
	}
	e := identity(engine.Edge{From: from, To: to, Type: t, Weight: 1})
	if weight != nil {
		e.Weight = *weight
	}
	if first {
		err = tx.AddEdge(from, to, t, e.Weight)
	} else {
		var made engine.Edge
		made, err = tx.AddParallel(from, to, t, e.Weight)
		e.N = made.N
	}
	if err != nil {
		return e, err
	}
	if len(stored) > 0 {
		if err := tx.SetEdgeProps(e, stored); err != nil {
			return e, err
		}
	}
	w.x.result.Counts.EdgesCreated++
	w.x.result.Counts.PropertiesSet += len(stored)
	w.x.graph.changed()
	return e, nil
}

// edgeProps parts the properties of an edge, but for some, into its weight and the
// others, which it adds to stored.
func (w writer) edgeProps(stored engine.Props, props map[string]Value, but ...string) (weight *float32, err error) {
	var room [8]string
	names := room[:0]
	for name := range props {
		if !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		v := props[name]
		if name == propWeight {
			x := float32(v.AsFloat())
			if v.IsNull() {
				x = 1
			} else if !v.isNumber() || math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, w.fail("the weight of an edge is a finite number up to 3.4e38")
			}
			weight = &x
			continue
		}
		if err := w.checkName(name); err != nil {
			return nil, err
		}
		if stored[name], err = toStored(w.at, v); err != nil {
			return nil, err
		}
	}
	return weight, nil
}

// setEdge changes properties of an edge; null removes one, and makes the weight
// 1.
func (w writer) setEdge(e *Edge, props map[string]Value) error {
	tx := w.x.tx
	stored := engine.Props{}
	weight, err := w.edgeProps(stored, props)
	if err != nil {
		return err
	}
	_, ok, err := tx.EdgeWeight(e.Edge)
	if err != nil {
		return err
	}
	if !ok {
		return phase.Errorf("the edge was deleted: %w", engine.ErrNotFound)
	}
	if weight != nil {
		total, err := tx.Total(engine.EdgeTarget(e.From, e.To, e.Type))
		if err != nil {
			return err
		}
		if total.Sources > 0 {
			return w.fail("the weight of this edge is the sum over its sources")
		}
		changed := e.Edge
		changed.Weight = *weight
		if err := tx.PutEdge(changed); err != nil {
			return err
		}
		w.x.result.Counts.PropertiesSet++
	}
	if len(stored) > 0 {
		all, err := tx.EdgeProps(e.Edge)
		if err != nil {
			return err
		}
		if all == nil {
			all = engine.Props{}
		}
		for name, v := range stored {
			if v.IsNull() {
				delete(all, name)
			} else {
				all[name] = v
			}
		}
		if err := tx.SetEdgeProps(e.Edge, all); err != nil {
			return err
		}
		w.x.result.Counts.PropertiesSet += len(stored)
	}
	w.x.graph.changed()
	return nil
}

// vectorOfList returns a list of one number or more as a vector.
func vectorOfList(v Value) ([]float32, bool) {
	list := v.AsList()
	if len(list) == 0 {
		return nil, false
	}
	out := make([]float32, len(list))
	for i, item := range list {
		if !item.isNumber() {
			return nil, false
		}
		out[i] = float32(item.AsFloat())
	}
	return out, true
}
