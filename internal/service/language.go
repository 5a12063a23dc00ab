package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/text"
)

// Language is a corpus as the query language sees it.
type Language struct {
	corpus *Corpus
	// defaults are what rag.* takes if a call does not say.
	defaults func() Request
	where    engine.Predicate // of defaults, nil for none
	models   *rag.Models      // of questions, nil until they are wanted
	// sets are the chunk sets of the graphs that methods built, by name.
	sets map[string]text.ChunkSet
	// built are those graphs, with the method that built each.
	built map[string]string
	// have are the methods' instances that sets and built are of, as of the commit epoch.
	have  []string
	epoch uint64
}

// SessionOptions tune a session of the query language.
type SessionOptions struct {
	ReadOnly bool
	Limits   cypher.Limits
	// Files are what COPY reads and writes; nil has none.
	Files cypher.Files
	// Defaults are what rag.* and statements take if they do not say, read at each
	// call: the method, the filter, the bounds. Nil is the zero Request.
	Defaults func() Request
	// NamespaceOnly leaves out the procedures that tell of other namespaces.
	NamespaceOnly bool
}

// NewSession opens a session of the query language on the corpus, with all procedures.
func (c *Corpus) NewSession(ctx context.Context, o SessionOptions) (*cypher.Session, error) {
	l, err := c.Language(ctx)
	if err != nil {
		return nil, err
	}
	if o.Defaults != nil {
		l.defaults = o.Defaults
	}
	d := l.defaults()
	if l.where, err = ParseWhere(d.Where, d.WhereAny); err != nil {
		return nil, err
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		return nil, err
	}
	if err := r.Add(l.procedures()...); err != nil {
		return nil, err
	}
	if o.NamespaceOnly {
		if r, err = namespaceOnly(r); err != nil {
			return nil, err
		}
	}
	return cypher.NewSession(cypher.Options{
		DB: c.DB(), Namespace: c.Namespace(), ReadOnly: o.ReadOnly, Limits: o.Limits, Procedures: r,
		Graphs: c.Projections(), Query: l.env, Computed: l.Computed, ComputedNames: computedNames(), Guard: l.guard, Files: o.Files,
	})
}

