package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// inputs has an input for each kind.
var inputs = map[llm.Kind]any{
	llm.Extract:        llm.ExtractInput{Text: turing, Title: "Alan Turing"},
	llm.Glean:          llm.GleanInput{ExtractInput: llm.ExtractInput{Text: turing}},
	llm.RepairRelation: llm.RepairInput{Relation: "Alan Turing; worked at Bletchley Park", Entities: []string{"Bletchley Park", "Alan Turing"}},
	llm.Attribute:      llm.AttributeInput{Name: "Turing", Units: []string{turing}, Relations: []string{"Turing worked at Bletchley Park"}, MaxTokens: 30},
	llm.Decompose:      llm.ExtractInput{Text: turing, Title: "Alan Turing"},
	llm.Insights:       llm.InsightsInput{Entities: []llm.Entity{{Name: "Enigma", Description: "Enigma was a machine."}}, Most: 2},
	llm.CommunityReport: llm.ReportInput{
		Entities:  []llm.Entity{{Name: "Enigma", Description: "Enigma was a machine."}, {Name: "Alan Turing", Description: "Alan Turing broke Enigma."}},
		Relations: []llm.Relation{{Source: "Alan Turing", Target: "Enigma", Description: "Alan Turing broke Enigma", Strength: 2}},
	},
	llm.Summarise:           llm.SummariseInput{Texts: []string{turing}, MaxTokens: 20},
	llm.MergeDescriptions:   llm.MergeInput{Name: "Enigma", Descriptions: []string{"A cipher machine", "a cipher machine.", "Broken by Turing"}},
	llm.SummaryEntities:     llm.SummaryEntitiesInput{Entities: []llm.Entity{{Name: "Enigma", Type: "product", Description: "A cipher machine."}, {Name: "Typex", Type: "product", Description: "Another cipher machine."}}},
	llm.QueryElements:       llm.QuestionInput{Question: "Who broke Enigma at Bletchley Park in 1941?"},
	llm.Keywords:            llm.QuestionInput{Question: "Who broke the cipher machine Enigma?"},
	llm.HypotheticalPassage: llm.QuestionInput{Question: "What is the cipher machine Enigma?"},
	llm.WholeQuestion:       llm.FollowUpInput{Turns: []llm.Turn{{Question: "Who broke Enigma?", Answer: "Alan Turing broke it."}}, Question: "Where was he born?"},
	llm.FilterPoints:        llm.AnswerInput{Question: "Where did Turing work?", Evidence: []llm.Evidence{{N: 4, Text: turing}}},
	llm.Answer:              llm.AnswerInput{Question: "Where did Turing work?", Evidence: []llm.Evidence{{N: 4, Text: turing}}},
	llm.ShortAnswer:         llm.ShortAnswerInput{Question: "Where did Turing work?", Evidence: []llm.Evidence{{N: 4, Text: turing}}},
}

const turing = `Alan Turing
Alan Turing was born in London in 1912. He studied at King's College. In the war Turing worked at Bletchley Park. His machine broke the Enigma cipher.`

