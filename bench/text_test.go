package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// TestText runs the whole suite on few documents; it compares the first ten of
// searches with those of searches for all.
func TestText(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	args := []string{"text", "-json", "-docs", "3000", "-batch", "700", "-queries", "30", "-dir", "."}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Measures) < 12 {
		t.Errorf("%d measures", len(r.Measures))
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestTextDump writes what the peer reads.
func TestTextDump(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := run(t.Context(), []string{"text", "-docs", "50", "-queries", "7", "-dump", "d"}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"d.documents": 50, "d.queries": 7} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		if len(lines) != want || strings.Contains(string(b), "\n\n") {
			t.Errorf("%s has %d lines, want %d", path, len(lines), want)
		}
	}
}
