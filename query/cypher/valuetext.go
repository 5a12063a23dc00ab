package cypher

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// String renders the value for people, as openCypher writes values: a string
// without quotes, except within lists and maps; nodes as (:Label {key: 'k'}),
// edges as [:TYPE {weight: 2.0}], paths as both in turn. Nodes and edges are
// read from their graph; if one cannot be read, its id alone is shown.
func (v Value) String() string {
	if v.kind == KindString {
		return v.AsString()
	}
	var b strings.Builder
	writeText(&b, v)
	return b.String()
}

// writeText writes a value that is part of another.
func writeText(b *strings.Builder, v Value) {
	switch v.kind {
	case KindNull:
		b.WriteString("null")
	case KindBool:
		b.WriteString(strconv.FormatBool(v.AsBool()))
	case KindInt:
		b.WriteString(strconv.FormatInt(v.AsInt(), 10))
	case KindFloat:
		b.WriteString(formatFloat(v.AsFloat()))
	case KindString:
		b.WriteString(quoteString(v.AsString()))
	case KindTemporal:
		b.WriteString(v.AsTemporal().String())
	case KindPoint:
		b.WriteString(v.AsPoint().String())
	case KindList:
		b.WriteByte('[')
		for i, x := range v.AsList() {
			if i > 0 {
				b.WriteString(", ")
			}
			writeText(b, x)
		}
		b.WriteByte(']')
	case KindMap:
		writeMapText(b, v.AsMap())
	case KindNode:
		writeNodeText(b, v)
	case KindEdge:
		writeEdgeText(b, v.AsEdge())
	case KindPath:
		writePathText(b, v.AsPath())
	}
}

// writeMapText writes a map with its keys in order, but the key of a node
// first.
func writeMapText(b *strings.Builder, m map[string]Value) {
	keys := sortedKeys(m)
	if i := slices.Index(keys, propKey); i > 0 {
		copy(keys[1:i+1], keys[:i])
		keys[0] = propKey
	}
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoteName(k))
		b.WriteString(": ")
		writeText(b, m[k])
	}
	b.WriteByte('}')
}

func writeNodeText(b *strings.Builder, v Value) {
	g, id := v.graph(), v.AsNode()
	labels, err := g.labelsOf(id)
	if err != nil {
		b.WriteString("(#" + strconv.FormatUint(uint64(id), 10) + ")")
		return
	}
	b.WriteByte('(')
	for _, label := range labels {
		b.WriteString(":" + quoteName(label))
	}
	if props, err := g.properties(id); err == nil && len(props) > 0 {
		if len(labels) > 0 {
			b.WriteByte(' ')
		}
		writeMapText(b, props)
	}
	b.WriteByte(')')
}

func writeEdgeText(b *strings.Builder, e *Edge) {
	b.WriteString("[:" + quoteName(e.graph.edgeType(e)))
	if props, err := e.graph.edgeProperties(e); err == nil && len(props) > 0 {
		b.WriteByte(' ')
		writeMapText(b, props)
	}
	b.WriteByte(']')
}

func writePathText(b *strings.Builder, p *Path) {
	for i, id := range p.Nodes {
		if i > 0 {
			e := p.Edges[i-1]
			before, after := "-", "-"
			if e.Type.Directed() {
				if e.From == p.Nodes[i-1] && e.To == id {
					after = "->"
				} else {
					before = "<-"
				}
			}
			b.WriteString(before)
			writeEdgeText(b, e)
			b.WriteString(after)
		}
		writeNodeText(b, node(p.graph, id))
	}
}

// formatFloat writes a float so that it reads back as the same float: with as
// few digits as do, and always with a fraction or an exponent. NaN, Infinity
// and -Infinity are words.
func formatFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	if a := math.Abs(x); a != 0 && (a < 1e-7 || a >= 1e21) {
		s := strconv.FormatFloat(x, 'e', -1, 64)
		return strings.Replace(strings.Replace(s, "e+", "e", 1), "e-0", "e-", 1)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
