package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// narrow is a model with a context of some bytes of input, which it repeats.
type narrow struct {
	bytes int
	// tells says that the error tells the context.
	tells bool
	asked []llm.Task
}

func (n *narrow) Name() string      { return "narrow" }
func (n *narrow) Can(llm.Kind) bool { return true }

func (n *narrow) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	n.asked = append(n.asked, t)
	in, err := json.Marshal(t.Input)
	if err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	if len(in) > n.bytes {
		e := &llm.TooLongError{Tokens: len(in)}
		if n.tells {
			e.Context = n.bytes
		}
		return llm.Reply{}, llm.Usage{}, fmt.Errorf("asked: %w", e)
	}
	out := ""
	switch x := t.Input.(type) {
	case llm.ExtractInput:
		var all llm.Extraction
		for _, w := range strings.Fields(x.Text) {
			all.Entities = append(all.Entities, llm.Entity{Name: w, Type: "word", Description: "d"})
		}
		out = text(all)
	case llm.GleanInput:
		var all llm.Extraction
		for _, w := range strings.Fields(x.Text) {
			all.Entities = append(all.Entities, llm.Entity{Name: w + "2"})
		}
		out = text(all)
	case llm.SummaryEntitiesInput:
		all := llm.Extraction{Entities: []llm.Entity{{Name: "all"}}}
		for _, e := range x.Entities {
			all.Relations = append(all.Relations, llm.Relation{Source: e.Name, Target: "all", Description: "d", Strength: 1})
		}
		out = text(all)
	case llm.MergeInput:
		out = "m" + initials(x.Descriptions)
	case llm.SummariseInput:
		out = "s" + initials(x.Texts)
	case llm.ReportInput:
		out = text(llm.Report{Title: "t", Summary: fmt.Sprint(len(x.Entities), len(x.Relations), len(x.Reports))})
	case llm.InsightsInput:
		out = text(llm.InsightList{Insights: []llm.Insight{{Title: "t", Description: fmt.Sprint(len(x.Entities), len(x.Insights))}}})
	case llm.AttributeInput:
		out = fmt.Sprint(len(x.Units), len(x.Relations))
	case llm.AnswerInput:
		if t.Kind == llm.FilterPoints {
			var p llm.Points
			for _, e := range x.Evidence {
				p.Points = append(p.Points, llm.Point{Description: fmt.Sprint("p", e.N), Score: 1, N: e.N})
			}
			out = text(p)
			break
		}
		for _, e := range x.Evidence {
			out += fmt.Sprintf("[%d]", e.N)
		}
	}
	r, err := llm.CheckReply(t.Kind, out)
	if err == nil && t.Stream != nil {
		err = t.Stream(r.Text)
	}
	return r, llm.Usage{Calls: 1}, err
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// initials are the first letters of texts, or all of those that begin with a small
// letter, which are replies.
func initials(list []string) (out string) {
	for _, s := range list {
		if s[0] >= 'a' {
			out += s
			continue
		}
		out += s[:1]
	}
	return out
}

// fitting is a task for a context of some bytes of input.
type fitting struct {
	name  string
	task  llm.Task
	bytes int
	check func(reply string) bool
}

