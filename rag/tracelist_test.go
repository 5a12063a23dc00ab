package rag_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestTraces lists the newest traces, of which two have one id, and finds the newer of them.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	yes, no := true, false
	var id string
	for _, x := range []struct {
		question  string
		supported *bool
	}{{"Who left?", &no}, {"Who came?", &no}, {"Who came?", &yes}} {
		var err error
		a := &rag.Answer{Question: x.question, Supported: x.supported, Evidence: &rag.Evidence{Method: "bm25"}}
		if id, err = c.KeepTrace(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if tr, err := c.Trace(t.Context(), id); err != nil || !*tr.Supported {
		t.Errorf("the newer of two: %+v, %v", tr, err)
	}
	all, err := c.Traces(t.Context(), 2)
	if err != nil || len(all) != 2 || !*all[0].Supported || *all[1].Supported || all[1].Question != "Who came?" {
		t.Errorf("the newest two: %+v, %v", all, err)
	}
	// An answer names what it cites, also without evidence of it.
	cites := rag.Answer{Sources: []rag.Source{{Doc: "b.md"}, {Doc: "a.md"}}}
	if docs := cites.Docs(); !slices.Equal(docs, []string{"a.md", "b.md"}) {
		t.Errorf("the answer names %q", docs)
	}
}
