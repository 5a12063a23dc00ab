package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/service"
)

func (s *server) showTool() *tool {
	return &tool{
		name: "show", title: "Show what an id names",
		about: `Show what an id names. Of a document: its metadata and text, in passages. Of a passage: its text, and what the graphs know of it. Of an entity or keyword: what documents say of it, and its neighbours with the relation, whose ids you can show in turn. Of a record of an answer (t:CODE): the answer and what it was made of.`,
		args:  []arg{idArg("What to show."), offsetArg("passages, neighbours or items"), tokensArg()},
		run: func(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
			r, err := c.Show(ctx, strings.TrimSpace(a.text("id")))
			if err != nil {
				return nil, err
			}
			return showPage(c, r, a.number("max_tokens"), a.number("offset"))
		},
	}
}

// shownPart is what show tells, perhaps cut.
type shownPart struct {
	*service.Shown
	LeftOut *leftOut `json:"left_out,omitempty"`
}

// part is an entry of one of the lists of what is shown.
type part struct {
	v     any
	write func()
	keep  func()
	text  *string // what may be cut of it; nil if nothing may
}

func showPage(c *corpus, whole *service.Shown, most, offset int) (*mcp.CallToolResult, error) {
	r := *whole
	out := &shownPart{Shown: &r}
	x := &shower{r: &r}
	x.empty(most)
	p, err := newPage(c, most, whole, &r)
	if err != nil {
		return nil, err
	}
	x.p = p
	p.take(nil, func() { x.head() })
	x.fill(whole)
	longest := 0
	for _, l := range x.lists {
		longest = max(longest, len(l))
	}
	if offset > 0 && offset >= longest {
		return nil, service.Usage("give a smaller one", "the offset %d is beyond the %d entries of %s", offset, longest, quoted(whole.ID))
	}
	n, said := offset, make([]strings.Builder, len(x.lists))
	for full := false; n < longest && !full; {
		// An offset is a place in all lists, so that what stands there is taken whole or
		// not at all; of the first place what fits.
		var keep []func()
		for i, l := range x.lists {
			if n >= len(l) {
				continue
			}
			e, from, ok := l[n], p.b.Len(), false
			if e.text != nil && n == offset {
				_, ok = p.takeCut(e.text, e.v, e.write)
			} else {
				ok = p.take(e.v, e.write)
			}
			full = full || !ok
			text := p.b.String()[from:]
			p.b.Truncate(from)
			keep = append(keep, func() {
				if ok {
					e.keep()
					said[i].WriteString(text)
				}
			})
		}
		if full && n > offset {
			break
		}
		for _, fn := range keep {
			fn()
		}
		n++
	}
	for i := range said {
		p.say("%s", said[i].String())
	}
	if n < longest || offset > 0 {
		out.LeftOut = &leftOut{n - offset, longest, fmt.Sprintf("For the rest call show again with the same id and offset %d.", n)}
		if n == longest {
			out.LeftOut.How = "This is the end."
		}
	}
	p.tell(out.LeftOut)
	return p.result(out)
}

// shower writes what show tells, part by part.
type shower struct {
	r     *service.Shown
	p     *page
	lists [][]part
}

// empty takes the lists out of the result, and cuts what is not in a list to about so many
// bytes.
func (x *shower) empty(most int) {
	r := x.r
	if r.Document != nil {
		d := *r.Document
		d.Chunks, d.Title, d.Meta = []service.ChunkView{}, short(d.Title, 300), map[string]string{}
		r.Document = &d
	}
	if r.Chunk != nil {
		ch := *r.Chunk
		ch.Text = ""
		r.Chunk = &ch
	}
	nodes := append([]service.NodeView{}, r.Nodes...)
	for i := range nodes {
		nodes[i].Texts, nodes[i].Sources, nodes[i].Supports, nodes[i].Neighbors = nil, nil, nil, []service.NeighborView{}
	}
	r.Nodes = nodes
	if r.Trace != nil {
		t := *r.Trace
		t.Items, t.Texts, t.Sources, t.Nearest, t.Docs, t.Trace = []service.TraceItem{}, []string{}, nil, nil, []string{}, nil
		t.Question, t.Answer = short(t.Question, 300), short(t.Answer, most)
		r.Trace = &t
	}
}

// head says what is shown, before the lists.
func (x *shower) head() {
	r, p := x.r, x.p
	switch {
	case r.Document != nil:
		d := r.Document
		p.say("document %s", quoted(d.Key))
		if d.Title != "" {
			p.say(", title %s", quoted(d.Title))
		}
		p.say(", format %s, %d bytes\n", quoted(d.Format), d.Bytes)
	case r.Trace != nil:
		t := r.Trace
		p.say("record %s of an answer by %s\nquestion: %s\n", quoted(t.ID), quoted(t.Method), quoted(t.Question))
		if t.Answer == "" {
			p.say("%s\n", service.NoAnswer)
		} else {
			p.say("answer:\n")
			p.quote(t.Answer)
		}
		p.say("\nEvidence, the best first:\n")
	default:
		p.say("%s %s\n", r.Kind, quoted(r.ID))
	}
}

