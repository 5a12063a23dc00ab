package rag_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// choosy embeds no text that has the word.
type choosy struct {
	ragtest.Hashes
	word string
}

// Embed implements [llm.Embedder].
func (e *choosy) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	if e.word != "" && strings.Contains(strings.Join(texts, " "), e.word) {
		return nil, llm.Usage{}, errors.New("not this one")
	}
	return e.Hashes.Embed(ctx, texts)
}

// TestCountItems counts the base stages while documents come, fail, are
// repaired and go, and another chunk set is wanted.
func TestCountItems(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	e := &choosy{word: "unwanted"}
	models := func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.NewModels(rag.Parts{Documents: e, Questions: e}), nil
	}
	c.Use(models)
	docs := []ragtest.Doc{
		{Key: "a.txt", Text: "Ada saw the lighthouse."}, {Key: "b.txt", Text: "Brom saw the unwanted bridge."},
		{Key: "c.txt", Text: "Celia saw the ferry."},
	}
	const small, large = "cl100k/300/0/paragraph", "cl100k/600/0/paragraph"
	expect := func(when string, specs []string, want map[string]queue.StageCount) {
		t.Helper()
		m, err := models(t.Context(), c.Corpus)
		if err != nil {
			t.Fatal(err)
		}
		var systems []*method.System
		for _, s := range specs {
			systems = append(systems, c.System(t, s))
		}
		stages, err := c.BaseStages(systems, m)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]queue.StageCount{}
		err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			for _, st := range stages {
				if got[st.Name()], err = st.Count(t.Context(), s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(stages) != len(want) || !maps.Equal(got, want) {
			t.Errorf("%s: %d stages %v, want %v", when, len(stages), got, want)
		}
	}
	index := func(spec string, retry bool, want error, docs ...ragtest.Doc) {
		t.Helper()
		x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)}, Options: rag.IndexOptions{Retry: retry}}
		if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}); !errors.Is(err, want) {
			t.Fatalf("%v, want %v", err, want)
		}
	}
	two := []string{"dense", "naive"} // of one chunk set
	other := "dense:chunks=" + large

	expect("empty", two, map[string]queue.StageCount{"chunk " + small: {}, "embed " + small: {}})
	expect("no method", nil, map[string]queue.StageCount{})
	index("dense", false, rag.ErrPartial, docs...)
	expect("one failed", two, map[string]queue.StageCount{
		"chunk " + small: {Done: 3}, "embed " + small: {Done: 2, Failed: 1},
	})
	expect("another set", []string{"dense", other}, map[string]queue.StageCount{
		"chunk " + small: {Done: 3}, "chunk " + large: {Pending: 3},
		"embed " + small: {Done: 2, Failed: 1}, "embed " + large: {},
	})
	e.word = ""
	index("dense", true, nil, docs...)
	expect("repaired", two, map[string]queue.StageCount{
		"chunk " + small: {Done: 3}, "embed " + small: {Done: 3},
	})
	index(other, false, nil, append(docs, ragtest.Doc{Key: "d.txt", Text: "Dorn saw the mill."})...)
	expect("a document for the other set only", []string{other, "dense"}, map[string]queue.StageCount{
		"chunk " + small: {Done: 3, Pending: 1}, "chunk " + large: {Done: 4},
		"embed " + small: {Done: 3}, "embed " + large: {Done: 4},
	})
	c.Remove(t, "a.txt")
	expect("without a document", []string{"dense"}, map[string]queue.StageCount{
		"chunk " + small: {Done: 2, Pending: 1}, "embed " + small: {Done: 2},
	})
}