// namespaceOnly returns the procedures that see one namespace alone: db.check reads the
// whole database.
func namespaceOnly(r *cypher.Registry) (*cypher.Registry, error) {
	own := &cypher.Registry{}
	for _, name := range r.Names() {
		if name == "db.check" {
			continue
		}
		if err := own.Add(r.Get(name)); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// Language reads which graphs methods built.
func (c *Corpus) Language(ctx context.Context) (*Language, error) {
	l := &Language{corpus: c, defaults: func() Request { return Request{} }}
	return l, c.DB().View(ctx, func(s *engine.Snapshot) error { return l.look(ctx, s) })
}

// look reads which graphs methods built, unless they are those of the last look.
func (l *Language) look(ctx context.Context, s *engine.Snapshot) error {
	if l.built != nil && s.Epoch() == l.epoch {
		return nil
	}
	var have []string
	for name, err := range l.corpus.Instances(s.Graph(l.corpus.Base()).WithContext(ctx)) {
		if err != nil {
			return err
		}
		have = append(have, name)
	}
	if l.built == nil || !slices.Equal(have, l.have) {
		if err := l.open(ctx, have); err != nil {
			return err
		}
	}
	l.have, l.epoch = have, s.Epoch()
	return nil
}

// open reads which graphs some instances built.
func (l *Language) open(ctx context.Context, have []string) error {
	sets, built := map[string]text.ChunkSet{}, map[string]string{}
	for _, name := range have {
		spec, err := method.ParseInstance(name)
		if err != nil {
			return err
		}
		sys, err := l.corpus.Methods.Open(ctx, l.corpus.Docs().Existing(), spec)
		if errors.Is(err, engine.ErrNotFound) {
			continue // its graph was dropped
		}
		if err != nil {
			return err
		}
		if g := sys.Graph(); g != nil {
			sets[g.Name()], built[g.Name()] = sys.ChunkSet(), name
		}
	}
	l.sets, l.built = sets, built
	return nil
}

// BuiltBy returns the method that built a graph, "" if none did.
func (l *Language) BuiltBy(graph string) string { return l.built[graph] }

// questions opens the models of questions.
func (l *Language) questions(ctx context.Context) (*rag.Models, error) {
	if l.models == nil {
		m, err := l.corpus.Models(ctx, l.defaults().Rules)
		if err != nil {
			return nil, err
		}
		l.models = m
	}
	return l.models, nil
}

// env is what operators run in: models are opened when a text is to be
// embedded. The filter of questions holds for statements, too.
func (l *Language) env(s *engine.Snapshot) *query.Env {
	// A session outlives what others index. If it cannot be read, what was read before is
	// used, and the statement meets the error itself.
	_ = l.look(context.Background(), s)
	filter := l.corpus.Env(s, nil, method.Question{Where: l.where, WhereAny: l.defaults().WhereAny}, nil)
	return &query.Env{
		Snap: s, Allow: filter.Allow, AllowAny: filter.AllowAny, Tokens: l.corpus.Tokens().Count, Analyze: l.corpus.Analyze,
		Embed: func(ctx context.Context, text string) ([]float32, error) {
			m, err := l.questions(ctx)
			if err != nil {
				return nil, err
			}
			return m.EmbedQuestion(ctx, text)
		},
	}
}

// guard tells why a graph may not be written to by statements.
func (l *Language) guard(_ context.Context, graph string) (string, error) {
	if method := l.built[graph]; method != "" {
		return fmt.Sprintf("graph %s is what %s made of the documents", graph, method), nil
	}
	return "", nil
}

// computedNames are the properties that Computed knows.
func computedNames() []string {
	return []string{"name", "title", "text", "format", "doc", "page", "heading", "bytes", "tokens"}
}

// Computed gives chunks and documents the properties that queries want: name,
// text, doc, page, heading and bytes of a chunk, name, title and text of a
// document, wherever their node is.
func (l *Language) Computed(r engine.Reader, n engine.Node, name string) (cypher.Value, bool, error) {
	v, ok := r.(*engine.View)
	if !ok {
		return cypher.Null, false, nil // a statement that writes sees what is stored
	}
	kind, set, _ := strings.Cut(r.NodeTypeName(n.Type), ":")
	base := v.Snapshot().Graph(l.corpus.Base())
	switch {
	case kind == "document" && v.Graph().ID() == l.corpus.Base().ID():
		return l.ofDocument(base, n, name)
	case kind != method.ChunkNodeType:
		return cypher.Null, false, nil
	case set == "":
		cs, ok := l.sets[v.Graph().Name()]
		if !ok {
			return cypher.Null, false, nil
		}
		set = cs.String()
	}
	cs, err := text.ParseChunkSet(set)
	if err != nil {
		return cypher.Null, false, nil // not one of ragdb's
	}
	return l.ofChunk(base, cs, n.Key, name)
}

func (l *Language) ofDocument(base *engine.View, n engine.Node, name string) (cypher.Value, bool, error) {
	if !slices.Contains([]string{"name", "title", "text", "format"}, name) {
		return cypher.Null, false, nil
	}
	d, err := l.corpus.Document(base, n.Key)
	if err != nil {
		return cypher.Null, false, err
	}
	switch name {
	case "title":
		return cypher.String(d.Title), true, nil
	case "format":
		return cypher.String(d.Format), true, nil
	case "text":
		s, err := base.Text(n.ID, "_text")
		return cypher.String(s), true, err
	}
	if d.Title != "" {
		return cypher.String(d.Title), true, nil
	}
	return cypher.String(d.Key), true, nil
}

func (l *Language) ofChunk(base *engine.View, set text.ChunkSet, key, name string) (cypher.Value, bool, error) {
	switch name {
	case "name":
		return cypher.String(key), true, nil
	case "doc":
		return cypher.String(method.DocOf(key)), true, nil
	case "text", "page", "heading", "bytes", "tokens":
	default:
		return cypher.Null, false, nil
	}
	ch, err := l.corpus.ChunkByKey(base, set, key)
	if err != nil {
		return cypher.Null, false, err
	}
	switch name {
	case "text":
		return cypher.String(ch.Text), true, nil
	case "tokens":
		return cypher.Int(int64(ch.Tokens)), true, nil
	case "bytes":
		return cypher.ListOf([]cypher.Value{cypher.Int(int64(ch.Start)), cypher.Int(int64(ch.End))}), true, nil
	}
	span, err := l.corpus.Locate(base, ch.Doc, ch.Start, ch.End)
	switch {
	case err != nil:
		return cypher.Null, false, err
	case name == "heading" && span.Heading != "":
		return cypher.String(span.Heading), true, nil
	case name == "page" && span.Page != 0:
		return cypher.Int(int64(span.Page)), true, nil
	}
	return cypher.Null, true, nil
}

// Properties are those that are computed of chunks and documents.
func (l *Language) Properties(v *engine.View, n engine.Node) (engine.Props, error) {
	out := engine.Props{}
	for _, name := range []string{"name", "title", "doc", "page", "heading", "text"} {
		val, ok, err := l.Computed(v, n, name)
		if err != nil {
			return nil, err
		}
		if ok && !val.IsNull() {
			if out[name], err = val.Stored(); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
