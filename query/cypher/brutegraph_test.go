package cypher_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// bruteNode and bruteEdge are the nodes and edges of a small graph. Their property id
// tells them apart.
type bruteNode struct {
	id     int
	labels map[string]bool
	props  map[string]any
}

type bruteEdge struct {
	id       int
	kind     string
	from, to *bruteNode
	props    map[string]any
}

type bruteGraph struct {
	nodes []*bruteNode
	edges []*bruteEdge
}

// randomBrute makes a graph of a few nodes, with loops and several edges of one type
// between the same nodes.
func randomBrute(r *rand.Rand) *bruteGraph {
	g := &bruteGraph{}
	for i := range 1 + r.IntN(5) {
		n := &bruteNode{id: i, labels: map[string]bool{}, props: map[string]any{"id": int64(i)}}
		for _, l := range []string{"A", "B"} {
			n.labels[l] = r.IntN(2) == 0
		}
		if r.IntN(4) > 0 {
			n.props["n"] = int64(r.IntN(4))
		}
		if r.IntN(3) > 0 {
			n.props["s"] = []string{"x", "y", "xy"}[r.IntN(3)]
		}
		g.nodes = append(g.nodes, n)
	}
	for range r.IntN(8) {
		e := &bruteEdge{id: 100 + len(g.edges), kind: []string{"R", "S"}[r.IntN(2)],
			from: g.nodes[r.IntN(len(g.nodes))], to: g.nodes[r.IntN(len(g.nodes))], props: map[string]any{}}
		e.props["id"] = int64(e.id)
		if r.IntN(3) > 0 {
			e.props["w"] = int64(r.IntN(4))
		}
		g.edges = append(g.edges, e)
	}
	return g
}

// statement returns the CREATE that makes the graph.
func (g *bruteGraph) statement() string {
	var parts []string
	for _, n := range g.nodes {
		text := fmt.Sprintf("(x%d", n.id)
		for _, l := range []string{"A", "B"} {
			if n.labels[l] {
				text += ":" + l
			}
		}
		parts = append(parts, text+" "+propsText(n.props)+")")
	}
	for _, e := range g.edges {
		parts = append(parts, fmt.Sprintf("(x%d)-[:%s %s]->(x%d)", e.from.id, e.kind, propsText(e.props), e.to.id))
	}
	return "CREATE " + strings.Join(parts, ", ") + ";"
}

func propsText(m map[string]any) string {
	var parts []string
	for _, k := range []string{"id", "n", "s", "w"} {
		switch v := m[k].(type) {
		case int64:
			parts = append(parts, fmt.Sprintf("%s: %d", k, v))
		case string:
			parts = append(parts, fmt.Sprintf("%s: '%s'", k, v))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func propertyIn(v any, name string) any {
	switch v := v.(type) {
	case *bruteNode:
		return v.props[name]
	case *bruteEdge:
		return v.props[name]
	}
	return nil
}

func sizeOf(v any) any {
	if list, ok := v.([]any); ok {
		return int64(len(list))
	}
	return nil
}

func arithmetic(op string, a, b any) any {
	x, ok := a.(int64)
	y, also := b.(int64)
	switch {
	case !ok || !also:
		return nil
	case op == "+":
		return x + y
	case op == "-":
		return x - y
	}
	return x * y
}

// ordering compares two values of one kind that are not null.
func ordering(a, b any) int {
	switch a := a.(type) {
	case int64:
		return int(min(max(a-b.(int64), -1), 1))
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		switch {
		case a == b.(bool):
			return 0
		case a:
			return 1
		}
		return -1
	}
	panic(fmt.Sprintf("%T has no order", a))
}

func compared(op string, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	switch op {
	case "STARTS WITH":
		return strings.HasPrefix(a.(string), b.(string))
	case "CONTAINS":
		return strings.Contains(a.(string), b.(string))
	}
	c := ordering(a, b)
	switch op {
	case "=":
		return c == 0
	case "<>":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

func logical(op string, a, b any) any {
	switch {
	case op == "AND" && (a == false || b == false):
		return false
	case op == "OR" && (a == true || b == true):
		return true
	case a == nil || b == nil:
		return nil
	case op == "AND":
		return true
	case op == "OR":
		return false
	}
	return a != b
}

func inList(x, l any) any {
	list, ok := l.([]any)
	switch {
	case !ok:
		return nil
	case len(list) == 0:
		return false
	case x == nil:
		return nil
	}
	var found any = false
	for _, item := range list {
		switch item {
		case nil:
			found = nil
		case x:
			return true
		}
	}
	return found
}

func quantified(kind string, yes, no, unknown int) any {
	switch {
	case kind == "all" && no > 0, kind == "none" && yes > 0, kind == "single" && yes > 1:
		return false
	case kind == "any" && yes > 0:
		return true
	case unknown > 0:
		return nil
	case kind == "any":
		return false
	case kind == "single":
		return yes == 1
	}
	return true
}

// shownBrute writes a value so that equal values have equal texts. The order in a list is
// none of the language's promises where rows are collected.
func shownBrute(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "'" + v + "'"
	case *bruteNode:
		return fmt.Sprintf("#%d", v.id)
	case *bruteEdge:
		return fmt.Sprintf("#%d", v.id)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = shownBrute(x)
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprint(v)
}
