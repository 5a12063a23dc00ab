package cypher

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/ragdb/ragdb/engine"
)

// MarshalJSON writes the value as JSON.
//
//   - Null, booleans, strings, lists and maps are JSON's own; the keys of a map
//     are in order.
//   - An integer has no fraction and a float always has one or an exponent, so
//     that each reads back as what it is. NaN and the infinities, which JSON
//     does not have, are the strings "NaN", "Infinity" and "-Infinity".
//   - A date, a time and a duration are strings in ISO 8601.
//   - A point is {"crs", "srid", "x", "y"}, with "z" if it has three coordinates.
//   - A node is {"id", "labels", "key", "properties"}.
//   - An edge is {"id", "type", "start", "end", "properties"} with the ids of nodes,
//     without an id if it is beyond 63 bits.
//   - A path is {"nodes", "edges"}.
//
// Nodes and edges are read from their graph; failing to read them is the only
// error.
func (v Value) MarshalJSON() ([]byte, error) {
	w := newJSONWriter()
	if err := w.value(v); err != nil {
		return nil, err
	}
	return w.buf.Bytes(), nil
}

// jsonWriter writes values one after the other into its buffer.
type jsonWriter struct {
	buf bytes.Buffer
	enc *json.Encoder
}

func newJSONWriter() *jsonWriter {
	w := &jsonWriter{}
	w.enc = json.NewEncoder(&w.buf)
	w.enc.SetEscapeHTML(false)
	return w
}

func (w *jsonWriter) value(v Value) error {
	switch v.kind {
	case KindBool:
		w.buf.WriteString(strconv.FormatBool(v.AsBool()))
	case KindInt:
		w.buf.WriteString(strconv.FormatInt(v.AsInt(), 10))
	case KindFloat:
		x := v.AsFloat()
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return w.string(formatFloat(x))
		}
		w.buf.WriteString(formatFloat(x))
	case KindString:
		return w.string(v.AsString())
	case KindTemporal:
		return w.string(v.AsTemporal().String())
	case KindPoint:
		return w.object(pointFields(v.AsPoint()))
	case KindList:
		return w.list(v.AsList())
	case KindMap:
		return w.object(v.AsMap())
	case KindNode:
		return w.node(v.graph(), v.AsNode())
	case KindEdge:
		return w.edge(v.AsEdge())
	case KindPath:
		return w.path(v.AsPath())
	default:
		w.buf.WriteString("null")
	}
	return nil
}

// string writes a string, without the line break that an Encoder adds.
func (w *jsonWriter) string(s string) error {
	err := w.enc.Encode(s)
	w.buf.Truncate(w.buf.Len() - 1)
	return err
}

func (w *jsonWriter) list(list []Value) error {
	w.buf.WriteByte('[')
	for i, x := range list {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		if err := w.value(x); err != nil {
			return err
		}
	}
	w.buf.WriteByte(']')
	return nil
}

func (w *jsonWriter) object(m map[string]Value) error {
	w.buf.WriteByte('{')
	for i, k := range sortedKeys(m) {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		if err := w.string(k); err != nil {
			return err
		}
		w.buf.WriteByte(':')
		if err := w.value(m[k]); err != nil {
			return err
		}
	}
	w.buf.WriteByte('}')
	return nil
}

// node writes a node. Its key is a field of its own and not among the
// properties.
func (w *jsonWriter) node(g *graph, id engine.NodeID) error {
	labels, err := g.labelsOf(id)
	if err != nil {
		return err
	}
	key, err := g.key(id)
	if err != nil {
		return err
	}
	props, err := g.properties(id)
	if err != nil {
		return err
	}
	delete(props, propKey)
	w.buf.WriteString(`{"id":` + strconv.FormatUint(uint64(id), 10) + `,"labels":[`)
	for i, label := range labels {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		if err := w.string(label); err != nil {
			return err
		}
	}
	w.buf.WriteString(`],"key":`)
	if err := w.string(key); err != nil {
		return err
	}
	w.buf.WriteString(`,"properties":`)
	if err := w.object(props); err != nil {
		return err
	}
	w.buf.WriteByte('}')
	return nil
}

func (w *jsonWriter) edge(e *Edge) error {
	props, err := e.graph.edgeProperties(e)
	if err != nil {
		return err
	}
	w.buf.WriteByte('{')
	if id, ok := edgeID(e.Edge); ok {
		w.buf.WriteString(`"id":` + strconv.FormatInt(id, 10) + ",")
	}
	w.buf.WriteString(`"type":`)
	if err := w.string(e.graph.edgeType(e)); err != nil {
		return err
	}
	w.buf.WriteString(`,"start":` + strconv.FormatUint(uint64(e.From), 10) +
		`,"end":` + strconv.FormatUint(uint64(e.To), 10) + `,"properties":`)
	if err := w.object(props); err != nil {
		return err
	}
	w.buf.WriteByte('}')
	return nil
}

func (w *jsonWriter) path(p *Path) error {
	w.buf.WriteString(`{"nodes":[`)
	for i, id := range p.Nodes {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		if err := w.node(p.graph, id); err != nil {
			return err
		}
	}
	w.buf.WriteString(`],"edges":[`)
	for i, e := range p.Edges {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		if err := w.edge(e); err != nil {
			return err
		}
	}
	w.buf.WriteString("]}")
	return nil
}
