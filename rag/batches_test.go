package rag_test

import (
	"context"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// counting is an embedder that notes how many texts each request has.
type counting struct {
	ragtest.Hashes
	mu    sync.Mutex
	sizes []int
}

func (e *counting) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	e.mu.Lock()
	e.sizes = append(e.sizes, len(texts))
	e.mu.Unlock()
	return e.Hashes.Embed(ctx, texts)
}

// Texts share requests as far as there are workers: nobody waits for a text that no
// worker could bring, whatever else the workers wait for.
func TestEmbeddingsShareRequests(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(121, 40)
	for _, c := range []struct {
		spec    string
		workers int
		most    int // texts of a request, at least once; of 200 workers as many as are read meanwhile
	}{
		{"naive", 1, 1}, {"naive", 3, 3}, {"naive", 200, 10}, {"ketrag", 3, 3}, {"hirag", 5, 3}, {"noderag", 7, 3},
	} {
		corpus := ragtest.Open(t, methods.All(), methods.Encodings()...)
		e := &counting{}
		corpus.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.NewModels(rag.Parts{Provider: local.New(local.Options{}), Documents: e, Questions: e, Free: true}), nil
		})
		x := rag.Indexer{
			Corpus: corpus.Corpus, Methods: corpus.Methods, Systems: []*method.System{corpus.System(t, c.spec)},
			Options: rag.IndexOptions{Workers: c.workers},
		}
		if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}); err != nil {
			t.Fatal(err)
		}
		most, all := 0, 0
		for _, n := range e.sizes {
			most, all = max(most, n), all+n
		}
		if most < c.most || c.workers == 1 && most > 1 && c.spec == "naive" {
			t.Errorf("%s with %d workers: requests of %d texts at most, %d in all", c.spec, c.workers, most, all)
		}
		t.Logf("%s with %d workers: %d requests of %d texts, the largest of %d", c.spec, c.workers, len(e.sizes), all, most)
	}
}