func TestKinds(t *testing.T) {
	p := local.New(local.Options{})
	for k, in := range inputs {
		if !p.Can(k) {
			t.Errorf("cannot %s", k)
			continue
		}
		task := llm.Task{Kind: k, Input: in}
		r, u, err := p.Do(t.Context(), task)
		if err != nil {
			t.Errorf("%s: %v", k, err)
			continue
		}
		if u.Calls != 1 || u.InTokens == 0 || u.OutTokens == 0 || r.Text == "" {
			t.Errorf("%s: reply %q, usage %+v", k, r.Text, u)
		}
		for range 20 { // maps have no order to lean on
			if again, _, err := p.Do(t.Context(), task); err != nil || again != r {
				t.Fatalf("%s: %q, then %q, %v", k, r.Text, again.Text, err)
			}
		}
		for other, wrong := range inputs {
			if reflect.TypeOf(wrong) == reflect.TypeOf(in) {
				continue
			}
			if _, _, err := p.Do(t.Context(), llm.Task{Kind: k, Input: wrong}); !errors.Is(err, local.ErrInput) {
				t.Errorf("%s with the input of %s: %v", k, other, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := p.Do(ctx, task); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", k, err)
		}
	}
	for _, k := range []llm.Kind{llm.Judge, llm.MakeQuestions, "", "sing"} {
		if _, _, err := p.Do(t.Context(), llm.Task{Kind: k, Input: llm.JudgeInput{}}); p.Can(k) || !errors.Is(err, llm.ErrKind) {
			t.Errorf("%q: can %v, error %v", k, p.Can(k), err)
		}
	}
	if p.Name() != "local/rules.v3" {
		t.Errorf("name %q", p.Name())
	}
}

func TestExtract(t *testing.T) {
	for _, c := range []struct {
		name      string
		in        llm.ExtractInput
		entities  []string // name/type
		relations []string // source>target: description
	}{
		{
			"names, a date, pronouns",
			llm.ExtractInput{Text: "Alan Turing was born in London in 1912. He studied at Cambridge. Turing Machines are named after Alan Turing."},
			[]string{"Alan Turing/", "London/", "1912/date", "Cambridge/", "Turing Machines/"},
			[]string{
				"Alan Turing>London: Alan Turing was born in London",
				"London>1912: London in 1912",
				"Alan Turing>Cambridge: Alan Turing studied at Cambridge",
				"Turing Machines>Alan Turing: Turing Machines are named after Alan Turing",
			},
		},
		{
			"the title is the subject",
			llm.ExtractInput{Title: "Enigma", Text: "It was built in Berlin."},
			[]string{"Berlin/", "Enigma/"},
			[]string{"Enigma>Berlin: Enigma was built in Berlin"},
		},
		{
			"no subject from a heading",
			llm.ExtractInput{Title: "Enigma", Text: "How it works\n\nIt was built in Berlin."},
			[]string{"Berlin/"},
			nil,
		},
		{
			"a form with s is the same",
			llm.ExtractInput{Text: "A compactor slept. The compactors slept."},
			[]string{"compactor/"},
			nil,
		},
		{
			"but for names",
			llm.ExtractInput{Text: "Williams met William in Ulm."},
			[]string{"Williams/", "William/", "Ulm/"},
			[]string{"Williams>William: Williams met William", "William>Ulm: William in Ulm"},
		},
		{
			"terms of two sentences",
			llm.ExtractInput{Text: "The green plants of gardens need carbon dioxide. Without carbon dioxide no green plants can grow. The gardener slept in the shade."},
			[]string{"green plants/", "carbon dioxide/", "gardener/", "shade/"},
			[]string{
				"green plants>carbon dioxide: The green plants of gardens need carbon dioxide",
				"carbon dioxide>green plants: Without carbon dioxide no green plants can grow",
				"gardener>shade: The gardener slept in the shade",
			},
		},
		{
			"the most frequent surface",
			llm.ExtractInput{Text: "They saw NATO in London. Nato met Nato in London."},
			[]string{"Nato/", "London/"},
			[]string{"Nato>London: They saw NATO in London", "Nato>London: Nato in London"},
		},
		{
			"long stretches are cut",
			llm.ExtractInput{Text: "One two three of the many people who once lived here saw that Paris was not quite as large a city as they would have liked it to be before London came to be the larger one of the two and so very much."},
			[]string{"Paris/", "London/"},
			[]string{"Paris>London: of the many people who once lived here saw that Paris was not quite as large a city as they would … London came to be the larger one of the two and"},
		},
		{"equal relations", llm.ExtractInput{Text: "Rome met Gaul. Rome met Gaul."}, []string{"Rome/", "Gaul/"}, []string{"Rome>Gaul: Rome met Gaul x2"}},
		{"nothing", llm.ExtractInput{Text: " \n"}, nil, nil},
		{"control characters", llm.ExtractInput{Text: "Saint\x1b[31m Paul met John\u202e Smith."}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := do[llm.Extraction](t, local.New(local.Options{}), llm.Extract, c.in)
			var entities, relations []string
			known := map[string]bool{}
			for _, e := range x.Entities {
				entities = append(entities, e.Name+"/"+e.Type)
				known[e.Name] = true
				if e.Description == "" {
					t.Errorf("%q has no description", e.Name)
				}
			}
			for _, r := range x.Relations {
				s := fmt.Sprintf("%s>%s: %s", r.Source, r.Target, r.Description)
				if r.Strength != 1 {
					s += fmt.Sprintf(" x%g", r.Strength)
				}
				relations = append(relations, s)
				if !known[r.Source] || !known[r.Target] || r.Sentence == "" {
					t.Errorf("relation %+v", r)
				}
			}
			if b, _ := json.Marshal(x); strings.ContainsFunc(string(b), unicode.IsControl) || strings.Contains(string(b), `\u001b`) || strings.Contains(string(b), "\u202e") {
				t.Errorf("control characters in %q", b)
			}
			if c.entities != nil && !reflect.DeepEqual(entities, c.entities) {
				t.Errorf("entities  %q\nwant      %q", entities, c.entities)
			}
			if c.relations != nil && !reflect.DeepEqual(relations, c.relations) {
				t.Errorf("relations %q\nwant      %q", relations, c.relations)
			}
		})
	}
}

// TestDescription checks the first three sentences that name an entity.
func TestDescription(t *testing.T) {
	x := do[llm.Extraction](t, local.New(local.Options{}), llm.Extract, llm.ExtractInput{
		Text: "We met Ada. Then came Bob, and Bob left. Ada and Ada wrote. Ada slept. Ada woke."})
	if want := "We met Ada. Ada and Ada wrote. Ada slept."; x.Entities[0].Name != "Ada" || x.Entities[0].Description != want {
		t.Errorf("%+v", x.Entities[0])
	}
}

func TestRepair(t *testing.T) {
	p := local.New(local.Options{})
	entities := []string{"The Enigma", "Alan Turing", "Turing"}
	r := do[llm.Relation](t, p, llm.RepairRelation, llm.RepairInput{Relation: "(alan turing -> broke\x00 -> ENIGMA", Entities: entities})
	if want := (llm.Relation{Source: "Alan Turing", Target: "The Enigma", Description: "(alan turing -> broke -> ENIGMA", Strength: 1}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	for _, bad := range []string{"", "Alan Turing broke it", "nothing of the kind"} {
		_, _, err := p.Do(t.Context(), llm.Task{Kind: llm.RepairRelation, Input: llm.RepairInput{Relation: bad, Entities: entities}})
		var reply *llm.ReplyError
		if !errors.As(err, &reply) || reply.Raw != bad {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestQuestions(t *testing.T) {
	p := local.New(local.Options{})
	for _, c := range []struct {
		question, statement string
		elements            []string
		high, low           []string
	}{
		{
			"Who broke the cipher machine Enigma at Bletchley Park in 1941?", "Broke the cipher machine Enigma at Bletchley Park in 1941.",
			[]string{"Enigma", "Bletchley Park", "1941"}, []string{"cipher machine"}, []string{"Enigma", "Bletchley Park", "1941"},
		},
		{"how do I install the driver?", "Install the driver.", []string{"driver"}, []string{"driver"}, []string{}},
		{"Who is Ada?", "Ada.", []string{"Ada"}, []string{}, []string{"Ada"}},
		{"What is it?", "What is it.", []string{}, []string{}, []string{}},
		{"", "", []string{}, []string{}, []string{}},
	} {
		in := llm.QuestionInput{Question: c.question}
		if got := do[llm.Elements](t, p, llm.QueryElements, in); !reflect.DeepEqual(got.Entities, c.elements) {
			t.Errorf("%q: elements %q, want %q", c.question, got.Entities, c.elements)
		}
		got := do[llm.KeywordSet](t, p, llm.Keywords, in)
		if !reflect.DeepEqual(got.High, c.high) || !reflect.DeepEqual(got.Low, c.low) {
			t.Errorf("%q: keywords %q %q, want %q %q", c.question, got.High, got.Low, c.high, c.low)
		}
		r, _, err := p.Do(t.Context(), llm.Task{Kind: llm.HypotheticalPassage, Input: in})
		if err != nil || r.Text != c.statement {
			t.Errorf("%q: passage %q, %v, want %q", c.question, r.Text, err, c.statement)
		}
	}
}

func TestAnswer(t *testing.T) {
	p := local.New(local.Options{})
	evidence := []llm.Evidence{
		{N: 3, Text: "Publix\nPublix is a chain of stores in Florida.[12] It had 1,239 stores in 2020."},
		{N: 7, Text: "How do I get a refund?\nAsk the\x1b shop for your refund within 30 days. Refunds are paid by Ada Smith."},
		{N: 9, Text: "Publix is a chain of stores in Florida."},
	}
	for _, c := range []struct {
		question  string
		sentences int
		want      string
	}{
		{"What is Publix?", 1, "Publix is a chain of stores in Florida. [3]"},
		{"How many stores did Publix have?", 1, "It had 1,239 stores in 2020. [3]"},
		{"How many stores did Publix have?", 2, "It had 1,239 stores in 2020. [3]"},
		{"How do I get a refund?", 1, "Ask the shop for your refund within 30 days. [7]"},
		{"Who paid the refund?", 1, "Refunds are paid by Ada Smith. [7]"},
		{"Where is the moon?", 0, ""},
		{"What is it?", 0, ""},
		{"", 0, ""},
	} {
		r, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{
			Question: c.question, Evidence: evidence, MaxSentences: c.sentences}})
		if r.Text != c.want || (c.want == "") != errors.Is(err, llm.ErrNoEvidence) {
			t.Errorf("%q: %q, %v\nwant %q", c.question, r.Text, err, c.want)
		}
	}
	_, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{Question: "Publix?"}})
	if !errors.Is(err, llm.ErrNoEvidence) {
		t.Errorf("without evidence: %v", err)
	}
	title := []llm.Evidence{{N: 1, Text: "Where is the moon?"}}
	r, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Input: llm.AnswerInput{Question: "The moon?", Evidence: title}})
	if !errors.Is(err, llm.ErrNoEvidence) {
		t.Errorf("a question answers a question: %q, %v", r.Text, err)
	}
}

