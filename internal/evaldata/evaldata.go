// Package evaldata finds the evaluation data that is kept outside the
// repository. Tests and benchmarks that want it skip if it is absent, so
// that a fresh clone passes anywhere.
package evaldata

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder with the evaluation data: the environment variable
// RAGDB_DATA, else shared/data beside the repository. ok is false if there
// is none.
func Dir() (dir string, ok bool) {
	if d := os.Getenv("RAGDB_DATA"); d != "" {
		_, err := os.Stat(d)
		return d, err == nil
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(wd, "go.mod")); err == nil {
			d := filepath.Join(filepath.Dir(wd), "shared", "data")
			_, err := os.Stat(d)
			return d, err == nil
		}
		up := filepath.Dir(wd)
		if up == wd {
			return "", false
		}
		wd = up
	}
}

// Shared returns the path of a file or folder below [Dir], and skips the test
// if it is absent.
func Shared(tb testing.TB, name string) string {
	tb.Helper()
	dir, ok := Dir()
	if ok {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	tb.Skipf("evaluation data %s is not here (set RAGDB_DATA, or put shared/data beside the repository)", name)
	return ""
}

// Lines decodes the values of a compressed file of JSON lines below [Dir], and
// skips the test if the file is absent.
func Lines[T any](tb testing.TB, name string) []T {
	tb.Helper()
	f, err := os.Open(Shared(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	var all []T
	for d := json.NewDecoder(z); ; {
		var v T
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		all = append(all, v)
	}
}
