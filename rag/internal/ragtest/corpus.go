package ragtest

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// tokenizer is made once a process: it takes some tens of milliseconds.
var tokenizer = sync.OnceValue(text.NewCL100K)

// Corpus is an open corpus with its store.
type Corpus struct {
	*rag.Corpus
	Store kv.Store
	// Methods are those that a document is taken out of.
	Methods method.Methods
}

// Open opens a corpus in memory that is closed with the test. encodings tell
// how to read what the methods keep; with none, checks do not read it.
func Open(t testing.TB, m method.Methods, encodings ...engine.Encoding) *Corpus {
	t.Helper()
	store, err := newStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		Encodings: encodings,
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Corpus{Corpus: OpenIn(t, db), Store: store, Methods: m}
}

// OpenIn opens the corpus of the namespace main.
func OpenIn(t testing.TB, db *engine.DB) *rag.Corpus {
	t.Helper()
	tok := tokenizer()
	c, err := rag.OpenCorpus(context.Background(), db, "main", &rag.Options{Tokens: tok})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// System opens a method.
func (c *Corpus) System(t testing.TB, spec string) *method.System {
	t.Helper()
	s, err := method.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := c.Methods.Open(t.Context(), c.Corpus.Docs(), s)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// Use makes the corpus use models: those that open opens, the local ones if it is
// nil.
func (c *Corpus) Use(open func(ctx context.Context, c *rag.Corpus) (*rag.Models, error)) {
	o := c.Options()
	o.Models = open
	c.Corpus = c.With(o)
}

// Learn says whether the local model learns from the words of the documents.
func (c *Corpus) Learn(words bool) {
	o := c.Options()
	o.NoWords = !words
	c.Corpus = c.With(o)
}

// OpenModels opens the models of the corpus.
func (c *Corpus) OpenModels(t testing.TB) *rag.Models {
	t.Helper()
	m, err := c.Options().Models(t.Context(), c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// View calls fn with the graph of a method.
func (c *Corpus) View(t testing.TB, spec string, fn func(v *engine.View) error) {
	t.Helper()
	g := c.System(t, spec).Graph()
	if err := c.DB().View(t.Context(), func(s *engine.Snapshot) error { return fn(s.Graph(g)) }); err != nil {
		t.Fatal(err)
	}
}

// Evidence returns what a method retrieves for a question.
func (c *Corpus) Evidence(t testing.TB, spec string, q method.Question) *rag.Evidence {
	t.Helper()
	ev, err := c.Retrieve(t.Context(), c.System(t, spec), c.OpenModels(t), q)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// Index indexes documents by a method, and fails the test where that fails.
func (c *Corpus) Index(t testing.TB, spec string, docs ...Doc) *rag.IndexResult {
	t.Helper()
	return c.IndexFS(t, spec, Files(docs...), len(docs) > 0)
}

// IndexFS is Index for files; without read only what is left is done.
func (c *Corpus) IndexFS(t testing.TB, spec string, files fs.FS, read bool) *rag.IndexResult {
	t.Helper()
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)}}
	var in []rag.Input
	if read {
		in = []rag.Input{{FS: files, Root: "."}}
	}
	r, err := x.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Remove removes a document.
func (c *Corpus) Remove(t testing.TB, key string) *rag.RemoveResult {
	t.Helper()
	r, err := c.Corpus.Remove(t.Context(), c.Methods, key, rag.RemoveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Export returns an export of the namespace.
func Export(t testing.TB, db *engine.DB, o engine.ExportOptions) string {
	t.Helper()
	var b bytes.Buffer
	err := db.View(context.Background(), func(s *engine.Snapshot) error {
		return s.Export(context.Background(), "main", &b, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Canonical returns the canonical export.
func (c *Corpus) Canonical(t testing.TB) string {
	t.Helper()
	return Export(t, c.DB(), rag.CanonicalExport())
}

// Check fails the test where a full check of the database finds anything.
func Check(t testing.TB, db *engine.DB) {
	t.Helper()
	for f, err := range db.Check(context.Background(), engine.CheckOptions{Full: true}) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("check: %v", f)
	}
}

// Same fails the test with the first lines in which two exports differ.
func Same(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	shown := 0
	for i := 0; i < max(len(g), len(w)) && shown < 3; i++ {
		a, b := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			shown++
			t.Errorf("%s: line %d:\n got %.600s\nwant %.600s", what, i+1, a, b)
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(g), len(w))
}

// Find returns the keys of a store of which the key or the value holds one of
// some words, in whatever case.
func Find(t testing.TB, s kv.Store, words ...string) []string {
	t.Helper()
	it, err := s.Iter(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for ok := it.First(); ok; ok = it.Next() {
		key, value := bytes.ToLower(it.Key()), bytes.ToLower(it.Value())
		for _, w := range words {
			low := []byte(strings.ToLower(w))
			if bytes.Contains(key, low) || bytes.Contains(value, low) {
				out = append(out, layout.Schema().Format(it.Key()))
				break
			}
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
