//go:build unix

package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// A database, its backup and what is restored from it are their owner's alone.
func TestModes(t *testing.T) {
	needsDirectory(t)
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	db, err := engine.Open(t.Context(), at("db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	graph(t, db, "g")
	if _, err := db.Backup(t.Context(), at("saved")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := engine.Restore(t.Context(), at("saved"), at("again")); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		files++
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
}
