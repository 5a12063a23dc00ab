package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag/method"
)

func questionOperations() []*operation {
	return []*operation{
		define(operation{method: http.MethodPost, path: corpusRoot + "/ask", id: "ask", tag: "questions", role: Read, heavy: true, streams: eventStream,
			summary: "Answer a question, with sources",
			about:   "If Accept asks for text/event-stream the answer comes in events: text, with a piece of the answer each, then answer, with what is otherwise the body; error ends the stream with a problem."}, (*call).ask),
		define(operation{method: http.MethodPost, path: corpusRoot + "/search", id: "search", tag: "questions", role: Read, heavy: true,
			summary: "The evidence for a question, without an answer"}, (*call).search),
		define(operation{method: http.MethodPost, path: corpusRoot + "/compare", id: "compare", tag: "questions", role: Read, heavy: true,
			summary: "Answers or evidence of several methods, side by side"}, (*call).compare),
		define(operation{method: http.MethodPost, path: corpusRoot + "/why", id: "why", tag: "questions", role: Read, heavy: true,
			summary: "Why something is, or is not, in the evidence for a question"}, (*call).why),
		define(operation{method: http.MethodPost, path: corpusRoot + "/query", id: "query", tag: "questions", role: Read, heavy: true, streams: jsonLines,
			summary: "Run a statement of the query language",
			about:   "If Accept asks for application/x-ndjson each row is a line as it comes; a line with error ends them if the statement fails, or gives more rows than the server does."}, (*call).query),
		define(operation{method: http.MethodGet, path: corpusRoot + "/show", id: "show", tag: "looking", role: Read,
			summary: "A document, chunk, entity or other node with what it hangs on, or a trace"}, (*call).show),
		define(operation{method: http.MethodGet, path: corpusRoot + "/traces", id: "listTraces", tag: "looking", role: Read,
			summary: "The newest answers that are kept, the newest first"}, (*call).listTraces),
		define(operation{method: http.MethodGet, path: corpusRoot + "/traces/{id}", id: "readTrace", tag: "looking", role: Read,
			summary: "An answer with how it came about"}, (*call).readTrace),
		define(operation{method: http.MethodGet, path: corpusRoot + "/methods", id: "listMethods", tag: "looking", role: Read,
			summary: "The methods, and by which the documents are indexed"}, (*call).listMethods),
		define(operation{method: http.MethodGet, path: corpusRoot + "/status", id: "status", tag: "looking", role: Read,
			summary: "What is indexed, what is left to do and what failed"}, (*call).status),
		define(operation{method: http.MethodGet, path: corpusRoot + "/stats", id: "stats", tag: "looking", role: Read, heavy: true,
			summary: "Counts of what the graphs hold", about: "Reads every key of the database once."}, (*call).stats),
	}
}

type askIn struct {
	corpusPath
	service.Request
	// Explain adds the plan and what its operators did.
	Explain bool `json:"explain,omitempty"`
}

// prepare opens what a request asks by.
func (c *call) prepare(ctx context.Context, at corpusPath, r service.Request) (*service.Asking, error) {
	_, corpus, err := c.corpus(ctx, at)
	if err != nil {
		return nil, err
	}
	record(ctx).text = r.Question
	if r.Style != "" && !knownStyle(r.Style) {
		return nil, service.Usage("", "there is no style %q; there are %s", r.Style, strings.Join(method.Styles(), " and "))
	}
	return corpus.Prepare(ctx, r)
}

func (c *call) ask(ctx context.Context, in *askIn) (*service.Answer, error) {
	k, err := c.prepare(ctx, in.corpusPath, in.Request)
	if err != nil {
		return nil, err
	}
	o := service.ReplyOptions{Explain: in.Explain}
	if !c.wants(eventStream) {
		r, err := k.Reply(ctx, o)
		if err != nil {
			return nil, err
		}
		return r.Result, nil
	}
	leave, err := c.stream(eventStream)
	if err != nil {
		return nil, err
	}
	defer leave()
	k.Question.Stream = func(text string) error { return c.event("text", map[string]string{"text": text}) }
	r, err := k.Reply(ctx, o)
	if err == nil {
		err = c.event("answer", r.Result)
	}
	return nil, c.endEvents(err)
}

func (c *call) search(ctx context.Context, in *askIn) (*service.Answer, error) {
	k, err := c.prepare(ctx, in.corpusPath, in.Request)
	if err != nil {
		return nil, err
	}
	r, err := k.Reply(ctx, service.ReplyOptions{EvidenceOnly: true, Explain: in.Explain})
	if err != nil {
		return nil, err
	}
	return r.Result, nil
}

type compareIn struct {
	askIn
	// Methods are asked, each as name[:key=value,...].
	Methods []string `json:"methods" schema:"minitems=2,maxitems=8"`
	// Answers asks for answers beside the evidence.
	Answers bool `json:"answers,omitempty"`
}

