package methods_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// opened are the models that are opened at some moment, in each way that there
// is.
func opened(t *testing.T, c *rag.Corpus) map[string]*rag.Models {
	t.Helper()
	out := map[string]*rag.Models{"nil": nil}
	for name, open := range map[string]func() (*rag.Models, error){
		"questions": func() (*rag.Models, error) { return c.OpenLocal(t.Context(), false, rag.Parts{}) },
		"documents": func() (*rag.Models, error) { return c.OpenLocal(t.Context(), true, rag.Parts{}) },
		"own":       func() (*rag.Models, error) { return c.OpenModels(t.Context()) },
		"indexed":   func() (*rag.Models, error) { return c.IndexedModels(t.Context()) },
	} {
		m, err := open()
		if err != nil {
			t.Fatalf("open %s: %v", name, err)
		}
		out[name] = m
	}
	return out
}

// TestModelsAtAnyTime asks every method with models that were opened before the
// first document, after it, and after the word table was replaced. All of them
// give the answer that models give which are opened for it.
func TestModelsAtAnyTime(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	var all []map[string]*rag.Models
	all = append(all, opened(t, c.Corpus))
	docs := ragtest.Docs(71, 12)
	q := method.Question{Text: "Who knew the " + docs[1].Code + "ium of " + docs[1].Place + "?"}
	ask := func(spec string, m *rag.Models) string {
		t.Helper()
		a, err := c.Ask(t.Context(), c.System(t, spec), m, q)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		return fmt.Sprint(a.Answered, a.Text, a.Sources)
	}
	for _, spec := range c.Methods.Names() {
		for name, m := range all[0] {
			if got := ask(spec, m); got != "false []" && got != "false[]" {
				t.Errorf("%s with %s: an empty corpus answers %s", spec, name, got)
			}
		}
	}
	sizes := []int{2, 3, 12} // from 2 to 12 the table is replaced
	if testing.Short() {
		sizes = []int{2, 6}
	}
	for _, n := range sizes {
		for _, spec := range []string{"naive", "ketrag", "noderag"} {
			c.Index(t, spec, docs[:n]...)
		}
		all = append(all, opened(t, c.Corpus))
		for _, spec := range []string{"naive", "bm25", "bridge", "ketrag", "noderag"} {
			fresh, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
			if err != nil {
				t.Fatal(err)
			}
			want := ask(spec, fresh)
			if !strings.HasPrefix(want, "true") {
				t.Errorf("%s after %d documents: %s", spec, n, want)
			}
			for at, models := range all {
				for name, m := range models {
					if got := ask(spec, m); got != want {
						t.Errorf("%s after %d documents with %s opened at %d:\n got %s\nwant %s", spec, n, name, at, got, want)
					}
				}
			}
		}
	}
	for at, models := range all {
		for name, m := range models {
			if m == nil {
				continue
			}
			if v, err := m.EmbedQuestion(t.Context(), q.Text); err != nil && !errors.Is(err, local.ErrUntrained) || err == nil && len(v) != local.Dim {
				t.Errorf("%s opened at %d embeds a question as %d numbers, %v", name, at, len(v), err)
			}
			if v, err := m.Embed(t.Context(), nil, []string{"a ferry"}); err != nil && !errors.Is(err, local.ErrUntrained) || err == nil && len(v[0]) != local.Dim {
				t.Errorf("%s opened at %d embeds a document: %v", name, at, err)
			}
		}
	}
}

// TestModelsOpenedOnce indexes with models that were opened before the first
// document, and once only.
func TestModelsOpenedOnce(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(72, 10)
	var exports []string
	for _, once := range []bool{false, true} {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		if once {
			m, err := c.Corpus.OpenLocal(t.Context(), true, rag.Parts{})
			if err != nil {
				t.Fatal(err)
			}
			c.Use(func(context.Context, *rag.Corpus) (*rag.Models, error) { return m, nil })
		}
		c.Index(t, "ketrag", docs[:3]...)
		c.Index(t, "ketrag", docs...)
		c.Remove(t, docs[4].Key)
		exports = append(exports, ragtest.Export(t, c.DB(), rag.CanonicalExport()))
	}
	ragtest.Same(t, "with models that were opened once", exports[1], exports[0])
}

