package methods_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// forgetIdle removes from a corpus what says that runs have nothing to do.
func forgetIdle(t *testing.T, c *ragtest.Corpus, spec string) {
	t.Helper()
	buckets := map[*engine.Graph]string{c.Base(): "frontiers", c.System(t, spec).Graph(): "idle"}
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		for g, bucket := range buckets {
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
// nothing to do and once without: the runs do the same work, and leave the same.
func TestIdle(t *testing.T) {
	t.Parallel()
	for _, spec := range methods.All().Names() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(19, 4))
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
		})
	}
}

// callCounter counts what is read of a store.
type callCounter struct {
	kv.Store
	keys atomic.Int64
}

func (s *callCounter) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	snap, err := s.Store.Snapshot(ctx)
	return &countedReads{snap, s}, err
}

type countedReads struct {
	kv.Snapshot
	s *callCounter
}

func (r *countedReads) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	r.s.keys.Add(1)
	return r.Snapshot.Get(ctx, key, dst)
}

func (r *countedReads) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	r.s.keys.Add(int64(len(keys)))
	return r.Snapshot.MultiGet(ctx, keys, fn)
}

func (r *countedReads) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := r.Snapshot.Iter(ctx, lo, hi)
	return &countedWalk{it, r.s}, err
}

type countedWalk struct {
	kv.Iterator
	s *callCounter
}

func (it *countedWalk) at(ok bool) bool {
	if ok {
		it.s.keys.Add(1)
	}
	return ok
}

func (it *countedWalk) First() bool              { return it.at(it.Iterator.First()) }
func (it *countedWalk) Next() bool               { return it.at(it.Iterator.Next()) }
func (it *countedWalk) SeekGE(k []byte) bool     { return it.at(it.Iterator.SeekGE(k)) }
func (it *countedWalk) SeekPrefix(k []byte) bool { return it.at(it.Iterator.SeekPrefix(k)) }

// TestNoNews counts the keys that a run without news reads, for each method and at two
// sizes: they are few, and no more in the larger corpus.
func TestNoNews(t *testing.T) {
	t.Parallel()
	for _, spec := range methods.All().Names() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			measure := func(n int) int64 {
				store := &callCounter{Store: memkv.New(layout.Schema())}
				db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
					OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: methods.All()}
				c.Index(t, spec, ragtest.Docs(43, n)...)
				x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)}}
				store.keys.Store(0)
				if _, err := x.Run(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				return store.keys.Load()
			}
			few, many := measure(4), measure(24)
			if many > few+3 || many > 120 {
				t.Errorf("%d keys were read of 4 documents, %d of 24", few, many)
			}
		})
	}
}
