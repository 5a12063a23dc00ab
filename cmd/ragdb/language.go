package main

import (
	"context"
	"fmt"
	"io"
	"os"
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

// language is a corpus as the query language sees it.
type language struct {
	a      *app
	corpus *rag.Corpus
	flags  *questionFlags
	where  engine.Predicate // of flags, nil for none
	models *rag.Models      // of questions, nil until they are wanted
	// sets are the chunk sets of the graphs that methods built, by name.
	sets map[string]text.ChunkSet
	// built are those graphs, with the method that built each.
	built map[string]string
}

// newSession opens a session of the query language on a corpus, with all
// procedures. f are the settings of rag.* and of vectors made of texts.
func (a *app) newSession(ctx context.Context, c *rag.Corpus, f *questionFlags, limits cypher.Limits) (*cypher.Session, error) {
	l, err := a.newLanguage(ctx, c, f)
	if err != nil {
		return nil, err
	}
	if l.where, err = f.filter(); err != nil {
		return nil, err
	}
	r := &cypher.Registry{}
	if err := procedure.Add(r); err != nil {
		return nil, err
	}
	if err := r.Add(l.procedures()...); err != nil {
		return nil, err
	}
	return cypher.NewSession(cypher.Options{
		DB: c.DB(), Namespace: c.Namespace(), ReadOnly: a.global.readOnly, Limits: limits, Procedures: r,
		Query: l.env, Computed: l.computed, Guard: l.guard, Files: files{a},
	})
}

// newLanguage reads which graphs methods built.
func (a *app) newLanguage(ctx context.Context, c *rag.Corpus, f *questionFlags) (*language, error) {
	l := &language{a: a, corpus: c, flags: f, sets: map[string]text.ChunkSet{}, built: map[string]string{}}
	have, err := instances(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, name := range have {
		spec, err := method.ParseInstance(name)
		if err != nil {
			return nil, err
		}
		sys, err := a.methods.Open(ctx, c.Docs(), spec)
		if err != nil {
			return nil, err
		}
		if g := sys.Graph(); g != nil {
			l.sets[g.Name()], l.built[g.Name()] = sys.ChunkSet(), name
		}
	}
	return l, nil
}

// open opens the models of questions.
func (l *language) open(ctx context.Context) (*rag.Models, error) {
	if l.models == nil {
		m, err := l.a.questionModels(ctx, l.corpus, &l.flags.models)
		if err != nil {
			return nil, err
		}
		l.models = m
	}
	return l.models, nil
}

// env is what operators run in: models are opened when a text is to be
// embedded. The filter of questions holds for statements, too.
func (l *language) env(s *engine.Snapshot) *query.Env {
	filter := l.corpus.Env(s, nil, method.Question{Where: l.where, WhereAny: l.flags.whereAny}, nil)
	return &query.Env{
		Snap: s, Allow: filter.Allow, AllowAny: filter.AllowAny, Tokens: l.corpus.Tokens().Count, Analyze: l.corpus.Analyze,
		Embed: func(ctx context.Context, text string) ([]float32, error) {
			m, err := l.open(ctx)
			if err != nil {
				return nil, err
			}
			return m.EmbedQuestion(ctx, text)
		},
	}
}

// guard tells why a graph may not be written to by statements.
func (l *language) guard(_ context.Context, graph string) (string, error) {
	if method := l.built[graph]; method != "" {
		return fmt.Sprintf("graph %s is what %s made of the documents", graph, method), nil
	}
	return "", nil
}

// computed gives chunks and documents the properties that queries want: name,
// text, doc, page, heading and bytes of a chunk, name, title and text of a
// document, wherever their node is.
func (l *language) computed(r engine.Reader, n engine.Node, name string) (cypher.Value, bool, error) {
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

func (l *language) ofDocument(base *engine.View, n engine.Node, name string) (cypher.Value, bool, error) {
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

func (l *language) ofChunk(base *engine.View, set text.ChunkSet, key, name string) (cypher.Value, bool, error) {
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

// files are the files of COPY, by their paths.
type files struct{ a *app }

// Open implements [cypher.Files].
func (f files) Open(name string) (io.ReadCloser, error) { return f.a.dir.open(name) }

// Create implements [cypher.Files]. A file that exists is replaced only with
// --yes, and only by one that is whole.
func (f files) Create(name string) (io.WriteCloser, error) {
	info, err := f.a.dir.stat(name)
	if err == nil && !f.a.global.yes {
		return nil, &failure{exit: exitFailed, code: "exists", message: name + " exists already", hint: "give another name, or --yes to replace it"}
	}
	if err == nil && !info.Mode().IsRegular() {
		return f.a.dir.openFile(name, os.O_WRONLY, 0) // a device or a pipe
	}
	w, err := f.a.dir.create(name, 0o644)
	if err != nil {
		return nil, err
	}
	return wholeFile{w}, nil
}
