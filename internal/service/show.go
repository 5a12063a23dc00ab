package service

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// Shown is what show prints.
type Shown struct {
	V        int           `json:"v"`
	ID       string        `json:"id"`
	Kind     string        `json:"kind"`
	Document *DocumentView `json:"document,omitempty"`
	Chunk    *ChunkView    `json:"chunk,omitempty"`
	// Nodes are what the graphs hold of it.
	Nodes []NodeView `json:"nodes,omitempty"`
	Trace *Trace     `json:"trace,omitempty"`
}

type DocumentView struct {
	Key    string            `json:"key"`
	Title  string            `json:"title,omitempty"`
	Format string            `json:"format"`
	Bytes  int               `json:"bytes"`
	Meta   map[string]string `json:"meta"`
	Chunks []ChunkView       `json:"chunks"`
}

type ChunkView struct {
	ID     string      `json:"id"`
	Set    string      `json:"set"`
	Span   method.Span `json:"span"`
	Tokens int         `json:"tokens"`
	Text   string      `json:"text"`
}

type NodeView struct {
	Graph string `json:"graph"`
	ID    string `json:"id"`
	Type  string `json:"type"`
	// Label and Texts are what sources call it and say of it.
	Label     string         `json:"label,omitempty"`
	Texts     []string       `json:"texts,omitempty"`
	Sources   []string       `json:"sources,omitempty"`
	Supports  []string       `json:"supports,omitempty"`
	Neighbors []NeighborView `json:"neighbors"`
}

type NeighborView struct {
	Edge string `json:"edge"`
	ID   string `json:"id"`
	// In says that the edge leads from the neighbour here, and not back too.
	In     bool    `json:"in"`
	Weight float32 `json:"weight"`
}

// shown bounds what is listed of a node's neighbours and sources.
const shown = 1000

// Show tells what an id names: a document, a chunk, another node, an edge, or a trace.
// The error is an [*Error] for an id that names nothing.
func (c *Corpus) Show(ctx context.Context, id string) (*Shown, error) {
	names, err := c.Namespace().Graphs(ctx)
	if err != nil {
		return nil, err
	}
	var graphs []*engine.Graph
	for _, name := range names {
		g, err := c.Graph(ctx, name)
		if err != nil {
			return nil, err
		}
		graphs = append(graphs, g)
	}
	r := &Shown{V: 1, ID: id, Kind: "node"}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		named, err := resolve(s, graphs, id)
		if err != nil {
			return err
		}
		for _, f := range named {
			if err := r.add(ctx, c, s, f); err != nil {
				return err
			}
		}
		switch {
		case len(named) > 0:
			return nil
		case strings.HasPrefix(id, TracePrefix):
			return r.addTrace(ctx, c, s)
		}
		return c.unknownID(ctx, id)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// add adds what a graph holds of the id.
func (r *Shown) add(ctx context.Context, c *Corpus, s *engine.Snapshot, f found) error {
	v := s.Graph(f.graph).WithContext(ctx)
	if f.document {
		r.Kind = "document"
		return r.addDocument(c, v)
	}
	if f.ref.ID == 0 {
		n, err := edgeOf(v, f)
		r.Kind, r.Nodes = "edge", append(r.Nodes, n)
		return err
	}
	n, err := v.Node(f.ref.ID)
	if err != nil {
		return err
	}
	kind := v.NodeTypeName(n.Type)
	if f.graph.ID() == c.Base().ID() {
		set, ok := strings.CutPrefix(kind, method.ChunkNodeType+":")
		if !ok {
			return nil
		}
		ch, err := c.Chunk(v, f.ref.ID)
		if err != nil {
			return err
		}
		view, err := newChunkView(c, v, set, ch)
		r.Kind, r.Chunk = method.ChunkNodeType, &view
		return err
	}
	if r.Kind == "node" {
		r.Kind = kind
	}
	node, err := nodeOf(v, f.ref.ID)
	r.Nodes = append(r.Nodes, node)
	return err
}

func (r *Shown) addDocument(c *Corpus, v *engine.View) error {
	d, err := c.Document(v, r.ID)
	if err != nil {
		return err
	}
	doc := &DocumentView{Key: d.Key, Title: d.Title, Format: d.Format, Bytes: d.Bytes, Meta: map[string]string{}, Chunks: []ChunkView{}}
	for k, val := range d.Meta {
		doc.Meta[k] = fmt.Sprint(val)
	}
	chunks, err := c.ChunksOf(v, d)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(chunks)) {
		for _, ch := range chunks[kind] {
			view, err := newChunkView(c, v, strings.TrimPrefix(kind, method.ChunkNodeType+":"), ch)
			if err != nil {
				return err
			}
			doc.Chunks = append(doc.Chunks, view)
		}
	}
	r.Document = doc
	return nil
}

