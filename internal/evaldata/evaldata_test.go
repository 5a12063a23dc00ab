package evaldata_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
)

func TestLines(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("RAGDB_DATA", dir)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte("{\"n\":1}\n{\"n\":2}\n\n{\"n\":3}")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.gz"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	type line struct{ N int }
	if got := evaldata.Lines[line](t, "x.gz"); !slices.Equal(got, []line{{1}, {2}, {3}}) {
		t.Errorf("%v", got)
	}
	t.Run("absent", func(t *testing.T) {
		evaldata.Lines[line](t, "y.gz")
		t.Error("not skipped")
	})
}