// TestAnotherEmbedder asks a corpus that an embedder of the caller's has embedded
// with models that lack it. What wants vectors says which embedder is missing,
// the rest works.
func TestAnotherEmbedder(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(73, 6)
	c.Index(t, "naive", docs...)
	c.Index(t, "ketrag", docs...)
	own := c.Options().Models
	c.Use(nil)
	q := method.Question{Text: "Who knew the " + docs[1].Code + "ium of " + docs[1].Place + "?"}
	localOnes, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	indexed, err := c.IndexedModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rules := local.New(local.Options{})
	for name, m := range map[string]*rag.Models{
		"nil": nil, "local": localOnes, "indexed": indexed,
		"no embedder": new(rag.Models).With(rag.Parts{Provider: rules, Free: true}),
		"half":        c.Corpus.NewModels(rag.Parts{Provider: rules, Documents: ragtest.Hashes{}}),
	} {
		for _, spec := range []string{"naive", "ketrag"} {
			_, err := c.Ask(t.Context(), c.System(t, spec), m, q)
			var other *rag.ModelError
			if !errors.As(err, &other) || other.Have.Model != "hashes" || !strings.Contains(err.Error(), "embedded with hashes") {
				t.Errorf("%s with %s: %v", spec, name, err)
			}
		}
		if m == nil || m.Provider() == nil {
			continue
		}
		if a, err := c.Ask(t.Context(), c.System(t, "bm25"), m, q); err != nil || !a.Answered {
			t.Errorf("bm25 with %s: %v %v", name, a, err)
		}
	}
	if _, err := c.Corpus.OpenModels(t.Context()); !errors.Is(err, rag.ErrModel) {
		t.Errorf("OpenModels: %v", err)
	}
	c.Use(own)
	for _, open := range []func(context.Context) (*rag.Models, error){c.Corpus.OpenModels, c.IndexedModels} {
		m, err := open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a, err := c.Ask(t.Context(), c.System(t, "naive"), m, q); err != nil || !a.Answered {
			t.Errorf("with the corpus's own models: %v %v", a, err)
		}
	}
	// Models of no corpus are as good.
	lit := new(rag.Models).With(rag.Parts{Provider: rules, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}, Free: true})
	if a, err := c.Ask(t.Context(), c.System(t, "naive"), lit, q); err != nil || !a.Answered {
		t.Errorf("with a literal: %v %v", a, err)
	}
	if _, err := c.Ask(t.Context(), c.System(t, "naive"), new(rag.Models).With(rag.Parts{Questions: ragtest.Hashes{}}), q); !errors.Is(err, llm.ErrProvider) {
		t.Errorf("without a provider: %v", err)
	}
}

