package methods_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// forgetIdle removes from a corpus what says that runs have nothing to do, or how far
// they have come.
func forgetIdle(t *testing.T, c *ragtest.Corpus, spec string) {
	t.Helper()
	graphs := []*engine.Graph{c.Base(), c.System(t, spec).Graph()}
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		for _, g := range graphs {
			for _, bucket := range []string{"frontiers", "idle"} {
				if g == nil {
					continue
				}
				b, err := tx.Graph(g).MakeBucket(bucket)
				if err == nil {
					err = b.DeletePrefix(nil)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// itemsDone returns how many items of stages were done.
func itemsDone(r *rag.IndexResult) (n int) {
	for _, s := range r.Stages {
		n += s.Done
	}
	return n
}

// TestIdle lives a life twice for each method, once with what tells a run that it has
// nothing to do, or what has changed, and once without: the runs do the same work, and
// leave the same.
func TestIdle(t *testing.T) {
	t.Parallel()
	seeds := 1
	if *long {
		seeds = 12
	}
	for _, spec := range methods.All().Names() {
		for seed := range seeds {
			t.Run(fmt.Sprint(spec, " ", seed), func(t *testing.T) {
				t.Parallel()
				liveIdle(t, spec, uint64(seed))
			})
		}
	}
}

func liveIdle(t *testing.T, spec string, seed uint64) {
	r := rand.New(rand.NewPCG(19, 4+seed))
	c, twin := ragtest.Open(t, methods.All(), methods.Encodings()...), ragtest.Open(t, methods.All(), methods.Encodings()...)
	index := func(docs ...ragtest.Doc) {
		t.Helper()
		forgetIdle(t, twin, spec)
		got, want := c.Index(t, spec, docs...), twin.Index(t, spec, docs...)
		if itemsDone(got) != itemsDone(want) {
			t.Fatalf("%v were done, %v by a run that looks at everything", got.Stages, want.Stages)
		}
	}
	for step := range 8 {
		switch {
		case step == 0:
			index(ragtest.Docs(41, 6)...)
		case r.IntN(3) == 0:
			key := ragtest.Document(41, r.IntN(6), 0).Key
			for _, o := range []*ragtest.Corpus{c, twin} {
				// It may have gone already, in both.
				_, _ = o.Corpus.Remove(t.Context(), o.Methods, key, rag.RemoveOptions{})
			}
			index()
		case r.IntN(2) == 0:
			index(ragtest.Document(41, r.IntN(8), r.IntN(3)))
		default:
			index()
		}
		index()
	}
	ragtest.Same(t, spec, c.Canonical(t), twin.Canonical(t))
}

// TestNoNews counts the keys that a run without news reads, for each method and at two
// sizes: they are few, and no more in the larger corpus.
func TestNoNews(t *testing.T) {
	t.Parallel()
	for _, spec := range methods.All().Names() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			measure := func(n int) int {
				c, store := openCounted(t)
				c.Index(t, spec, ragtest.Docs(43, n)...)
				x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)}}
				store.Take()
				if _, err := x.Run(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				return store.Take().Keys
			}
			few, many := measure(4), measure(24)
			if many > few+3 || many > 120 {
				t.Errorf("%d keys were read of 4 documents, %d of 24", few, many)
			}
		})
	}
}

// openCounted opens a corpus in a store that counts reads.
func openCounted(t *testing.T) (*ragtest.Corpus, *kvtest.Counter) {
	t.Helper()
	store := kvtest.NewCounter(memkv.New(layout.Schema()))
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}, store
}

// TestOneMore counts what a run reads that finds one document more, in corpora of two
// sizes, for the methods all of whose stages are about single nodes: the size does not
// matter. The document and those around it are alike in both.
func TestOneMore(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"naive", "bridge", "linearrag", "erarag"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			doc := func(i int) ragtest.Doc {
				return ragtest.Doc{Key: fmt.Sprintf("%d.txt", i), Text: fmt.Sprintf(
					"Keeper Anna%d Berg%d met Captain Olaf%d Lund%d at the mill. The ferry of Berg%d leaves at %d.\n\nThe mill of Lund%d stands.", i, i, i, i, i, i, i)}
			}
			measure := func(n int) (out kvtest.Reads) {
				c, store := openCounted(t)
				var docs []ragtest.Doc
				for i := range n {
					docs = append(docs, doc(i))
				}
				c.Index(t, spec, docs...)
				c.Index(t, spec, doc(n)) // looks at what the first run has left
				store.Take()
				c.Index(t, spec, doc(n+1))
				return store.Take()
			}
			few, many := measure(30), measure(120)
			if many.Keys > few.Keys*13/10 || many.Calls > few.Calls*13/10 || many.Calls > 500 {
				t.Errorf("one document beside 30 took %d reads of %d keys, beside 120 %d of %d", few.Calls, few.Keys, many.Calls, many.Keys)
			}
		})
	}
}
