package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/text"
)

// An id names what a database holds: a document by its key, a node as
// TYPE:KEY, with c, e and k short for chunk, entity and keyword, an edge as
// TYPE:KEY→KEY (or ->), the keys being those of its ends.

// short is the type that stands before the keys of nodes.
func short(nodeType string) string {
	switch {
	case nodeType == method.ChunkNodeType, strings.HasPrefix(nodeType, method.ChunkNodeType+":"):
		return "c"
	case nodeType == "entity":
		return "e"
	case nodeType == "keyword":
		return "k"
	}
	return nodeType
}

// ChunkID is a chunk's key as an id.
func ChunkID(key string) string { return "c:" + key }

// nodeName is the id of a node.
func nodeName(v *engine.View, id engine.NodeID) (string, error) {
	n, err := v.Node(id)
	if err != nil {
		return "", err
	}
	t := v.NodeTypeName(n.Type)
	if t == "document" {
		return n.Key, nil
	}
	return short(t) + ":" + n.Key, nil
}

// refName is the id of an item of a query in one of some graphs.
func refName(s *engine.Snapshot, graphs []*engine.Graph, r query.Ref) (string, error) {
	for _, g := range graphs {
		if g.ID() != r.Graph {
			continue
		}
		v := s.Graph(g)
		if r.ID != 0 {
			return nodeName(v, r.ID)
		}
		from, err := v.Node(r.Edge.From)
		if err != nil {
			return "", err
		}
		to, err := v.Node(r.Edge.To)
		if err != nil {
			return "", err
		}
		return v.EdgeTypeName(r.Edge.Type) + ":" + from.Key + "→" + to.Key, nil
	}
	return fmt.Sprintf("node %d of graph %d", r.ID, r.Graph), nil
}

// found is what an id names.
type found struct {
	graph    *engine.Graph
	ref      query.Ref
	document bool
}

// resolve returns what an id names in some graphs, in their order. A chunk
// stands in several.
func resolve(s *engine.Snapshot, graphs []*engine.Graph, id string) ([]found, error) {
	var out []found
	for _, g := range graphs {
		v := s.Graph(g)
		if t, ok := v.NodeType("document"); ok && g.Name() == engine.Base {
			n, err := v.Lookup(t, id)
			if err == nil {
				return []found{{graph: g, ref: query.Ref{Graph: g.ID(), ID: n}, document: true}}, nil
			}
			if !errors.Is(err, engine.ErrNotFound) {
				return nil, err
			}
		}
		prefix, key, ok := strings.Cut(id, ":")
		if !ok {
			continue
		}
		found, err := resolveIn(v, g, prefix, key)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// resolveIn finds the node or edge of a type and key in one graph.
func resolveIn(v *engine.View, g *engine.Graph, prefix, key string) ([]found, error) {
	var out []found
	for _, t := range append(v.NodeTypes(), engine.NoType) {
		if name := v.NodeTypeName(t); name != prefix && short(name) != prefix {
			continue
		}
		nodes, err := keyed(v, t, key)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			out = append(out, found{graph: g, ref: query.Ref{Graph: g.ID(), ID: n}})
		}
	}
	from, to, ok := strings.Cut(strings.Replace(key, "->", "→", 1), "→")
	e, known := v.EdgeType(prefix)
	if !ok || !known {
		return out, nil
	}
	a, err := anyNode(v, strings.TrimSpace(from))
	if err != nil {
		return nil, err
	}
	b, err := anyNode(v, strings.TrimSpace(to))
	if err != nil {
		return nil, err
	}
	for _, x := range a {
		for _, y := range b {
			_, ok, err := v.HasEdge(x, y, e)
			if err != nil {
				return nil, err
			}
			if ok {
				edge := engine.Edge{From: x, To: y, Type: e}
				if !e.Directed() && x > y {
					edge.From, edge.To = y, x
				}
				out = append(out, found{graph: g, ref: query.Ref{Graph: g.ID(), Edge: edge}})
			}
		}
	}
	return out, nil
}

// keyed finds the nodes of a type by their key, or by the key that a name has.
func keyed(v *engine.View, t engine.TypeID, key string) ([]engine.NodeID, error) {
	nodes, err := v.Keyed(t, key)
	if err == nil && len(nodes) == 0 {
		if k := text.Key(key); k != "" && k != key {
			return v.Keyed(t, k)
		}
	}
	return nodes, err
}

// anyNode finds the nodes of a key, of whatever type.
func anyNode(v *engine.View, key string) ([]engine.NodeID, error) {
	return keyed(v, engine.AnyType, key)
}

// unknownID is the error of an id that names nothing.
func (c *Corpus) unknownID(ctx context.Context, id string) error {
	if into, ok := c.ReadAs(ctx, strings.TrimPrefix(id, "e:")); ok {
		return NotFound("see e:"+into+", or undo it with ragdb merge "+plain.Quote(c.Path())+" --undo NAME", "%s is read as %q", id, into)
	}
	return NotFound("give a document's key, or c:CHUNK, e:ENTITY or k:KEYWORD as ask and show print them",
		"%s has no %q", c.Path(), id)
}

// ReadAs returns the name that a name is read as, if it is read as another one.
func (c *Corpus) ReadAs(ctx context.Context, name string) (into string, ok bool) {
	all, err := c.Merged(ctx)
	if err != nil {
		return "", false
	}
	for _, x := range all {
		if x.Key == text.Key(name) {
			return x.Into, true
		}
	}
	return "", false
}
