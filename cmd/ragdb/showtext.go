package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
)

// listed bounds what show lists for people.
const listed = 12

func (a *app) printShow(r *service.Shown) {
	if r.Document != nil {
		a.printDocument(r.Document)
	}
	if r.Chunk != nil {
		a.printChunk(r.Chunk)
	}
	if r.Trace != nil {
		a.printStoredTrace(r.Trace)
	}
	for i := range r.Nodes {
		if i > 0 || r.Chunk != nil {
			a.out.print("\n")
		}
		a.printNode(&r.Nodes[i])
	}
}

// field prints a named value, its further lines below the first.
func (a *app) field(name, value string) {
	const column = 16
	indent := strings.Repeat(" ", column)
	text := strings.TrimPrefix(wrap(escape(value), a.out.width, indent), indent)
	a.out.print("  %s%s", a.out.dim(pad(name, column-2, false)), text)
}

func (a *app) printDocument(d *service.DocumentView) {
	o := a.out
	o.print("%s %s\n", o.bold(escape(d.Key)), o.dim(fmt.Sprintf("· document · %s · %s", d.Format, size(d.Bytes))))
	if d.Title != "" {
		a.field("title", d.Title)
	}
	for _, k := range slices.Sorted(maps.Keys(d.Meta)) {
		a.field(k, d.Meta[k])
	}
	t := &table{head: []string{"chunk", "bytes", "tokens", "text"}, right: []bool{false, true, true}}
	for i := range d.Chunks {
		ch := &d.Chunks[i]
		bytes := fmt.Sprintf("%d–%d", ch.Span.Bytes[0], ch.Span.Bytes[1])
		room := max(20, o.width-columns(ch.ID)-columns(bytes)-14)
		t.add(ch, ch.ID, bytes, number(ch.Tokens), cut(oneLine(ch.Text), room))
	}
	o.print("\n")
	o.rows(t)
}

func (a *app) printChunk(c *service.ChunkView) {
	o := a.out
	o.print("%s %s\n", o.bold(escape(c.ID)), o.dim(fmt.Sprintf("· chunk · %s · %s", plural(c.Tokens, "token"), c.Set)))
	a.field("source", place(c.Span.Doc, c.Span.Heading, c.Span.Page, c.Span.Bytes))
	o.print("\n%s", wrap(escape(c.Text), o.width, "  "))
}

func (a *app) printNode(n *service.NodeView) {
	o := a.out
	head := fmt.Sprintf("· %s in %s", n.Type, n.Graph)
	o.print("%s %s\n", o.bold(escape(n.ID)), o.dim(head))
	if n.Label != "" {
		a.field("name", n.Label)
	}
	for i, t := range n.Texts {
		if i == 5 {
			a.field("", fmt.Sprintf("… and %d more (--json)", len(n.Texts)-i))
			break
		}
		name := ""
		if i == 0 {
			name = "said of it"
		}
		a.field(name, "“"+oneLine(t)+"”")
	}
	a.list("sources", n.Sources)
	a.list("supports", n.Supports)
	byEdge := map[string][]string{}
	for _, x := range n.Neighbors {
		name := x.ID
		if x.In {
			name = "← " + name
		}
		if x.Weight != 1 {
			name += " (" + score(float64(x.Weight)) + ")"
		}
		byEdge[x.Edge] = append(byEdge[x.Edge], name)
	}
	for _, e := range slices.Sorted(maps.Keys(byEdge)) {
		a.list(e, byEdge[e])
	}
}

// list prints some of a list of ids and how many there are.
func (a *app) list(name string, ids []string) {
	if len(ids) == 0 {
		return
	}
	s := strings.Join(ids[:min(len(ids), listed)], " · ")
	if len(ids) > listed {
		s += fmt.Sprintf(" · … %s in all", number(len(ids)))
	}
	a.field(name, s)
}
