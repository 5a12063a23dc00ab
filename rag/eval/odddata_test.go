package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestOddData measures on data that is not as it should be.
func TestOddData(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(6)
	odd := question{ID: "odd", Question: "¿?!", Answers: []string{"salt"}, Supporting: []string{"p1"}}
	tests := []struct {
		name   string
		change func(t *testing.T, dir string) eval.Options
		check  func(t *testing.T, rep *eval.Report, heard []string)
		err    string
		is     error
		apart  bool // joined records make no difference
	}{
		{name: "no folder", apart: true, change: func(_ *testing.T, dir string) eval.Options { return eval.Options{Data: filepath.Join(dir, "absent")} }, err: "neither corpus.jsonl", is: fs.ErrNotExist},
		{name: "no corpus", apart: true, change: func(t *testing.T, dir string) eval.Options {
			check(t, os.Remove(filepath.Join(dir, "corpus.jsonl.gz")))
			return eval.Options{}
		}, err: "neither corpus.jsonl", is: fs.ErrNotExist},
		{name: "no questions", apart: true, change: func(t *testing.T, dir string) eval.Options {
			check(t, os.Remove(filepath.Join(dir, "questions.jsonl")))
			return eval.Options{}
		}, err: "neither questions.jsonl", is: fs.ErrNotExist},
		{name: "no such file of questions", apart: true, change: func(_ *testing.T, dir string) eval.Options {
			return eval.Options{Questions: filepath.Join(dir, "absent.jsonl")}
		}, is: fs.ErrNotExist},
		{name: "empty questions", apart: true, change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "questions.jsonl"), "\n\n")
			return eval.Options{}
		}, err: "holds no questions"},
		{name: "malformed question", apart: true, change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "questions.jsonl"), "{\"question\":\"a\"}\n{")
			return eval.Options{}
		}, err: "questions.jsonl line 2"},
		{name: "empty corpus", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), "")
			return eval.Options{}
		}, is: rag.ErrNoDocuments},
		{name: "malformed corpus", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), "a\nb\n")
			return eval.Options{}
		}, is: rag.ErrNoDocuments},
		{name: "no method", apart: true, change: func(*testing.T, string) eval.Options { return eval.Options{Specs: []method.Spec{}} }, is: method.ErrMethod},
		{name: "unknown method", apart: true, change: func(*testing.T, string) eval.Options { return eval.Options{Specs: []method.Spec{{Name: "none"}}} }, is: method.ErrMethod},
		{name: "unknown parameter", apart: true, change: func(t *testing.T, _ string) eval.Options { return eval.Options{Specs: specs(t, "bm25:k=3")} }, is: method.ErrMethod},
		{name: "malformed lines are left out", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), "broken\n"+corpus+"[1]\n")
			return eval.Options{}
		}, check: func(t *testing.T, rep *eval.Report, heard []string) {
			if len(heard) != 2 || *rep.Methods[0].Coverage == 0 {
				t.Errorf("heard %q, figures %v", heard, values(rep.Methods[0]))
			}
		}},
		{name: "a question without words", change: func(t *testing.T, dir string) eval.Options {
			j, err := json.Marshal(odd)
			check(t, err)
			writeFile(t, filepath.Join(dir, "odd.jsonl"), string(j))
			return eval.Options{Questions: filepath.Join(dir, "odd.jsonl"), Specs: specs(t, "bm25", "dense", "naive", "ketrag")}
		}, check: func(t *testing.T, rep *eval.Report, _ []string) {
			for _, f := range rep.Methods {
				if f.Questions != 1 || *f.Coverage != 0 || *f.Recall5 != 0 || f.ContextTokens != 0 {
					t.Errorf("%v", values(f))
				}
			}
		}},
		{name: "other questions", apart: true, change: func(t *testing.T, dir string) eval.Options {
			j, err := json.Marshal(questions[0])
			check(t, err)
			writeFile(t, filepath.Join(dir, "other.jsonl.gz"), string(j))
			return eval.Options{Questions: filepath.Join(dir, "other.jsonl.gz")}
		}, check: func(t *testing.T, rep *eval.Report, _ []string) {
			if f := rep.Methods[0]; f.Questions != 1 || *f.Coverage != 1 {
				t.Errorf("%v", values(f))
			}
		}},
		{name: "links", change: func(t *testing.T, dir string) eval.Options {
			// A store of files by their digests, and a folder of links to them.
			for _, name := range []string{"corpus.jsonl.gz", "questions.jsonl"} {
				p := filepath.Join(dir, name)
				blob := filepath.Join(t.TempDir(), "5a0c1f20")
				check(t, os.Rename(p, blob))
				if err := os.Symlink(blob, p); err != nil {
					t.Skipf("this file system has no symbolic links: %v", err)
				}
			}
			link := filepath.Join(t.TempDir(), "link")
			check(t, os.Symlink(dir, link))
			return eval.Options{Data: link}
		}, check: func(t *testing.T, rep *eval.Report, heard []string) {
			if rep.Data != "link" || *rep.Methods[0].Coverage == 0 || len(heard) > 0 {
				t.Errorf("%v, heard %q", values(rep.Methods[0]), heard)
			}
		}},
		{name: "words only", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), `{"id":"p0","text":"of the and in it"}`+"\n"+`{"id":"p1","text":"--- ...\n!!!"}`)
			return eval.Options{Specs: specs(t, "bm25", "dense", "naive", "ketrag")}
		}, check: func(t *testing.T, rep *eval.Report, _ []string) {
			for _, f := range rep.Methods {
				if *f.Coverage != 0 {
					t.Errorf("%v", values(f))
				}
			}
		}},
	}
	for _, tt := range tests {
		for _, join := range []bool{false, true} {
			if join && tt.apart {
				continue
			}
			t.Run(fmt.Sprintf("%s/join=%t", tt.name, join), func(t *testing.T) {
				t.Parallel()
				dir := dataSet(t, corpus, questions)
				o := tt.change(t, dir)
				if o.Data == "" {
					o.Data = dir
				}
				if o.Specs == nil {
					o.Specs = specs(t, "bm25")
				}
				var heard []string
				o.Engine, o.Methods, o.Join, o.Notify = inMemory(), methods.All(), join, func(e rag.Event) {
					if e.Message != "" && e.Stage == "read" {
						heard = append(heard, e.Message)
					}
				}
				rep, err := eval.Run(t.Context(), o)
				if tt.check == nil {
					if err == nil || !strings.Contains(err.Error(), tt.err) || tt.is != nil && !errors.Is(err, tt.is) {
						t.Fatalf("%v, want %s, %v", err, tt.err, tt.is)
					}
					return
				}
				check(t, err)
				tt.check(t, rep, heard)
			})
		}
	}
}

// TestTemporary holds that a run without a database leaves nothing, whether it
// ends well or not.
func TestTemporary(t *testing.T) {
	corpus, questions := townsOf(3)
	data := dataSet(t, corpus, questions)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	o := eval.Options{Data: data, Specs: specs(t, "bm25"), Methods: methods.All()}
	_, err := eval.Run(t.Context(), o)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	o.Notify = func(e rag.Event) {
		if strings.HasPrefix(e.Stage, "ask") {
			cancel()
		}
	}
	if _, err := eval.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	left, err := os.ReadDir(temp)
	check(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
