package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/evaldata"
)

// TestParaphraseFile: there are 300 questions or more, each about one record and
// without names in capitals or numbers, from which a passage could be told.
func TestParaphraseFile(t *testing.T) {
	all, err := paraphrases()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 300 {
		t.Errorf("%d questions, want 300", len(all))
	}
	ids := map[string]bool{}
	for _, q := range all {
		if ids[q.ID] || q.ID == "" {
			t.Errorf("id %q is there twice, or empty", q.ID)
		}
		ids[q.ID] = true
		if len(q.Supporting) != 1 || q.Set == "" {
			t.Errorf("%s: supporting %v of set %q, want one record of a set", q.ID, q.Supporting, q.Set)
		}
		if strings.ContainsFunc(q.Question, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) {
			t.Errorf("%s has capitals or digits: %s", q.ID, q.Question)
		}
	}
}

// TestParaphrasesShareNoWords: no content word of a question, as ragdb's own
// search for words reads it, is in the title or text of its record.
func TestParaphrasesShareNoWords(t *testing.T) {
	all, err := paraphrases()
	if err != nil {
		t.Fatal(err)
	}
	type record struct{ ID, Title, Text string }
	sets := map[string]map[string]record{}
	for _, q := range all {
		if sets[q.Set] == nil {
			sets[q.Set] = map[string]record{}
			for _, r := range evaldata.Lines[record](t, q.Set+"/corpus.jsonl.gz") {
				sets[q.Set][r.ID] = r
			}
		}
		r, ok := sets[q.Set][q.Supporting[0]]
		if !ok {
			t.Errorf("%s: %s has no record %s", q.ID, q.Set, q.Supporting[0])
			continue
		}
		words := contentWords(r.Title + "\n" + r.Text)
		for _, w := range contentWords(q.Question) {
			if slices.Contains(words, w) {
				t.Errorf("%s shares %q with its record: %s", q.ID, w, q.Question)
			}
		}
	}
}

// contentWords are the terms of a text, which the analyzer stems and clears of
// stop words. In Chinese a word is a pair of characters here: single ones such as
// 的 or 在 are in every sentence.
func contentWords(s string) (out []string) {
	for _, term := range (text.Standard{}).Terms(s) {
		if r, n := utf8.DecodeRuneInString(term.Text); n < len(term.Text) || r < utf8.RuneSelf {
			out = append(out, term.Text)
		}
	}
	return out
}

// TestParaphraseSuite writes the folders from small records.
func TestParaphraseSuite(t *testing.T) {
	data, out := t.TempDir(), t.TempDir()
	all, err := paraphrases()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		writeGzip(t, filepath.Join(data, q.Set, "corpus.jsonl.gz"), `{"id":"1","title":"t","text":"x"}`+"\n")
	}
	r := &report{}
	if err := (&paraphraseBench{data, out}).run(r); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, row := range r.Tables[0].Rows {
		if _, err := os.Stat(filepath.Join(row[2], "corpus.jsonl.gz")); err != nil {
			t.Error(err)
		}
		b, err := os.ReadFile(filepath.Join(row[2], "questions.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(b), "\n")
	}
	if lines != len(all) {
		t.Errorf("%d questions were written, want %d", lines, len(all))
	}
	if err := (&paraphraseBench{t.TempDir(), out}).run(r); err == nil || !strings.Contains(err.Error(), "corpus.jsonl") {
		t.Errorf("without records: %v", err)
	}
}
