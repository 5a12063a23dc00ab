package methods_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestStyle: every method has the parameter style, by which no index is told from
// another, and the question's style goes before it.
func TestStyle(t *testing.T) {
	c := ragtest.Open(t, methods.All())
	paragraphs := func(sys *method.System, style string) bool {
		t.Helper()
		long, err := sys.InParagraphs(method.Question{Style: style})
		if err != nil {
			t.Error(err)
		}
		return long
	}
	for _, name := range c.Methods.Names() {
		plain, short, long := c.System(t, name), c.System(t, name+":style=short"), c.System(t, name+":style=paragraphs")
		if short.Instance() != plain.Instance() || long.Instance() != plain.Instance() {
			t.Errorf("%s: instances %s, %s and %s", name, plain.Instance(), short.Instance(), long.Instance())
		}
		if _, listed := plain.Params()["style"]; listed || short.Params()["style"] != "" || long.Params()["style"] != "paragraphs" {
			t.Errorf("%s: parameters %v, %v and %v", name, plain.Params(), short.Params(), long.Params())
		}
		for _, style := range []string{"", "short", "paragraphs"} {
			if got := paragraphs(plain, style); got != (style == "paragraphs") {
				t.Errorf("%s, asked for %q: paragraphs %v", name, style, got)
			}
			if got := paragraphs(long, style); got != (style != "short") {
				t.Errorf("%s:style=paragraphs, asked for %q: paragraphs %v", name, style, got)
			}
		}
		_, err := c.Methods.Open(t.Context(), c.Docs(), method.Spec{Name: name, Params: map[string]string{"style": "poem"}})
		if !errors.Is(err, method.ErrMethod) || !strings.Contains(err.Error(), "style=poem: one of short, paragraphs") {
			t.Errorf("%s:style=poem: %v", name, err)
		}
	}
	// The papers' own prompts ask for several paragraphs.
	for spec, want := range map[string]bool{
		"hirag:profile=paper": true, "noderag:profile=paper": true, "hirag:profile=paper,style=short": false,
		"archrag:profile=paper": false, "ketrag:profile=paper": false, "erarag:profile=paper": false,
	} {
		if got := paragraphs(c.System(t, spec), ""); got != want {
			t.Errorf("%s: paragraphs %v", spec, got)
		}
	}
}

// TestUnknownStyle: a style that is not known is refused in one sentence that names
// the others, before anything is asked.
func TestUnknownStyle(t *testing.T) {
	c := ragtest.Open(t, methods.All())
	c.Index(t, "naive", ragtest.Docs(7, 3)...)
	m, err := c.OpenLocal(t.Context(), false, rag.Parts{Provider: local.New(local.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	q := method.Question{Text: "Who knew?", Style: "poem"}
	_, err = c.Ask(t.Context(), c.System(t, "naive"), m, q)
	if !errors.Is(err, rag.ErrArgument) || !strings.HasSuffix(err.Error(), `style "poem": there are short and paragraphs`) {
		t.Errorf("ask: %v", err)
	}
	if _, err := c.Retrieve(t.Context(), c.System(t, "naive"), m, q); !errors.Is(err, rag.ErrArgument) {
		t.Errorf("retrieve: %v", err)
	}
}
