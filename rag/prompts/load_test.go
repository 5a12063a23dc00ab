package prompts_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/prompts"
)

func dir(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, s := range files {
		out[name] = &fstest.MapFile{Data: []byte(s)}
	}
	return out
}

const short = "# system\n{{guard}}\n# user\n{{code}}\n"

// TestLoad lays one prompt of a directory over the built-in ones.
func TestLoad(t *testing.T) {
	base := defaults(t)
	file := "---\n# a remark\nmax_tokens: 77\n---\nA note.\n\n# system\nBe brief. {{guard}}\n# user\nWhat is {{code}}?\n# assistant\nA number.\n# user\n{{fence \"q\" .Question}}\nIn {{language \"it\"}}.\n"
	s, err := prompts.Load(dir(map[string]string{
		"keywords.md": "\uFEFF" + strings.ReplaceAll(file, "\n", "\r\n"),
		".swp":        "passed over", ".git/config": "passed over",
	}))
	if err != nil {
		t.Fatal(err)
	}
	task := fill(t, s, llm.Task{Kind: llm.Keywords, Lang: "de", Input: llm.QuestionInput{Question: "Why?"}})
	if task.MaxTokens != 77 || len(task.Prompt) != 4 {
		t.Fatalf("%d tokens, %d messages", task.MaxTokens, len(task.Prompt))
	}
	code := strings.Trim(task.Prompt[1].Content, "What is?")
	want := []llm.Message{
		{Role: "user", Content: "What is " + code + "?"},
		{Role: "assistant", Content: "A number."},
		{Role: "user", Content: "<q-" + code + ">\nWhy?\n</q-" + code + ">\nIn Deutsch (German)."},
	}
	if !reflect.DeepEqual(task.Prompt[1:], want) || !strings.HasPrefix(task.Prompt[0].Content, "Be brief. What stands between") {
		t.Errorf("prompt %q", task.Prompt)
	}
	if p, _ := s.File(llm.Keywords); string(p) != file {
		t.Errorf("file %q", p)
	}
	for _, k := range s.Kinds() {
		if (s.HashOf(k) != base.HashOf(k)) != (k == llm.Keywords) {
			t.Errorf("hash of %s", k)
		}
	}
	if s.Hash() == base.Hash() {
		t.Error("the hash of the set is that of the built-in one")
	}
	files := fstest.MapFS{}
	for name, b := range s.Files() {
		files[name] = &fstest.MapFile{Data: b}
	}
	again, err := prompts.Load(files)
	if err != nil || again.Hash() != s.Hash() {
		t.Errorf("a set read from its own files is another: %v", err)
	}
	if empty, err := prompts.Load(nil); err != nil || empty.Hash() != base.Hash() {
		t.Errorf("no directory: %v", err)
	}
}

