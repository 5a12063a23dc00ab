package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// binaries returns the directory of PostgreSQL's binaries. It skips the test if there is
// none.
func binaries(t testing.TB) string {
	t.Helper()
	dir := findBinaries()
	if dir == "" {
		t.Skip("PostgreSQL is not installed: no initdb in RAGDB_PG_BIN, on the PATH or in /usr/lib/postgresql")
	}
	return dir
}

func findBinaries() string {
	if dir := os.Getenv("RAGDB_PG_BIN"); dir != "" {
		if has(dir) {
			return dir
		}
		return ""
	}
	if initdb, err := exec.LookPath("initdb"); err == nil && has(filepath.Dir(initdb)) {
		return filepath.Dir(initdb)
	}
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return ""
	}
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))) // 0 if it is no number
		return n
	}
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	for _, dir := range dirs {
		if has(dir) {
			return dir
		}
	}
	return ""
}

// has reports whether a directory has what a server needs.
func has(dir string) bool {
	for _, name := range []string{"initdb", "postgres", "pg_basebackup"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