func TestPoints(t *testing.T) {
	in := inputs[llm.FilterPoints].(llm.AnswerInput)
	got := do[llm.Points](t, local.New(local.Options{}), llm.FilterPoints, in)
	if len(got.Points) == 0 || got.Points[0].Description != "In the war Turing worked at Bletchley Park." || got.Points[0].N != 4 {
		t.Fatalf("%+v", got)
	}
	last := 100.0
	for _, p := range got.Points {
		if p.Score < 0 || p.Score > last {
			t.Errorf("score %v after %v", p.Score, last)
		}
		last = p.Score
	}
	none := do[llm.Points](t, local.New(local.Options{}), llm.FilterPoints, llm.AnswerInput{Question: "moon", Evidence: in.Evidence})
	if len(none.Points) != 0 {
		t.Errorf("%+v", none)
	}
}

// TestPointsEmbedder checks that the embedder is used, and its error kept.
func TestPointsEmbedder(t *testing.T) {
	texts := synthetic(21, 400)
	in := llm.AnswerInput{Question: "w060x w061x", Evidence: []llm.Evidence{
		{N: 1, Text: "Some w060x w110x w111x w112x w113x w114x."}, // another topic
		{N: 2, Text: "Some w060x w070x w071x w072x w073x w074x."}, // the question's
	}}
	best := func(e llm.Embedder) int {
		return do[llm.Points](t, local.New(local.Options{Embedder: e}), llm.FilterPoints, in).Points[0].N
	}
	if n := best(nil); n != 1 {
		t.Errorf("by words: %d", n)
	}
	if n := best(local.NewEmbedder(train(t, texts))); n != 2 {
		t.Errorf("by vectors: %d", n)
	}
	_, s := trainLive(t, texts[:5])
	boom := errors.New("boom")
	p := local.New(local.Options{Embedder: local.NewLive(local.Head{Direction: make([]float32, local.Dim)}, failingRows{s, boom, nil})})
	if _, _, err := p.Do(t.Context(), llm.Task{Kind: llm.FilterPoints, Input: in}); !errors.Is(err, boom) {
		t.Errorf("failing embedder: %v", err)
	}
}

