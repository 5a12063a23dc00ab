package extractive_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/llm/local/internal/extractive"
	"github.com/ragdb/ragdb/rag/llm/local/internal/oneline"
)

// library are documents about things that do not exist.
var library = []selection.Passage{
	{Title: "ferry", Text: "# The ferry\n\nThe ferry to Skarholm leaves at six in the morning. It carries forty passengers and needs 50 minutes.\n\n## History\n\nThe line was founded in 1911 by Olaf Brandt. In 1927 the ferry Sea Lark sank near the lighthouse."},
	{Title: "pump", Text: "# The pump\n\nThe pump was designed by Ada Kestrel in 1954. Model B has a warranty of two years. Model B weighs 14 kg and costs 420 crowns. Model C moves 95 litres a minute.\n\n## How do I change the oil?\n\nOpen the lower valve, let the old oil run out, and fill in new oil.\n\n## Cleaning\n\nThe filter is cleaned every month."},
	{Title: "observatory", Text: "Helena Marsh was an optician in Port Amber. In 1880 she ground the mirror of the great telescope. She died in 1902."},
	{Title: "cancer", Text: "Liver cancer is treated with surgery. Anal cancer is a rare disease. The Orion 2 probe was launched in 1971."},
	{Title: "mühle", Text: "Die Gezeitenmühle wurde 1891 von der Ingenieurin Mira Voß gebaut. Das Modell B der Pumpe kostet 300 Mark. Die Garantie für das Modell B beträgt zwei Jahre."},
	{Title: "磨坊", Text: "奥尔斯克的潮汐磨坊由工程师米拉设计。钟楼高四十二米。一张船票要十二枚银币。"},
}

// answer is what a selection says.
func answer(t testing.TB, question string, passages []selection.Passage) (string, selection.Output) {
	t.Helper()
	sel, err := extractive.Select(context.Background(), selection.Input{Question: question, Passages: passages})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range sel.Sentences {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, " "), sel
}

// TestSelect has a question for each gate, and one beside it that is answered.
func TestSelect(t *testing.T) {
	for _, c := range []struct{ gate, question, want string }{ // want "" is a refusal
		{"letter", "How long is the warranty on model B?", "Model B has a warranty of two years."},
		{"letter", "How long is the warranty on model C?", ""},
		{"number", "When was the Orion 2 probe launched?", "The Orion 2 probe was launched in 1971."},
		{"number", "When was the Orion 3 probe launched?", ""},
		{"name", "Who was Helena Marsh?", "Helena Marsh was an optician in Port Amber."},
		{"name", "Who was Helena Brandt?", ""},
		{"attribute", "What is the colour of model B?", ""},
		{"subject", "Who designed the pump?", "The pump was designed by Ada Kestrel in 1954."},
		{"subject", "Who designed the ferry?", ""},
		{"verb", "When was the ferry line founded?", "The line was founded in 1911 by Olaf Brandt."},
		{"verb", "When was the ferry line sold?", ""},
		{"value", "What is the price of model B?", "Model B weighs 14 kg and costs 420 crowns."},
		{"value", "What is the price of model C?", ""},
		{"counted", "How many passengers does the ferry carry?", "The ferry to Skarholm leaves at six in the morning. It carries forty passengers and needs 50 minutes."},
		{"counted", "How many cars does the ferry carry?", ""},
		{"modifier", "How is liver cancer treated?", "Liver cancer is treated with surgery."},
		{"modifier", "How is breast cancer treated?", ""},
		{"place", "Where did the Sea Lark sink?", "In 1927 the ferry Sea Lark sank near the lighthouse."},
		{"definition", "What is anal cancer?", "Anal cancer is a rare disease."},
		{"definition", "What is skin cancer?", ""},
		{"faq", "How can I change the oil?", "Open the lower valve, let the old oil run out, and fill in new oil."},
		{"faq", "How can I change the tyre?", ""},
		{"pronoun", "Who ground the mirror of the great telescope?", "In 1880 she [Helena Marsh] ground the mirror of the great telescope."},
		{"frequency", "How often is the filter cleaned?", "The filter is cleaned every month."},
		{"german", "Wann wurde die Gezeitenmühle gebaut?", "Die Gezeitenmühle wurde 1891 von der Ingenieurin Mira Voß gebaut."},
		{"german", "Wann wurde der Leuchtturm gebaut?", ""},
		{"german", "Wie viel kostet das Modell B der Pumpe?", "Das Modell B der Pumpe kostet 300 Mark."},
		{"german", "Wie viel kostet das Modell C der Pumpe?", ""},
		{"german", "Wie lange ist die Garantie für das Modell B?", "Die Garantie für das Modell B beträgt zwei Jahre."},
		{"chinese", "钟楼有多高？", "钟楼高四十二米。"},
		{"chinese", "灯塔有多高？", ""},
		{"chinese", "潮汐磨坊是谁设计的？", "奥尔斯克的潮汐磨坊由工程师米拉设计。"},
		{"chinese", "一张船票多少钱？", "一张船票要十二枚银币。"},
		{"nothing", "", ""},
		{"nothing", "???", ""},
	} {
		got, sel := answer(t, c.question, library)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q: %q (%s), want %q", c.gate, c.question, got, sel.Refusal, c.want)
		}
		if (sel.Refusal == "") != (len(sel.Sentences) > 0) || len(sel.Nearest) != 3 {
			t.Errorf("%q: refusal %q of %d sentences, nearest %v", c.question, sel.Refusal, len(sel.Sentences), sel.Nearest)
		}
	}
}

