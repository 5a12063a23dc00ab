package cypher

import (
	"math"
	"unsafe"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// Kind is the type of a [Value].
type Kind uint8

// The kinds of values.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindTemporal // a date, time or duration, written as ISO 8601
	KindPoint
	KindList
	KindMap
	KindNode
	KindEdge
	KindPath
)

// String returns the name of the kind: integer, list.
func (k Kind) String() string {
	names := [...]string{"null", "boolean", "integer", "float", "string", "temporal value", "point", "list", "map", "node", "edge", "path"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Value is a value of the query language. The zero Value is null. A Value is
// immutable: it owns the lists and maps that it was made from.
//
// Compare values with [Value.Equal], since == and reflect.DeepEqual do not
// compare their content.
type Value struct {
	kind Kind
	// num is a bool, an int, the bits of a float, the id of a node or the length of a string in bytes. Of a list or map it is about
	// how many bytes it would take if it shared nothing with another.
	num uint64
	// ref is the first byte of a string, or temporal.Value, engine.Point, []Value, map[string]Value, *graph,
	// *Edge or *Path. A string as a pointer needs no memory of its own.
	ref any
}

// Edge is an edge of a graph, as a pattern matched it.
type Edge struct {
	engine.Edge
	graph *graph
	known []knownProperty // that were read with the edge
}

// knownProperty is a stored property, null if the edge lacks it.
type knownProperty struct {
	name  string
	value Value
}

// Path is a chain of nodes joined by edges: Nodes has one more than Edges.
type Path struct {
	Nodes []engine.NodeID
	Edges []*Edge
	graph *graph
}

// Null is the value null.
var Null Value

// Bool returns a boolean.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, num: 1}
	}
	return Value{kind: KindBool}
}

// Int returns an integer.
func Int(n int64) Value { return Value{kind: KindInt, num: uint64(n)} }

// Float returns a floating-point number.
func Float(x float64) Value { return Value{kind: KindFloat, num: math.Float64bits(x)} }

// String returns a string.
func String(s string) Value {
	return Value{kind: KindString, num: uint64(len(s)), ref: unsafe.StringData(s)}
}

// Temporal returns a date, time or duration.
func Temporal(t temporal.Value) Value { return Value{kind: KindTemporal, ref: t} }

// point returns a point.
func point(p engine.Point) Value { return Value{kind: KindPoint, ref: p} }

// ListOf returns a list, which takes over the slice.
func ListOf(vs []Value) Value {
	return Value{kind: KindList, num: uint64(listMemory(vs)), ref: vs}
}

// listWith returns a list whose elements take the given number of bytes.
func listWith(vs []Value, memory int64) Value {
	return Value{kind: KindList, num: uint64(min(memory, maxMemory)), ref: vs}
}

// MapOf returns a map, which takes over the Go map.
func MapOf(m map[string]Value) Value {
	return Value{kind: KindMap, num: uint64(mapMemory(m)), ref: m}
}

// node returns a node of a graph.
func node(g *graph, id engine.NodeID) Value { return Value{kind: KindNode, num: uint64(id), ref: g} }

// edge returns an edge.
func edge(e *Edge) Value { return Value{kind: KindEdge, ref: e} }

// path returns a path.
func path(p *Path) Value { return Value{kind: KindPath, ref: p} }

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// isNumber reports whether the value is an integer or a float.
func (v Value) isNumber() bool { return v.kind == KindInt || v.kind == KindFloat }

// graph returns the graph of a node, an edge or a path, nil for other kinds.
func (v Value) graph() *graph {
	switch ref := v.ref.(type) {
	case *graph:
		return ref
	case *Edge:
		return ref.graph
	case *Path:
		return ref.graph
	}
	return nil
}

// AsBool returns a boolean, false for other kinds.
func (v Value) AsBool() bool { return v.kind == KindBool && v.num == 1 }

// AsInt returns an integer, 0 for other kinds.
func (v Value) AsInt() int64 {
	if v.kind != KindInt {
		return 0
	}
	return int64(v.num)
}

// AsFloat returns a number as a float, 0 for other kinds.
func (v Value) AsFloat() float64 {
	switch v.kind {
	case KindInt:
		return float64(int64(v.num))
	case KindFloat:
		return math.Float64frombits(v.num)
	}
	return 0
}

// AsString returns a string, "" for other kinds.
func (v Value) AsString() string {
	if v.kind != KindString {
		return ""
	}
	first, _ := v.ref.(*byte)
	return unsafe.String(first, v.num)
}

// AsTemporal returns a date, time or duration, the zero value for other kinds.
func (v Value) AsTemporal() temporal.Value {
	t, _ := v.ref.(temporal.Value)
	return t
}

// AsPoint returns a point, the zero Point for other kinds.
func (v Value) AsPoint() engine.Point {
	p, _ := v.ref.(engine.Point)
	return p
}

// AsList returns the elements of a list, nil for other kinds. They belong to
// the value.
func (v Value) AsList() []Value {
	l, _ := v.ref.([]Value)
	return l
}

// AsMap returns the entries of a map, nil for other kinds. They belong to the
// value.
func (v Value) AsMap() map[string]Value {
	m, _ := v.ref.(map[string]Value)
	return m
}

// AsNode returns the id of a node, 0 for other kinds.
func (v Value) AsNode() engine.NodeID {
	if v.kind != KindNode {
		return 0
	}
	return engine.NodeID(v.num)
}

// AsEdge returns an edge, nil for other kinds.
func (v Value) AsEdge() *Edge {
	e, _ := v.ref.(*Edge)
	return e
}

// AsPath returns a path, nil for other kinds.
func (v Value) AsPath() *Path {
	p, _ := v.ref.(*Path)
	return p
}
