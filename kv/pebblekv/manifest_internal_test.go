package pebblekv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// TestLaterManifestStays removes the manifests before the one that counts, and none
// after it: Pebble may begin another one at any time, which then counts.
func TestLaterManifestStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s, err := Open(t.Context(), dir, layout.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	before, after := filepath.Join(dir, "MANIFEST-000000"), filepath.Join(dir, "MANIFEST-999999")
	for _, name := range []string{before, after} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.removeOldManifests()
	if _, err := os.Stat(before); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the manifest before: %v", err)
	}
	if _, err := os.Stat(after); err != nil {
		t.Errorf("the manifest after: %v", err)
	}
}
