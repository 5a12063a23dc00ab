package cypher

import (
	"encoding/base64"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// Properties that are computed unless one of the name is stored.
const (
	propKey         = "key"
	propName        = "name"
	propDescription = "description"
	propWeight      = "weight"
	propCount       = "count"
)

// internalProperty reports whether a property is the store's own business: it
// is read by its name and stands in no list of properties.
func internalProperty(name string) bool { return strings.HasPrefix(name, "_") }

// generatedKey reports whether a node's key was generated.
func generatedKey(key string) bool { return strings.HasPrefix(key, "_") }

// property returns a property of a node: its key, a stored property, a property
// that the sources of a derived node give, one that the session computes, or
// its vector. If there is none, it is null.
func (g *graph) property(id engine.NodeID, name string) (Value, error) {
	n, err := g.record(id)
	if err != nil {
		return Null, err
	}
	if name == propKey {
		return String(n.Key), nil
	}
	if v := n.Prop(name); !v.IsNull() {
		return g.stored(id, name, v)
	}
	if n.Derived && isTotal(name) {
		t, err := g.r.Total(engine.NodeTarget(id))
		return totalProperty(t, n.Key, name), err
	}
	if g.computed != nil {
		if v, ok, err := g.computed(g.all, n, name); ok || err != nil {
			return v, err
		}
	}
	return g.vectorOf(n, name)
}

// isTotal reports whether a property is computed from contributions.
func isTotal(name string) bool {
	switch name {
	case propName, propDescription, propWeight, propCount:
		return true
	}
	return false
}

// totalProperty returns a property that the sources of a node or edge give. If
// they give no name, the name is key.
func totalProperty(t engine.Total, key, name string) Value {
	switch name {
	case propName:
		if t.Label != "" {
			key = t.Label
		}
		if key != "" {
			return String(key)
		}
	case propDescription:
		if len(t.Texts) > 0 {
			return String(strings.Join(t.Texts, "\n"))
		}
	case propWeight:
		if t.Sources > 0 {
			return Float(float64(t.Weight))
		}
	case propCount:
		if t.Sources > 0 {
			return Int(int64(t.Count))
		}
	}
	return Null
}

// properties returns the properties of a node that people gave it, or that its
// sources did.
func (g *graph) properties(id engine.NodeID) (map[string]Value, error) {
	n, err := g.record(id)
	if err != nil {
		return nil, err
	}
	out := map[string]Value{}
	if !generatedKey(n.Key) {
		out[propKey] = String(n.Key)
	}
	if n.Derived {
		t, err := g.r.Total(engine.NodeTarget(id))
		if err != nil {
			return nil, err
		}
		addTotal(out, t, n.Key, propName, propDescription, propWeight, propCount)
	}
	for name, v := range n.Props() {
		if internalProperty(name) {
			continue
		}
		if out[name], err = g.stored(id, name, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addTotal adds the properties that the sources of a node or edge give.
func addTotal(out map[string]Value, t engine.Total, key string, names ...string) {
	for _, name := range names {
		if v := totalProperty(t, key, name); !v.IsNull() {
			out[name] = v
		}
	}
}

// stored returns a stored property of a node, and reads it if it is kept
// outside the record.
func (g *graph) stored(id engine.NodeID, name string, v engine.Value) (Value, error) {
	if v.Kind() != engine.KindText {
		return fromStored(v), nil
	}
	s, err := g.r.Text(id, name)
	return String(s), err
}

// edgeProperty returns a property of an edge: its weight, a stored property or
// one that its sources give. If there is none, it is null.
func (g *graph) edgeProperty(e *Edge, name string) (Value, error) {
	if name == propWeight {
		w, err := g.weight(e)
		return Float(float64(w)), err
	}
	for i := range e.known {
		if e.known[i].name == name {
			return e.known[i].value, nil
		}
	}
	if err := g.alive(e); err != nil {
		return Null, err
	}
	props, err := g.r.EdgeProps(e.Edge)
	if err != nil {
		return Null, err
	}
	if v, ok := props[name]; ok {
		return fromStored(v), nil
	}
	if !isTotal(name) {
		return Null, nil
	}
	t, err := g.r.Total(engine.EdgeTarget(e.From, e.To, e.Type))
	return totalProperty(t, "", name), err
}

// weight returns the weight of an edge.
func (g *graph) weight(e *Edge) (float32, error) {
	if !g.writes {
		return e.Weight, nil
	}
	w, ok, err := g.r.EdgeWeight(e.Edge)
	if err == nil && !ok {
		err = evalError(0, codeDeleted, "DeletedEntityAccess", "the edge was deleted")
	}
	return w, err
}

// alive returns the error of an edge that the statement has deleted.
func (g *graph) alive(e *Edge) error {
	if !g.writes {
		return nil
	}
	_, err := g.weight(e)
	return err
}

// edgeProperties returns the properties of an edge.
func (g *graph) edgeProperties(e *Edge) (map[string]Value, error) {
	if err := g.alive(e); err != nil {
		return nil, err
	}
	props, err := g.r.EdgeProps(e.Edge)
	if err != nil {
		return nil, err
	}
	t, err := g.r.Total(engine.EdgeTarget(e.From, e.To, e.Type))
	if err != nil {
		return nil, err
	}
	out := map[string]Value{}
	addTotal(out, t, "", propName, propDescription, propCount)
	w, err := g.weight(e)
	if err != nil {
		return nil, err
	}
	if w != 1 || t.Sources > 0 {
		out[propWeight] = Float(float64(w))
	}
	for name, v := range props {
		if !internalProperty(name) {
			out[name] = fromStored(v)
		}
	}
	return out, nil
}

// fromStored returns a stored value. Bytes become base64.
func fromStored(v engine.Value) Value {
	switch v.Kind() {
	case engine.KindBool:
		return Bool(v.AsBool())
	case engine.KindInt:
		return Int(v.AsInt())
	case engine.KindFloat:
		return Float(v.AsFloat())
	case engine.KindString:
		return String(v.AsString())
	case engine.KindTemporal:
		return Temporal(v.AsTemporal())
	case engine.KindPoint:
		return point(v.AsPoint())
	case engine.KindBytes:
		return String(base64.StdEncoding.EncodeToString(v.AsBytes()))
	case engine.KindStrings:
		list := make([]Value, len(v.AsStrings()))
		for i, s := range v.AsStrings() {
			list[i] = String(s)
		}
		return ListOf(list)
	case engine.KindList:
		var list []Value
		for _, x := range v.AsList() {
			list = append(list, fromStored(x))
		}
		return ListOf(list)
	}
	return Null
}
