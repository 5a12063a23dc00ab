package rag_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestUnicode takes documents of all characters through their lives: they are
// indexed, asked, added to, replaced, removed, checked, exported and imported.
// No document is set aside, nothing fails, and nothing is left of what is
// removed. With -long the documents hold every code point, alone and doubled.
func TestUnicode(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 1))
	all, docs, batch := kinds(r), 500, 125
	if *long {
		all, docs, batch = append(all, codePoints(r)...), 20000, 500
	}
	lives(t, oddDocs(r, docs, all), batch, []string{"naive", "ketrag"})
}

// TestUnicodeAllMethods is TestUnicode for every method, on fewer documents.
func TestUnicodeAllMethods(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 2))
	all, docs := kinds(r)[:60], 12
	all = append(all, odd...)
	if *long {
		all, docs = append(kinds(r), odd...), 200
	}
	lives(t, oddDocs(r, docs, all), docs, methods.All().Names())
}

// lives runs documents through their lives, a batch in each corpus, and on a
// failure finds fewer documents that fail too.
func lives(t *testing.T, docs []oddDoc, batch int, specs []string) {
	done := 0
	for some := range slices.Chunk(docs, batch) {
		if *long {
			t.Logf("%d of %d documents", done, len(docs))
		}
		done += len(some)
		if err := live(t.Context(), some, specs); err != nil {
			bad, why := fewer(t.Context(), some, specs, err)
			for _, d := range bad {
				t.Errorf("%q: %+q; asked %+q", d.file, d.text[:min(len(d.text), 2000)], d.question)
			}
			t.Fatalf("%d documents: %v", len(bad), why)
		}
	}
}

// fewer halves failing documents for as long as a half of them fails.
func fewer(ctx context.Context, docs []oddDoc, specs []string, err error) ([]oddDoc, error) {
	for len(docs) > 1 {
		half := len(docs) / 2
		if e := live(ctx, docs[:half], specs); e != nil {
			docs, err = docs[:half], e
		} else if e := live(ctx, docs[half:], specs); e != nil {
			docs, err = docs[half:], e
		} else {
			break
		}
	}
	return docs, err
}

// live takes documents through a life in a corpus of their own.
func live(ctx context.Context, docs []oddDoc, specs []string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	l := &lifetime{ctx: ctx, specs: specs}
	if err := l.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.c.DB().Close()) }()
	most := docs[:len(docs)-len(docs)/3]
	changed := slices.Clone(docs)
	for i := range changed {
		if i%4 == 0 && !strings.HasSuffix(changed[i].file, ".jsonl") {
			changed[i].text += " Ada " + changed[i].question
		}
	}
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"index", func() error { return l.index(most) }},
		{"ask", func() error { return l.ask(docs) }},
		{"add", func() error { return l.index(docs) }},
		{"replace", func() error { return l.index(changed) }},
		{"remove some", func() error { return l.remove(2) }},
		{"check", l.check},
		{"index again", func() error { return l.index(nil) }},
		{"ask again", func() error { return l.ask(docs[:1]) }},
		{"check again", l.check},
		{"export", l.export},
		{"remove all", func() error { return l.remove(1) }},
		{"tidy", func() error { return l.index(nil) }},
		{"ask nothing", func() error { return l.ask(docs[:1]) }},
		{"check the empty corpus", l.check},
		{"look for what is left", l.empty},
	} {
		if err := step.run(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// lifetime is a corpus and the methods that it is indexed by.
type lifetime struct {
	ctx   context.Context
	specs []string
	c     *rag.Corpus
	store kv.Store
	// keys are those of all documents that were ever in the corpus.
	keys map[string]bool
}

func (l *lifetime) open() error {
	l.store, l.keys = memkv.New(layout.Schema()), map[string]bool{}
	db, err := engine.Open(l.ctx, engine.Memory, &engine.Options{
		Encodings: methods.Encodings(),
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return l.store, nil },
	})
	if err == nil {
		l.c, err = rag.OpenCorpus(l.ctx, db, "main", nil)
	}
	return err
}

func (l *lifetime) systems() (out []*method.System, err error) {
	for _, name := range l.specs {
		spec, err := method.ParseSpec(name)
		if err != nil {
			return nil, err
		}
		sys, err := methods.All().Open(l.ctx, l.c.Docs(), spec)
		if err != nil {
			return nil, err
		}
		out = append(out, sys)
	}
	return out, nil
}

func (l *lifetime) index(docs []oddDoc) error {
	systems, err := l.systems()
	if err != nil {
		return err
	}
	x := rag.Indexer{Corpus: l.c, Methods: methods.All(), Systems: systems}
	var in []rag.Input
	if docs != nil {
		in = []rag.Input{{FS: oddFiles(docs), Root: "."}}
	}
	r, err := x.Run(l.ctx, in)
	if errors.Is(err, rag.ErrPartial) && r.Failed == 0 && onlyEncoding(r.BadFiles) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%w: %v %v", err, r.BadFiles, l.failures())
	}
	keys, err := l.documents()
	for _, k := range keys {
		l.keys[k] = true
	}
	return err
}

// onlyEncoding reports whether files were refused for their bytes alone.
func onlyEncoding(bad []string) bool {
	return !slices.ContainsFunc(bad, func(s string) bool {
		return !strings.Contains(s, "UTF-8") && !strings.Contains(s, "control character") && !strings.Contains(s, "NUL")
	})
}