// fittings are tasks of each kind that can be divided.
func fittings() []fitting {
	words := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("Word%d", i))
		}
		return list
	}
	entities := func(n int) (list []llm.Entity) {
		for _, w := range words(n) {
			list = append(list, llm.Entity{Name: w, Description: strings.Repeat("x", 30)})
		}
		return list
	}
	chinese := ""
	for i := range 900 {
		chinese += string(rune(0x4e00 + i))
	}
	var evidence []llm.Evidence
	for i := range 40 {
		evidence = append(evidence, llm.Evidence{N: i + 1, Section: []string{"entities", "text"}[i/20], Text: strings.Repeat("y", 60)})
	}
	long := strings.Repeat("z", 90)
	letters := []string{"A" + long, "B" + long, "C" + long, "D" + long, "E" + long, "F" + long, "G" + long, "H" + long, "I" + long}
	entityNames := func(s string) int { return strings.Count(s, `"name":`) }
	return []fitting{
		{"extract", llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Title: "T", Text: strings.Join(words(300), " ")}}, 600, func(s string) bool { return entityNames(s) == 300 }},
		{"extract Chinese", llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Text: chinese}}, 700, func(s string) bool {
			return !strings.ContainsFunc(chinese, func(r rune) bool { return !strings.ContainsRune(s, r) })
		}},
		{"glean", llm.Task{Kind: llm.Glean, Input: llm.GleanInput{ExtractInput: llm.ExtractInput{Text: strings.Join(words(300), " ")}, Found: llm.Extraction{Entities: entities(20)}}}, 900, func(s string) bool { return entityNames(s) == 300 }},
		{"members", llm.Task{Kind: llm.SummaryEntities, Input: llm.SummaryEntitiesInput{Entities: entities(35)}}, 900, func(s string) bool { return strings.Count(s, `"source":`) == 35 && entityNames(s) == 1 }},
		{"merge", llm.Task{Kind: llm.MergeDescriptions, Input: llm.MergeInput{Name: "n", Descriptions: letters}}, 500, func(s string) bool {
			return strings.ContainsAny(s, "A") && !strings.ContainsFunc("ABCDEFGHI", func(r rune) bool { return !strings.ContainsRune(s, r) })
		}},
		{"merge two", llm.Task{Kind: llm.MergeDescriptions, Input: llm.MergeInput{Name: "n", Descriptions: []string{"A" + long, "B" + strings.Repeat(" Z word.", 300)}}}, 500, func(s string) bool {
			return strings.HasPrefix(s, "mA") && strings.Contains(s, "mm") && len(s) < 100
		}},
		{"summarise", llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: letters}}, 500, func(s string) bool {
			return !strings.ContainsFunc("ABCDEFGHI", func(r rune) bool { return !strings.ContainsRune(s, r) })
		}},
		{"summarise one", llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: []string{"A" + strings.Repeat("Z ", 600)}}}, 500, func(s string) bool { return strings.HasPrefix(s, "ss") }},
		{"report", llm.Task{Kind: llm.CommunityReport, Input: llm.ReportInput{Entities: entities(40)}}, 900, func(s string) bool { return strings.Contains(s, `"0 0 2"`) }},
		{"insights", llm.Task{Kind: llm.Insights, Input: llm.InsightsInput{Entities: entities(40)}}, 900, func(s string) bool { return strings.Contains(s, `"0 2"`) }},
		{"attribute", llm.Task{Kind: llm.Attribute, Input: llm.AttributeInput{Name: "n", Units: letters, Relations: letters}}, 900, func(s string) bool { return s == "4 4" }},
		{"points", llm.Task{Kind: llm.FilterPoints, Input: llm.AnswerInput{Question: "q", Evidence: evidence}}, 900, func(s string) bool { return strings.Count(s, `"description"`) == 40 }},
		{"answer", llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{Question: "q", Evidence: evidence}}, 1500, func(s string) bool {
			// The first of each section, with their numbers.
			return strings.HasPrefix(s, "[1][2]") && strings.Contains(s, "[21][22]") && !strings.Contains(s, "[20]") && !strings.Contains(s, "[40]")
		}},
		{"one piece", llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{Question: "q", Evidence: []llm.Evidence{{N: 7, Text: strings.Repeat("字", 900)}}}}, 700, func(s string) bool { return s == "[7]" }},
	}
}

// TestFit asks a model with a small context for each kind of task that can be divided:
// nothing is left out of what is listed, and the least is cut of what is told.
func TestFit(t *testing.T) {
	for _, c := range fittings() {
		for _, tells := range []bool{false, true} {
			p := &narrow{bytes: c.bytes, tells: tells}
			m := models.New(nil, nil, models.Parts{Provider: p, Free: true})
			said := ""
			r, err := m.Stream(t.Context(), "item", nil, c.task, func(s string) error { said += s; return nil })
			if err != nil || !c.check(r.Text) || said != r.Text {
				t.Errorf("%s: %q, streamed %q, %v", c.name, r.Text, said, err)
			}
			cut := map[string]int{"answer": 40 - strings.Count(r.Text, "["), "one piece": 1}[c.name]
			if r.Cut != cut {
				t.Errorf("%s: %d pieces are cut, want %d", c.name, r.Cut, cut)
			}
			if n := m.Usage().Fitted; n == 0 || n >= len(p.asked) {
				t.Errorf("%s: %d of %d requests were fitted", c.name, n, len(p.asked))
			}
		}
	}
}