func (c *call) compare(ctx context.Context, in *compareIn) (*service.Comparison, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	var specs []method.Spec
	for _, name := range in.Methods {
		spec, err := corpus.Spec(name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return corpus.Compare(ctx, specs, service.ReplyOptions{EvidenceOnly: !in.Answers, Explain: in.Explain}, func(spec method.Spec) (*service.Asking, error) {
		r := in.Request
		r.Method = spec.String()
		return c.prepare(ctx, in.corpusPath, r)
	})
}

type whyIn struct {
	corpusPath
	service.Request
	// ID is a chunk (c:KEY), an entity (e:NAME), another node (TYPE:KEY), a relation
	// (TYPE:KEY→KEY), or a document's id for all its chunks.
	ID string `json:"id" schema:"minlen=1"`
}

// WhyList tells of one item or several.
type WhyList struct {
	V     int           `json:"v"`
	Items []service.Why `json:"items"`
}

func (c *call) why(ctx context.Context, in *whyIn) (*WhyList, error) {
	k, err := c.prepare(ctx, in.corpusPath, in.Request)
	if err != nil {
		return nil, err
	}
	items, err := k.Why(ctx, in.ID)
	return &WhyList{V: 1, Items: items}, err
}

type showIn struct {
	corpusPath
	// A document's id, c:KEY of a chunk, e:NAME of an entity, TYPE:KEY of another node,
	// TYPE:KEY→KEY of an edge, or t:ID of a trace.
	ID string `query:"id" need:"yes" schema:"minlen=1,maxlen=4096"`
}

func (c *call) show(ctx context.Context, in *showIn) (*service.Shown, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	return corpus.Show(ctx, in.ID)
}

type traceIn struct {
	corpusPath
	// The id of the trace, such as t:5a0c1f20.
	ID string `path:"id" schema:"maxlen=100"`
}

func (c *call) readTrace(ctx context.Context, in *traceIn) (*service.Shown, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	if len(in.ID) < 2 || in.ID[:2] != service.TracePrefix {
		return nil, service.NotFound("", "there is no trace %q", in.ID)
	}
	return corpus.Show(ctx, in.ID)
}

type listTracesIn struct {
	corpusPath
	// How many are listed at most; 50 if it is left out.
	Limit int `query:"limit" schema:"min=1,max=256"`
}

func (c *call) listTraces(ctx context.Context, in *listTracesIn) (*service.TraceList, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	if in.Limit == 0 {
		in.Limit = 50
	}
	return corpus.ListTraces(ctx, in.Limit)
}

// MethodList lists the methods.
type MethodList struct {
	V       int                 `json:"v"`
	Methods []service.MethodRow `json:"methods"`
	Styles  []string            `json:"styles"`
}

func (c *call) listMethods(ctx context.Context, in *corpusPath) (*MethodList, error) {
	_, corpus, err := c.corpus(ctx, *in)
	if err != nil {
		return nil, err
	}
	rows, err := corpus.ListMethods(ctx)
	return &MethodList{V: 1, Methods: rows, Styles: method.Styles()}, err
}

func (c *call) status(ctx context.Context, in *corpusPath) (*service.Status, error) {
	_, corpus, err := c.corpus(ctx, *in)
	if err != nil {
		return nil, err
	}
	r, err := corpus.Status(ctx)
	if err != nil {
		return nil, err
	}
	r.DB = in.DB // the path is the server's own
	if !c.grant.seesAll() {
		r.Namespaces, r.Memory.Beyond = []string{in.NS}, []service.BeyondSpace{}
	}
	return r, nil
}

// NamespaceStats counts what the graphs of a namespace hold.
type NamespaceStats struct {
	V      int    `json:"v"`
	DB     string `json:"db"`
	NS     string `json:"ns"`
	Epoch  uint64 `json:"epoch"`
	Graphs any    `json:"graphs"`
}

func (c *call) stats(ctx context.Context, in *corpusPath) (*NamespaceStats, error) {
	_, corpus, err := c.corpus(ctx, *in)
	if err != nil {
		return nil, err
	}
	out := &NamespaceStats{V: 1, DB: in.DB, NS: in.NS}
	err = corpus.DB().View(ctx, func(s *engine.Snapshot) error {
		all, err := s.Stats(ctx)
		if err != nil {
			return err
		}
		own := all.Graphs[:0:0]
		for _, g := range all.Graphs {
			if g.Namespace == in.NS {
				own = append(own, g)
			}
		}
		out.Epoch, out.Graphs = all.Epoch, own
		return nil
	})
	return out, err
}

func knownStyle(s string) bool {
	for _, have := range method.Styles() {
		if have == s {
			return true
		}
	}
	return false
}
