//go:build !nopostgres

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ragdb/ragdb/internal/pgtest"
)

// TestPostgres runs the transcripts of databases on a server. They have its URL in PG, its
// password in SECRET, the URL of a server that does not answer in NOBODY, a key that is too long
// for a server in LONG, and in LONGISH one that leaves no room for the keys of the
// document's parts.
func TestPostgres(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{})
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "postgres"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *rewrite,
		Setup: func(e *testscript.Env) error {
			url := server.NewDatabase(t)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "xdg"))
			e.Setenv("RAGDB_DB", "")
			e.Setenv("PG", url)
			e.Setenv("SECRET", pgtest.Password)
			e.Setenv("LONG", strings.Repeat("long/", 600)+"path")
			e.Setenv("LONGISH", strings.Repeat("long/", 529)+"path")
			e.Setenv("NOBODY", strings.ReplaceAll(url, server.Addr(), "127.0.0.1:1"))
			e.Defer(func() { nowhereBelow(t, e.WorkDir, pgtest.Password) })
			return nil
		},
	})
}

// nowhereBelow fails if a file below a folder has a text.
func nowhereBelow(t *testing.T, dir, text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), text) {
			t.Errorf("%s has %q", path, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