// TestNearest: a refusal names the passage that speaks of the question first.
func TestNearest(t *testing.T) {
	for question, want := range map[string]int{
		"What is the price of model C?": 1, "Who founded the ferry line Sea Lark in Norrby?": 0, "Wann wurde die Gezeitenmühle verkauft?": 4,
	} {
		if _, sel := answer(t, question, library); len(sel.Sentences) > 0 || sel.Nearest[0] != want {
			t.Errorf("%q: %v, want %d first", question, sel, want)
		}
	}
	sel, err := extractive.Select(t.Context(), selection.Input{Question: "Who?"})
	if err != nil || sel.Refusal != selection.NoPassage || len(sel.Nearest) > 0 {
		t.Errorf("without passages: %+v, %v", sel, err)
	}
}

// TestHeadings: the headings that a passage is given count as its own do.
func TestHeadings(t *testing.T) {
	p := selection.Passage{Text: "The warranty is two years.\n\nModel C\n\nThe warranty is five years.", Headings: []selection.Heading{
		{Path: []string{"Pumps", "Model B"}}, {At: 28, Path: []string{"Pumps", "Model C"}},
	}}
	for question, want := range map[string]string{
		"How long is the warranty of model B?": "The warranty is two years.",
		"How long is the warranty of model C?": "The warranty is five years.",
		"How long is the warranty of model D?": "",
	} {
		if got, _ := answer(t, question, []selection.Passage{p}); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

var bracketed = regexp.MustCompile(` \[([^\[\]]+?)('s)?\]`)

// checkProof reports what an answer says that its passages do not: each
// sentence is its bytes of the passage, but for names in brackets, which are of
// the passage too.
func checkProof(t testing.TB, question string, passages []selection.Passage, sel selection.Output) {
	t.Helper()
	for _, s := range sel.Sentences {
		if s.Passage < 0 || s.Passage >= len(passages) || s.Start < 0 || s.End > len(passages[s.Passage].Text) || s.Start > s.End {
			t.Fatalf("%q: %+v is no place", question, s)
		}
		body := passages[s.Passage].Text
		said := oneline.Clean(oneline.WithoutMarkers(body[s.Start:s.End]))
		if s.Text == said {
			continue
		}
		if strings.Contains(s.Text, " = ") || strings.Contains(s.Text, ": ") && !strings.Contains(said, ": ") {
			checkSetting(t, question, &passages[s.Passage], s.Text)
			continue
		}
		m := bracketed.FindStringSubmatchIndex(s.Text)
		if m == nil || s.Text[:m[0]]+s.Text[m[1]:] != said || !strings.Contains(oneline.Clean(body), s.Text[m[2]:m[3]]) {
			t.Errorf("%q: %q is not %q", question, s.Text, said)
		}
	}
	if len(sel.Nearest) > 3 {
		t.Errorf("%q: nearest %v", question, sel.Nearest)
	}
}

// checkSetting reports words of a setting that neither its passage nor the headings have.
func checkSetting(t testing.TB, question string, p *selection.Passage, said string) {
	t.Helper()
	all := p.Title + "\n" + p.Text
	for _, h := range p.Headings {
		all += "\n" + strings.Join(h.Path, "\n")
	}
	known := map[string]bool{}
	for w := range lex.Words(oneline.Clean(all)) {
		known[w.Text] = true
	}
	for w := range lex.Words(said) {
		if !known[w.Text] {
			t.Errorf("%q: %q of %q is not in the passage", question, w.Text, said)
		}
	}
}

// FuzzSelect: nothing is said that the passages do not say, whatever they are.
func FuzzSelect(f *testing.F) {
	for _, p := range library {
		f.Add("Who designed model B?", p.Title, p.Text)
		f.Add("磨坊是谁设计的？", p.Title, p.Text)
	}
	f.Add("Who was he [Ada]?", "x", "Ada was here. He [Ada] left [3]. She [x ran.\n\n```\ncode;\n```\n# H {#a}\ntext")
	f.Add("WER WAR \xff?", "\xff", "\xff\u02bb. \u0301\u202e?")
	f.Fuzz(func(t *testing.T, question, title, s string) {
		passages := []selection.Passage{{Title: title, Text: s}, {Text: s, Headings: []selection.Heading{{At: 0, Path: []string{title}}, {At: len(s) / 2, Path: []string{title, question}}}}}
		sel, err := extractive.Select(context.Background(), selection.Input{Question: question, Passages: passages})
		if err != nil {
			t.Fatal(err)
		}
		checkProof(t, question, passages, sel)
	})
}
