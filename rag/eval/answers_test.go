package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/methods"
	"github.com/ragdb/ragdb/rag/prompts"
)

// chatAt opens a chat model of a server, beside local vectors. A million tokens
// read cost one dollar, written ones two.
func chatAt(url, model string) func(context.Context, *rag.Corpus) (*rag.Models, error) {
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		chat, err := openai.NewChat(openai.Config{BaseURL: url, Model: model}, openai.Options{Count: c.Tokens().Count})
		if err != nil {
			return nil, err
		}
		return paidBy(ctx, c, chat)
	}
}

// keptOnly opens a model that gives what is kept and nothing else.
func keptOnly(model string) func(context.Context, *rag.Corpus) (*rag.Models, error) {
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) { return paidBy(ctx, c, silent(model)) }
}

func paidBy(ctx context.Context, c *rag.Corpus, p llm.Provider) (*rag.Models, error) {
	set, err := prompts.Default()
	if err != nil {
		return nil, err
	}
	m, err := c.OpenLocal(ctx, false, rag.Parts{})
	if err != nil {
		return nil, err
	}
	m = m.With(rag.Parts{Provider: p, Fill: set.Fill, Workers: 8})
	m = m.Metered(cost.NewMeter(cost.Prices{p.Name(): {In: 1, Out: 2}}, cost.Limits{}))
	return m, nil
}

// silent is a model that says nothing.
type silent string

func (s silent) Name() string        { return string(s) }
func (s silent) Can(k llm.Kind) bool { return k.Known() }
func (s silent) Do(context.Context, llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{}, llm.Usage{}, replay.ErrNotRecorded
}

// mills are a data set of four questions, one of them of multiple choice and
// one without a known answer.
func mills(t *testing.T) string {
	t.Helper()
	corpus := `{"id":"m1","title":"Mill","text":"The tide mill of Orsk was drawn by Mira Voss in 1921."}
{"id":"m2","title":"Flood","text":"The flood of 1954 ended the tide mill."}
{"id":"m3","title":"Harn","text":"Old Harn was the teacher of Mira Voss."}
`
	dir := dataSet(t, corpus, nil)
	writeFile(t, filepath.Join(dir, "questions.jsonl"), `{"id":"q1","question":"Who drew the tide mill?","answers":["Mira Voss"]}
{"id":"q2","question":"What ended the tide mill?","answers":["the flood of 1954","the flood"]}
{"id":"q3","question":"Who was the teacher of Mira Voss?","options":["Mira Voss","Old Harn","Nobody"],"answer_idx":"B"}
{"id":"q4","question":"How did the mill change life in Orsk?"}
`)
	return dir
}

