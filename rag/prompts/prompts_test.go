package prompts_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/prompts"
)

var update = flag.Bool("update", false, "write the golden files anew")

func defaults(t testing.TB) *prompts.Set {
	t.Helper()
	s, err := prompts.Default()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fill(t testing.TB, s *prompts.Set, task llm.Task) llm.Task {
	t.Helper()
	if err := s.Fill(&task); err != nil {
		t.Fatal(err)
	}
	return task
}

// cases are tasks of every kind, first one with all there is to say, then the
// bare ones.
func cases() []llm.Task {
	const text = "Mira Voss drew the plans of the tide mill in 1921.\nOld Harn, her teacher, called it a toy.\n[…]\nThe mill [4] ground flour until the flood of 1954."
	found := llm.Extraction{
		Entities: []llm.Entity{{Name: "Mira Voss", Type: "person", Description: "Mira Voss drew the plans of the tide mill."}, {Name: "tide mill"}},
		Relations: []llm.Relation{{Source: "Mira Voss", Target: "tide mill", Strength: 8,
			Description: "Mira Voss drew the plans of the tide mill.", Sentence: "Mira Voss drew the plans of the tide mill in 1921."}},
	}
	members := []llm.Entity{{Name: "tide mill", Type: "building", Description: "A mill that\nthe tide drove."}, {Name: "Mira Voss", Type: "person", Description: "She drew the plans."}}
	evidence := []llm.Evidence{
		{N: 1, Section: "entities", Text: "0|Mira Voss|She drew the plans of the tide mill."},
		{N: 2, Section: "entities"},
		{N: 3, Section: "sources", Text: text},
		{N: 4, Section: "sources", Text: "The tide mill stood empty after the flood."},
	}
	question := llm.QuestionInput{Question: "Who drew the plans of the tide mill?"}
	return []llm.Task{
		{Kind: llm.Extract, Lang: "de", Input: llm.ExtractInput{Text: text, Title: "The tide mill of Orsk", Types: []string{"person", "building"}}},
		{Kind: llm.Extract, Input: llm.ExtractInput{Text: "Nothing happened."}},
		{Kind: llm.Glean, Lang: "pt-BR", Input: llm.GleanInput{ExtractInput: llm.ExtractInput{Text: text, Title: "The tide mill of Orsk", Types: []string{"person", "building"}}, Found: found}},
		{Kind: llm.Glean, Input: llm.GleanInput{ExtractInput: llm.ExtractInput{Text: text}}},
		{Kind: llm.RepairRelation, Lang: "en", Input: llm.RepairInput{Text: text, Relation: "Mira Voss, drew, the plans, of the tide mill", Entities: []string{"Mira Voss", "tide mill"}}},
		{Kind: llm.Attribute, Lang: "zh", Input: llm.AttributeInput{Name: "tide mill", Units: []string{"Mira Voss drew the plans.\nHarn laughed.", "It ground flour until 1954."}, Relations: []string{"Mira Voss drew the tide mill"}, MaxTokens: 400}},
		{Kind: llm.Attribute, Input: llm.AttributeInput{Name: "tide mill", Units: []string{"It ground flour."}}},
		{Kind: llm.Decompose, Lang: "de", Input: llm.ExtractInput{Text: text, Title: "The tide mill of Orsk", Types: []string{"person", "building"}}},
		{Kind: llm.Decompose, Input: llm.ExtractInput{Text: "Nothing happened."}},
		{Kind: llm.Insights, Lang: "it", Input: llm.InsightsInput{Entities: members, Insights: []llm.Insight{{Title: "The flood", Description: "The flood of 1954 ended the mill."}}, Most: 3}},
		{Kind: llm.Insights, Input: llm.InsightsInput{Entities: members}},
		{Kind: llm.CommunityReport, Lang: "fr", Input: llm.ReportInput{Entities: members, Relations: found.Relations, Reports: []string{"The mill and the flood: the flood of 1954 ended the mill."}, MaxTokens: 800}},
		{Kind: llm.CommunityReport, Input: llm.ReportInput{Entities: members}},
		{Kind: llm.Summarise, Lang: "ja", Input: llm.SummariseInput{Texts: []string{text, "The tide mill stood empty."}, MaxTokens: 100}},
		{Kind: llm.MergeDescriptions, Lang: "ar", Input: llm.MergeInput{Name: "tide mill", Descriptions: []string{"A mill that the tide drove.", "It stood empty."}, MaxTokens: 120}},
		{Kind: llm.SummaryEntities, Lang: "es", Input: llm.SummaryEntitiesInput{Entities: members, Types: []string{"field", "place"}}},
		{Kind: llm.SummaryEntities, Input: llm.SummaryEntitiesInput{Entities: members}},
		{Kind: llm.QueryElements, Input: question},
		{Kind: llm.QueryElements, Input: llm.QuestionInput{Question: question.Question, Related: true}},
		{Kind: llm.Keywords, Input: question},
		{Kind: llm.HypotheticalPassage, Lang: "sr-Latn-RS", Input: question},
		{Kind: llm.WholeQuestion, Lang: "pl", Input: llm.FollowUpInput{Turns: []llm.Turn{{Question: "Who drew the tide mill?", Answer: "Mira Voss [1]."}, {Question: "When?"}}, Question: "And who built it?"}},
		{Kind: llm.FilterPoints, Input: llm.AnswerInput{Question: question.Question, Evidence: evidence}},
		{Kind: llm.Answer, Lang: "de-CH", Input: llm.AnswerInput{Question: question.Question, Evidence: evidence, MaxSentences: 1}},
		{Kind: llm.Answer, Input: llm.AnswerInput{Question: question.Question, Evidence: evidence, MaxSentences: 3}},
		{Kind: llm.Answer, Input: llm.AnswerInput{Question: question.Question, Evidence: evidence}},
		{Kind: llm.Answer, Lang: "nl", Input: llm.AnswerInput{Question: question.Question, Evidence: evidence, Paragraphs: true}},
		{Kind: llm.Judge, Input: llm.JudgeInput{Question: question.Question, Answers: []string{"Mira Voss [1].", "Old Harn,\nsurely."}}},
		{Kind: llm.Judge, Input: llm.JudgeInput{Question: question.Question, Answers: []string{"Mira Voss"}, Truth: []string{"Mira Voss", "M. Voss"}}},
		{Kind: llm.ShortAnswer, Lang: "de", Input: llm.ShortAnswerInput{Question: question.Question, Evidence: evidence, Options: []string{"A. Mira Voss", "B. Old Harn"}}},
		{Kind: llm.ShortAnswer, Input: llm.ShortAnswerInput{Question: question.Question, Evidence: evidence}},
		{Kind: llm.ShortAnswer, Input: llm.ShortAnswerInput{Question: question.Question, Steps: true}},
		{Kind: llm.MakeQuestions, Lang: "de", Input: llm.QuestionsInput{About: "Letters about mills.", Texts: []string{text, "The tide mill stood empty."}, User: "A historian of mills.", Task: "Compare the mills of two coasts.", Count: 5}},
		{Kind: llm.MakeQuestions, Input: llm.QuestionsInput{Texts: []string{text}, User: "A historian of mills.", Count: 5}},
		{Kind: llm.MakeQuestions, Input: llm.QuestionsInput{Texts: []string{text}, Count: 5}},
	}
}

// promptOf names the prompt that a task is asked by.
func promptOf(task llm.Task) llm.Kind {
	if in, ok := task.Input.(llm.AnswerInput); ok && in.Paragraphs {
		return task.Kind + "-paragraphs"
	}
	return task.Kind
}

// TestGolden compares the filled prompts with the ones that people have read.
func TestGolden(t *testing.T) {
	s := defaults(t)
	got := map[llm.Kind]string{}
	for _, task := range cases() {
		task = fill(t, s, task)
		var b strings.Builder
		fmt.Fprintf(&b, "===== lang %q, max_tokens %d, schema of %d bytes\n", task.Lang, task.MaxTokens, len(task.Schema))
		for _, m := range task.Prompt {
			fmt.Fprintf(&b, "----- %s\n%s\n", m.Role, m.Content)
		}
		got[promptOf(task)] += b.String()
	}
	for _, k := range s.Kinds() {
		path := filepath.Join("testdata", string(k)+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got[k]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got[k] != string(want) {
			t.Errorf("%s differs from %s; -update writes it anew:\n%s", k, path, got[k])
		}
	}
}

// TestPure fills tasks twice, with another set and with the same one, and a
// filled task again.
func TestPure(t *testing.T) {
	a, b := defaults(t), defaults(t)
	for _, task := range cases() {
		once, other := fill(t, a, task), fill(t, b, task)
		again := fill(t, a, once)
		if !reflect.DeepEqual(once, other) || !reflect.DeepEqual(once, again) {
			t.Errorf("%s is not filled alike each time", task.Kind)
		}
		if !reflect.DeepEqual(once.Input, task.Input) {
			t.Errorf("%s: the input was changed", task.Kind)
		}
		if len(once.Schema) > 0 {
			once.Schema[0] = 'x'
			if fill(t, a, task).Schema[0] == 'x' {
				t.Errorf("%s: the schema of a task is the set's own", task.Kind)
			}
		}
	}
}

// TestSystemIsConstant: a provider that caches the beginnings of prompts finds
// the same one in every task of a kind.
func TestSystemIsConstant(t *testing.T) {
	s := defaults(t)
	system := map[llm.Kind]string{}
	for _, task := range cases() {
		task = fill(t, s, task)
		first := task.Prompt[0]
		if first.Role != "system" {
			t.Errorf("%s begins with a message of %s", task.Kind, first.Role)
		}
		if was, ok := system[promptOf(task)]; ok && was != first.Content {
			t.Errorf("%s has two system messages", task.Kind)
		}
		system[promptOf(task)] = first.Content
	}
	if len(system) != len(s.Kinds()) || len(system) != 20 {
		t.Errorf("%d kinds of %d", len(system), len(s.Kinds()))
	}
}

func TestMaxTokens(t *testing.T) {
	s := defaults(t)
	long := []string{strings.Repeat("a ", 3000)}
	for _, c := range []struct {
		task llm.Task
		want int
	}{
		{llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: long, MaxTokens: 200}}, 400},
		{llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: long}}, 500},
		{llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{}}, 300},
		{llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: []string{strings.Repeat("a", 30)}, MaxTokens: 200}}, 310},
		{llm.Task{Kind: llm.Summarise, MaxTokens: 7, Input: llm.SummariseInput{MaxTokens: 200}}, 7},
		{llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: long, MaxTokens: -3}}, 500},
		{llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{}}, 300},
		{llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Text: strings.Repeat("a", 400), Title: "aa"}}, 836},
		{llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Text: long[0]}}, 6000},
		{llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{Question: "a"}}, 1500},
		{llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{Question: "a", Paragraphs: true}}, 4000},
	} {
		if got := fill(t, s, c.task).MaxTokens; got != c.want {
			t.Errorf("%s %+v: %d tokens, want %d", c.task.Kind, c.task.Input, got, c.want)
		}
	}
}

