package rag

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Evidence is what a plan retrieved, in the order in which a model sees it.
type Evidence struct {
	Method   string
	Sections []EvidenceSection
	// Tokens counts the context with its headers.
	Tokens int
	// Plan is what was run.
	Plan  *method.Plan
	Trace *query.Trace
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
	Spans  []corpus.Span

	opening int // bytes of Text before the chunk's own
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

// Retrieve runs a method's plan for a question, over one commit. What is not
// indexed yet is not found: a corpus without documents gives no evidence. nil
// models are those of [Corpus.OpenModels]. A corpus that is embedded with
// another model is a [*ModelError] if the plan wants a vector, a question
// without text or a missing system [ErrArgument]. The functions of look are
// called with what was retrieved and the state that it was retrieved from, so that
// they can read more of it; an error of one ends the call. A nil one is passed over.
func (c *Corpus) Retrieve(ctx context.Context, sys *method.System, m *Models, q method.Question, look ...func(*engine.Snapshot, *Evidence) error) (*Evidence, error) {
	if err := c.askable(sys, q); err != nil {
		return nil, err
	}
	var ev *Evidence
	err := c.View(ctx, func(s *engine.Snapshot) error {
		m, err := c.modelsAt(ctx, s, m)
		if err == nil {
			ev, err = c.retrieve(ctx, s, sys, m, q, look)
		}
		return err
	})
	if err != nil {
		return nil, phase.Errorf("%s: %w", sys.Label(), err)
	}
	return ev, nil
}

// At returns the corpus as a snapshot shows it: Retrieve, Ask and AnswerFrom read all
// from there, and what opens a method with its Docs. It is used while the snapshot is open.
func (c *Corpus) At(s *engine.Snapshot) *Corpus {
	out := &Corpus{}
	if c != nil {
		*out = *c
	}
	out.documents = out.documents.At(s)
	return out
}

// AtLatest calls fn with the corpus as the latest commit shows it ([Corpus.At]): a method
// that fn opens and asks there takes one snapshot for both.
func (c *Corpus) AtLatest(ctx context.Context, fn func(c *Corpus) error) error {
	if err := c.ready(); err != nil {
		return err
	}
	if fn == nil {
		return phase.Errorf("%w: no function to call", ErrArgument)
	}
	return c.View(ctx, func(s *engine.Snapshot) error { return fn(c.At(s)) })
}

// Plan returns the plan that [Corpus.Retrieve] runs for a question. Models and
// errors are as there.
func (c *Corpus) Plan(ctx context.Context, sys *method.System, m *Models, q method.Question) (p *method.Plan, err error) {
	if err := c.askable(sys, q); err != nil {
		return nil, err
	}
	err = c.View(ctx, func(s *engine.Snapshot) error {
		m, err := c.modelsAt(ctx, s, m)
		if err == nil {
			p, err = c.plan(ctx, sys, m, q)
		}
		return err
	})
	if err != nil {
		return nil, phase.Errorf("%s: %w", sys.Label(), err)
	}
	return p, nil
}

// plan returns the plan to run, with models of [Corpus.modelsAt].
func (c *Corpus) plan(ctx context.Context, sys *method.System, m *Models, q method.Question) (*method.Plan, error) {
	p, err := sys.Plan(ctx, m, q)
	if err == nil {
		p = p.Reranked(m, q.Text)
	}
	switch {
	case err != nil:
	case q.Top > 0:
		p = limited(p, q.Top, nil)
	case q.Passages() > 0:
		p = limited(p, q.Passages(), c.isPassage(sys))
	}
	return p, err
}

// limited returns the plan with so many pieces of evidence at most, the first ones.
// Only those count that counts tells, or all if it is nil.
func limited(p *method.Plan, n int, counts func(ctx context.Context, e *query.Env, it query.Item) (bool, error)) *method.Plan {
	out := &method.Plan{}
	var before []query.Op
	for _, s := range p.Sections {
		op := &query.Limit{In: s.Pack, N: n, Counts: counts, After: slices.Clone(before), Source: "of all sections together"}
		before = append(before, op)
		out.Sections = append(out.Sections, method.Section{Name: s.Name, Pack: op})
	}
	return out
}

// isPassage returns what tells if an item is a chunk, of the base graph or of the
// method's own.
func (c *Corpus) isPassage(sys *method.System) func(ctx context.Context, e *query.Env, it query.Item) (bool, error) {
	return func(ctx context.Context, e *query.Env, it query.Item) (bool, error) {
		g := c.Base()
		if own := sys.Graph(); own != nil && it.Graph == own.ID() {
			g = own
		}
		if it.ID == 0 {
			return false, nil
		}
		n, err := e.Node(ctx, g, it.ID)
		if err != nil {
			return false, err
		}
		kind, _, _ := strings.Cut(e.Snap.Graph(g).NodeTypeName(n.Type), ":") // chunk:SET in the base graph
		return kind == method.ChunkNodeType, nil
	}
}

// askable refuses what cannot be asked.
func (c *Corpus) askable(sys *method.System, q method.Question) error {
	switch err := c.ready(); {
	case err != nil:
		return err
	case sys == nil || sys.Plan == nil:
		return phase.Errorf("%w: no system to ask: open one with Methods.Open", ErrArgument)
	case strings.TrimSpace(q.Text) == "":
		return phase.Errorf("%w: a question without text", ErrArgument)
	case q.Budget < 0:
		return phase.Errorf("%w: a budget of %d tokens", ErrArgument, q.Budget)
	case q.Top < 0:
		return phase.Errorf("%w: at most %d pieces of evidence", ErrArgument, q.Top)
	}
	_, err := sys.InParagraphs(q)
	return err
}

// retrieve is Retrieve from a snapshot, with models of [Corpus.modelsAt].
func (c *Corpus) retrieve(ctx context.Context, s *engine.Snapshot, sys *method.System, m *Models, q method.Question, look []func(*engine.Snapshot, *Evidence) error) (*Evidence, error) {
	ev := &Evidence{Method: sys.Label(), Trace: &query.Trace{}}
	start := time.Now()
	plan, err := c.plan(ctx, sys, m, q)
	if err != nil {
		return nil, err
	}
	ev.Plan = plan
	env := c.Env(s, m, q, ev.Trace)
	if _, err := query.Run(ctx, env, plan.Op()); err != nil {
		return nil, err
	}
	if sys.Unfinished {
		ev.Trace.Warnings = append(ev.Trace.Warnings, "the first run that indexes the documents has not come to its end: the evidence is from what is indexed so far")
	}
	ev.Epoch = s.Epoch()
	cites := c.citations(ctx, env, sys)
	sets, all := make([]query.Set, len(plan.Sections)), []query.Item(nil)
	for i, sec := range plan.Sections {
		if sets[i], err = env.Eval(ctx, sec.Pack); err != nil {
			return nil, err
		}
		all = append(all, sets[i].Items...)
	}
	err = env.Ahead(ctx, len(all), func(e *query.Env, i int) error {
		_, err := c.citations(ctx, e, sys).of(all[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, sec := range plan.Sections {
		ev.Tokens += sets[i].Used
		out := EvidenceSection{Name: sec.Name}
		for _, it := range sets[i].Items {
			cited, err := cites.of(it)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, cited)
		}
		ev.Sections = append(ev.Sections, out)
	}
	ev.Time, ev.Embed = time.Since(start), ev.Trace.EmbedTime
	for _, fn := range look {
		if fn == nil {
			continue
		}
		if err := fn(s, ev); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// Env returns what a plan runs in.
func (c *Corpus) Env(s *engine.Snapshot, m *Models, q method.Question, t *query.Trace) *query.Env {
	if c.ready() != nil {
		c = &Corpus{documents: &corpus.Corpus{}}
	}
	env := &query.Env{
		Snap:    s,
		Graphs:  c.projections,
		Tokens:  c.Tokens().Count,
		Analyze: c.Analyze,
		Names:   corpus.MatchNames,
		Embed:   m.EmbedQuestion,
		Trace:   t,
	}
	if q.Where != nil {
		env.Allow = corpus.NewFilter(c.documents, q.Where, q.WhereAny).Allow
		env.AllowAny = q.WhereAny
	}
	return env
}

// citations finds what the items of a plan rest on and where that stands. What
// it has read it knows for the next item.
type citations struct {
	c    *Corpus
	ctx  context.Context // of the retrieval that it is part of
	env  *query.Env
	set  text.ChunkSet
	base *engine.View
	own  *engine.View // of the method's graph, nil if it builds none
	// cite is Cite of items of own.
	cite  func(it query.Item) ([]string, error)
	spans map[string]corpus.Span // of chunks; one without a document is gone
}

func (c *Corpus) citations(ctx context.Context, env *query.Env, sys *method.System) *citations {
	x := &citations{
		c: c, ctx: ctx, env: env, set: sys.ChunkSet(), base: env.Snap.Graph(c.Base()).WithContext(ctx), spans: map[string]corpus.Span{},
	}
	if g := sys.Graph(); g != nil {
		x.own = env.Snap.Graph(g).WithContext(ctx)
		x.cite = func(query.Item) ([]string, error) { return nil, nil }
		if sys.Cite != nil {
			x.cite = sys.Cite(x.own)
		}
	}
	return x
}

// of finds where an item stands.
func (x *citations) of(it query.Item) (Cited, error) {
	out := Cited{Item: it, Kind: "chunk"}
	if x.own == nil || it.Graph != x.own.Graph().ID() {
		n, err := x.env.Node(x.ctx, x.c.Base(), it.ID)
		if err != nil {
			return out, err
		}
		out.Keys = []string{n.Key}
		if kind := x.base.NodeTypeName(n.Type); !strings.HasPrefix(kind, "chunk:") {
			out.Kind = kind
			return out, nil
		}
		out.Chunks, out.Spans = []string{n.Key}, []corpus.Span{spanOf(n)} // a chunk rests on itself
		out.opening = len(corpus.ChunkOf(n).Opening)
		return out, nil
	}
	nodes := []engine.NodeID{it.ID}
	if it.ID == 0 {
		out.Kind = x.own.EdgeTypeName(it.Edge.Type)
		nodes = []engine.NodeID{it.Edge.From, it.Edge.To}
	}
	for _, id := range nodes {
		n, err := x.env.Node(x.ctx, x.own.Graph(), id)
		if err != nil {
			return out, err
		}
		out.Keys = append(out.Keys, n.Key)
		if it.ID != 0 {
			out.Kind = x.own.NodeTypeName(n.Type)
		}
	}
	var err error
	if out.Chunks, err = x.cite(it); err != nil {
		return out, err
	}
	some := out.Chunks[:min(len(out.Chunks), maxSpans)]
	err = x.env.Ahead(x.ctx, len(some), func(e *query.Env, i int) error {
		_, err := (&citations{c: x.c, set: x.set, base: e.Snap.Graph(x.c.Base()).WithContext(x.ctx), spans: map[string]corpus.Span{}}).span(some[i])
		return err
	})
	if err != nil {
		return out, err
	}
	for _, key := range some {
		span, err := x.span(key)
		if err != nil {
			return out, err
		}
		if span.Doc != "" {
			out.Spans = append(out.Spans, span)
		}
	}
	return out, nil
}

// span returns where a chunk stands, the zero value if it is gone.
func (x *citations) span(key string) (corpus.Span, error) {
	span, ok := x.spans[key]
	if ok {
		return span, nil
	}
	id, err := x.c.ChunkNode(x.base, x.set, key)
	var n engine.Node
	if err == nil {
		n, err = x.base.Node(id)
	}
	switch {
	case err == nil:
		span = spanOf(n)
	case !corpus.IsMissing(err):
		return span, err
	}
	x.spans[key] = span
	return span, nil
}

// spanOf returns where a chunk stands.
func spanOf(n engine.Node) corpus.Span {
	ch := corpus.ChunkOf(n)
	return corpus.Span{Doc: ch.Doc, Bytes: [2]int64{int64(ch.Start), int64(ch.End)}}
}
