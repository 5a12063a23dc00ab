package service_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// shared is a store that two databases have open.
type shared struct{ kv.Store }

// Close does nothing.
func (shared) Close() error { return nil }

// TestFollow serves a database that is open for reading while another process makes,
// fills, drops and makes again a namespace: the corpora that it keeps, and a session,
// show what is there.
func TestFollow(t *testing.T) {
	ctx := t.Context()
	st := shared{memkv.New(layout.Schema())}
	openDB := func(readOnly bool) *engine.DB {
		db, err := engine.Open(ctx, "db", &engine.Options{
			ReadOnly: readOnly, Encodings: methods.Encodings(),
			OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return st, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	writer, reader := openDB(false), openDB(true)
	index := func(spec string, docs fstest.MapFS) {
		t.Helper()
		c, err := rag.OpenCorpus(ctx, writer, "main", nil)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := method.ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := methods.All().Open(ctx, c.Docs(), parsed)
		if err != nil {
			t.Fatal(err)
		}
		x := rag.Indexer{Corpus: c, Methods: methods.All(), Systems: []*method.System{sys}}
		if _, err := x.Run(ctx, []rag.Input{{FS: docs, Root: "."}}); err != nil {
			t.Fatal(err)
		}
	}
	d := service.NewDatabase(service.DatabaseOptions{
		DB: reader, Methods: methods.All(),
		Questions: func(ctx context.Context, c *rag.Corpus, _ bool) (*rag.Models, error) { return c.OpenModels(ctx) },
	})
	defer d.Close(context.Background())
	look := func(docs int) *service.Corpus {
		t.Helper()
		c, err := d.Corpus(ctx, "main")
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Status(ctx)
		if err != nil || r.Docs != docs || r.Epoch != writer.Epoch() || r.Latest != r.Epoch {
			t.Fatalf("status %+v of commit %d, %v; want %d documents", r, writer.Epoch(), err, docs)
		}
		return c
	}
	if _, err := d.Corpus(ctx, "main"); err == nil {
		t.Fatal("a namespace that is not there")
	}
	brae := fstest.MapFS{"brae.md": {Data: []byte("The lamp of Brae was lit by Halvard.")}}
	foula := fstest.MapFS{"foula.md": {Data: []byte("The mast of Foula was cut by Ingrid.")}}
	index("bridge", brae)
	c := look(1)
	s, err := c.NewSession(ctx, service.SessionOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	index("noderag", foula)
	look(2)
	rowsOf(t, s, "USE noderag")
	if found := rowsOf(t, s, "MATCH (c:chunk) WHERE c.text CONTAINS 'Foula' RETURN c.text"); found != 1 {
		t.Errorf("a session from before the method finds %d chunks by their text", found)
	}
	if err := writer.DropNamespace(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	var e *service.Error
	if _, err := d.Corpus(ctx, "main"); !errors.As(err, &e) {
		t.Errorf("a namespace that was dropped: %v", err)
	}
	index("bridge", foula)
	c = look(1)
	k, err := c.Prepare(ctx, service.Request{Question: "Who cut the mast of Foula?"})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := c.Ask(ctx, k.System, k.Models, k.Question); err != nil || !a.Answered {
		t.Errorf("answer %+v, %v", a, err)
	}
}

// rowsOf runs a statement and returns how many rows it has.
func rowsOf(t *testing.T, s *cypher.Session, statement string) (n int) {
	t.Helper()
	r, err := s.Run(t.Context(), statement, nil)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer r.Close()
	for _, err := range r.Rows() {
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		n++
	}
	return n
}