func TestFillErrors(t *testing.T) {
	s := defaults(t)
	for _, c := range []struct {
		name string
		task llm.Task
		want error
	}{
		{"kind", llm.Task{Kind: "sing", Input: llm.QuestionInput{}}, llm.ErrKind},
		{"the name of a prompt", llm.Task{Kind: "answer-paragraphs", Input: llm.AnswerInput{}}, llm.ErrKind},
		{"nil", llm.Task{Kind: llm.Keywords}, prompts.ErrInput},
		{"pointer", llm.Task{Kind: llm.Keywords, Input: &llm.QuestionInput{}}, prompts.ErrInput},
		{"other", llm.Task{Kind: llm.Extract, Input: llm.QuestionInput{}}, prompts.ErrInput},
	} {
		task := c.task
		if err := s.Fill(&task); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if !reflect.DeepEqual(task, c.task) {
			t.Errorf("%s: the task was changed", c.name)
		}
	}
}

func TestIsNoEvidence(t *testing.T) {
	for _, s := range []string{
		prompts.NoEvidence, " NO_EVIDENCE\n", "**NO_EVIDENCE**", "`NO_EVIDENCE`.", "\"NO_EVIDENCE\"",
		"NO_EVIDENCE. The evidence speaks of mills only.", "no_evidence",
	} {
		if !prompts.IsNoEvidence(s) {
			t.Errorf("%q is an answer", s)
		}
	}
	for _, s := range []string{"", "Mira Voss [1].", "The flag is NO_EVIDENCE [2].", "NO_EVIDENCES were found [1].", "NO EVIDENCE"} {
		if prompts.IsNoEvidence(s) {
			t.Errorf("%q is no answer", s)
		}
	}
}

