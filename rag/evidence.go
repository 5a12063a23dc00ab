package rag

import (
	"context"
	"fmt"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// Evidence is what a plan retrieved, in the order in which a model sees it.
type Evidence struct {
	Method   string
	Sections []EvidenceSection
	// Tokens counts the context with its headers.
	Tokens int
	Trace  *query.Trace
	// Time is what retrieval took, Embed the part of it for the question's
	// vector.
	Time, Embed time.Duration
	// Epoch is the commit that it shows.
	Epoch uint64
}

// EvidenceSection is one part of the context.
type EvidenceSection struct {
	Name  string
	Items []Cited
}

// Cited is one piece of evidence.
type Cited struct {
	query.Item
	// Kind says what the item is, such as chunk, entity or relation.
	Kind string
	// Keys are the key of a node, or those of an edge's two ends.
	Keys []string
	// Chunks are the keys of the chunks that it rests on, Spans where the
	// first of them stand in their documents; [Corpus.Locate] tells page and
	// heading.
	Chunks []string
	Spans  []Span
}

// Items returns all items in order.
func (e *Evidence) Items() []Cited {
	var out []Cited
	for _, s := range e.Sections {
		out = append(out, s.Items...)
	}
	return out
}

// maxSpans bounds the sources that are looked up for one item; an entity may
// rest on thousands of chunks.
const maxSpans = 5

// Retrieve runs a method's plan for a question.
func (c *Corpus) Retrieve(ctx context.Context, sys System, m *Models, q Question) (*Evidence, error) {
	ev := &Evidence{Method: Label(sys), Trace: &query.Trace{}}
	err := c.DB.View(ctx, func(s *engine.Snapshot) error { return c.retrieve(ctx, s, sys, m, q, ev) })
	if err != nil {
		return nil, fmt.Errorf("rag: %s: %w", ev.Method, err)
	}
	return ev, nil
}

func (c *Corpus) retrieve(ctx context.Context, s *engine.Snapshot, sys System, m *Models, q Question, ev *Evidence) error {
	start := time.Now()
	plan, err := sys.Plan(ctx, m, q)
	if err != nil {
		return err
	}
	env := c.Env(s, m, q, ev.Trace)
	if _, err := query.Run(ctx, env, plan.Op()); err != nil {
		return err
	}
	ev.Epoch = s.Epoch()
	for _, sec := range plan.Sections {
		set, err := env.Eval(ctx, sec.Pack)
		if err != nil {
			return err
		}
		ev.Tokens += set.Used
		out := EvidenceSection{Name: sec.Name}
		for _, it := range set.Items {
			cited, err := c.cite(ctx, s, sys, it)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, cited)
		}
		ev.Sections = append(ev.Sections, out)
	}
	ev.Time, ev.Embed = time.Since(start), ev.Trace.EmbedTime
	return nil
}

// Env returns what a plan runs in.
func (c *Corpus) Env(s *engine.Snapshot, m *Models, q Question, t *query.Trace) *query.Env {
	env := &query.Env{
		Snap:    s,
		Graphs:  c.projections,
		Tokens:  c.Tokens.Count,
		Analyze: c.Analyze,
		Names:   matchNames,
		Embed:   m.EmbedQuestion,
		Trace:   t,
	}
	if q.Where != nil {
		env.Allow = (&filter{c: c, where: q.Where, any: q.WhereAny}).allow
		env.AllowAny = q.WhereAny
	}
	return env
}

// cite finds where an item stands.
func (c *Corpus) cite(ctx context.Context, s *engine.Snapshot, sys System, it query.Item) (Cited, error) {
	out := Cited{Item: it, Kind: "chunk"}
	g := c.Base
	if sys.Graph() != nil && it.Graph == sys.Graph().ID() {
		g = sys.Graph()
	}
	v := s.Graph(g).WithContext(ctx)
	nodes := []engine.NodeID{it.ID}
	if it.ID == 0 {
		out.Kind = v.EdgeTypeName(it.Edge.Type)
		nodes = []engine.NodeID{it.Edge.From, it.Edge.To}
	}
	own := Chunk{} // the item, where it is a chunk of the base graph
	for _, id := range nodes {
		n, err := v.Node(id)
		if err != nil {
			return out, err
		}
		out.Keys = append(out.Keys, n.Key)
		if g == c.Base && it.ID != 0 {
			own = chunkOf(n)
		}
		if it.ID != 0 && g != c.Base {
			out.Kind = v.NodeTypeName(n.Type)
		}
	}
	var err error
	if out.Chunks, err = sys.Cite(v, it); err != nil {
		return out, err
	}
	base := s.Graph(c.Base).WithContext(ctx)
	for _, key := range out.Chunks[:min(len(out.Chunks), maxSpans)] {
		ch := own
		if key != own.Key {
			var err error
			if ch, err = c.ChunkByKey(base, sys.ChunkSet(), key); isMissing(err) {
				continue
			} else if err != nil {
				return out, err
			}
		}
		out.Spans = append(out.Spans, Span{Doc: ch.Doc, Bytes: [2]int64{int64(ch.Start), int64(ch.End)}})
	}
	return out, nil
}