func TestReport(t *testing.T) {
	r := do[llm.Report](t, local.New(local.Options{}), llm.CommunityReport, inputs[llm.CommunityReport])
	want := llm.Report{
		Title:   "Enigma, Alan Turing",
		Summary: "Enigma was a machine. Alan Turing broke Enigma.",
		Rating:  3.2, // 2 ln 5
		Reason:  "2 entities with relations of strength 2 in all.",
		Findings: []llm.Finding{
			{Summary: "Alan Turing broke Enigma.", Explanation: "Enigma was a machine. Alan Turing broke Enigma."},
			{Summary: "Alan Turing broke Enigma.", Explanation: "Alan Turing broke Enigma."},
		},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%+v\nwant %+v", r, want)
	}
	empty := do[llm.Report](t, local.New(local.Options{}), llm.CommunityReport, llm.ReportInput{Reports: []string{"All is well."}})
	if empty.Title != "All is well." || empty.Rating != 0 || empty.Findings == nil {
		t.Errorf("%+v", empty)
	}
}

func TestSummaryEntities(t *testing.T) {
	p := local.New(local.Options{})
	x := do[llm.Extraction](t, p, llm.SummaryEntities, inputs[llm.SummaryEntities])
	if len(x.Entities) != 1 || x.Entities[0] != (llm.Entity{Name: "cipher machine", Type: "product", Description: "A cipher machine. Another cipher machine."}) {
		t.Errorf("%+v", x.Entities)
	}
	if len(x.Relations) != 2 || x.Relations[1].Source != "Typex" || x.Relations[1].Target != "cipher machine" {
		t.Errorf("%+v", x.Relations)
	}
	x = do[llm.Extraction](t, p, llm.SummaryEntities, llm.SummaryEntitiesInput{
		Entities: []llm.Entity{{Name: "A1", Type: "x", Description: "Red."}, {Name: "B2", Description: "Blue."}}, Types: []string{"y"}})
	if x.Entities[0].Name != "Group of A1, B2" || x.Entities[0].Type != "" {
		t.Errorf("%+v", x.Entities)
	}
	if len(x.Relations) != 2 || x.Relations[0].Source != "A1" || x.Relations[0].Target != x.Entities[0].Name {
		t.Errorf("%+v", x.Relations)
	}
	x = do[llm.Extraction](t, p, llm.SummaryEntities, llm.SummaryEntitiesInput{})
	if len(x.Entities) != 0 || x.Entities == nil {
		t.Errorf("%+v", x)
	}
}

