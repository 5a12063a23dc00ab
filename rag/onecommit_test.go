package rag_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestOneCommit: a question is asked of one commit from retrieval to citation. All
// documents that it finds are removed as soon as they are retrieved, and yet the
// evidence can be read further, and the answer cites and quotes it.
func TestOneCommit(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(41, 6)
	odd := errors.New("odd")
	for _, spec := range []string{"bridge", "ketrag", "hipporag2", "linearrag"} {
		c.Index(t, spec, docs...)
		m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		sys := c.System(t, spec)
		q := method.Question{Text: fmt.Sprintf("Who knew the %sium of %s?", docs[0].Code, docs[0].Place)}
		if _, err := c.Retrieve(t.Context(), sys, m, q, func(*engine.Snapshot, *rag.Evidence) error { return odd }); !errors.Is(err, odd) {
			t.Errorf("%s: an error of who looks is %v", spec, err)
		}
		looked := 0
		a, err := c.Ask(t.Context(), sys, m, q, func(s *engine.Snapshot, ev *rag.Evidence) error {
			for _, d := range docs {
				c.Remove(t, d.Key)
			}
			if s.Epoch() != ev.Epoch {
				t.Errorf("%s: the state is of commit %d, the evidence of %d", spec, s.Epoch(), ev.Epoch)
			}
			v := s.Graph(c.Base())
			for _, it := range ev.Items() {
				for _, sp := range it.Spans {
					looked++
					if _, err := c.Locate(v, sp.Doc, int(sp.Bytes[0]), int(sp.Bytes[1])); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if looked == 0 || !a.Answered || len(a.Sources) == 0 || a.Sources[0].Doc != docs[0].Key || a.Sources[0].Quote == "" {
			t.Errorf("%s: %d places, answered %v from %+v", spec, looked, a.Answered, a.Sources)
		}
	}
}

// TestAnswerAt: evidence that was retrieved from a snapshot is answered from there
// too, though its documents are gone by then.
func TestAnswerAt(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(41, 6)
	c.Index(t, "ketrag", docs...)
	m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	sys := c.System(t, "ketrag")
	q := method.Question{Text: fmt.Sprintf("Who knew the %sium of %s?", docs[0].Code, docs[0].Place)}
	err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		at := c.Corpus.At(s)
		ev, err := at.Retrieve(t.Context(), sys, m, q)
		if err != nil {
			return err
		}
		for _, d := range docs {
			c.Remove(t, d.Key)
		}
		a, err := at.AnswerFrom(t.Context(), sys, m, q, ev)
		if err != nil {
			return err
		}
		if ev.Epoch != s.Epoch() || !a.Answered || len(a.Sources) == 0 || a.Sources[0].Doc != docs[0].Key || a.Sources[0].Quote == "" {
			t.Errorf("answered %v from %+v", a.Answered, a.Sources)
		}
		for _, x := range []struct {
			c    *rag.Corpus
			want bool
		}{{at, true}, {c.Corpus, false}} {
			if a, err = x.c.Ask(t.Context(), sys, m, q); err != nil {
				return err
			}
			if a.Answered != x.want {
				t.Errorf("asked of the snapshot %v: answered %v", x.want, a.Answered)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
