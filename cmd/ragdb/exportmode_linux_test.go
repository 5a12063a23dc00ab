package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestExportMode exports a database: the file is its owner's alone, as the
// database is.
func TestExportMode(t *testing.T) {
	dir := t.TempDir()
	db, file, doc := filepath.Join(dir, "n.ragdb"), filepath.Join(dir, "n.jsonl"), filepath.Join(dir, "a.md")
	if err := os.WriteFile(doc, []byte("The pump was designed by Ada Kestrel.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"index", db, doc, "--method", "bm25", "-q"}, {"export", db, "jsonl", file, "-q"}} {
		if code := run(args, nil, nil, io.Discard, os.Stderr); code != 0 {
			t.Fatalf("%v: exit %d", args, code)
		}
	}
	for name, want := range map[string]os.FileMode{db: 0o700, file: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
