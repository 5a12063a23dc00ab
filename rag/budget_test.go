package rag_test

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// The default budget holds 20 passages at most, a larger one all that fit, and a number
// of pieces that the question gives goes before both.
func TestPassagesAtMost(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All())
	c.Use(ragtest.Fixed)
	var docs []ragtest.Doc
	for i := range 60 {
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("%d.txt", i), Text: fmt.Sprintf("A lighthouse of the coast has number %d.", i)})
	}
	c.Index(t, "bm25", docs...)
	for _, x := range []struct{ budget, top, want int }{
		{0, 0, 20}, {method.DefaultBudget, 0, 20}, {method.DefaultBudget + 1, 0, 60}, {0, 30, 30}, {0, 3, 3},
	} {
		q := method.Question{Text: "Which lighthouse of the coast?", Budget: x.budget, Top: x.top}
		if n := len(c.Evidence(t, "bm25", q).Items()); n != x.want {
			t.Errorf("a budget of %d and %d pieces: %d passages, want %d", x.budget, x.top, n, x.want)
		}
	}
}
