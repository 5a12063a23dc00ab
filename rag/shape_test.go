package rag_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// selector notes what the rules that answer read.
type selector struct {
	llm.Provider
	in *selection.Input
}

func (s selector) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	if in, ok := t.Input.(selection.Input); ok {
		*s.in = in
	}
	return s.Provider.Do(ctx, t)
}

// TestTableOverChunks: a row of a table that is cut is found by its header, and shown behind it; its
// place in the document, and that of an answer from it, stay exact. A row that came later is no
// different.
func TestTableOverChunks(t *testing.T) {
	t.Parallel()
	var rows, code strings.Builder
	for i := range 120 {
		fmt.Fprintf(&rows, "| gate%03d | opens at %d | by the keeper |\n", i, 5000+i)
		fmt.Fprintf(&code, "  wheel%03d:\n    # how fast it turns\n    pace: %d\n", i, 9000+i)
	}
	docs := []ragtest.Doc{
		{Key: "mill.md", Text: "# Mill\n\nAll is told.\n\n| Name | Zeitplan | Who |\n|---|---|---|\n" + rows.String() + "\n```yaml\nmachinery:\n" + code.String() + "```\n"},
		{Key: "other.md", Text: "# Other\n\n| Name | Farbe | Who |\n|---|---|---|\n" + rows.String()},
	}
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	c.Index(t, "bm25", docs...)
	const set = "bm25:chunks=cl100k/200/0/paragraph"
	c.Index(t, set)
	var in selection.Input
	for _, spec := range []string{"bm25", set} {
		for question, want := range map[string][3]string{
			"What is the Zeitplan of gate077?":   {"Name | Zeitplan | Who\n", "gate077", "gate077 | opens at 5077"},
			"How fast is wheel077 of machinery?": {"machinery:\n", "wheel077", "pace: 9077"},
		} {
			items := c.Evidence(t, spec, method.Question{Text: question}).Items()
			i := slices.IndexFunc(items, func(it rag.Cited) bool { return strings.Contains(it.Text, want[1]) })
			if i < 0 || !strings.HasPrefix(items[i].Text, want[0]) || !strings.Contains(items[i].Text, want[2]) || items[i].Spans[0].Doc != "mill.md" {
				t.Fatalf("%s: %q finds %+v", spec, question, items)
			}
			m := ragtest.Provide(c.OpenModels(t), selector{c.OpenModels(t).Provider(), &in})
			if _, err := c.Ask(t.Context(), c.System(t, spec), m, method.Question{Text: question}); err != nil {
				t.Fatal(err)
			}
			p := in.Passages[i]
			if p.Text != items[i].Text || len(p.Headings) > 0 || p.Title != "Mill" || len(p.Blocks) == 0 || p.Blocks[0].At != 0 || p.Blocks[0].Kind == text.Prose {
				t.Errorf("%s: %q is answered from %+v", spec, question, p)
			}
		}
	}
}
