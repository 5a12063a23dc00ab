package cypher

import (
	"maps"
)

// property compiles x.name.
func (c *compiler) property(e *property) evaluator {
	at, name := e.Pos, e.Name
	if c.graph != nil {
		c.graph.wants(name)
	}
	if v, ok := e.X.(*variable); ok {
		if i, ok := c.scope.slot(v.Name); ok {
			return func(x *exec, r row) (Value, error) {
				if v := r[i]; v.kind == KindNode {
					return x.nodeProperty(v.graph(), v.AsNode(), name)
				}
				return propertyOf(at, r[i], name)
			}
		}
	}
	run := c.eval(e.X)
	return func(x *exec, r row) (Value, error) {
		v, err := run(x, r)
		if err != nil {
			return Null, err
		}
		return propertyOf(at, v, name)
	}
}

// propertyOf returns a property of a node or an edge, an entry of a map or a
// part of a temporal value or a point. If v has no part of the name, or is null, the result is null.
func propertyOf(at Pos, v Value, name string) (Value, error) {
	switch v.kind {
	case KindNode:
		return v.graph().property(v.AsNode(), name)
	case KindEdge:
		e := v.AsEdge()
		return e.graph.edgeProperty(e, name)
	case KindMap:
		return v.AsMap()[name], nil
	case KindTemporal:
		return temporalPart(at, v.AsTemporal(), name)
	case KindPoint:
		return pointPart(at, v.AsPoint(), name)
	case KindNull:
		return Null, nil
	}
	return Null, typeError(at, "%s has no property %s: nodes, edges, maps, points and temporal values have properties", aKind(v), quoteName(name))
}

// propertiesOf returns the properties of a node or an edge or the entries of a
// map; false for other kinds. The map may be shared.
func propertiesOf(v Value) (m map[string]Value, ok bool, err error) {
	switch v.kind {
	case KindNode:
		m, err = v.graph().properties(v.AsNode())
		return m, true, err
	case KindEdge:
		m, err = v.AsEdge().graph.edgeProperties(v.AsEdge())
		return m, true, err
	case KindMap:
		return v.AsMap(), true, nil
	}
	return nil, false, nil
}

// hasLabels compiles x:Label, which of an edge is whether it has the type.
func (c *compiler) hasLabels(e *labelsExpr) predicate {
	run := c.eval(e.X)
	return func(x *exec, r row) (truth, error) {
		v, err := run(x, r)
		if err != nil || v.IsNull() {
			return isUnknown, err
		}
		switch v.kind {
		case KindNode:
			g := v.graph()
			n, err := g.record(v.AsNode())
			return truthOf(g.labelled(&n, e.Labels)), err
		case KindEdge:
			edge := v.AsEdge()
			name := edge.graph.edgeType(edge)
			return truthOf(e.Labels.holds(func(label string) bool { return label == "" || label == name })), nil
		}
		return isUnknown, typeError(e.Pos, "a label needs a node or an edge, not %s", aKind(v))
	}
}

// index compiles x[i]: an element of a list, counted from its end if i is
// negative; an entry of a map; a property of a node or an edge. It is null if
// there is none, or if x or i is null.
func (c *compiler) index(e *indexExpr) evaluator {
	run := c.eval(e.X)
	place := c.eval(e.I)
	at := e.I.At()
	return func(x *exec, r row) (Value, error) {
		v, i, err := both(x, r, run, place)
		if err != nil || v.IsNull() || i.IsNull() {
			return Null, err
		}
		switch v.kind {
		case KindList:
			if i.kind != KindInt {
				return Null, typeError(at, "the place in a list is an integer, not %s", aKind(i))
			}
			return element(v.AsList(), i.AsInt()), nil
		case KindMap, KindNode, KindEdge, KindTemporal, KindPoint:
			if i.kind != KindString {
				return Null, evalError(at, codeType, "MapElementAccessByNonString", "%s is looked up by a string, not %s", aKind(v), aKind(i))
			}
			return propertyOf(at, v, i.AsString())
		}
		return Null, typeError(at, "%s has no elements: lists, maps, nodes and edges have", aKind(v))
	}
}

// element returns an element of a list, null beyond its ends.
func element(list []Value, i int64) Value {
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= int64(len(list)) {
		return Null
	}
	return list[i]
}

// slice compiles x[from..to]: the elements from one place up to before another.
// Places beyond the ends are the ends; null makes null.
func (c *compiler) slice(e *sliceExpr) evaluator {
	run := c.eval(e.X)
	c.builds = true
	bounds := [2]evaluator{constant(Int(0)), nil}
	for i, b := range [2]expr{e.From, e.To} {
		if b == nil {
			continue
		}
		bounds[i] = c.eval(b)
	}
	return func(x *exec, r row) (Value, error) {
		v, err := run(x, r)
		if err != nil || v.IsNull() {
			return Null, err
		}
		if v.kind != KindList {
			return Null, typeError(e.Pos, "[..] needs a list, not %s", aKind(v))
		}
		list := v.AsList()
		at := [2]int64{0, int64(len(list))}
		for i, bound := range bounds {
			if bound == nil {
				continue
			}
			b, err := bound(x, r)
			if err != nil || b.IsNull() {
				return Null, err
			}
			if b.kind != KindInt {
				return Null, typeError(e.Pos, "the places in a list are integers, not %s", aKind(b))
			}
			at[i] = b.AsInt()
			if at[i] < 0 {
				at[i] += int64(len(list))
			}
			at[i] = min(max(at[i], 0), int64(len(list)))
		}
		if at[0] >= at[1] {
			return ListOf(nil), nil
		}
		return x.built(e.Pos, ListOf(list[at[0]:at[1]:at[1]]))
	}
}

// mapProjection compiles x {.name, .*, name: value}. Of null it is null.
func (c *compiler) mapProjection(e *mapProjection) evaluator {
	run := c.eval(e.X)
	values := make([]evaluator, len(e.Items))
	for i, item := range e.Items {
		if item.Value == nil {
			continue
		}
		values[i] = c.eval(item.Value)
	}
	c.builds = true
	return func(x *exec, r row) (Value, error) {
		v, err := run(x, r)
		if err != nil || v.IsNull() {
			return Null, err
		}
		if v.kind != KindMap && v.kind != KindNode && v.kind != KindEdge {
			return Null, typeError(e.Pos, "a projection needs a node, an edge or a map, not %s", aKind(v))
		}
		m := make(map[string]Value, len(e.Items))
		for i, item := range e.Items {
			switch {
			case item.All:
				all, _, err := propertiesOf(v)
				if err != nil {
					return Null, err
				}
				maps.Copy(m, all)
			case values[i] != nil:
				if m[item.Name], err = values[i](x, r); err != nil {
					return Null, err
				}
			default:
				if m[item.Name], err = propertyOf(e.Pos, v, item.Name); err != nil {
					return Null, err
				}
			}
		}
		return x.built(e.Pos, MapOf(m))
	}
}
