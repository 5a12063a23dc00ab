package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
)

// TestInterruptAtAPrompt presses Ctrl-C, and no Enter, at every question that a
// command asks: it ends at once, and nothing has changed.
func TestInterruptAtAPrompt(t *testing.T) {
	dir := t.TempDir()
	writeAcme(t, dir)
	server, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	prices := filepath.Join(dir, "prices.json")
	for name, text := range map[string]string{prices: `{"paid": {"in": 1, "out": 1}}`, filepath.Join(dir, "out.jsonl"): "mine\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"OPENAI_BASE_URL=" + server.URL, "RAGDB_PRICES=" + prices, "NO_COLOR=1"}
	begin := func(args ...string) string {
		t.Helper()
		s := startShell(t, dir, env, args...)
		if code := s.exit(); code != 0 {
			t.Fatalf("ragdb %v: exit %d: %s", args, code, s.unseen())
		}
		return s.unseen()
	}
	begin("index", "a.ragdb", "docs", "--method", "bm25")

	for _, c := range []struct {
		question string
		args     []string
	}{
		{"Remove 40 documents that empty does not have? [y/N] ", []string{"sync", "a.ragdb", "empty"}},
		{"Remove 1 document from a.ragdb? [y/N] ", []string{"rm", "a.ragdb", "faq.html"}},
		{"Remove the namespace main with 40 documents? [y/N] ", []string{"ns", "drop", "a.ragdb", "main"}},
		{"Overwrite out.jsonl? [y/N] ", []string{"export", "a.ragdb", "jsonl", "out.jsonl"}},
		{"Go on? [y/N] ", []string{"index", "b.ragdb", "docs", "--model", "paid", "--method", "noderag"}},
	} {
		s := startShell(t, dir, env, c.args...)
		s.expect(c.question)
		s.typed(keyCtrlC)
		if code := s.exit(); code != exitInterrupted || !strings.Contains(s.unseen(), "ragdb: interrupted: ") {
			t.Errorf("ragdb %v: exit %d: %q", c.args, code, s.unseen())
		}
	}
	if out := begin("status", "a.ragdb", "--json"); !strings.Contains(out, `"docs":40`) {
		t.Errorf("documents are gone: %s", out)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "out.jsonl")); string(b) != "mine\n" || err != nil {
		t.Errorf("the file is %q, %v", b, err)
	}
	if n := server.Counters().Requests; n != 0 {
		t.Errorf("%d requests of a model", n)
	}

	// In the shell Ctrl-C ends the command, and what is typed next is for the
	// shell.
	for _, term := range []string{"xterm", "dumb"} {
		s := startShell(t, dir, append(env, "TERM="+term), "c.ragdb", "--model", "paid", "--method", "noderag")
		s.expect(prompt)
		s.typed(".index docs\r")
		s.expect("Go on? [y/N] ")
		s.typed(keyCtrlC)
		s.expect("interrupted: nothing was done")
		s.expect(prompt)
		s.typed("RETURN 'still ' + 'here' AS x;\r")
		s.expect("still here")
		s.expect(prompt)
		s.typed(".export jsonl out.jsonl\r")
		s.expect("Overwrite out.jsonl? [y/N] ")
		s.typed("n\r")
		s.expect("out.jsonl was left as it is")
		s.expect(prompt)
		s.typed(keyCtrlD)
		if code := s.exit(); code != 0 {
			t.Errorf("%s: exit %d", term, code)
		}
	}
}
