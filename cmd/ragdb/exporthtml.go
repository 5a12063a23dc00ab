package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/interchange"
	"github.com/ragdb/ragdb/cmd/ragdb/internal/page"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// pageSources is how many sources of a node are in a page, and pageText how
// many bytes of each text.
const (
	pageSources = 8
	pageText    = 2000
)

// newPage makes the page of a graph, and of an answer if the flags name one.
func newPage(ctx context.Context, c *rag.Corpus, l *service.Language, s *engine.Snapshot, src *interchange.Source, f *exportFlags) (*page.Page, error) {
	b := &pageBuilder{c: c, l: l, ctx: ctx, s: s, v: src.View, allow: src.Allow, sources: map[string]int{}}
	b.page = page.Page{V: 1, Title: c.Path() + " · " + src.View.Graph().Name(), Sources: []page.Source{}}
	if err := b.graph(int(f.max), f.only); err != nil {
		return nil, err
	}
	if f.trace == "" {
		return &b.page, nil
	}
	t, err := c.Trace(ctx, f.trace)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, notFound("ragdb ask prints it below an answer", "%s has no trace %s", c.Path(), f.trace)
	}
	if err != nil {
		return nil, err
	}
	return &b.page, b.trace(service.ViewOf(t))
}

// pageBuilder gathers what a page shows.
type pageBuilder struct {
	c       *rag.Corpus
	l       *service.Language
	ctx     context.Context
	s       *engine.Snapshot
	v       *engine.View
	allow   *roaring.Bitmap
	page    page.Page
	sources map[string]int // place of a chunk in the page's sources
}

// graph adds the most connected nodes of the graph, or of some of its nodes, and
// the edges between them.
func (b *pageBuilder) graph(most int, only *roaring.Bitmap) error {
	degree := map[engine.NodeID]int{}
	var order []engine.NodeID
	set, err := b.v.Nodes(engine.AnyType)
	if err != nil {
		return err
	}
	if b.allow != nil {
		set.And(b.allow)
	}
	if only != nil {
		set.And(only)
	}
	for it := set.Iterator(); it.HasNext(); {
		order = append(order, engine.NodeID(it.Next()))
	}
	for e, err := range b.v.Edges(engine.EdgeFilter{}) {
		if err != nil {
			return err
		}
		degree[e.From]++
		degree[e.To]++
	}
	g := &page.Graph{Total: len(order), Types: []page.Type{}, EdgeTypes: []page.EdgeType{}, Nodes: []page.Node{}, Edges: []page.Edge{}}
	b.page.Graph = g
	slices.SortFunc(order, func(x, y engine.NodeID) int { return cmp.Or(degree[y]-degree[x], cmp.Compare(x, y)) })
	order = order[:min(most, len(order))]
	start := -1
	place := map[engine.NodeID]int{}
	set = roaring.New()
	types := map[string]int{}
	for i, id := range order {
		n, err := b.node(id, types)
		if err != nil {
			return err
		}
		if at := firstTypes(g.Types[n.Type].Name); start < 0 || at < firstTypes(g.Types[g.Nodes[start].Type].Name) {
			start = i
		}
		place[id] = i
		set.Add(uint32(id))
		g.Nodes = append(g.Nodes, n)
	}
	g.Start = max(0, start)
	return b.edges(set, place)
}

// firstTypes orders node types by how well their nodes begin a walk: things with
// names, then what methods make of them, then words, then pieces of text. Of the
// best type the page opens on the most connected node.
func firstTypes(name string) int {
	switch name {
	case "entity":
		return 0
	case "keyword":
		return 2
	case method.ChunkNodeType, "skeleton":
		return 3
	}
	return 1
}

// node reads a node for the page.
func (b *pageBuilder) node(id engine.NodeID, types map[string]int) (page.Node, error) {
	n, err := b.v.Node(id)
	if err != nil {
		return page.Node{}, err
	}
	label, _, _ := strings.Cut(b.v.NodeTypeName(n.Type), ":")
	if _, ok := types[label]; !ok {
		types[label] = len(b.page.Graph.Types)
		b.page.Graph.Types = append(b.page.Graph.Types, page.Type{Name: label, Text: firstTypes(label) == 3})
	}
	out := page.Node{Type: types[label], Key: n.Key, Name: n.Key}
	b.page.Graph.Types[out.Type].Count++
	total, err := b.v.Total(engine.NodeTarget(id))
	if err != nil {
		return out, err
	}
	if total.Label != "" {
		out.Name = total.Label
	}
	out.Description = clip(strings.Join(total.Texts, "\n"))
	props, err := b.l.Properties(b.v, n)
	if err != nil {
		return out, err
	}
	if name := props["name"]; name.AsString() != "" {
		out.Name = name.AsString()
	}
	if label == method.ChunkNodeType {
		err := b.cite(&out, []string{n.Key})
		if len(out.Sources) > 0 {
			out.Name = oneLine(b.page.Sources[out.Sources[0]].Text) // its words say more than its key
		}
		return out, err
	}
	if out.Description == "" {
		out.Description = clip(textOf(props, n.Props()))
	}
	sources, err := b.v.Sources(engine.NodeTarget(id))
	if err != nil {
		return out, err
	}
	var chunks []string
	for it := sources.Iterator(); it.HasNext(); {
		s, err := b.v.Node(engine.NodeID(it.Next()))
		if err != nil {
			return out, err
		}
		if kind, _, _ := strings.Cut(b.v.NodeTypeName(s.Type), ":"); kind == method.ChunkNodeType {
			chunks = append(chunks, s.Key)
		}
	}
	return out, b.cite(&out, chunks)
}