// TestAnswers asks a server that is told what to say, and wants the figures
// that were computed by hand; then again, from what is kept.
func TestAnswers(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	systems := map[llm.Kind]map[string]bool{}
	s := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		if systems[c.Kind] == nil {
			systems[c.Kind] = map[string]bool{}
		}
		systems[c.Kind][c.Messages[0].Content] = true
		switch c.Fences["question"] {
		case "Who drew the tide mill?":
			return "Mira Voss of Orsk [1]", true
		case "What ended the tide mill?":
			return "The flood of 1954.", true
		case "Who was the teacher of Mira Voss?":
			if c.Fences["options"] != "A. Mira Voss\nB. Old Harn\nC. Nobody" {
				t.Errorf("options %q", c.Fences["options"])
			}
			return "(B)", true
		}
		return "It ground flour [2], [1, 2].", true
	}})
	o := eval.Options{
		Data: mills(t), DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "bm25", "naive"), Methods: methods.All(), Seed: 1,
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m")},
	}
	first, err := eval.Run(t.Context(), o)
	check(t, err)
	// q1 has two of four tokens; q2 is the same but for the article; q3's letter
	// stands for an answer. Words: q1 2/4; the others are whole.
	f := first.Methods[1].Answers
	for _, x := range []struct {
		name string
		got  *float64
		want float64
	}{
		{"acc", f.Acc, 1}, {"em", f.EM, 2. / 3}, {"f1", f.F1, (2*2./6 + 1 + 1) / 3}, {"token_recall", f.TokenRecall, 1},
		{"bleu1", f.BLEU1, (0.5 + 1 + 1) / 3}, {"rougeL", f.RougeL, (4./6 + 1 + 1) / 3},
		// One chunk of m words costs 0.5/m^3 of the mean of precision and recall.
		{"meteor", f.Meteor, (0.5/(0.9*0.5+0.1)*(1-0.5/8) + (1 - 0.5/64) + (1 - 0.5/8)) / 3},
		{"choice", f.Choice, 1},
	} {
		if x.got == nil || math.Abs(*x.got-x.want) > 1e-9 {
			t.Errorf("%s is %v, want %v", x.name, value(x.got), x.want)
		}
	}
	if f.Model != "m" || f.Failed != 0 || f.Unanswered != 0 || f.CI == nil || *f.CI != [2]float64{} || first.Methods[0].Answers.CI != nil {
		t.Errorf("%+v", f)
	}
	if want := float64(f.InTokens+2*f.OutTokens) / 1e6; f.InTokens < 100 || f.OutTokens < 10 || f.USD == nil || math.Abs(*f.USD-want) > 1e-12 {
		t.Errorf("%d tokens in, %d out, $%v", f.InTokens, f.OutTokens, value(f.USD))
	}
	if len(systems[llm.ShortAnswer]) != 1 || len(systems[llm.Answer]) != 1 || len(systems) != 2 {
		t.Errorf("%d and %d prompts of %d kinds", len(systems[llm.ShortAnswer]), len(systems[llm.Answer]), len(systems))
	}
	before := s.Counters()
	if before.Repeated != 0 || before.Chats > 8 {
		t.Errorf("%+v", before)
	}
	for name, models := range map[string]func(context.Context, *rag.Corpus) (*rag.Models, error){"again": o.Answers.Models, "replayed": keptOnly("m")} {
		o.Answers.Models = models
		again, err := eval.Run(t.Context(), o)
		check(t, err)
		for i := range again.Methods {
			if got, want := asJSON(t, again.Methods[i].Answers), asJSON(t, first.Methods[i].Answers); got != want {
				t.Errorf("%s: %s, and was %s", name, got, want)
			}
		}
	}
	if after := s.Counters(); after.Chats != before.Chats {
		t.Errorf("%d requests more", after.Chats-before.Chats)
	}
	o.Answers.Models = keptOnly("other")
	if _, err := eval.Run(t.Context(), o); !errors.Is(err, replay.ErrNotRecorded) {
		t.Errorf("what nobody said: %v", err)
	}
}

func value(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	check(t, err)
	return string(b)
}

// TestOwnPrompts answers as ask does: with citations, which do not count.
func TestOwnPrompts(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		if c.Kind != llm.Answer {
			t.Errorf("asked for %s", c.Kind)
		}
		if strings.Contains(c.Fences["question"], "drew") {
			return "Mira Voss [1].", true
		}
		return prompts.NoEvidence, true
	}})
	rep, err := eval.Run(t.Context(), eval.Options{
		Data: mills(t), Specs: specs(t, "naive"), Methods: methods.All(), Engine: inMemory(),
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m"), OwnPrompts: true},
	})
	check(t, err)
	if f := rep.Methods[0].Answers; f.Unanswered != 3 || f.Failed != 0 || *f.EM != 1./3 || *f.Acc != 1./3 || *f.Choice != 0 {
		t.Errorf("%+v", f)
	}
}

