package ragtest

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// Open opens a corpus in memory that is closed with the test.
func Open(t testing.TB) *rag.Corpus {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Use returns a corpus that indexes and answers with a model and an embedder, in
// place of the local ones. It comes before the first documents.
func Use(c *rag.Corpus, p llm.Provider, e llm.Embedder) *rag.Corpus {
	return c.With(rag.Options{
		NoWords: true,
		Models: func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.NewModels(rag.Parts{Provider: p, Documents: e, Questions: e}), nil
		},
	})
}

// System opens a method, written name[:key=value,...].
func System(t testing.TB, c *rag.Corpus, spec string) *method.System {
	t.Helper()
	parsed, err := method.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := methods.All().Open(t.Context(), c.Docs(), parsed)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// Index indexes documents, texts by file name, by a method; the file's name
// says how its text is read. It fails the test where anything of it fails.
func Index(t testing.TB, c *rag.Corpus, spec string, docs map[string]string) *rag.IndexResult {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range docs {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	x := rag.Indexer{Corpus: c, Methods: methods.All(), Systems: []*method.System{System(t, c, spec)}}
	r, err := x.Run(t.Context(), []rag.Input{{FS: files, Root: "."}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Ask asks a method a question.
func Ask(t testing.TB, c *rag.Corpus, spec, question string) *rag.Answer {
	t.Helper()
	m, err := questionModels(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Ask(t.Context(), System(t, c, spec), m, method.Question{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func questionModels(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
	if open := c.Options().Models; open != nil {
		return open(ctx, c)
	}
	return c.OpenLocal(ctx, false, rag.Parts{})
}
