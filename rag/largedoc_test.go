package rag_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
	public "github.com/ragdb/ragdb/rag/ragtest"
)

// ingestStore counts the commits of sorted input and fails those that it is told
// to, as a full disk does: after all was written, before it is there.
type ingestStore struct {
	*memkv.Store
	ingests int
	broken  error
}

func (s *ingestStore) Ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	s.ingests++
	return s.Store.Ingest(ctx, func(w kv.SortedWriter) error { return errors.Join(fill(w), s.broken) })
}

// openIngest opens a corpus whose transactions keep 256 KiB at the most, a quarter
// of it for terms.
func openIngest(t *testing.T) (*ragtest.Corpus, *ingestStore) {
	t.Helper()
	store := &ingestStore{Store: memkv.New(layout.Schema())}
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		MaxTxBytes: 256 << 10, Encodings: methods.Encodings(),
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
	c.Corpus = public.Use(c.Corpus, nil, public.Embedder{})
	return c, store
}

// chineseText returns n characters in sentences, as a seed says.
func chineseText(seed uint64, n int) string {
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range n {
		b.WriteRune(0x4E00 + rune(rnd.IntN(3000)))
		if i%17 == 16 {
			b.WriteRune('。')
		}
	}
	return b.String()
}

// TestLargeDocumentIsWhole adds, replaces and removes a document of more terms than
// a transaction holds, in a store that fails at the last moment and then does not:
// the document is there whole or not at all, the run goes on where it was, and the
// end is that of a corpus in which nothing failed.
func TestLargeDocumentIsWhole(t *testing.T) {
	t.Parallel()
	disk := errors.New("no space")
	c, store := openIngest(t)
	same, _ := openIngest(t)
	small := fstest.MapFile{Data: []byte("The mill of Karrow was built in 1911.")}
	run := func(c *ragtest.Corpus, files fstest.MapFS) error {
		x := rag.Indexer{Corpus: c.Corpus, Methods: methods.All(), Systems: []*method.System{c.System(t, "naive")}}
		r, err := x.Run(t.Context(), []rag.Input{{FS: files}})
		if err == nil && len(r.BadFiles) > 0 {
			t.Errorf("set aside: %q", r.BadFiles)
		}
		return err
	}
	// must does what fails first and is then done, and compares.
	must := func(what string, do func(c *ragtest.Corpus) error) {
		t.Helper()
		before, ingests := c.Canonical(t), store.ingests
		store.broken = disk
		if err := do(c); !errors.Is(err, disk) {
			t.Fatalf("%s: %v", what, err)
		}
		ragtest.Same(t, what+" that fails", c.Canonical(t), before)
		store.broken = nil
		for _, c := range []*ragtest.Corpus{c, same} {
			if err := do(c); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if store.ingests < ingests+2 {
			t.Errorf("%s: not one transaction was sorted", what)
		}
		ragtest.Same(t, what, c.Canonical(t), same.Canonical(t))
		ragtest.Check(t, c.DB())
	}
	for _, c := range []*ragtest.Corpus{c, same} {
		if err := run(c, fstest.MapFS{"small.txt": &small}); err != nil {
			t.Fatal(err)
		}
	}
	for seed, what := range []string{"add", "replace"} {
		body := chineseText(uint64(seed), 5000)
		must(what, func(c *ragtest.Corpus) error {
			return run(c, fstest.MapFS{"small.txt": &small, "large.txt": {Data: []byte(body)}})
		})
	}
	must("remove", func(c *ragtest.Corpus) error {
		_, err := c.Corpus.Remove(t.Context(), methods.All(), "large.txt", rag.RemoveOptions{})
		return err
	})
}
