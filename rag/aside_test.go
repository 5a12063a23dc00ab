package rag_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestDocumentSetAside says that a document that cannot be written is named with
// its reason, and that the others are indexed.
func TestDocumentSetAside(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	lines := []string{
		`{"id":"first","text":"Ada repaired the lamp."}`,
		`{"id":"twins","text":"Brom sold the boat.","\u00c5":"one","A\u030a":"two"}`,                // one name in NFC
		fmt.Sprintf(`{"id":"wide","text":"Brom sold it.","%s":"x"}`, strings.Repeat("\u0958", 340)), // 1,020 bytes, and 2,040 in NFC
		fmt.Sprintf(`{"id":"%s","text":"Celia painted the mill."}`, strings.Repeat("k", 4095)),
		`{"id":"last","text":"Dorn wrote to Ada."}`,
	}
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []rag.System{c.System(t, "naive"), c.System(t, "ketrag")}}
	files := fstest.MapFS{"notes.jsonl": {Data: []byte(strings.Join(lines, "\n"))}}
	for range 2 {
		r, err := x.Run(t.Context(), []rag.Input{{FS: files, Root: "."}})
		if !errors.Is(err, rag.ErrPartial) || len(r.BadFiles) != 3 || r.Failed != 0 || r.Added+r.Unchanged != 2 {
			t.Fatalf("%+v: %v", r, err)
		}
		for line, want := range map[int]string{2: "is given twice", 3: "field name", 4: "has a key of more than"} {
			place := fmt.Sprintf("notes.jsonl:%d: ", line)
			if !slices.ContainsFunc(r.BadFiles, func(s string) bool { return strings.HasPrefix(s, place) && strings.Contains(s, want) }) {
				t.Errorf("no bad file begins with %q and says %q: %.200q", place, want, r.BadFiles)
			}
		}
	}
	m, err := rag.OpenLocal(t.Context(), c.Corpus, false)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := c.Retrieve(t.Context(), c.System(t, "naive"), m, rag.Question{Text: "Who wrote to Ada?"})
	if err != nil || len(ev.Items()) != 2 {
		t.Errorf("%d items of evidence, want 2: %v", len(ev.Items()), err)
	}
	c.Remove(t, "last")
	ragtest.Check(t, c.DB)
}
