package methods_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestFirstTextIsCut: if the budget is less than the nearest chunk, a method gives the
// beginning of it and not nothing.
func TestFirstTextIsCut(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	words := strings.Repeat("The ferry of Karrow left the pier at dawn, and Ada Fenn waited there. ", 8)
	for _, spec := range []string{"noderag", "hirag", "ketrag", "archrag", "archrag:text=hits", "erarag", "linearrag", "bridge", "naive"} {
		c.Index(t, spec, ragtest.Doc{Key: "a.txt", Text: words})
		ev := c.Evidence(t, spec, method.Question{Text: "When did the ferry leave Karrow?", Budget: 100})
		if len(ev.Sections) == 0 || len(ev.Sections[0].Items) == 0 || ev.Tokens < 40 || ev.Tokens > 100 {
			t.Errorf("%s: %d tokens, %+v", spec, ev.Tokens, ev.Sections)
		}
	}
}