// TestFitEnds: a task about too little to be divided is an error, and the model is not
// asked for ever.
func TestFitEnds(t *testing.T) {
	piece := llm.Evidence{N: 1, Text: "short"}
	for _, task := range []llm.Task{
		{Kind: llm.Extract, Input: llm.ExtractInput{Text: strings.Repeat("a b. ", 4000)}},
		{Kind: llm.Glean, Input: llm.GleanInput{ExtractInput: llm.ExtractInput{Text: strings.Repeat("字", 3000)}}},
		{Kind: llm.SummaryEntities, Input: llm.SummaryEntitiesInput{Entities: make([]llm.Entity, 30)}},
		{Kind: llm.MergeDescriptions, Input: llm.MergeInput{Descriptions: []string{"A", "B", "C", "D"}}},
		{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: []string{strings.Repeat("A ", 3000), "B"}}},
		{Kind: llm.CommunityReport, Input: llm.ReportInput{Entities: make([]llm.Entity, 1), Relations: make([]llm.Relation, 1), Reports: []string{"r", "s"}}},
		{Kind: llm.Insights, Input: llm.InsightsInput{Entities: make([]llm.Entity, 1), Insights: make([]llm.Insight, 2)}},
		{Kind: llm.Attribute, Input: llm.AttributeInput{Units: []string{"u"}, Relations: []string{"r"}}},
		{Kind: llm.Attribute, Input: llm.AttributeInput{Relations: []string{"r", "s"}}},
		{Kind: llm.FilterPoints, Input: llm.AnswerInput{Evidence: []llm.Evidence{piece, piece, piece}}},
		{Kind: llm.Answer, Input: llm.AnswerInput{Evidence: []llm.Evidence{piece, {N: 2}, {N: 3, Section: "s"}}}},
		{Kind: llm.Answer, Input: llm.AnswerInput{Evidence: []llm.Evidence{{}, {}}}},
		{Kind: llm.ShortAnswer, Input: llm.ShortAnswerInput{Evidence: []llm.Evidence{{Text: strings.Repeat("x", 5000)}}}},
		{Kind: llm.MakeQuestions, Input: llm.QuestionsInput{Texts: []string{"a", "b", "c"}}},
		{Kind: llm.Keywords, Input: llm.QuestionInput{Question: "q"}},
		{Kind: llm.RepairRelation, Input: llm.RepairInput{Text: "t"}},
	} {
		p := &narrow{bytes: 1, tells: true}
		m := models.New(nil, nil, models.Parts{Provider: p, Free: true})
		_, err := m.Do(t.Context(), "item", nil, task)
		var long *llm.TooLongError
		if !errors.As(err, &long) || len(p.asked) > 30 {
			t.Errorf("%s: %d requests, %v", task.Kind, len(p.asked), err)
		}
	}
}

// TestFitReply divides what would want a longer reply than its limit before a model
// is asked: each member of a large cluster gets its relation, and each of many
// descriptions is read.
func TestFitReply(t *testing.T) {
	p := &narrow{bytes: 1 << 20}
	m := ragtest.Open(t, nil).NewModels(models.Parts{Provider: p})
	var in llm.SummaryEntitiesInput
	for i := range 490 {
		in.Entities = append(in.Entities, llm.Entity{Name: fmt.Sprint("Word", i)})
	}
	r, err := m.Do(t.Context(), "item", nil, llm.Task{Kind: llm.SummaryEntities, Input: in})
	if err != nil || strings.Count(r.Text, `"source":`) != 490 || len(p.asked) != 13 {
		t.Errorf("%d relations of %d requests, %v", strings.Count(r.Text, `"source":`), len(p.asked), err)
	}
	p.asked = nil
	var list []string
	for i := range 64 {
		list = append(list, string(rune('A'+i%26))+strings.Repeat(fmt.Sprint(" word", i), 150)) // 301 tokens
	}
	r, err = m.Do(t.Context(), "item", nil, llm.Task{Kind: llm.MergeDescriptions, Input: llm.MergeInput{Name: "n", Descriptions: list}})
	if err != nil || len(r.Text) < 64 || len(p.asked) > 12 {
		t.Errorf("%q of %d requests, %v", r.Text, len(p.asked), err)
	}
	for _, task := range p.asked {
		if n := len(task.Input.(llm.MergeInput).Descriptions); n > 14 {
			t.Errorf("%d descriptions at once", n)
		}
	}
	// What is kept is not asked again.
	p.asked = nil
	again, err := m.Do(t.Context(), "item", nil, llm.Task{Kind: llm.MergeDescriptions, Input: llm.MergeInput{Name: "n", Descriptions: list}})
	if err != nil || again.Text != r.Text || len(p.asked) != 0 {
		t.Errorf("%q again, of %d requests, %v", again.Text, len(p.asked), err)
	}
}

