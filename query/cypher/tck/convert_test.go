package tck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/query/cypher"
)

// param makes a parameter of a value.
func (v *val) param() cypher.Value {
	switch v.kind {
	case "bool":
		return cypher.Bool(v.text == "true")
	case "int":
		return cypher.Int(v.i)
	case "float":
		return cypher.Float(v.f)
	case "string":
		return cypher.String(v.s)
	case "list":
		l := make([]cypher.Value, len(v.list))
		for i, x := range v.list {
			l[i] = x.param()
		}
		return cypher.ListOf(l)
	case "map":
		m := map[string]cypher.Value{}
		for k, x := range v.m {
			m[k] = x.param()
		}
		return cypher.MapOf(m)
	}
	return cypher.Null
}

// fromValue converts a value of the language.
func fromValue(x cypher.Value) (*val, error) {
	switch x.Kind() {
	case cypher.KindNull:
		return &val{kind: "null", text: "null"}, nil
	case cypher.KindBool:
		return &val{kind: "bool", text: strconv.FormatBool(x.AsBool())}, nil
	case cypher.KindInt:
		return &val{kind: "int", i: x.AsInt(), text: strconv.FormatInt(x.AsInt(), 10)}, nil
	case cypher.KindFloat:
		return &val{kind: "float", f: x.AsFloat(), text: canonFloat(x.AsFloat())}, nil
	case cypher.KindString:
		return &val{kind: "string", s: x.AsString()}, nil
	case cypher.KindList:
		v := &val{kind: "list"}
		for _, e := range x.AsList() {
			w, err := fromValue(e)
			if err != nil {
				return nil, err
			}
			v.list = append(v.list, w)
		}
		return v, nil
	case cypher.KindMap:
		v := &val{kind: "map", m: map[string]*val{}}
		for k, e := range x.AsMap() {
			w, err := fromValue(e)
			if err != nil {
				return nil, err
			}
			v.m[k] = w
		}
		return v, nil
	case cypher.KindNode, cypher.KindEdge, cypher.KindPath:
		b, err := x.MarshalJSON()
		if err != nil {
			return nil, err
		}
		return fromJSON(b)
	}
	return &val{kind: "string", s: x.String()}, nil
}

// jsonNode and jsonEdge are nodes and edges as JSON has them.
type jsonNode struct {
	ID         json.Number    `json:"id"`
	Labels     []string       `json:"labels"`
	Key        string         `json:"key"`
	Properties map[string]any `json:"properties"`
}

type jsonEdge struct {
	ID         json.Number    `json:"id"`
	Type       string         `json:"type"`
	Start      json.Number    `json:"start"`
	End        json.Number    `json:"end"`
	Properties map[string]any `json:"properties"`
}

func decode(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(to)
}

// fromJSON reads a node, an edge or a path.
func fromJSON(b []byte) (*val, error) {
	var path struct {
		Nodes []jsonNode `json:"nodes"`
		Edges []jsonEdge `json:"edges"`
		Type  *string    `json:"type"`
	}
	if err := decode(b, &path); err != nil {
		return nil, err
	}
	switch {
	case path.Nodes != nil:
		v := &val{kind: "path"}
		for i, n := range path.Nodes {
			v.list = append(v.list, nodeVal(n))
			if i < len(path.Edges) {
				e := path.Edges[i]
				v.back = append(v.back, e.Start != n.ID)
				v.list = append(v.list, edgeVal(e))
			}
		}
		return v, nil
	case path.Type != nil:
		var e jsonEdge
		err := decode(b, &e)
		return edgeVal(e), err
	}
	var n jsonNode
	err := decode(b, &n)
	return nodeVal(n), err
}

func nodeVal(n jsonNode) *val {
	v := &val{kind: "node", id: n.ID.String(), labels: n.Labels, m: propsVal(n.Properties)}
	if n.Key != "" && !strings.HasPrefix(n.Key, "_") {
		v.m["key"] = &val{kind: "string", s: n.Key}
	}
	return v
}

func edgeVal(e jsonEdge) *val {
	id := e.Start.String() + "-" + e.Type + "-" + e.End.String() + "-" + e.ID.String()
	return &val{kind: "rel", id: id, labels: []string{e.Type}, m: propsVal(e.Properties)}
}

func propsVal(m map[string]any) map[string]*val {
	out := map[string]*val{}
	for k, x := range m {
		out[k] = anyVal(x)
	}
	return out
}

func anyVal(x any) *val {
	switch x := x.(type) {
	case nil:
		return &val{kind: "null", text: "null"}
	case bool:
		return &val{kind: "bool", text: fmt.Sprint(x)}
	case json.Number:
		if v, err := parseVal(x.String()); err == nil {
			return v
		}
		return &val{kind: "string", s: x.String()}
	case string:
		if x == "NaN" {
			return &val{kind: "float", f: math.NaN(), text: "NaN"}
		}
		return &val{kind: "string", s: x}
	case []any:
		v := &val{kind: "list"}
		for _, e := range x {
			v.list = append(v.list, anyVal(e))
		}
		return v
	}
	return &val{kind: "string", s: fmt.Sprint(x)}
}
