package rag_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// meanwhile returns the methods, of which do is called while naive prepares a
// removal.
func meanwhile(do func()) method.Methods {
	m, naive := methods.All(), methods.All()["naive"]
	m["naive"] = func(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
		sys, err := naive(ctx, c, params)
		if err == nil {
			sys.Changed = func(context.Context, *rag.Models, []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
				do()
				return nil, nil
			}
		}
		return sys, err
	}
	return m
}

// replaceTable has the words learnt again, as a corpus that grew does: there is a new
// table then.
func replaceTable(t *testing.T, c *ragtest.Corpus) {
	t.Helper()
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket("words")
		if err != nil {
			return err
		}
		return b.Delete([]byte("trained"))
	})
	if err != nil {
		t.Fatal(err)
	}
	store := words.Store{C: c.Docs()}
	if err := store.Train(t.Context(), text.ChunkSet{}, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
}

// newest returns the version of the newest table and how many texts its rows count.
func newest(t *testing.T, c *ragtest.Corpus) (version, texts uint64) {
	t.Helper()
	words := wordBucket(t, c)
	number := func(key string) uint64 {
		if len(words[key]) != 8 {
			return 0
		}
		return binary.BigEndian.Uint64([]byte(words[key]))
	}
	version = max(number("current"), number("next"))
	return version, number(fmt.Sprintf("%08d/texts", version))
}

// TestRemovalBesideTraining: a removal whose words were prepared for a table that
// was replaced meanwhile is prepared again, for the new table. If that happens
// every time it ends with ErrConflict, and has changed nothing.
func TestRemovalBesideTraining(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(91, 8)
	c.Index(t, "naive", docs...)
	calls := 0
	again := meanwhile(func() {
		if calls++; calls <= 2 {
			replaceTable(t, c)
		}
	})
	_, before := newest(t, c)
	r, err := c.Corpus.Remove(t.Context(), again, docs[0].Key, rag.RemoveOptions{})
	if err != nil || calls != 3 {
		t.Fatalf("prepared %d times, want 3: %v", calls, err)
	}
	if version, texts := newest(t, c); version != 3 || texts != before-uint64(r.Chunks) {
		t.Errorf("table %d counts %d texts, want table 3 and %d less than %d", version, texts, r.Chunks, before)
	}
	before -= uint64(r.Chunks)

	calls = 0
	always := meanwhile(func() { calls++; replaceTable(t, c) })
	if _, err := c.Corpus.Remove(t.Context(), always, docs[1].Key, rag.RemoveOptions{}); !errors.Is(err, engine.ErrConflict) {
		t.Fatalf("with a table that is replaced each time: %v", err)
	}
	if version, texts := newest(t, c); calls != 8 || version != 11 || texts != before {
		t.Errorf("prepared %d times, table %d counts %d texts, want 8 times, table 11 and %d texts", calls, version, texts, before)
	}
	err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		_, err := c.Document(s.Graph(c.Base()), docs[1].Key)
		return err
	})
	if err != nil {
		t.Errorf("the document that was not removed: %v", err)
	}
	ragtest.Check(t, c.DB())
}

// TestRemovalOfWhatChanged: a removal of a document that another commit wrote meanwhile is
// prepared again.
func TestRemovalOfWhatChanged(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(91, 3)
	c.Index(t, "naive", docs...)
	calls := 0
	change := meanwhile(func() {
		if calls++; calls > 1 {
			return
		}
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			base := tx.Graph(c.Base())
			d, err := c.Document(base, docs[0].Key)
			if err != nil {
				return err
			}
			return base.SetProps(d.ID, engine.Props{"_title": engine.String("another")})
		})
		if err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Corpus.Remove(t.Context(), change, docs[0].Key, rag.RemoveOptions{}); err != nil || calls != 2 {
		t.Errorf("prepared %d times, want twice: %v", calls, err)
	}
	ragtest.Check(t, c.DB())
}

// TestRemovalFromOtherGraphs: a removal takes the chunks out of graphs that no method
// builds, also out of one that is made while the removal is prepared.
func TestRemovalFromOtherGraphs(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	doc := ragtest.Document(91, 0, 0)
	c.Index(t, "naive", doc, ragtest.Document(91, 1, 0))
	key := doc.Key + "#0"
	made := func(name string) *engine.Graph {
		t.Helper()
		g, err := c.Namespace().Graph(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType(method.ChunkNodeType)
			if err == nil {
				_, _, err = v.PutNode(typ, key, nil)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	graphs := []*engine.Graph{made("before")}
	besides := meanwhile(func() {
		if len(graphs) == 1 {
			graphs = append(graphs, made("meanwhile"))
			replaceTable(t, c) // a conflict
		}
	})
	if _, err := c.Corpus.Remove(t.Context(), besides, doc.Key, rag.RemoveOptions{}); err != nil || len(graphs) != 2 {
		t.Fatalf("%d graphs, %v", len(graphs), err)
	}
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for _, g := range graphs {
			v := s.Graph(g)
			typ, _ := v.NodeType(method.ChunkNodeType)
			if _, err := v.Lookup(typ, key); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("%s has the removed chunk: %v", g.Name(), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	ragtest.Check(t, c.DB())
}

// TestReplacementBesideTraining: a document that changed is put in place though its
// words were prepared for a table that was replaced meanwhile.
func TestReplacementBesideTraining(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(92, 8)
	c.Index(t, "naive", docs...)
	docs[2] = ragtest.Document(92, 2, 1)
	calls := 0
	x := rag.Indexer{Corpus: c.Corpus, Systems: []*method.System{c.System(t, "naive")}, Methods: meanwhile(func() {
		if calls++; calls == 1 {
			replaceTable(t, c)
		}
	})}
	r, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}})
	if err != nil || r.Replaced != 1 || calls != 2 {
		t.Fatalf("%+v, prepared %d times: %v", r, calls, err)
	}
	ragtest.Check(t, c.DB())
}
