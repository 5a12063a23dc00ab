package rag_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// newestRows returns the live rows by word, and the bytes of the count of texts.
func newestRows(t *testing.T, c *ragtest.Corpus) map[string]string {
	t.Helper()
	out := map[string]string{}
	for k, v := range wordBucket(t, c) {
		if _, rest, ok := strings.Cut(k, "/"); ok && (strings.HasPrefix(rest, "row/") || rest == "texts") {
			out[rest] = v
		}
	}
	return out
}

// TestManyWords adds, replaces and removes documents of more words than a
// transaction writes rows for: the words are learnt again, and are those of a
// corpus that has never held anything else. Between a removal and the next index
// nothing is kept of them, and questions are answered.
func TestManyWords(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(72, 12)
	fresh := func(docs ...ragtest.Doc) map[string]string {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		c.Index(t, "naive", docs...)
		return newestRows(t, c)
	}
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Index(t, "naive", docs[:8]...)
	c.SetMaxWords(10)
	if r := c.Index(t, "naive", docs...); r.Added != 4 {
		t.Errorf("%d documents added, not 4", r.Added)
	}
	sameWords(t, "added", newestRows(t, c), fresh(docs...))

	changed := ragtest.Document(72, 3, 1)
	c.Index(t, "naive", changed)
	rest := append(append([]ragtest.Doc{}, docs[:3]...), docs[4:]...)
	sameWords(t, "replaced", newestRows(t, c), fresh(append(rest, changed)...))

	c.Remove(t, changed.Key)
	for k := range newestRows(t, c) {
		t.Errorf("%q is kept after a removal", k)
	}
	ragtest.Check(t, c.DB())
	m, err := c.Corpus.OpenModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ev, err := c.Retrieve(t.Context(), c.System(t, "naive"), m, method.Question{Text: docs[0].Hero})
	if err != nil || len(ev.Items()) == 0 {
		t.Errorf("%+v: %v", ev, err)
	}
	c.Index(t, "naive")
	sameWords(t, "removed", newestRows(t, c), fresh(rest...))
	ragtest.Check(t, c.DB())
}
