package methods_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// A method opens for questions if the corpus is indexed by it. If it is not,
// nothing is written.
func TestOpenIndexed(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	open := func(spec string, want *method.NotIndexedError) {
		t.Helper()
		s, err := method.ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := c.Methods.OpenIndexed(t.Context(), c.Corpus.Docs(), s)
		if want == nil {
			if err != nil || sys.Name() != s.Name {
				t.Errorf("%s: %v", spec, err)
			}
			return
		}
		var got *method.NotIndexedError
		if !errors.As(err, &got) || !errors.Is(err, method.ErrNotIndexed) {
			t.Errorf("%s: %v", spec, err)
		} else if got.Spec != spec || !slices.Equal(got.Indexed, want.Indexed) || got.Documents != want.Documents {
			t.Errorf("%s: %+v", spec, got)
		}
	}
	for _, spec := range []string{"ketrag", "naive", "bridge"} {
		open(spec, &method.NotIndexedError{})
	}
	docs := ragtest.Docs(3, 3)
	c.Index(t, "naive", docs...)
	open("naive", nil)
	open("bridge", nil) // reads the chunks that naive was indexed by
	open("ketrag", &method.NotIndexedError{Indexed: []string{"naive"}, Documents: 3})
	open("skeleton", &method.NotIndexedError{Indexed: []string{"naive"}, Documents: 3})
	open("naive:chunks=cl100k/80/0/paragraph", &method.NotIndexedError{Indexed: []string{"naive"}, Documents: 3})
	if names, err := c.Namespace().Graphs(t.Context()); err != nil || slices.Contains(names, "ketrag") {
		t.Errorf("graphs %v, %v", names, err)
	}
	c.Index(t, "ketrag", docs...)
	open("ketrag", nil)
	open("skeleton", nil) // reads ketrag's graph
}
