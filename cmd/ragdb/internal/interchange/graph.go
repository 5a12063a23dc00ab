package interchange

import (
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
)

// Node is a node as files have it.
type Node struct {
	ID    string // TYPE:KEY
	Type  string
	Key   string
	Props []Prop // by name
}

// Edge is an edge between two nodes of the same file.
type Edge struct {
	From, To string // ids of nodes
	Type     string
	Directed bool
	Weight   float32
	Props    []Prop // by name
}

// Prop is a property.
type Prop struct {
	Name  string
	Value engine.Value
}

// Source is a graph to be written.
type Source struct {
	View *engine.View
	// Computed adds properties that are not stored, such as a chunk's text; nil
	// adds none.
	Computed func(v *engine.View, n engine.Node) (engine.Props, error)
}

// Nodes yields all nodes, by type, then id.
func (s *Source) Nodes(ctx context.Context) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		v := s.View.WithContext(ctx)
		for _, t := range v.NodeTypes() {
			set, err := v.Nodes(t)
			if err != nil {
				yield(Node{}, err)
				return
			}
			for it := set.Iterator(); it.HasNext(); {
				n, err := s.node(v, engine.NodeID(it.Next()))
				if !yield(n, err) || err != nil {
					return
				}
			}
		}
	}
}

func (s *Source) node(v *engine.View, id engine.NodeID) (Node, error) {
	n, err := v.Node(id)
	if err != nil {
		return Node{}, err
	}
	out := Node{Type: v.NodeTypeName(n.Type), Key: n.Key}
	out.ID = out.Type + ":" + out.Key
	all := engine.Props{}
	for name, val := range n.Props() {
		if strings.HasPrefix(name, "_") {
			continue // the store's own
		}
		if val.Kind() == engine.KindText {
			text, err := v.Text(id, name)
			if err != nil {
				return out, err
			}
			val = engine.String(text)
		}
		all[name] = val
	}
	if n.Derived {
		total, err := v.Total(engine.NodeTarget(id))
		if err != nil {
			return out, err
		}
		all["name"] = engine.String(total.Label)
		if len(total.Texts) > 0 {
			all["description"] = engine.String(strings.Join(total.Texts, "\n"))
		}
	}
	if s.Computed != nil {
		more, err := s.Computed(v, n)
		if err != nil {
			return out, err
		}
		maps.Copy(all, more)
	}
	out.Props = sorted(all)
	return out, nil
}

// Edges yields all edges, each once.
func (s *Source) Edges(ctx context.Context) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		v := s.View.WithContext(ctx)
		name := func(id engine.NodeID) (string, error) {
			n, err := v.Node(id)
			return v.NodeTypeName(n.Type) + ":" + n.Key, err
		}
		last, from := engine.NodeID(0), ""
		for e, err := range v.Edges(engine.EdgeFilter{}) {
			out := Edge{Type: v.EdgeTypeName(e.Type), Directed: e.Type.Directed(), Weight: e.Weight}
			if err == nil && e.From != last {
				last = e.From
				from, err = name(e.From)
			}
			out.From = from
			if err == nil {
				out.To, err = name(e.To)
			}
			if err == nil {
				var props engine.Props
				props, err = v.EdgeProps(e.From, e.To, e.Type)
				out.Props = sorted(props)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func sorted(props engine.Props) []Prop {
	var out []Prop
	for _, name := range slices.Sorted(maps.Keys(props)) {
		out = append(out, Prop{name, props[name]})
	}
	return out
}

// text writes a value for a format that has only text.
func text(v engine.Value) string {
	switch v.Kind() {
	case engine.KindString, engine.KindText:
		return v.AsString()
	case engine.KindStrings:
		return strings.Join(v.AsStrings(), ";")
	case engine.KindTime:
		return v.AsTime().UTC().Format(time.RFC3339Nano)
	case engine.KindBytes:
		return base64.StdEncoding.EncodeToString(v.AsBytes())
	case engine.KindBool:
		return strconv.FormatBool(v.AsBool())
	case engine.KindInt:
		return strconv.FormatInt(v.AsInt(), 10)
	case engine.KindFloat:
		return strconv.FormatFloat(v.AsFloat(), 'g', -1, 64)
	}
	return ""
}

// parse reads a value of a kind from text.
func parse(s string, kind engine.Kind) (engine.Value, error) {
	switch kind {
	case engine.KindBool:
		b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s)))
		if err != nil {
			return engine.Value{}, fmt.Errorf("%q is not true or false", s)
		}
		return engine.Bool(b), nil
	case engine.KindInt:
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return engine.Value{}, fmt.Errorf("%q is not a whole number", s)
		}
		return engine.Int(n), nil
	case engine.KindFloat:
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || x != x {
			return engine.Value{}, fmt.Errorf("%q is not a number", s)
		}
		return engine.Float(x), nil
	}
	return engine.String(s), nil
}
