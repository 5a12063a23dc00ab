package rag_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestDocumentSetAside says that a document that cannot be written is named with
// its reason, and that the others are indexed.
func TestDocumentSetAside(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	lines := []string{
		`{"id":"first","text":"Ada repaired the lamp."}`,
		`{"id":"twins","text":"Brom sold the boat.","\u00c5":"one","A\u030a":"two"}`,                // one name in NFC
		fmt.Sprintf(`{"id":"wide","text":"Brom sold it.","%s":"x"}`, strings.Repeat("\u0958", 340)), // 1,020 bytes, and 2,040 in NFC
		fmt.Sprintf(`{"id":"%s","text":"Celia painted the mill."}`, strings.Repeat("k", 4095)),
		`{"id":"last","text":"Dorn wrote to Ada."}`,
	}
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "naive"), c.System(t, "ketrag")}}
	files := fstest.MapFS{"notes.jsonl": {Data: []byte(strings.Join(lines, "\n"))}}
	for range 2 {
		r, err := x.Run(t.Context(), []rag.Input{{FS: files, Root: "."}})
		if !errors.Is(err, rag.ErrPartial) || len(r.BadFiles) != 3 || r.Failed != 0 || r.Added+r.Unchanged != 2 {
			t.Fatalf("%+v: %v", r, err)
		}
		for line, want := range map[int]string{2: "is given twice", 3: "field name", 4: "has a key of more than"} {
			place := fmt.Sprintf("notes.jsonl:%d: ", line)
			if !slices.ContainsFunc(r.BadFiles, func(s string) bool { return strings.HasPrefix(s, place) && strings.Contains(s, want) }) {
				t.Errorf("no bad file begins with %q and says %q: %.200q", place, want, r.BadFiles)
			}
		}
	}
	m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	ev, err := c.Retrieve(t.Context(), c.System(t, "naive"), m, method.Question{Text: "Who wrote to Ada?"})
	if err != nil || len(ev.Items()) != 2 {
		t.Errorf("%d items of evidence, want 2: %v", len(ev.Items()), err)
	}
	c.Remove(t, "last")
	ragtest.Check(t, c.DB())
}

// TestReplacementSetAside: a changed document whose removal a method cannot prepare
// stays as it was and is named with the reason, and the others are replaced.
func TestReplacementSetAside(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("the method is confused") },
		"panic": func() error { panic("the method is confused") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			docs := ragtest.Docs(96, 4)
			c.Index(t, "naive", docs...)
			key := docs[1].Key
			for i := range 3 {
				docs[i] = ragtest.Document(96, i, 1)
			}
			m, naive := methods.All(), methods.All()["naive"]
			m["naive"] = func(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
				sys, err := naive(ctx, c, params)
				if err == nil {
					sys.Changed = confused(key, fail)
				}
				return sys, err
			}
			x := rag.Indexer{Corpus: c.Corpus, Methods: m, Systems: []*method.System{c.System(t, "naive")}}
			r, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}})
			if !errors.Is(err, rag.ErrPartial) || r.Replaced != 2 || r.Unchanged != 1 || len(r.BadFiles) != 1 || !strings.Contains(r.BadFiles[0], "the method is confused") {
				t.Fatalf("%+v: %v", r, err)
			}
			if _, err := c.Corpus.Remove(t.Context(), m, key, rag.RemoveOptions{}); err == nil || !strings.Contains(err.Error(), "the method is confused") {
				t.Errorf("its removal: %v", err)
			}
			if r := c.Index(t, "naive", docs...); r.Replaced != 1 || r.Unchanged != 3 {
				t.Errorf("with a method that can prepare: %+v", r)
			}
			ragtest.Check(t, c.DB())
		})
	}
}

// confused returns what cannot take a document out.
func confused(doc string, fail func() error) func(context.Context, *rag.Models, []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
	return func(_ context.Context, _ *rag.Models, gone []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
		if len(gone) > 0 && method.DocOf(gone[0].Key) == doc {
			return nil, fail()
		}
		return nil, nil
	}
}

// TestItemsFail: a stage whose items cannot be told ends the run with an error that
// names it, if it panics too; what came before stays.
func TestItemsFail(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("no more items") },
		"panic": func() error { panic("no more items") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{lost(c.System(t, "ketrag"), fail)}}
			r, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(ragtest.Docs(97, 3)...), Root: "."}})
			if err == nil || r.Added != 3 || !strings.Contains(err.Error(), "no more items") || !strings.HasPrefix(err.Error(), c.System(t, "ketrag").Stages(nil)[0].Name()) {
				t.Fatalf("%+v: %v", r, err)
			}
			c.Index(t, "ketrag", ragtest.Docs(97, 3)...)
			ragtest.Check(t, c.DB())
		})
	}
}

// lost returns a method whose stages cannot tell all their items.
func lost(sys *method.System, fail func() error) *method.System {
	out := *sys
	out.Build = func(m *rag.Models) (steps []method.Step) {
		for _, st := range sys.Stages(m) {
			st.Stage = lostStage{st.Stage, fail}
			st.Growth, st.Local = nil, nil // the runner asks Items
			steps = append(steps, st)
		}
		return steps
	}
	return &out
}

type lostStage struct {
	method.Stage
	fail func() error
}

func (s lostStage) Items(ctx context.Context, snap *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		for w, err := range s.Stage.Items(ctx, snap) {
			if !yield(w, err) {
				return
			}
			break
		}
		yield(method.WorkItem{}, s.fail())
	}
}
