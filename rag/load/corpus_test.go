package load_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/load"
)

// TestSharedCorpora reads whole evaluation corpora: every record must arrive.
// The counts are those of the data's own description.
func TestSharedCorpora(t *testing.T) {
	for _, c := range []struct {
		name    string
		records int
	}{
		{"ketrag_musique", 6761},
		{"hippo_musique", 1890},
		{"hippo_2wiki", 6119},
		{"stardew_zh", 492},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := evaldata.Shared(t, c.name+"/corpus.jsonl.gz")
			r := walk(t, os.DirFS(filepath.Dir(p)), filepath.Base(p), nil)
			if len(r.docs) != c.records || len(r.bad) > 0 || len(r.skips) > 0 || r.err != nil {
				t.Errorf("%d documents, want %d; errors %v %v, skipped %v", len(r.docs), c.records, r.bad, r.err, r.skips)
			}
			for _, d := range r.docs {
				if d.Title != "" && d.Text[:len(d.Title)+1] != d.Title+"\n" {
					t.Fatalf("%s: the text does not begin with the title", d.Key)
				}
			}
		})
	}
	// Long articles: one document of each line, streamed.
	p := evaldata.Shared(t, "wikiqa_articles/corpus.jsonl.gz")
	n, size := 0, 0
	for d, err := range load.Walk(t.Context(), os.DirFS(filepath.Dir(p)), filepath.Base(p), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		size += len(d.Text)
	}
	if n != 1188 || size < 20<<20 {
		t.Errorf("%d articles with %d bytes", n, size)
	}
}
