package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// runIn runs a command whose settings are in a folder, and returns what it says.
func runIn(dir, stdin string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String()
}

// TestLongArguments gives commands long words in the places where a user's word stands:
// what they say on stderr repeats little of them.
func TestLongArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "a.ragdb")
	long := strings.Repeat("é", 50_000)
	controls := strings.Repeat("\x01", 100_000)
	digits := strings.Repeat("9", 100_000)
	said := func(args ...string) (int, string) {
		code, _, errs := runIn(dir, "The lamp of Brae is green.", args...)
		return code, errs
	}
	if code, errs := said("index", db, "-", "--key", "lamp.md", "--method", "naive"); code != exitOK {
		t.Fatal(errs)
	}
	for _, args := range [][]string{
		{long}, {long, "x"}, {"--" + long}, {"ask", db, "Who?", "--" + long}, {"ask", db, "Who?", "--method", long}, {"ask", db, "Who?", "--method", "naive:" + long + "=1"},
		{"ask", db, "Who?", "--method", "naive:budget=" + digits}, {"ask", db, "Who?", "--top", digits}, {"ask", db, "Who?", "--top", long}, {"ask", db, "Who?", "--where", long},
		{"ask", db, "Who?", "--where", "x = '" + long}, {"ask", db, "Who?", "--style", long}, {"ask", db, "Who?", "--ns", long}, {"ask", long, "Who?"}, {"ask", db, "Who?", "--timeout", long},
		{"why", db, "Who?", long}, {"show", db, long}, {"show", db, "t:" + long}, {"show", db, "e:" + long}, {"rm", db, long}, {"rm", db, long + "*"}, {"index", db, long}, {"index", db, "-", "--key", long},
		{"index", db, "-", "--format", long}, {"index", db, "-", "--method", long}, {"index", db, "-", "--meta", long}, {"index", db, "-", "--max-doc-bytes", digits}, {"index", db, "-", "--embed-model", "file:" + long},
		{"export", db, long}, {"import", db, long, long}, {"merge", db, long, long}, {"ns", "drop", db, long, "--yes"}, {"help", long}, {"backup", db, filepath.Join(dir, long)}, {"restore", long, filepath.Join(dir, "x")},
		{"stats", long}, {"compact", long}, {"status", db, long}, {"eval", "--data", long}, {"serve", db, "--addr", long}, {db, "-c", "RETURN " + long}, {db, "-c", "RETURN " + digits}, {db, "-c", "." + long}, {db, "-c", ".param set " + long},
		{"index", db, controls}, {"index", controls, dir}, {"rm", db, controls}, {"ask", db, "Who?", "--method", controls},
		{"model", "check", long}, {"prompts", long}, {"cache", long, db}, {"completion", long},
	} {
		code, errs := said(args...)
		name := make([]string, len(args))
		for i, a := range args {
			name[i] = a[:min(len(a), 30)]
		}
		if code == exitOK || len(errs) > 2048 {
			t.Errorf("%q ends with %d and %d bytes: %.300s", name, code, len(errs), errs)
		}
	}
}