// TestSummaryNames: a summary has the name that its members share and that is rare in
// the corpus, no verb, and only the members that share it are related to it. Those that
// share none of its name may have a second one.
func TestSummaryNames(t *testing.T) {
	var stats text.CaseStats
	for range 40 {
		stats.Add("He was born in the United States and lived in the United States until he left.")
	}
	stats.Add("The ship sailed for the Harbour Board of Skarholm.")
	p := local.New(local.Options{Names: &stats})
	x := do[llm.Extraction](t, p, llm.SummaryEntities, llm.SummaryEntitiesInput{Entities: []llm.Entity{
		{Name: "Ada", Description: "Ada was born in the United States, near Skarholm."},
		{Name: "Bo", Description: "Bo was born in the United States, far from Skarholm."},
		{Name: "Cy", Description: "Cy was born in the United States."},
		{Name: "Di", Description: "Di was born in Ostrava and met Elin Moss."},
		{Name: "Ed", Description: "Ed was born in Velm and met Elin Moss."},
		{Name: "Fay", Description: "Fay was born."},
	}})
	got := map[string]string{}
	for _, r := range x.Relations {
		got[r.Target] += r.Source + " "
	}
	want := map[string]string{"Skarholm": "Ada Bo ", "Elin Moss": "Di Ed "}
	if len(x.Entities) != len(want) || !maps.Equal(got, want) {
		t.Errorf("%+v of %+v", got, x.Entities)
	}
}

func TestMerge(t *testing.T) {
	r, _, err := local.New(local.Options{}).Do(t.Context(), llm.Task{Kind: llm.MergeDescriptions, Input: inputs[llm.MergeDescriptions]})
	if want := "A cipher machine. Broken by Turing."; err != nil || r.Text != want {
		t.Errorf("%q, %v, want %q", r.Text, err, want)
	}
}

// TestSummaries checks on real text that summaries are whole sentences of it,
// in order, and never too long.
func TestSummaries(t *testing.T) {
	tok := text.NewCL100K()
	p := local.New(local.Options{Tokens: tok.Count})
	for _, e := range evaldata.Lines[passage](t, "mine_essays/corpus.jsonl.gz")[:8] {
		source := strings.Join(strings.Fields(e.Text), " ")
		for _, limit := range []int{0, 1, 5, 40, 100, 300, 10_000} {
			r, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Summarise, MaxTokens: limit, Input: llm.SummariseInput{Texts: strings.Split(e.Text, "\n")}})
			if err != nil {
				t.Fatal(err)
			}
			n := tok.Count(r.Text)
			if limit > 0 && n > limit || limit >= 40 && n == 0 {
				t.Errorf("%s: %d tokens, limit %d", e.ID, n, limit)
			}
			if limit >= 100 && limit < 10_000 && n < limit/2 {
				t.Errorf("%s: only %d tokens, limit %d", e.ID, n, limit)
			}
			rest := source
			for _, sp := range text.Sentences(r.Text) {
				s := r.Text[sp.Start:sp.End]
				if !strings.Contains(source, s) {
					s = strings.TrimSuffix(s, ".") // put behind a line without a mark
				}
				at := strings.Index(rest, s)
				if at < 0 {
					t.Errorf("%s, limit %d: not in the text, or not in order: %q", e.ID, limit, s)
					break
				}
				rest = rest[at+len(s):]
			}
		}
	}
}

// TestLimits checks that reports and answers keep to MaxTokens.
// TestAnswersVerbatim checks that answers are sentences of the evidence that
// they cite.
// FuzzProvider feeds any text to all kinds: replies must be without control
// characters, and errors those that are promised.
// BenchmarkSummarise sums up 8,000 tokens.
// BenchmarkAnswer answers from 30 pieces of evidence, with vectors.
