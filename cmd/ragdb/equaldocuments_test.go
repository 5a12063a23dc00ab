package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestEqualDocuments gives one namespace 129 documents with the same line: the figures
// of the database and its compaction work, for this namespace and for another.
func TestEqualDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	if err := os.Mkdir(docs, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 129 {
		name := filepath.Join(docs, fmt.Sprintf("%03d.txt", i))
		if err := os.WriteFile(name, []byte("The lighthouse of Karrow was built in 1840 by Ada Byron.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(dir, "db")
	works := func(args ...string) {
		t.Helper()
		if code, out, errs := runIn(dir, "", args...); code != exitOK {
			t.Fatalf("ragdb %q: exit %d: %s%s", args, code, out, errs)
		}
	}
	works("index", db, docs, "--method", "naive")
	works("index", db, filepath.Join(docs, "000.txt"), "--ns", "other", "--method", "naive")
	for _, command := range []string{"stats", "compact", "check", "stats"} {
		works(command, db)
	}
	works("stats", db, "--ns", "other")
	works("rm", db, "000.txt", "--purge", "--yes")
	works("stats", db)
}