// textOf writes the text of a node without descriptions: its text, or its
// properties.
func textOf(computed, stored engine.Props) string {
	if t := computed["text"]; t.AsString() != "" {
		return t.AsString()
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		if !strings.HasPrefix(name, "_") {
			lines = append(lines, name+": "+stored[name].String())
		}
	}
	return strings.Join(lines, "\n")
}

// cite adds chunks as sources of a node.
func (b *pageBuilder) cite(n *page.Node, chunks []string) error {
	n.More = max(0, len(chunks)-pageSources)
	for _, key := range chunks[:min(len(chunks), pageSources)] {
		i, ok, err := b.source(key)
		if err != nil {
			return err
		}
		if ok {
			n.Sources = append(n.Sources, i)
		}
	}
	return nil
}

// source returns the place of a chunk in the page's sources, adding it if it
// is new; ok is false for a chunk that is gone.
func (b *pageBuilder) source(key string) (place int, ok bool, err error) {
	if i, ok := b.sources[key]; ok {
		return i, true, nil
	}
	base := b.s.Graph(b.c.Base()).WithContext(b.ctx)
	ch, err := service.ChunkOf(b.c, base, key)
	if err != nil || ch.Doc == "" {
		return 0, false, err
	}
	span, err := b.c.Locate(base, ch.Doc, ch.Start, ch.End)
	if err != nil {
		return 0, false, err
	}
	b.sources[key] = len(b.page.Sources)
	b.page.Sources = append(b.page.Sources, page.Source{Doc: ch.Doc, Page: span.Page, Heading: span.Heading, Bytes: span.Bytes, Text: clip(ch.Text)})
	return b.sources[key], true, nil
}

// edges adds the edges between the page's nodes.
func (b *pageBuilder) edges(set *roaring.Bitmap, place map[engine.NodeID]int) error {
	g := b.page.Graph
	types := map[engine.EdgeType]int{}
	src := &interchange.Source{View: b.v, Allow: b.allow}
	for e, err := range b.v.Within(set, engine.EdgeFilter{}) {
		if err != nil {
			return err
		}
		if b.allow != nil {
			if ok, err := src.Allowed(e); err != nil || !ok {
				if err != nil {
					return err
				}
				continue
			}
		}
		i, ok := types[e.Type]
		if !ok {
			i = len(g.EdgeTypes)
			types[e.Type] = i
			g.EdgeTypes = append(g.EdgeTypes, page.EdgeType{Name: b.v.EdgeTypeName(e.Type), Directed: e.Type.Directed()})
		}
		g.EdgeTypes[i].Count++
		g.Edges = append(g.Edges, page.Edge{From: place[e.From], To: place[e.To], Type: i, Weight: e.Weight})
	}
	return nil
}

// trace adds the way of an answer.
func (b *pageBuilder) trace(t *service.Trace) error {
	out := &page.Trace{ID: t.ID, Question: t.Question, Answer: t.Answer, Method: t.Method, Ops: []page.Operator{}, Items: []page.Item{}}
	b.page.Title = b.c.Path() + " · " + t.ID
	b.page.Trace = out
	if out.Answer == "" {
		out.Answer = service.NoAnswer
	}
	for _, s := range t.Sources {
		out.Cited = append(out.Cited, page.Source{N: s.N, Doc: s.Doc, Page: s.Page, Heading: s.Heading, Bytes: s.Bytes, Text: s.Quote})
	}
	for _, op := range t.Trace.Ops {
		out.Ops = append(out.Ops, page.Operator{Depth: op.Depth, Text: op.Explanation.String(), Rows: op.Rows, Ms: ms(op.Time)})
	}
	for i := range t.Items {
		it := &t.Items[i]
		item := page.Item{Name: service.StoredName(it), Section: it.Section, Score: it.Score, Tokens: it.Tokens, Why: []page.Step{}}
		for _, st := range service.StoredPath(it.Why) {
			item.Why = append(item.Why, page.Step{Op: st.Op, Note: st.Note, Score: st.Score})
		}
		for _, key := range it.Chunks[:min(len(it.Chunks), pageSources)] {
			n, ok, err := b.source(key)
			if err != nil {
				return err
			}
			if ok {
				item.Sources = append(item.Sources, n)
			}
		}
		out.Items = append(out.Items, item)
	}
	return nil
}

// clip cuts a text that is long for a page, between characters.
func clip(s string) string {
	if len(s) <= pageText {
		return s
	}
	return strings.ToValidUTF8(s[:pageText], "") + " …"
}
