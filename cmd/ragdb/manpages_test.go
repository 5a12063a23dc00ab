package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

var pages = flag.String("pages", "", "write the manual pages and completions of a release into `FOLDER`")

// TestPages writes a manual page for each command, and a completion for each shell.
// internal/release calls it with -pages: so what makes the pages is not in the command.
// SOURCE_DATE_EPOCH sets their date.
func TestPages(t *testing.T) {
	dir := *pages
	if dir == "" {
		dir = t.TempDir()
		t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	}
	man, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := newApp(nil, nil, io.Discard, io.Discard).command()
	commands := 0
	var plain func(c *cobra.Command)
	plain = func(c *cobra.Command) {
		commands++
		c.DisableAutoGenTag = true
		c.Long = plainMarkdown(c.Long)
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { f.Usage = plainMarkdown(strings.ReplaceAll(f.Usage, `\`, "")) })
		}
		for _, sub := range c.Commands() {
			plain(sub)
		}
	}
	plain(root)
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "ragdb", Manual: "ragdb"}, man); err != nil {
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil || len(written) != commands {
		t.Errorf("%d pages of %d commands, %v", len(written), commands, err)
	}
	for name, parts := range map[string][]string{
		"ragdb.1":            {`\fBragdb-watch(1)\fP`, `\fBragdb-ask(1)\fP`},
		"ragdb-watch.1":      {`.TH "RAGDB-WATCH" "1" `, "Watch makes DB hold the files of DIR", "ragdb watch acme.ragdb ./docs", `\fB--poll\fP`},
		"ragdb-index.1":      {"'*.md' or 'docs/**/*.txt'"},
		"ragdb-completion.1": {`"${fpath[1]}/_ragdb"`},
	} {
		b, err := os.ReadFile(filepath.Join(man, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if text := strings.ReplaceAll(string(b), `\&`, ""); !strings.Contains(text, p) {
				t.Errorf("%s has no %s:\n%s", name, p, b)
			}
		}
		if date := `"Sep 2001"`; *pages == "" && !bytes.Contains(b, []byte(date)) {
			t.Errorf("%s is not of %s", name, date)
		}
	}
	for shell, file := range map[string]string{"bash": "ragdb.bash", "zsh": "_ragdb", "fish": "ragdb.fish", "powershell": "ragdb.ps1"} {
		var out, errs bytes.Buffer
		if code := run([]string{"completion", shell}, nil, nil, &out, &errs); code != 0 || out.Len() < 1000 {
			t.Errorf("completion %s: exit %d, %d bytes: %s", shell, code, out.Len(), &errs)
		}
		if err := os.WriteFile(filepath.Join(completions, file), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// plainMarkdown writes a text so that its characters stay in Markdown.
func plainMarkdown(s string) string {
	return strings.NewReplacer(`*`, `\*`, `_`, `\_`, `<`, `\<`, `[`, `\[`).Replace(s)
}
