package archrag_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestLists makes the same hierarchy over lists as over a C-HNSW, and answers from it alike,
// when documents come and go.
func TestLists(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(71, 16))
	var evidence [2][]string
	var reports [2]map[string]string
	for i, spec := range []string{small, small + ",index=lists"} {
		c := open(t)
		c.Index(t, spec, docs[:12]...)
		c.Index(t, spec, docs[12:]...)
		c.Remove(t, docs[3].Key)
		c.Index(t, spec)
		check(t, c, spec, 6)
		reports[i] = readHierarchy(t, c, spec).reports
		for _, d := range docs[8:] {
			for _, it := range c.Evidence(t, spec, method.Question{Text: "Who knew " + d.Hero + " of " + d.Place + "?", Budget: 2000}).Items() {
				evidence[i] = append(evidence[i], fmt.Sprint(it.Kind, it.Text, it.Chunks))
			}
		}
		ragtest.Check(t, c.DB())
	}
	if fmt.Sprint(reports[0]) != fmt.Sprint(reports[1]) {
		t.Errorf("other communities: %q and %q", reports[0], reports[1])
	}
	if len(evidence[0]) == 0 || !slices.Equal(evidence[0], evidence[1]) {
		t.Errorf("evidence %q and %q", evidence[0], evidence[1])
	}
}
