package rag_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// readCounter is a store that counts the keys which are read, by tag.
type readCounter struct {
	kv.Store
	mu   sync.Mutex // guards read
	read map[layout.Tag]int
}

func (s *readCounter) note(key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[layout.Tag(key[0])]++
}

func (s *readCounter) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	snap, err := s.Store.Snapshot(ctx)
	return &countedSnapshot{snap, s}, err
}

func (s *readCounter) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	s.note(key)
	return s.Store.Get(ctx, key, dst)
}

func (s *readCounter) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	for _, k := range keys {
		s.note(k)
	}
	return s.Store.MultiGet(ctx, keys, fn)
}

func (s *readCounter) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := s.Store.Iter(ctx, lo, hi)
	return &countedIterator{it, s}, err
}

type countedSnapshot struct {
	kv.Snapshot
	s *readCounter
}

func (r *countedSnapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	r.s.note(key)
	return r.Snapshot.Get(ctx, key, dst)
}

func (r *countedSnapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	for _, k := range keys {
		r.s.note(k)
	}
	return r.Snapshot.MultiGet(ctx, keys, fn)
}

func (r *countedSnapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	it, err := r.Snapshot.Iter(ctx, lo, hi)
	return &countedIterator{it, r.s}, err
}

type countedIterator struct {
	kv.Iterator
	s *readCounter
}

func (it *countedIterator) at(ok bool) bool {
	if ok {
		it.s.note(it.Key())
	}
	return ok
}

func (it *countedIterator) First() bool              { return it.at(it.Iterator.First()) }
func (it *countedIterator) Next() bool               { return it.at(it.Iterator.Next()) }
func (it *countedIterator) SeekGE(k []byte) bool     { return it.at(it.Iterator.SeekGE(k)) }
func (it *countedIterator) SeekPrefix(k []byte) bool { return it.at(it.Iterator.SeekPrefix(k)) }

// TestEmbedReads counts what the embedding of chunks reads: the text of each once, the
// node once to list it and once for the text, and no key. A run that finds everything
// done reads no text.
func TestEmbedReads(t *testing.T) {
	t.Parallel()
	store := &readCounter{Store: memkv.New(layout.Schema()), read: map[layout.Tag]int{}}
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
	embed := func(want int) map[layout.Tag]int {
		t.Helper()
		store.mu.Lock()
		store.read = map[layout.Tag]int{}
		store.mu.Unlock()
		r := &queue.Runner{DB: db, Models: m, Workers: 3, Notify: func(rag.Event) {}}
		if done, failed, err := r.Run(t.Context(), steps[len(steps)-1]); done != want || failed != 0 || err != nil {
			t.Fatalf("%d done, %d failed, %v", done, failed, err)
		}
		store.mu.Lock()
		defer store.mu.Unlock()
		return store.read
	}
	if read := embed(n); read[layout.TagText] != n || read[layout.TagNode] > 3*n || read[layout.TagExternalKey] > 0 {
		t.Errorf("to embed %d chunks %d parts of texts, %d nodes and %d keys were read", n, read[layout.TagText], read[layout.TagNode], read[layout.TagExternalKey])
	}
	if read := embed(0); read[layout.TagText] != 0 || read[layout.TagNode] > n {
		t.Errorf("to find %d chunks embedded %d parts of texts and %d nodes were read", n, read[layout.TagText], read[layout.TagNode])
	}
}