func newChunkView(c *Corpus, v *engine.View, set string, ch method.Chunk) (ChunkView, error) {
	span, err := c.Locate(v, ch.Doc, ch.Start, ch.End)
	return ChunkView{ChunkID(ch.Key), set, span, ch.Tokens, ch.Text}, err
}

// nodeOf reads a node with its surroundings.
func nodeOf(v *engine.View, id engine.NodeID) (NodeView, error) {
	n, err := v.Node(id)
	if err != nil {
		return NodeView{}, err
	}
	out := NodeView{Graph: v.Graph().Name(), Type: v.NodeTypeName(n.Type), Neighbors: []NeighborView{}}
	if out.ID, err = nodeName(v, id); err != nil {
		return out, err
	}
	if err := out.supported(v, engine.NodeTarget(id)); err != nil {
		return out, err
	}
	for t, err := range v.ContributedBy(id) {
		if err != nil {
			return out, err
		}
		if t.Node == 0 || len(out.Supports) == shown {
			continue
		}
		name, err := nodeName(v, t.Node)
		if err != nil {
			return out, err
		}
		out.Supports = append(out.Supports, name)
	}
	edges, err := strongest(v, id)
	if err != nil {
		return out, err
	}
	for _, e := range edges {
		name, err := nodeName(v, e.Other(id))
		if err != nil {
			return out, err
		}
		out.Neighbors = append(out.Neighbors, NeighborView{v.EdgeTypeName(e.Type), name, e.Type.Directed() && e.To == id, e.Weight})
	}
	return out, nil
}

// edgeOf reads an edge with what supports it.
func edgeOf(v *engine.View, f found) (NodeView, error) {
	e := f.ref.Edge
	out := NodeView{Graph: v.Graph().Name(), Type: v.EdgeTypeName(e.Type), Neighbors: []NeighborView{}}
	w, _, err := v.HasEdge(e.From, e.To, e.Type)
	if err != nil {
		return out, err
	}
	for _, end := range []engine.NodeID{e.From, e.To} {
		name, err := nodeName(v, end)
		if err != nil {
			return out, err
		}
		out.Neighbors = append(out.Neighbors, NeighborView{out.Type, name, false, w})
	}
	out.ID = out.Type + ":" + out.Neighbors[0].ID + "→" + out.Neighbors[1].ID
	return out, out.supported(v, engine.EdgeTarget(e.From, e.To, e.Type))
}

// supported fills in what the sources of a node or edge say.
func (n *NodeView) supported(v *engine.View, t engine.Target) error {
	total, err := v.Total(t)
	if err != nil {
		return err
	}
	n.Label, n.Texts = total.Label, total.Texts
	sources, err := v.Sources(t)
	if err != nil {
		return err
	}
	for it := sources.Iterator(); it.HasNext() && len(n.Sources) < shown; {
		name, err := nodeName(v, engine.NodeID(it.Next()))
		if err != nil {
			return err
		}
		n.Sources = append(n.Sources, name)
	}
	return nil
}

// strongest returns the edges of a node, in both directions, by type, then
// weight descending, at most as many as are shown.
func strongest(v *engine.View, id engine.NodeID) ([]engine.Edge, error) {
	var edges []engine.Edge
	for after := engine.NodeID(0); ; {
		page, err := v.Neighbors(id, engine.EdgeFilter{Direction: engine.Both}, after, nil)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].Other(id)
		edges = append(edges, page...)
		if len(edges) > 100*shown {
			break // a hub: the first by id will do
		}
	}
	// A directed type may lead both ways between two nodes: once is enough.
	out := map[engine.Edge]bool{}
	for _, e := range edges {
		out[engine.Edge{From: e.From, To: e.To, Type: e.Type}] = true
	}
	edges = slices.DeleteFunc(edges, func(e engine.Edge) bool {
		return e.Type.Directed() && e.To == id && e.From != id && out[engine.Edge{From: e.To, To: e.From, Type: e.Type}]
	})
	slices.SortStableFunc(edges, func(a, b engine.Edge) int {
		return cmp.Or(cmp.Compare(v.EdgeTypeName(a.Type), v.EdgeTypeName(b.Type)), cmp.Compare(b.Weight, a.Weight))
	})
	return edges[:min(len(edges), shown)], nil
}