// TestFitReplyByItsLimit: a prompt that allows less of a reply has fewer members asked
// about at once, but not fewer than eight, and each still gets its relation.
func TestFitReplyByItsLimit(t *testing.T) {
	for limit, want := range map[int]int{0: 13, 2500: 13, 1500: 23, 900: 41, 100: 62} {
		p := &narrow{bytes: 1 << 20}
		m := ragtest.Open(t, nil).NewModels(models.Parts{Provider: p, Fill: func(t *llm.Task) error { t.MaxTokens = limit; return nil }})
		var in llm.SummaryEntitiesInput
		for i := range 490 {
			in.Entities = append(in.Entities, llm.Entity{Name: fmt.Sprint("Word", i)})
		}
		r, err := m.Do(t.Context(), "item", nil, llm.Task{Kind: llm.SummaryEntities, Input: in})
		if err != nil || strings.Count(r.Text, `"source":`) != 490 || len(p.asked) != want {
			t.Errorf("limit %d: %d relations of %d requests, want %d, %v", limit, strings.Count(r.Text, `"source":`), len(p.asked), want, err)
		}
		for _, task := range p.asked {
			if n := len(task.Input.(llm.SummaryEntitiesInput).Entities); limit > 600 && limit < 200+55*n {
				t.Errorf("limit %d: %d members at once", limit, n)
			}
		}
	}
}

// absent is a model that gives no reply that is not kept.
type absent struct{ *narrow }

func (absent) Do(context.Context, llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{}, llm.Usage{}, replay.ErrNotRecorded
}

// TestFitKept: what was asked in parts is found again by another run, whatever that one
// knows of the model's context, by a run without a model, and in another database. A
// question for which evidence was cut is asked again if the context has become larger.
func TestFitKept(t *testing.T) {
	docs := ragtest.Docs(7, 1)
	for _, c := range fittings() {
		corpus := ragtest.Open(t, nil)
		do := func(on *rag.Corpus, p llm.Provider) (string, llm.Usage) {
			t.Helper()
			m := on.NewModels(models.Parts{Provider: p})
			r, err := m.Do(t.Context(), "item", []string{docs[0].Key}, c.task)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			return r.Text, m.Usage()
		}
		p := &narrow{bytes: c.bytes}
		first, u := do(corpus.Corpus, p)
		if u.Fitted == 0 || !c.check(first) {
			t.Fatalf("%s: %q, %+v", c.name, first, u)
		}
		other := &narrow{bytes: c.bytes - c.bytes/20, tells: true}
		again, u := do(corpus.Corpus, other)
		if again != first || u != (llm.Usage{}) {
			t.Errorf("%s: %q in another context, first %q, %+v", c.name, again, first, u)
		}
		cut := c.task.Kind == llm.Answer
		if !cut && len(other.asked) > 0 {
			t.Errorf("%s: %d requests for what is kept", c.name, len(other.asked))
		}
		var kept bytes.Buffer
		if _, err := corpus.Ledger().Export(t.Context(), &kept); err != nil {
			t.Fatal(err)
		}
		elsewhere := ragtest.Open(t, nil)
		if _, err := elsewhere.Ledger().Import(t.Context(), &kept); err != nil {
			t.Fatal(err)
		}
		for name, on := range map[string]*rag.Corpus{"the same": corpus.Corpus, "another": elsewhere.Corpus} {
			if got, u := do(on, absent{p}); got != first || u != (llm.Usage{}) {
				t.Errorf("%s: %q without a model in %s database, first %q, %+v", c.name, got, name, first, u)
			}
		}
		wide := &narrow{bytes: 1 << 20}
		if got, _ := do(corpus.Corpus, wide); cut != (len(wide.asked) == 1) || cut == (got == first) && c.name != "one piece" {
			t.Errorf("%s: %d requests of a model with a large context, %q", c.name, len(wide.asked), got)
		}
		if _, u := do(corpus.Corpus, absent{p}); u != (llm.Usage{}) {
			t.Errorf("%s: %+v", c.name, u)
		}
	}
}

// TestFitKeptWhole: a reply to a whole that is kept from when it was not divided yet is
// used.
func TestFitKeptWhole(t *testing.T) {
	corpus := ragtest.Open(t, nil)
	var in llm.SummaryEntitiesInput
	for i := range 90 {
		in.Entities = append(in.Entities, llm.Entity{Name: fmt.Sprint("Word", i)})
	}
	task := llm.Task{Kind: llm.SummaryEntities, Input: in}
	p := &narrow{bytes: 1 << 20}
	digest, err := task.Digest(p.Name())
	if err != nil {
		t.Fatal(err)
	}
	err = corpus.Ledger().KeepEntries(t.Context(), "item", []ledger.Kept{{Doc: "d", Entry: replay.Entry{
		Digest: digest, Kind: task.Kind, Model: p.Name(), Reply: text(llm.Extraction{Entities: []llm.Entity{{Name: "kept"}}}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewModels(models.Parts{Provider: p}).Do(t.Context(), "item", nil, task)
	if err != nil || !strings.Contains(r.Text, "kept") || len(p.asked) != 0 {
		t.Errorf("%q of %d requests, %v", r.Text, len(p.asked), err)
	}
}