func TestLoadSchema(t *testing.T) {
	base := defaults(t)
	_, b := base.File(llm.Judge)
	builtIn := string(b)
	translated := strings.Replace(builtIn, "One or two sentences.", "Ein oder zwei Sätze.", 1)
	s, err := prompts.Load(dir(map[string]string{"judge.schema.json": translated}))
	if err != nil {
		t.Fatal(err)
	}
	task := fill(t, s, llm.Task{Kind: llm.Judge, Input: llm.JudgeInput{}})
	if !strings.Contains(string(task.Schema), "Ein oder zwei Sätze.") || s.HashOf(llm.Judge) == base.HashOf(llm.Judge) {
		t.Errorf("schema %s", task.Schema)
	}
	for name, wrong := range map[string]string{
		"name":     strings.ReplaceAll(builtIn, "reason", "grund"),
		"type":     strings.Replace(builtIn, `"integer"`, `"string"`, 1),
		"required": strings.Replace(builtIn, "\"reason\",\n    \"winner\"\n", "\"winner\"\n", 1),
		"open":     strings.Replace(builtIn, `"additionalProperties": false`, `"additionalProperties": true`, 1),
		"list":     "[]",
	} {
		if wrong == builtIn {
			t.Fatalf("%s: nothing is wrong", name)
		}
		_, err := prompts.Load(dir(map[string]string{"judge.schema.json": wrong}))
		var f *prompts.FileError
		if !errors.As(err, &f) || f.File != "judge.schema.json" || !strings.Contains(f.Reason, "same reply") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLoadErrors: what is wrong is named by file and line.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, file, source, want string }{
		{"unknown", "keyword.md", short, "keyword.md: there is no such prompt; the files are answer-paragraphs.md, answer.md, attribute.md, "},
		{"schema of text", "answer.schema.json", "{}", "answer.schema.json: there is no such prompt"},
		{"folder", "keywords.md/x", "", "keywords.md: "},
		{"control", "a\nb.md", "", `"a\nb.md": there is`},
		{"encoding", "keywords.md", "\xff", "keywords.md: not UTF-8 text"},
		{"size", "keywords.md", strings.Repeat("x", 1<<20+1), "keywords.md: larger than 1 MiB"},
		{"no messages", "keywords.md", "", "keywords.md: the last message is not # user"},
		{"no user", "keywords.md", "# system\n{{guard}}", "keywords.md: the last message is not # user"},
		{"second system", "keywords.md", "# user\n{{guard}}\n# system\n# user\n", "keywords.md:3: only the first message is the system's"},
		{"front part", "keywords.md", "---\nmax_tokens: 1\n", "keywords.md:1: the front part has no second ---"},
		{"setting", "keywords.md", "---\n\nmodel: x\n---\n" + short, `keywords.md:3: "model: x" is not a setting`},
		{"ratio", "keywords.md", "---\nmax_ratio: 101\n---\n" + short, "keywords.md:2: max_ratio is a number from 0 to 100"},
		{"number", "keywords.md", "---\nmax_tokens: -1\n---\n" + short, "keywords.md:2: max_tokens is a number from 0 to 1000000"},
		{"syntax", "keywords.md", short + "{{if}}", "keywords.md:5: missing value for if"},
		{"function", "keywords.md", "\n\n" + short + "\n{{shout .Question}}\n", `keywords.md:8: function "shout" not defined`},
		{"field", "keywords.md", short + "{{fence \"x\" .Text}}", `keywords.md:5: <.Text>: map has no entry for key "Text"`},
		{"field of a branch", "keywords.md", short + "{{if not .Question}}{{.Text}}{{end}}", `keywords.md:5: <.Text>: map has`},
		{"label", "keywords.md", short + "{{fence \"a b\" .Question}}", `keywords.md:5: <fence "a b" .Question>: error calling fence: the label "a b" is not of letters a to z`},
		{"list", "judge.md", short + "{{fence \"x\" .Answers}}", "judge.md:5: <fence \"x\" .Answers>: error calling fence: a list is fenced by way of"},
		{"no list", "judge.md", short + "{{fence \"x\" (rows .Question)}}", "judge.md:5: <rows .Question>: error calling rows: it is not a list"},
		{"column", "summary-entities.md", short + "{{fence \"x\" (rows .Entities \"Rank\")}}", "summary-entities.md:5: <rows .Entities \"Rank\">: error calling rows: Entity has no field Rank"},
		{"no guard", "keywords.md", "# user\n{{code}}\n", "keywords.md: the first message has no {{guard}}"},
		{"no code", "keywords.md", "# system\n{{guard}}\n# user\n{{fence \"q\" .Question}}", "keywords.md: no {{code}} stands before the first fence"},
		{"late code", "keywords.md", "# system\n{{guard}}\n# user\n{{fence \"q\" .Question}} {{code}}", "keywords.md: no {{code}} stands before the first fence"},
		{"not JSON", "judge.schema.json", "{\n\"type\": \"object\",\n}", "judge.schema.json:3: not JSON: invalid character '}'"},
	} {
		_, err := prompts.Load(dir(map[string]string{c.file: c.source}))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
		var f *prompts.FileError
		if !errors.As(err, &f) {
			t.Errorf("%s: %T", c.name, err)
		}
	}
	_, err := prompts.Load(dir(map[string]string{"a.md": "", "b.md": "", "keywords.md": "", "judge.schema.json": "x"}))
	if n := strings.Count(err.Error(), "\n"); n != 3 {
		t.Errorf("%d problems, want 4: %v", n+1, err)
	}
}

// TestUnprintable: no template shows a text of a task but through a fence.
func TestUnprintable(t *testing.T) {
	const secret = "SECRET"
	for _, source := range []string{
		"{{.Question}}", "{{print .Question}}", "{{printf \"%v\" .Question}}", "{{println .}}", "{{html .Question}}", "{{js .Question}}",
		"{{urlquery .Question}}", "{{call .Question}}", "{{call .Question nil}}", "{{.}}", "{{$}}", "{{range .}}{{.}}{{end}}", "{{range .Answers}}{{.}}{{end}}",
		"{{index .Answers 0}}", "{{slice .Question 1}}", "{{len .Question}}", "{{rows .Answers}}", "{{json .Question}}", "{{numbered 1 .Answers}}",
		"{{with .Question}}{{.}}{{end}}", "{{fence \"x\" .Question | print}}", "{{or .Question 1}}", "{{eq .Question \"x\"}}", "{{language .Question}}", "{{fence .Question .Question}}",
	} {
		s, err := prompts.Load(dir(map[string]string{"judge.md": short + source}))
		if err != nil {
			continue
		}
		task := llm.Task{Kind: llm.Judge, Input: llm.JudgeInput{Question: secret, Answers: []string{secret}}}
		if err := s.Fill(&task); err != nil {
			continue
		}
		if user := task.Prompt[1].Content; strings.Contains(user, secret) || strings.Contains(user, "0x") {
			t.Errorf("%s prints %q", source, user)
		}
	}
}
