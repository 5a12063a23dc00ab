package rag_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestTrace reads back how answers came about, and looks for them when a
// document that they name is gone.
func TestTrace(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(71, 40)
	m, err := ragtest.Fixed(t.Context(), c.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	specs := []string{"ketrag", "naive"}
	for _, spec := range specs {
		c.Index(t, spec, docs...)
	}
	kinds := map[string]int{}
	named := map[string][]string{} // trace -> documents
	for _, spec := range specs {
		q := method.Question{Text: "Who knew " + docs[2].Hero + " of " + docs[2].Place + "?", Budget: 3500}
		a, err := c.Ask(t.Context(), c.System(t, spec), m, q)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := c.Trace(t.Context(), a.Trace)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Trace != a.Trace || tr.Question != q.Text || tr.Method != spec || tr.Evidence.Epoch != a.Evidence.Epoch || tr.Text != a.Text || tr.Answered != a.Answered {
			t.Errorf("%s: trace %s of %q by %s at %d", spec, tr.Trace, tr.Question, tr.Method, tr.Evidence.Epoch)
		}
		if len(tr.Evidence.Trace.Ops) != len(a.Evidence.Trace.Ops) || len(tr.Evidence.Trace.Ops) == 0 {
			t.Errorf("%s: %d operators, want %d", spec, len(tr.Evidence.Trace.Ops), len(a.Evidence.Trace.Ops))
		}
		items, got := a.Evidence.Items(), tr.Evidence.Items()
		if len(got) != len(items) || len(items) == 0 {
			t.Fatalf("%s: %d items, want %d", spec, len(got), len(items))
		}
		docsOf := map[string]bool{}
		for i, it := range got {
			want := items[i]
			if it.Kind != want.Kind || !slices.Equal(it.Chunks, want.Chunks) || it.Score != want.Score || it.Tokens != want.Tokens || len(it.Why) != len(want.Why) {
				t.Errorf("%s: item %d is %+v, want %+v", spec, i, it, want)
			}
			kinds[it.Kind]++
			for _, ch := range it.Chunks {
				docsOf[method.DocOf(ch)] = true
			}
			// The names stand in the rows that the model saw.
			names := it.Chunks
			if fields := strings.Split(want.Text, "|"); it.Kind == "entity" {
				names = []string{text.Key(fields[1])}
			} else if it.Kind == "relation" {
				names = []string{text.Key(fields[1]), text.Key(fields[2])}
			}
			if !slices.Equal(it.Keys, names) {
				t.Errorf("%s: %s %q is named %q", spec, it.Kind, want.Text, it.Keys)
			}
		}
		if len(tr.Docs()) != len(docsOf) || len(docsOf) == len(docs) {
			t.Fatalf("%s: the trace names %d documents, its items rest on %d of %d", spec, len(tr.Docs()), len(docsOf), len(docs))
		}
		named[a.Trace] = tr.Docs()
	}
	for _, k := range []string{"entity", "relation", "chunk"} {
		if kinds[k] == 0 {
			t.Errorf("no trace has a %s: %v", k, kinds)
		}
	}
	for _, id := range []string{"", "t:", "t:0", "t:00000000"} {
		if _, err := c.Trace(t.Context(), id); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("trace %q: %v", id, err)
		}
	}
	for _, d := range docs {
		c.Remove(t, d.Key)
		for id, of := range named {
			_, err := c.Trace(t.Context(), id)
			if slices.Contains(of, d.Key) {
				delete(named, id)
				if !errors.Is(err, engine.ErrNotFound) {
					t.Errorf("without %s there still is %s, which names it: %v", d.Key, id, err)
				}
			} else if err != nil {
				t.Errorf("without %s there is no %s, which does not name it: %v", d.Key, id, err)
			}
		}
	}
}