func (l *lifetime) failures() (out []rag.Failure) {
	names, _ := l.c.Namespace().Graphs(l.ctx)
	_ = l.c.DB().View(l.ctx, func(s *engine.Snapshot) error {
		for _, name := range names {
			if g, err := l.c.Graph(l.ctx, name); err == nil {
				for f := range l.c.Failures(s.Graph(g)) {
					out = append(out, f)
				}
			}
		}
		return nil
	})
	return out
}

func (l *lifetime) documents() (keys []string, err error) {
	err = l.c.DB().View(l.ctx, func(s *engine.Snapshot) error {
		for d, err := range l.c.Documents(s.Graph(l.c.Base())) {
			if err != nil {
				return err
			}
			keys = append(keys, d.Key)
		}
		return nil
	})
	return keys, err
}

// ask asks each method a few of the documents' questions. Where there is no
// evidence there is an answer that says so, or an error that does.
func (l *lifetime) ask(docs []oddDoc) error {
	systems, err := l.systems()
	if err != nil {
		return err
	}
	m, err := l.c.OpenLocal(l.ctx, false, rag.Parts{})
	if err != nil {
		return err
	}
	each := 1 + len(docs)/20
	for i, d := range docs {
		sys := systems[i%len(systems)]
		if i%each != 0 && len(systems) < 10 {
			continue
		}
		// A condition on metadata of that name; one that makes no sense is refused.
		where, err := cypher.ParseWhere(fmt.Sprintf("%s = '%s' OR team = '%s'", d.question, d.question, d.question))
		if err != nil {
			where, _ = cypher.ParseWhere("team = 'x'")
		}
		for k, question := range []string{d.question, d.file, d.question} {
			q := method.Question{Text: question, Budget: 500}
			if k == 2 {
				q.Where = where
			}
			_, err := l.c.Ask(l.ctx, sys, m, q)
			blank := strings.TrimSpace(question) == "" && err != nil
			if err != nil && !blank && !errors.Is(err, method.ErrNotIndexed) {
				return fmt.Errorf("%s %+q: %w", sys.Instance(), question, err)
			}
		}
	}
	return nil
}

// remove removes every n-th document.
func (l *lifetime) remove(n int) error {
	keys, err := l.documents()
	if err != nil {
		return err
	}
	for i, k := range keys {
		if i%n != 0 {
			continue
		}
		if _, err := l.c.Remove(l.ctx, methods.All(), k, rag.RemoveOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (l *lifetime) check() error {
	for f, err := range l.c.DB().Check(l.ctx, engine.CheckOptions{Full: true}) {
		if err != nil {
			return err
		}
		return errors.New(f.String())
	}
	return nil
}

func export(ctx context.Context, db *engine.DB, o engine.ExportOptions) (string, error) {
	var b bytes.Buffer
	err := db.View(ctx, func(s *engine.Snapshot) error { return s.Export(ctx, "main", &b, o) })
	return b.String(), err
}

// export exports the namespace, imports it elsewhere and compares the two.
func (l *lifetime) export() error {
	text, err := export(l.ctx, l.c.DB(), engine.ExportOptions{})
	if err != nil {
		return err
	}
	want, err := export(l.ctx, l.c.DB(), engine.ExportOptions{Canonical: true})
	if err != nil {
		return err
	}
	other := lifetime{ctx: l.ctx}
	if err := other.open(); err != nil {
		return err
	}
	defer other.c.DB().Close()
	if err := other.c.Namespace().Import(l.ctx, strings.NewReader(text)); err != nil {
		return err
	}
	got, err := export(l.ctx, other.c.DB(), engine.ExportOptions{Canonical: true})
	if err != nil {
		return err
	}
	if got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				return fmt.Errorf("line %d:\n got %.600s\nwant %.600s", i+1, g[i], w[i])
			}
		}
		return fmt.Errorf("%d lines, want %d", len(g), len(w))
	}
	return other.check()
}

// empty looks for nodes, and for the keys of documents in keys.
func (l *lifetime) empty() error {
	names, err := l.c.Namespace().Graphs(l.ctx)
	if err != nil {
		return err
	}
	err = l.c.DB().View(l.ctx, func(s *engine.Snapshot) error {
		for _, name := range names {
			g, err := l.c.Graph(l.ctx, name)
			if err != nil {
				return err
			}
			v := s.Graph(g)
			for _, t := range v.NodeTypes() {
				ids, err := v.Nodes(t)
				if err != nil {
					return err
				}
				if !ids.IsEmpty() {
					n, err := v.Node(engine.NodeID(ids.Minimum()))
					return errors.Join(err, fmt.Errorf("%s has %d nodes of type %s: %+q", name, ids.GetCardinality(), v.NodeTypeName(t), n.Key))
				}
			}
			for e, err := range v.Bucket("jobs").Scan(nil, nil) {
				if err != nil {
					return err
				}
				item, _, _ := bytes.Cut(e.Key, []byte{0})
				if doc, _, _ := strings.Cut(string(item), "#"); l.keys[doc] {
					return fmt.Errorf("%s has a mark of %+q", name, e.Key)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.noPostings()
}

// noPostings looks for words that are still found.
func (l *lifetime) noPostings() (err error) {
	it, err := l.store.Iter(l.ctx, nil, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Err(), it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		switch tag := layout.Tag(it.Key()[0]); tag {
		case layout.TagNode, layout.TagExternalKey, layout.TagText, layout.TagTermsOf, layout.TagContribution:
			return fmt.Errorf("a key of %s is left: %s", tag, layout.Schema().Format(it.Key()))
		}
	}
	return nil
}
