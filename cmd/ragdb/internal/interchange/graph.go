package interchange

import (
	"context"
	"encoding/base64"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// Node is a node as files have it.
type Node struct {
	ID     string   // TYPE:KEY
	Type   string   // "" for a node without a label
	Labels []string // beside the type, by name
	Key    string
	Props  []Prop // by name
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
	// Allow holds the nodes to write, nil for all. An edge is written if both
	// its ends and all its sources are.
	Allow *roaring.Bitmap
}

// Nodes yields all nodes, by type, then id.
func (s *Source) Nodes(ctx context.Context) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		v := s.View.WithContext(ctx)
		done := roaring.New()
		for _, t := range append(v.NodeTypes(), engine.NoType) {
			set, err := v.Nodes(t)
			if err != nil {
				yield(Node{}, err)
				return
			}
			set.AndNot(done) // those that have an earlier type too
			done.Or(set)
			if s.Allow != nil {
				set.And(s.Allow)
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
	for _, l := range n.Labels {
		out.Labels = append(out.Labels, v.NodeTypeName(l))
	}
	slices.Sort(out.Labels)
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
		for pair, err := range v.Edges(engine.EdgeFilter{}) {
			if err == nil && s.Allow != nil {
				var ok bool
				if ok, err = s.Allowed(pair); err == nil && !ok {
					continue
				}
			}
			out := Edge{Type: v.EdgeTypeName(pair.Type), Directed: pair.Type.Directed()}
			if err == nil && pair.From != last {
				last = pair.From
				from, err = name(pair.From)
			}
			out.From = from
			if err == nil {
				out.To, err = name(pair.To)
			}
			var all []engine.Edge
			if err == nil {
				all, err = v.Parallel(pair.From, []engine.Edge{pair})
			}
			for _, e := range all {
				var props engine.Props
				props, err = v.EdgeProps(e)
				out.Props, out.Weight = sorted(props), e.Weight
				if !yield(out, err) || err != nil {
					return
				}
			}
			if err != nil {
				yield(out, err)
				return
			}
		}
	}
}

// Allowed reports whether Allow, which must be set, has an edge's ends and all
// its sources.
func (s *Source) Allowed(e engine.Edge) (bool, error) {
	if !s.Allow.Contains(uint32(e.From)) || !s.Allow.Contains(uint32(e.To)) {
		return false, nil
	}
	sources, err := s.View.Sources(engine.EdgeTarget(e.From, e.To, e.Type))
	if err != nil {
		return false, err
	}
	return sources.AndCardinality(s.Allow) == sources.GetCardinality(), nil
}

func sorted(props engine.Props) []Prop {
	var out []Prop
	for _, name := range slices.Sorted(maps.Keys(props)) {
		out = append(out, Prop{name, props[name]})
	}
	return out
}

func base64Text(v engine.Value) string { return base64.StdEncoding.EncodeToString(v.AsBytes()) }
