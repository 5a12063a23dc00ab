package cypher

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden runs the cases of a file: a text, a line of four dashes, and what run
// makes of the text. Cases end at an empty line after the dashes; lines that
// begin with # before a case are comments.
func golden(t *testing.T, name string, run func(text string) string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	lines := strings.Split(string(raw), "\n")
	cases := 0
	for i := 0; i < len(lines); {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			if i < len(lines)-1 {
				out.WriteString(lines[i] + "\n")
			}
			i++
			continue
		}
		start := i
		for i < len(lines) && lines[i] != "----" {
			i++
		}
		if i == len(lines) {
			t.Fatalf("%s:%d: the case has no line of dashes", path, start+1)
		}
		text := strings.Join(lines[start:i], "\n")
		i++
		wantStart := i
		for i < len(lines) && lines[i] != "" {
			i++
		}
		want := strings.Join(lines[wantStart:i], "\n")
		got := run(text)
		cases++
		if got != want && !*update {
			t.Errorf("%s:%d: %s\ngot\n%s\nwant\n%s", path, start+1, text, got, want)
		}
		out.WriteString(text + "\n----\n" + got + "\n")
	}
	if cases == 0 {
		t.Fatalf("%s has no case", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
