package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is a text of every character that a terminal may obey.
func hostile() string {
	var b strings.Builder
	for r := rune(1); r < 0x2100; r++ {
		if unicode.IsControl(r) || isHidden(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// obeyed returns what of an output a terminal would obey, line breaks and tabs
// left out.
func obeyed(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || isHidden(r)) {
			return r
		}
		return -1
	}, s)
}

func TestPrintEscapes(t *testing.T) {
	var out, errs bytes.Buffer
	o := newOutput(&out, &errs, nil)
	evil := hostile()
	o.print("%s %v %s %s\n", evil, errors.New(evil), []byte(evil), o.bold(evil))
	o.rows(&table{head: []string{"a"}, rows: [][]string{{evil}}})
	for _, f := range []format{asCSV, asLine, asBox, asMarkdown} {
		o.format = f
		o.rows(&table{head: []string{"a"}, rows: [][]string{{evil}}})
	}
	o.format = asTable
	o.note("%s", evil)
	o.warn("%s", evil)
	o.failure(&failure{message: evil, hint: evil, detail: evil})
	if bad := obeyed(out.String() + errs.String()); bad != "" {
		t.Errorf("%q is printed as it is", bad)
	}
	out.Reset()
	errs.Reset()
	o.format = asJSON
	o.json(map[string]string{"text": evil + "\u200f\u061c"})
	o.failure(&failure{message: evil, hint: evil})
	if bad := obeyed(out.String() + errs.String()); bad != "" || strings.ContainsAny(out.String(), "\u200f\u061c") {
		t.Errorf("%q is in JSON as it is", bad)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != evil+"\u200f\u061c" {
		t.Errorf("JSON gives back %q, %v", back["text"], err)
	}
}

// TestHostileDocuments prints names, titles, headings, metadata and texts of a
// document by every command that shows some, into a pipe.
func TestHostileDocuments(t *testing.T) {
	dir := t.TempDir()
	db, file := filepath.Join(dir, "a.ragdb"), filepath.Join(dir, "evil.jsonl")
	trap := "\u001b[31m\u009b2J\u202e\u007f\u2066"
	line, err := json.Marshal(map[string]string{"id": "key\u202e", "title": "Title " + trap, "kind": "k" + trap,
		"text": "The trap " + trap + " says that red is a colour. Ada Kestrel" + trap + " built the Harbour Tower in 1912."})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, line, 0o644); err != nil {
		t.Fatal(err)
	}
	ragdb := func(args ...string) {
		t.Helper()
		_, out, errs := runIn(dir, "", args...)
		if bad := obeyed(out + errs); bad != "" {
			t.Errorf("ragdb %q lets %q through", args, bad)
		}
	}
	ragdb("index", db, file, "--method", "ketrag,naive")
	ragdb("index", db, filepath.Join(dir, "no\x1b[2Jsuch"))
	ragdb("ask", db, "no \x1b[2J", "--method", "\x1b[2J")
	for _, format := range []string{"table", "line", "json", "jsonl", "csv", "markdown", "box"} {
		ragdb(db, "-o", format, "-c", "MATCH (d:document) RETURN d.key, d.title AS `a\x1b[2J`, d.kind", "-c", "USE ketrag MATCH (e:entity) RETURN e")
	}
	ragdb("ask", db, "What does the trap say?", "--no-llm")
	ragdb(db, "-c", "RETRUN '\x1b[2J'")
	ragdb("ask", db, "What does the trap say?", "-v", "--explain")
	ragdb("ask", db, "What does the trap say?", "--json", "--explain")
	ragdb("ask", db, "What does the trap say?", "--compare", "naive,ketrag")
	ragdb("why", db, "What does the trap say?", "c:key\u202e#0")
	ragdb("show", db, "key\u202e")
	ragdb("show", db, "key\u202e", "--json")
	ragdb("show", db, "e:\x1b[2J", "--json")
	ragdb("status", db)
	ragdb("rm", db, "key\u202e", "--dry-run")
	ragdb("sync", db, dir, "--include", "*.md", "--dry-run")
	if err := os.WriteFile(filepath.Join(dir, "bad\x1b[2J.csv"), []byte("a,b\n\"x"), 0o644); err == nil {
		ragdb("index", db, filepath.Join(dir, "bad\x1b[2J.csv"), "--method", "naive")
	}
	// The pipe takes what the command gives.
	if n, _, _ := runIn(dir, "", "show", db, "key\u202e"); n != exitOK {
		t.Errorf("the document is not there: exit %d", n)
	}
}
