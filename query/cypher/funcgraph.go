package cypher

import (
	"net/url"
	"strconv"

	"github.com/ragdb/ragdb/engine"
)

// graphFunctions are the functions of nodes, edges and paths.
var graphFunctions = []function{
	{name: "id", params: "node or edge", min: 1, max: 1, call: callID},
	{name: "elementId", params: "node or edge", min: 1, max: 1, takes: anElement, call: callElementID},
	{name: "labels", params: "node", min: 1, max: 1, takes: aNode, call: callLabels},
	{name: "type", params: "edge", min: 1, max: 1, takes: anEdge, call: callType},
	{name: "properties", params: "node, edge or map", min: 1, max: 1, takes: anEntity, call: callProperties},
	{name: "keys", params: "node, edge or map", min: 1, max: 1, takes: anEntity, call: callKeys},
	{name: "startNode", params: "edge", min: 1, max: 1, takes: anEdge, call: callStartNode},
	{name: "endNode", params: "edge", min: 1, max: 1, takes: anEdge, call: callEndNode},
	{name: "nodes", params: "path", min: 1, max: 1, takes: aPath, call: callNodes},
	{name: "relationships", params: "path", min: 1, max: 1, takes: aPath, call: callRelationships},
	{name: "length", params: "path", min: 1, max: 1, call: callLength},
}

// callID returns the number of a node or an edge. Those of nodes are never used again
// in a graph.
func callID(_ *exec, at Pos, a []Value) (Value, error) {
	switch a[0].kind {
	case KindNode:
		return Int(int64(a[0].AsNode())), nil
	case KindEdge:
		id, ok := edgeID(a[0].AsEdge().Edge)
		if !ok {
			return Null, argumentError(at, "the number of this edge is beyond 63 bits; write elementId()")
		}
		return Int(id), nil
	}
	return Null, wants(at, "id", "a node or an edge", a[0])
}

// callElementID returns a name that stays the same when a graph is exported and
// imported: graph/type/key of a node; graph/type of an edge, then type/key of
// its ends, and the number of one of parallel edges if it is not the first. Each part is escaped as in a path of a URL.
func callElementID(x *exec, at Pos, a []Value) (Value, error) {
	var name string
	var err error
	switch a[0].kind {
	case KindNode:
		g := a[0].graph()
		name, err = g.nodeName(a[0].AsNode())
		name = url.PathEscape(g.name()) + "/" + name
	case KindEdge:
		name, err = a[0].AsEdge().name()
	}
	if err != nil {
		return Null, err
	}
	return x.built(at, String(name))
}

// name returns the name of the graph.
func (g *graph) name() string {
	if g.g == nil {
		return ""
	}
	return g.g.Name()
}

// nodeName returns a node's type and key as parts of a path.
func (g *graph) nodeName(id engine.NodeID) (string, error) {
	n, err := g.record(id)
	if err != nil {
		return "", err
	}
	return url.PathEscape(g.r.NodeTypeName(n.Type)) + "/" + url.PathEscape(n.Key), nil
}

// name returns the edge's graph, type and ends as parts of a path.
func (e *Edge) name() (string, error) {
	id := e.identity()
	from, err := e.graph.nodeName(id.From)
	if err != nil {
		return "", err
	}
	to, err := e.graph.nodeName(id.To)
	if err != nil {
		return "", err
	}
	edgeType := e.graph.r.EdgeTypeName(e.Type)
	name := url.PathEscape(e.graph.name()) + "/" + url.PathEscape(edgeType) + "/" + from + "/" + to
	if e.N > 0 {
		name += "/" + strconv.FormatUint(uint64(e.N), 10)
	}
	return name, nil
}

func callLabels(_ *exec, at Pos, a []Value) (Value, error) {
	names, err := a[0].graph().labelsOf(a[0].AsNode())
	if err != nil {
		return Null, err
	}
	list := make([]Value, len(names))
	for i, name := range names {
		list[i] = String(name)
	}
	return ListOf(list), nil
}

func callType(_ *exec, at Pos, a []Value) (Value, error) {
	e := a[0].AsEdge()
	return String(e.graph.edgeType(e)), nil
}

func callProperties(x *exec, at Pos, a []Value) (Value, error) {
	m, _, err := propertiesOf(a[0])
	if err != nil {
		return Null, err
	}
	return x.built(at, MapOf(m))
}

// callKeys returns the names of properties in order.
func callKeys(x *exec, at Pos, a []Value) (Value, error) {
	m, _, err := propertiesOf(a[0])
	if err != nil {
		return Null, err
	}
	list := make([]Value, 0, len(m))
	for _, k := range sortedKeys(m) {
		list = append(list, String(k))
	}
	return x.built(at, ListOf(list))
}

func callStartNode(_ *exec, at Pos, a []Value) (Value, error) {
	e := a[0].AsEdge()
	return node(e.graph, e.From), nil
}

func callEndNode(_ *exec, at Pos, a []Value) (Value, error) {
	e := a[0].AsEdge()
	return node(e.graph, e.To), nil
}

func callNodes(x *exec, at Pos, a []Value) (Value, error) {
	p := a[0].AsPath()
	list := make([]Value, len(p.Nodes))
	for i, id := range p.Nodes {
		list[i] = node(p.graph, id)
	}
	return x.built(at, ListOf(list))
}

func callRelationships(x *exec, at Pos, a []Value) (Value, error) {
	p := a[0].AsPath()
	list := make([]Value, len(p.Edges))
	for i, e := range p.Edges {
		list[i] = edge(e)
	}
	return x.built(at, ListOf(list))
}

// callLength returns the number of a path's edges.
func callLength(_ *exec, at Pos, a []Value) (Value, error) {
	p := a[0].AsPath()
	if p == nil {
		return Null, wants(at, "length", "a path; write size() for lists and strings", a[0])
	}
	return Int(int64(len(p.Edges))), nil
}