// TestAskBesideIndex opens models and asks while documents are indexed and taken
// out, and the word table is replaced, from the first document on. No question
// fails: each sees one commit.
func TestAskBesideIndex(t *testing.T) {
	t.Parallel()
	specs, asks := []string{"naive", "ketrag"}, 200
	switch {
	case *long:
		specs, asks = nil, 10000
	case testing.Short():
		asks = 60
	}
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	if specs == nil {
		specs = c.Methods.Names()
	}
	early := opened(t, c.Corpus)
	docs := ragtest.Docs(74, 32) // a power of 2: all are indexed when they are taken out
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	runs, removals := 0, 0
	defer func() {
		stop()
		wg.Wait()
		t.Logf("beside %d questions: %d index runs, %d removals", asks, runs, removals)
	}()
	wg.Go(func() {
		for round := 0; ctx.Err() == nil; round++ {
			for n := 1; n <= len(docs) && ctx.Err() == nil; n *= 2 { // each doubling replaces the table
				for _, spec := range specs {
					sys, err := c.Methods.Open(ctx, c.Corpus.Docs(), method.Spec{Name: spec})
					if err == nil {
						x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{sys}}
						_, err = x.Run(ctx, []rag.Input{{FS: ragtest.Files(docs[:n]...), Root: "."}})
					}
					if err != nil && ctx.Err() == nil {
						t.Errorf("round %d, %d documents by %s: %v", round, n, spec, err)
						return
					}
					runs++
				}
			}
			for _, d := range docs {
				if _, err := c.Corpus.Remove(ctx, c.Methods, d.Key, rag.RemoveOptions{}); err != nil && ctx.Err() == nil {
					t.Errorf("remove %s: %v", d.Key, err)
					return
				}
				removals++
			}
		}
	})
	var readers sync.WaitGroup
	for w := range 2 {
		readers.Go(func() {
			for i := w; i < asks && !t.Failed(); i += 2 {
				spec, d := specs[i/2%len(specs)], docs[i%len(docs)]
				sys, err := c.Methods.Open(ctx, c.Corpus.Docs(), method.Spec{Name: spec})
				if err != nil {
					t.Errorf("open %s: %v", spec, err)
					return
				}
				var m *rag.Models
				how := []string{"nil", "questions", "documents", "own", "indexed", "fresh"}[i%6]
				if m = early[how]; how == "fresh" {
					if m, err = c.Corpus.OpenLocal(ctx, i%4 < 2, rag.Parts{}); err != nil {
						t.Errorf("open models: %v", err)
						return
					}
				}
				if _, err := c.Ask(ctx, sys, m, method.Question{Text: "Who knew the " + d.Code + "ium of " + d.Place + "?", Budget: 500}); err != nil {
					t.Errorf("question %d by %s with %s: %v", i, spec, how, err)
				}
			}
		})
	}
	readers.Wait()
}

// TestNothingGiven calls what a program may call with nothing in it.
func TestNothingGiven(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	sys := c.System(t, "naive")
	for name, call := range map[string]func() error{
		"ask without a system":  func() error { _, err := c.Ask(ctx, nil, nil, method.Question{Text: "Who?"}); return err },
		"ask nothing":           func() error { _, err := c.Ask(ctx, sys, nil, method.Question{}); return err },
		"ask blanks":            func() error { _, err := c.Ask(ctx, sys, nil, method.Question{Text: " \n"}); return err },
		"a budget below 0":      func() error { _, err := c.Ask(ctx, sys, nil, method.Question{Text: "Who?", Budget: -1}); return err },
		"a corpus of nothing":   func() error { _, err := (&rag.Corpus{}).Ask(ctx, sys, nil, method.Question{Text: "Who?"}); return err },
		"local of nothing":      func() error { _, err := new(rag.Corpus).OpenLocal(ctx, false, rag.Parts{}); return err },
		"no database":           func() error { _, err := rag.OpenCorpus(ctx, nil, "main", nil); return err },
		"an indexer of nothing": func() error { _, err := (&rag.Indexer{}).Run(ctx, nil); return err },
		"an input of nothing": func() error {
			_, err := (&rag.Indexer{Corpus: c.Corpus, Systems: []*method.System{sys}}).Run(ctx, []rag.Input{{}})
			return err
		},
		"an indexer of a nil system": func() error {
			_, err := (&rag.Indexer{Corpus: c.Corpus, Systems: []*method.System{nil}}).Run(ctx, nil)
			return err
		},
		"evidence of nothing": func() error { _, err := c.AnswerFrom(ctx, sys, nil, method.Question{Text: "Who?"}, nil); return err },
	} {
		if err := call(); !errors.Is(err, rag.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x := &rag.Indexer{Corpus: c.Corpus}
	if _, err := x.Run(ctx, nil); !errors.Is(err, method.ErrMethod) {
		t.Errorf("an indexer without systems: %v", err)
	}
	files := fstest.MapFS{"a.txt": {Data: []byte("The ferry leaves at six.")}}
	if _, err := (&rag.Indexer{Corpus: c.Corpus, Systems: []*method.System{sys}}).Run(ctx, []rag.Input{{FS: files}}); err != nil {
		t.Errorf("an input without a root: %v", err)
	}
	if err := c.DB().DropNamespace(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(ctx, sys, nil, method.Question{Text: "Who?"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a dropped namespace: %v", err)
	}
}
