package rag_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestEmbedReads counts what the embedding of chunks reads: the text of each once, the
// node once to list it and once for the text, and no key. A run that finds everything
// done reads no text.
func TestEmbedReads(t *testing.T) {
	t.Parallel()
	store := kvtest.NewCounter(memkv.New(layout.Schema()))
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
	c.Use(func(context.Context, *rag.Corpus) (*rag.Models, error) { return nil, llm.ErrProvider })
	const n = 40
	var docs []ragtest.Doc
	for i := range n { // each text is a chunk, and too long to be kept in its node
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("%d.txt", i), Text: strings.Repeat(fmt.Sprintf("The ferry number %d leaves. ", i), 60)})
	}
	sys := c.System(t, "naive:chunks=cl100k/1200/0/window")
	x := &rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{sys}}
	if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}); !errors.Is(err, llm.ErrProvider) {
		t.Fatal(err)
	}
	m := c.NewModels(rag.Parts{Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}})
	steps, err := c.BaseStages([]*method.System{sys}, m)
	if err != nil {
		t.Fatal(err)
	}
	embed := func(want int) map[byte]int {
		t.Helper()
		store.Take()
		r := &queue.Runner{DB: db, Models: m, Workers: 3, Notify: func(rag.Event) {}}
		if done, failed, err := r.Run(t.Context(), steps[len(steps)-1]); done != want || failed != 0 || err != nil {
			t.Fatalf("%d done, %d failed, %v", done, failed, err)
		}
		return store.Take().Tags
	}
	if read := embed(n); read[byte(layout.TagText)] != n || read[byte(layout.TagNode)] > 3*n || read[byte(layout.TagExternalKey)] > 0 {
		t.Errorf("to embed %d chunks %d parts of texts, %d nodes and %d keys were read", n, read[byte(layout.TagText)], read[byte(layout.TagNode)], read[byte(layout.TagExternalKey)])
	}
	if read := embed(0); read[byte(layout.TagText)] != 0 || read[byte(layout.TagNode)] > n {
		t.Errorf("to find %d chunks embedded %d parts of texts and %d nodes were read", n, read[byte(layout.TagText)], read[byte(layout.TagNode)])
	}
}