func TestFiles(t *testing.T) {
	s := defaults(t)
	var names []string
	for name, b := range s.Files() {
		names = append(names, name)
		kind, isSchema := strings.CutSuffix(name, ".schema.json")
		prompt, schema := s.File(llm.Kind(strings.TrimSuffix(kind, ".md")))
		if want := map[bool][]byte{false: prompt, true: schema}[isSchema]; len(b) == 0 || string(b) != string(want) {
			t.Errorf("%s is not what File returns", name)
		}
		b[0] = 'x'
	}
	if len(names) != 20+12 || !slices.IsSorted(names) {
		t.Errorf("files %q", names)
	}
	for name, b := range s.Files() {
		if b[0] == 'x' {
			t.Errorf("%s: Files yields the set's own bytes", name)
		}
	}
	if p, j := s.File("sing"); p != nil || j != nil {
		t.Error("a file of an unknown kind")
	}
	seen := map[[sha256.Size]byte]bool{{}: true}
	for _, k := range s.Kinds() {
		if seen[s.HashOf(k)] {
			t.Errorf("the hash of %s is zero or another's", k)
		}
		seen[s.HashOf(k)] = true
	}
	if s.HashOf("sing") != [sha256.Size]byte{} || seen[s.Hash()] || s.Hash() != defaults(t).Hash() {
		t.Error("hashes")
	}
}

func BenchmarkFill(b *testing.B) {
	s := defaults(b)
	in := llm.AnswerInput{Question: "Who drew the plans?"}
	for i := range 60 {
		in.Evidence = append(in.Evidence, llm.Evidence{N: i + 1, Section: "sources", Text: strings.Repeat("The tide mill ground flour until 1954. ", 20)})
	}
	for b.Loop() {
		fill(b, s, llm.Task{Kind: llm.Answer, Input: in})
	}
}
