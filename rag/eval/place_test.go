package eval_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

// manual writes a data set of files as people have them, with the places that answer
// its questions.
func manual(t *testing.T, questions string) string {
	t.Helper()
	dir := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(dir, "docs", "guide"), 0o777))
	writeFile(t, filepath.Join(dir, "docs", "index.html"), "<title>Mill</title><p>The mill grinds\nflour all day.</p>")
	writeFile(t, filepath.Join(dir, "docs", "guide", "ports.md"), "# Ports\n\nThe gate listens on port 7010.\n\nThe wheel turns at 12 rounds a minute.\n")
	writeFile(t, filepath.Join(dir, "questions.jsonl"), questions)
	return dir
}

// TestPlaces: documents in files are judged by the places that answer a question, and
// answers by what is expected of them.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir := manual(t, `{"id":"a","question":"Which port does the gate listen on?","places":[{"doc":"guide/ports.md","match":"port\\s+7010"}],"expect":["7010"]}
{"id":"b","question":"What does the mill grind all day?","places":[{"doc":"","match":"GRINDS flour"}],"expect":["flour","night"]}
{"id":"c","question":"How fast does the wheel turn?","places":[{"doc":"index.html","match":"rounds"}],"expect":["13 rounds"]}
{"id":"d","question":"Who owns the castle of Bern?","unanswerable":true}
`)
	local := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, false, rag.Parts{})
	}
	rep, err := eval.Run(t.Context(), eval.Options{
		Data: dir, Specs: specs(t, "bm25"), Methods: methods.All(), At: []int{500}, Engine: inMemory(), Answers: &eval.AnswerOptions{Models: local, OwnPrompts: true},
	})
	check(t, err)
	f := rep.Methods[0]
	if *f.Hit5 < 0.6 || *f.Hit5 > 0.7 || *f.At[0].Recall < 0.6 || *f.At[0].Recall > 0.7 {
		t.Errorf("hit@5 %v, recall of 500 tokens %v: want two of three", *f.Hit5, *f.At[0].Recall)
	}
	if o := f.Answers.Outcomes; o.Right != 1 || o.Partly != 1 || o.Wrong+o.Refused != 1 || o.RightlyRefused != 1 {
		t.Errorf("outcomes: %+v", *o)
	}
	if n := len(rep.Manifest.Files); n != 3 {
		t.Errorf("%d files are in the manifest: %v", n, rep.Manifest.Files)
	}
}

// TestBadPlaces: what is no expression is told with its line.
func TestBadPlaces(t *testing.T) {
	t.Parallel()
	for _, q := range []string{`{"question":"a?","places":[{"match":"("}]}`, `{"question":"a?","places":[{"doc":"x"}]}`, `{"question":"a?","expect":[" "]}`} {
		_, err := eval.Run(t.Context(), eval.Options{Data: manual(t, q), Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory()})
		if err == nil || !strings.Contains(err.Error(), "line 1") || !strings.Contains(err.Error(), "no regular expression") {
			t.Errorf("%s: %v", q, err)
		}
	}
}