// fill lists the parts of the whole result.
func (x *shower) fill(whole *service.Shown) {
	if whole.Document != nil {
		x.meta(whole.Document.Meta)
		x.chunks(whole.Document.Chunks)
	}
	if whole.Chunk != nil {
		ch := *whole.Chunk
		x.lists = append(x.lists, []part{{v: &ch.Text, text: &ch.Text, write: func() { x.sayChunk(&ch) }, keep: func() { x.r.Chunk.Text = ch.Text }}})
	}
	for i := range whole.Nodes {
		x.node(&x.r.Nodes[i], &whole.Nodes[i])
	}
	if whole.Trace != nil {
		x.trace(whole.Trace)
	}
}

func (x *shower) sayChunk(ch *service.ChunkView) {
	x.p.say("- %s\n", place(ch.ID, ch.Span.Doc, ch.Span.Heading, ch.Span.Page))
	x.p.quote(ch.Text)
}

// meta writes the metadata of a document, as far as it fits.
func (x *shower) meta(meta map[string]string) {
	meta = shortMeta(meta, 500)
	for _, k := range sortedKeys(meta) {
		line := map[string]string{k: meta[k]}
		if x.p.take(line, func() { x.p.say("metadata %s: %s\n", quoted(k), quoted(meta[k])) }) {
			x.r.Document.Meta[k] = meta[k]
		}
	}
	x.p.take(nil, func() { x.p.say("\nIts passages:\n") })
}

func (x *shower) chunks(chunks []service.ChunkView) {
	var list []part
	for _, ch := range chunks {
		list = append(list, part{v: &ch, text: &ch.Text, write: func() { x.sayChunk(&ch) }, keep: func() { x.r.Document.Chunks = append(x.r.Document.Chunks, ch) }})
	}
	x.lists = append(x.lists, list)
}

// node lists the parts of a node or an edge.
func (x *shower) node(to, from *service.NodeView) {
	p := x.p
	var texts, sources, supports, neighbors []part
	for _, t := range from.Texts {
		texts = append(texts, part{v: &t, text: &t, write: func() {
			p.say("The documents say of %s:\n", quoted(from.ID))
			p.quote(t)
		}, keep: func() { to.Texts = append(to.Texts, t) }})
	}
	name := func(list []string, say string, keep *[]string) (out []part) {
		for _, id := range list {
			out = append(out, part{v: &id, write: func() { p.say("- %s: %s\n", say, quoted(id)) }, keep: func() { *keep = append(*keep, id) }})
		}
		return out
	}
	sources, supports = name(from.Sources, "source", &to.Sources), name(from.Supports, "supports", &to.Supports)
	for _, n := range from.Neighbors {
		arrow := "to"
		if n.In {
			arrow = "from"
		}
		neighbors = append(neighbors, part{v: &n, write: func() {
			p.say("- %s %s %s (weight %g, graph %s)\n", quoted(n.Edge), arrow, quoted(n.ID), n.Weight, quoted(from.Graph))
		}, keep: func() { to.Neighbors = append(to.Neighbors, n) }})
	}
	x.lists = append(x.lists, texts, sources, supports, neighbors)
}

// trace lists the items of a stored answer.
func (x *shower) trace(t *service.Trace) {
	var items, sources, near []part
	for i := range t.Items {
		it, text := t.Items[i], ""
		if i < len(t.Texts) {
			text = t.Texts[i]
		}
		items = append(items, part{v: []any{&it, &text}, text: &text, write: func() {
			x.p.say("- %s\n", quoted(service.StoredName(&it)))
			if text != "" {
				x.p.quote(text)
			}
		}, keep: func() {
			x.r.Trace.Items, x.r.Trace.Texts = append(x.r.Trace.Items, it), append(x.r.Trace.Texts, text)
		}})
	}
	for _, s := range t.Sources {
		sources = append(sources, part{v: &s, write: func() { x.p.say("- source [%d]: %s\n", s.N, quoted(s.Doc)) },
			keep: func() { x.r.Trace.Sources = append(x.r.Trace.Sources, s) }})
	}
	for _, s := range t.Nearest {
		near = append(near, part{v: &s, text: &s.Text, write: func() { sayPassage(x.p, &s) },
			keep: func() { x.r.Trace.Nearest = append(x.r.Trace.Nearest, s) }})
	}
	x.lists = append(x.lists, sources, near, items)
}
