//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// makeCorpus indexes documents, and makes a copy of the database in which two names are
// merged, which has -merged behind its path.
func (r *killer) makeCorpus() string {
	r.t.Helper()
	docs, path := filepath.Join(r.dir, "docs"), filepath.Join(r.dir, "docs.ragdb")
	texts := map[string]string{
		"b.md": "The Old Harbour Society has a bell.",
		"c.md": "They say that Merrick Comet Club, also known as Merrick Comet Circle, was small.",
		"d.md": "They sold the boats of Merrick Comet Circle. In Norvale it was cold.",
	}
	for i := range 7 {
		texts[fmt.Sprintf("a%d.md", i)] = fmt.Sprintf("Ada Kestrel wrote letter %d to Runa Quill of Tarn. The letter told of House %d.", i, i*7)
	}
	if err := os.Mkdir(docs, 0o700); err != nil {
		r.t.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.must("index", path, docs, "--method", "hirag,naive")
	if err := os.CopyFS(path+"-merged", os.DirFS(path)); err != nil {
		r.t.Fatal(err)
	}
	r.must("merge", path+"-merged", "Merrick Comet Club", "Merrick Comet Circle", "--apply")
	return path
}

// must runs a command that succeeds.
func (r *killer) must(args ...string) {
	r.t.Helper()
	if code, out := r.run(nil, args...); code != 0 {
		r.t.Fatalf("%q: exit %d: %s", args, code, out)
	}
}

// settled returns what a corpus holds, which must be sound and owe nothing.
func settled(t *testing.T, path string) string {
	t.Helper()
	content, owed := corpusOf(t, path)
	if owed != nil {
		t.Errorf("%+v is owed", owed)
	}
	return content
}

// corpusOf returns what a corpus holds, which must be sound, and what it owes.
func corpusOf(t *testing.T, path string) (content string, owed *service.Owed) {
	t.Helper()
	content = soundExport(t, path, methods.Encodings(), rag.CanonicalExport(), func(db *engine.DB) {
		c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
		if err == nil {
			owed, err = service.OwedBy(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return content, owed
}
