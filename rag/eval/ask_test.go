package eval_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// sent are the messages that chat models were sent to make answers of evidence, by
// model.
type sent struct {
	mu       sync.Mutex
	messages map[string][]string
}

// answer records what a model is sent, and answers.
func (s *sent) answer(c llmtest.Chat) (string, bool) {
	text := fmt.Sprint(c.Messages)
	s.mu.Lock()
	s.messages[c.Model] = append(s.messages[c.Model], text)
	s.mu.Unlock()
	if c.Kind.JSON() {
		return "", false
	}
	return fmt.Sprintf("It is the year %x [1].", sha256.Sum256([]byte(text))), true
}

// TestAskSendsWhatEvalSends: for every method ask retrieves the evidence that eval
// measures, and sends the very messages to a chat model that eval sends, in each
// style. The style changes the message that asks for the answer.
func TestAskSendsWhatEvalSends(t *testing.T) {
	t.Parallel()
	const question = "When did Acme open Depot Ash?"
	data := dataSet(t, `{"id":"a","title":"Depot","text":"Acme opened Depot Ash in 1950. Keeper Vale repairs Model A there."}
{"id":"b","title":"Vale","text":"Keeper Vale was born in Port Elm. Acme made Keeper Vale the head of Depot Ash."}
{"id":"c","title":"Elm","text":"Port Elm lies by the sea. Acme built a harbour in Port Elm in 1961."}
`, nil)
	writeFile(t, filepath.Join(data, "questions.jsonl"), `{"id":"q","question":"`+question+`","answers":["1950"],"supporting":["a"]}`)
	s := &sent{messages: map[string][]string{}}
	server := llmtest.New(t, llmtest.Options{Answer: s.answer})
	chat := func(ctx context.Context, c *rag.Corpus, model string) (*rag.Models, error) {
		return chatAt(server.URL, model)(ctx, c)
	}
	names := methods.All().Names()
	o := eval.Options{
		Data: data, DB: filepath.Join(t.TempDir(), "a.ragdb"), Methods: methods.All(), Extract: eval.ExtractModel, Budget: 2000,
		Models: func(ctx context.Context, c *rag.Corpus, _ bool) (*rag.Models, error) { return chat(ctx, c, "reads") },
	}
	for _, name := range names {
		o.Specs = append(o.Specs, method.Spec{Name: name})
	}
	for _, style := range append([]string{""}, method.Styles()...) {
		asked := 0 // methods whose answers eval asks for, one after the other
		o.Answers = &eval.AnswerOptions{OwnPrompts: true, Style: style, Models: func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			asked++
			return chat(ctx, c, "eval answers "+style+names[asked-1])
		}}
		rep, err := eval.Run(t.Context(), o)
		check(t, err)
		db, err := engine.Open(t.Context(), o.DB, nil)
		check(t, err)
		c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
		check(t, err)
		for i, name := range names {
			sys, err := o.Methods.Open(t.Context(), c.Docs(), o.Specs[i])
			check(t, err)
			m, err := chat(t.Context(), c, "ask answers "+style+name)
			check(t, err)
			a, err := c.Ask(t.Context(), sys, m, method.Question{Text: question, Budget: o.Budget, Style: style})
			check(t, err)
			digest := eval.EvidenceDigest(a.Evidence)
			if got, want := hex.EncodeToString(digest[:]), rep.Methods[i].Rows[0].Evidence; rep.Methods[i].Name != name || got != want {
				t.Errorf("%s: ask retrieves %d pieces, not what eval retrieved", name, len(a.Evidence.Items()))
			}
			s.mu.Lock()
			byEval, byAsk := s.messages["eval answers "+style+name], s.messages["ask answers "+style+name]
			byDefault := s.messages["ask answers "+name]
			s.mu.Unlock()
			// What a question is about ask reads with its own model, eval with the one
			// that indexes: it is not a part of making the answer.
			byAsk = slices.DeleteFunc(slices.Clone(byAsk), func(text string) bool { return slices.Contains(s.messages["reads"], text) })
			if slices.Sort(byEval); len(byEval) == 0 {
				t.Errorf("%s: eval sends nothing", name)
			}
			if slices.Sort(byAsk); !slices.Equal(byAsk, byEval) {
				t.Errorf("%s: ask sends %d messages, eval %d, or others:\n%s\n\n%s", name, len(byAsk), len(byEval), strings.Join(byAsk, "\n"), strings.Join(byEval, "\n"))
			}
			long := 0
			for _, text := range byAsk {
				if strings.Contains(text, "in several paragraphs") {
					long++
				} else if !slices.Contains(byDefault, text) {
					t.Errorf("%s, style %q: not as without a style:\n%s", name, style, text)
				}
			}
			if want := map[string]int{"paragraphs": 1}[style]; long != want {
				t.Errorf("%s, style %q: %d messages ask for paragraphs, want %d", name, style, long, want)
			}
		}
		check(t, db.Close())
	}
}