// TestTraceNames: two answers to one question from one state of the database, in two
// styles or within two budgets, have two traces; one answer has one.
func TestTraceNames(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	chunk := func(key string) rag.EvidenceSection {
		return rag.EvidenceSection{Name: "Sources", Items: []rag.Cited{{Kind: "chunk", Keys: []string{key}}}}
	}
	ids := map[string]string{}
	for _, x := range []struct {
		name, answer string
		section      rag.EvidenceSection
	}{
		{"plain", "the keeper", chunk("a#0")},
		{"another style", "It was the keeper, who had come in spring.", chunk("a#0")},
		{"other evidence", "the keeper", chunk("a#1")},
	} {
		a := &rag.Answer{Question: "Who lit the lamp?", Text: x.answer, Evidence: &rag.Evidence{Method: "bm25", Epoch: 7, Sections: []rag.EvidenceSection{x.section}}}
		id, err := c.KeepTrace(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if was := ids[id]; was != "" {
			t.Errorf("%s has the trace of %s", x.name, was)
		}
		ids[id] = x.name
		if again, err := c.KeepTrace(t.Context(), a); err != nil || again != id {
			t.Errorf("%s has the trace %s and then %s: %v", x.name, id, again, err)
		}
		if tr, err := c.Trace(t.Context(), id); err != nil || tr.Text != x.answer {
			t.Errorf("%s: %+v, %v", x.name, tr, err)
		}
	}
}

// TestTracesKept keeps more traces than there is room for: the oldest go.
func TestTracesKept(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	const most = 256
	var ids []string
	for i := range most + 3 {
		// Nothing was found: the trace names no document.
		id, err := c.KeepTrace(t.Context(), &rag.Answer{Question: fmt.Sprint("question ", i), Evidence: &rag.Evidence{Method: "bm25"}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for i, id := range ids {
		tr, err := c.Trace(t.Context(), id)
		if i < 3 {
			if !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("trace %d: %v", i, err)
			}
			continue
		}
		if err != nil || tr.Question != fmt.Sprint("question ", i) || tr.Evidence.Trace == nil || len(tr.Evidence.Items()) != 0 {
			t.Errorf("trace %d: %+v, %v", i, tr, err)
		}
	}
}

// TestOldTraces: traces whose keys are an epoch and their ids, of before there were
// numbers, are read until a trace with a number takes their place.
func TestOldTraces(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	id, err := c.KeepTrace(t.Context(), &rag.Answer{Question: "Who?", Evidence: &rag.Evidence{Method: "bm25"}})
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket("traces")
		if err != nil {
			return err
		}
		number := make([]byte, 8)
		value, err := b.Get(number, nil)
		if err != nil {
			return err
		}
		old := append(binary.BigEndian.AppendUint64(nil, 77), id...)
		return errors.Join(b.DeletePrefix(nil), b.Set(old, value))
	})
	if err != nil {
		t.Fatal(err)
	}
	ragtest.Check(t, c.DB())
	if tr, err := c.Trace(t.Context(), id); err != nil || tr.Question != "Who?" {
		t.Errorf("the old trace: %+v, %v", tr, err)
	}
	if _, err := c.KeepTrace(t.Context(), &rag.Answer{Question: "When?", Evidence: &rag.Evidence{Method: "bm25"}}); err != nil {
		t.Fatal(err)
	}
	all, err := c.Traces(t.Context(), 10)
	if err != nil || len(all) != 1 || all[0].Question != "When?" {
		t.Errorf("%d traces: %v", len(all), err)
	}
	ragtest.Check(t, c.DB())
}

// TestTraceBesideRemoval: of an answer no trace is kept if a document that it rests
// on was removed before it is kept; in a namespace that was dropped that is an error.
func TestTraceBesideRemoval(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(73, 3)
	c.Index(t, "naive", docs...)
	m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	ev, err := c.Retrieve(t.Context(), c.System(t, "naive"), m, method.Question{Text: "Who knew " + docs[1].Hero + "?"})
	if err != nil {
		t.Fatal(err)
	}
	a := &rag.Answer{Question: "Who?", Evidence: ev}
	if id, err := c.KeepTrace(t.Context(), a); err != nil || id == "" {
		t.Fatalf("trace %q: %v", id, err)
	}
	c.Remove(t, docs[1].Key)
	if id, err := c.KeepTrace(t.Context(), a); err != nil || id != "" {
		t.Errorf("a trace %q is kept of a document that was removed: %v", id, err)
	}
	if n := traces(t, c, nil); n != 0 {
		t.Errorf("%d traces are left", n)
	}
	if err := c.DB().DropNamespace(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	if id, err := c.KeepTrace(t.Context(), a); !errors.Is(err, engine.ErrNotFound) || id != "" {
		t.Errorf("a trace %q in a namespace that was dropped: %v", id, err)
	}
}

// TestDamagedTrace: a trace that cannot be read is told as damage to who asks for
// it, and stops no removal: it goes with the next document.
func TestDamagedTrace(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(74, 3)
	c.Index(t, "naive", docs...)
	id, err := c.KeepTrace(t.Context(), &rag.Answer{Question: "Who?", Evidence: &rag.Evidence{Method: "bm25"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := traces(t, c, []byte(`{"docs":["`)); n != 1 {
		t.Fatalf("there are %d traces", n)
	}
	if _, err := c.Trace(t.Context(), id); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("the damaged trace: %v", err)
	}
	c.Remove(t, docs[0].Key)
	if n := traces(t, c, nil); n != 0 {
		t.Errorf("%d traces are left", n)
	}
	ragtest.Check(t, c.DB())
}

// traces counts the traces that are kept, and puts a value in their place unless it
// is nil.
func traces(t *testing.T, c *ragtest.Corpus, value []byte) int {
	t.Helper()
	var keys [][]byte
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket("traces")
		if err != nil {
			return err
		}
		for e, err := range b.Scan(nil, []byte("next")) {
			if err != nil {
				return err
			}
			keys = append(keys, slices.Clone(e.Key))
		}
		for _, key := range keys {
			if value != nil {
				err = errors.Join(err, b.Set(key, value))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}
