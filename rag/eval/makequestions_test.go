package eval_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestMakeQuestions makes 125 questions by 31 calls, then again from what is
// kept, and evaluates with them.
func TestMakeQuestions(t *testing.T) {
	t.Parallel()
	corpus, _ := townsOf(100)
	s := llmtest.New(t, llmtest.Options{})
	var calls, tokens int
	o := eval.MakeOptions{
		Data: dataSet(t, corpus, nil), DB: filepath.Join(t.TempDir(), "kept.ragdb"), About: "Letters about towns.",
		Models: chatAt(s.URL, "m"), Begin: func(c, n int) error { calls, tokens = c, n; return nil },
	}
	made, err := eval.MakeQuestions(t.Context(), o)
	check(t, err)
	if len(made.Questions) != 125 || made.Failed != 0 || s.Counters().Chats != 31 || calls != 31 {
		t.Fatalf("%d questions, %d failed, %d of %d calls", len(made.Questions), made.Failed, s.Counters().Chats, calls)
	}
	want := eval.MadeQuestion{
		ID: "u2t5q3", Text: "Question 3 for Task 5 of User 2", Type: "abstract", User: "User 2", Task: "Task 5 of User 2",
	}
	if got := made.Questions[1*25+4*5+2]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if made.Spent.Calls != 31 || made.USD == nil || tokens < made.Spent.InTokens/3 || tokens > made.Spent.InTokens*3 {
		t.Errorf("%+v spent, $%v, %d tokens were announced", made.Spent, value(made.USD), tokens)
	}
	o.Models = keptOnly("m")
	again, err := eval.MakeQuestions(t.Context(), o)
	check(t, err)
	if asJSON(t, again) != asJSON(t, made) {
		t.Errorf("again %+v", again)
	}

	var lines strings.Builder
	for _, q := range made.Questions[:4] {
		lines.WriteString(asJSON(t, q) + "\n")
	}
	file := filepath.Join(t.TempDir(), "abstract.jsonl")
	writeFile(t, file, lines.String())
	rep, err := eval.Run(t.Context(), eval.Options{
		Data: o.Data, Questions: file, Specs: specs(t, "bm25", "naive"), Methods: methods.All(), Engine: inMemory(),
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m"), Judges: nil},
	})
	check(t, err)
	if f := rep.Methods[0]; f.Questions != 4 || f.Answers.Acc != nil || f.Answers.Choice != nil || f.Answers.OutTokens == 0 {
		t.Errorf("%+v", f.Answers)
	}
}

// TestSampleOfTexts shows a model the beginnings of texts from all over the
// corpus, and no more of a large one than of a small one.
func TestSampleOfTexts(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 40, 41, 79, 80, 1000} {
		var corpus strings.Builder
		for i := range n {
			fmt.Fprintf(&corpus, "{\"id\":\"r%d\",\"text\":\"Record %d says %s.\"}\n", i, i, strings.Repeat("much ", 100))
		}
		var texts string
		s := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
			texts = c.Fences["texts"]
			return `{"items":["a"]}`, true
		}})
		made, err := eval.MakeQuestions(t.Context(), eval.MakeOptions{
			Data: dataSet(t, corpus.String(), nil), DB: "memory", Users: 1, Tasks: 1, Questions: 1, Models: chatAt(s.URL, "m"), Engine: inMemory(),
		})
		check(t, err)
		shown := strings.Count(texts, "] Record ")
		if len(made.Questions) != 1 || shown > 40 || shown < min(n, 20) || !strings.HasPrefix(texts, "[1] Record 0 says") || len(texts) > 40*340 {
			t.Errorf("of %d records %d are shown, in %d bytes", n, shown, len(texts))
		}
		var record int
		_, err = fmt.Sscanf(texts[strings.LastIndex(texts, "] Record "):], "] Record %d", &record)
		check(t, err)
		if record < n*9/10 {
			t.Errorf("of %d records the last that is shown is %d", n, record)
		}
	}
}

// TestMakeQuestionsFails counts a list that cannot be had, and ends where there
// is none at all.
func TestMakeQuestionsFails(t *testing.T) {
	t.Parallel()
	corpus, _ := townsOf(4)
	s := llmtest.New(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.BadJSON, Text: "Task 2 of User 1", First: 99, On: "chat"}}})
	o := eval.MakeOptions{
		Data: dataSet(t, corpus, nil), DB: "memory", Users: 2, Tasks: 3, Questions: 2, Models: chatAt(s.URL, "m"), Engine: inMemory(),
	}
	made, err := eval.MakeQuestions(t.Context(), o)
	check(t, err)
	if len(made.Questions) != 10 || made.Failed != 1 || !errors.Is(made.Failure, llm.ErrReply) {
		t.Errorf("%d questions, %d lists failed", len(made.Questions), made.Failed)
	}
	declined := errors.New("no")
	o.Begin = func(int, int) error { return declined }
	if _, err := eval.MakeQuestions(t.Context(), o); !errors.Is(err, declined) {
		t.Errorf("%v", err)
	}
	o.Begin, o.Models = nil, func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, false, rag.Parts{})
	}
	if _, err := eval.MakeQuestions(t.Context(), o); !errors.Is(err, llm.ErrKind) {
		t.Errorf("rules: %v", err)
	}
	o.Models, o.Data = keptOnly("m"), t.TempDir()
	if _, err := eval.MakeQuestions(t.Context(), o); err == nil || !strings.Contains(err.Error(), "neither corpus.jsonl") {
		t.Errorf("no corpus: %v", err)
	}
}