// TestStyleOfAnswers: answers have the style that a run names, those to questions with
// known answers too, but for a choice, which is a letter. The style of a method is
// that of answers which have no known ones to be like.
func TestStyleOfAnswers(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]string{}
	s := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		kind := string(c.Kind)
		if strings.Contains(c.Messages[1].Content, "several paragraphs") {
			kind += " in paragraphs"
		}
		mu.Lock()
		defer mu.Unlock()
		asked[c.Model+": "+c.Fences["question"]] = kind
		if c.Kind == llm.ShortAnswer {
			return "B", true
		}
		return "It was [1].\n\nAnd it is [1].", true
	}})
	const plain, known, choice = "How did the mill change life in Orsk?", "Who drew the tide mill?", "Who was the teacher of Mira Voss?"
	for name, c := range map[string]struct {
		style, spec          string
		plain, known, choice string
	}{
		"none":         {"", "naive", "answer", "short-answer", "short-answer"},
		"of the run":   {"paragraphs", "naive", "answer in paragraphs", "answer in paragraphs", "short-answer"},
		"the method's": {"", "naive:style=paragraphs", "answer in paragraphs", "short-answer", "short-answer"},
		"the run's":    {"short", "naive:style=paragraphs", "answer", "short-answer", "short-answer"},
	} {
		rep, err := eval.Run(t.Context(), eval.Options{
			Data: mills(t), Specs: specs(t, c.spec), Methods: methods.All(), Engine: inMemory(),
			Answers: &eval.AnswerOptions{Models: chatAt(s.URL, name), Style: c.style},
		})
		check(t, err)
		for question, want := range map[string]string{plain: c.plain, known: c.known, choice: c.choice} {
			if got := asked[name+": "+question]; got != want {
				t.Errorf("%s: %s: asked for %q, want %q", name, question, got, want)
			}
		}
		if rep.Manifest.Answers.Style != c.style {
			t.Errorf("%s: the manifest has the style %q", name, rep.Manifest.Answers.Style)
		}
	}
	var wrong *eval.OptionError
	_, err := eval.Run(t.Context(), eval.Options{
		Data: mills(t), Specs: specs(t, "naive"), Methods: methods.All(), Engine: inMemory(),
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m"), Style: "poem"},
	})
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), `style "poem": there are short and paragraphs`) {
		t.Errorf("an unknown style: %v", err)
	}
}

// TestUnaidedAnswers asks what a model knows: straight, and step by step.
func TestUnaidedAnswers(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		last := c.Messages[len(c.Messages)-1].Content
		if c.Fences["evidence"] != "" {
			t.Errorf("evidence %q", c.Fences["evidence"])
		}
		if strings.Contains(last, "step by step") {
			return "Old Harn built nothing.\nSo it was she.\n\nMira Voss\n", true
		}
		return "Old Harn", true
	}})
	rep, err := eval.Run(t.Context(), eval.Options{
		Data: mills(t), Specs: specs(t, "zeroshot", "cot"), Methods: methods.All(), Engine: inMemory(),
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m")},
	})
	check(t, err)
	zero, cot := rep.Methods[0].Answers, rep.Methods[1].Answers
	if *zero.EM != 1./3 || *zero.Choice != 1 || *cot.EM != 1./3 || *cot.Choice != 0 {
		t.Errorf("zeroshot %+v, cot %+v", zero, cot)
	}
}

// TestFailedAnswers counts replies that are of no use, as wrong answers, and
// ends with what concerns all.
func TestFailedAnswers(t *testing.T) {
	t.Parallel()
	run := func(o llmtest.Options) (*eval.Report, error) {
		s := llmtest.New(t, o)
		return eval.Run(t.Context(), eval.Options{
			Data: mills(t), Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory(),
			Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m")},
		})
	}
	rep, err := run(llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Empty, Text: "Who drew", First: 99, On: "chat"}}})
	check(t, err)
	if f := rep.Methods[0].Answers; f.Failed != 1 || f.Unanswered != 0 || !errors.Is(f.Failure, llm.ErrReply) || !strings.HasPrefix(f.Failure.Error(), "question q1: ") {
		t.Errorf("%+v", f)
	}
	if _, err := run(llmtest.Options{Key: "another"}); !errors.Is(err, llm.ErrProvider) {
		t.Errorf("a refused key: %v", err)
	}
}

// TestLocalAnswers answers by rules: nothing is asked, and nothing paid.
func TestLocalAnswers(t *testing.T) {
	t.Parallel()
	local := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, false, rag.Parts{})
	}
	o := eval.Options{
		Data: mills(t), Specs: specs(t, "bm25", "zeroshot"), Methods: methods.All(), Engine: inMemory(), Answers: &eval.AnswerOptions{Models: local},
	}
	rep, err := eval.Run(t.Context(), o)
	check(t, err)
	bm25, zero := rep.Methods[0].Answers, rep.Methods[1].Answers
	if *bm25.Acc != 1 || *bm25.TokenRecall != 1 || *bm25.USD != 0 || zero.Unanswered != 4 || *zero.Acc != 0 {
		t.Errorf("bm25 %+v, zeroshot %+v", bm25, zero)
	}
	o.Answers.Judges = []func(context.Context, *rag.Corpus) (*rag.Models, error){local}
	if _, err := eval.Run(t.Context(), o); !errors.Is(err, llm.ErrKind) || !strings.Contains(err.Error(), "local/") {
		t.Errorf("the rules judge: %v", err)
	}
}
