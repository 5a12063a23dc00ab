package rag_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestTally holds that a kept reply counts as what it cost, on a tally but not
// on the meter.
func TestTally(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(44, 8)
	var log strings.Builder
	c.Use(paid(&log))
	c.Index(t, "naive", docs...)
	m := c.OpenModels(t)
	sys, q := c.System(t, "naive"), method.Question{Text: "Who knew " + docs[3].Hero + "?"}
	ev, err := c.Retrieve(t.Context(), sys, m, q)
	if err != nil {
		t.Fatal(err)
	}
	var none cost.Tally
	if none.Usage() != (llm.Usage{}) {
		t.Errorf("an empty tally has %+v", none.Usage())
	}
	before := m.Meter().Total()
	used := make([]llm.Usage, 2)
	text := make([]string, 2)
	for i := range used {
		var tally cost.Tally
		a, err := c.AnswerFrom(t.Context(), sys, m.Tallied("test", &tally), q, ev)
		if err != nil {
			t.Fatal(err)
		}
		if a.Trace != "" {
			t.Errorf("trace %q", a.Trace)
		}
		used[i], text[i] = tally.Usage(), a.Text
	}
	if used[0].Calls != 1 || used[0].InTokens == 0 || used[0].OutTokens == 0 || used[1] != used[0] || text[1] != text[0] {
		t.Errorf("%+v for %q, then %+v for %q", used[0], text[0], used[1], text[1])
	}
	after := m.Meter().Total()
	if after.Calls-before.Calls != 1 || after.InTokens-before.InTokens != used[0].InTokens || after.Cached-before.Cached != 1 {
		t.Errorf("the meter had %+v and has %+v", before, after)
	}
}
