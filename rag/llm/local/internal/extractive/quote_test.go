package extractive_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// dock are pages about a program that does not exist, with paragraphs, lists, tables and
// mail.
var dock = []selection.Passage{
	{Title: "Ports", Text: "# Ports\n\n## Moorings\n\nTo reserve a mooring, run dock reserve with its name. The command prints a ticket. Keep it.\n\nMoorings are painted red.\n\n" +
		"## Closing\n\nWhen the dock closes, these steps happen:\n\n- The gate is locked.\n- The sluice is drained while boats still leave.\n- The siren sounds.\n\n" +
		"## Anchors\n\nFor how to weigh an anchor, see the section on winches."},
	{Title: "Codes", Text: "# Codes\n\nThe harbour answers with a code.\n\n| Range | Description |\n|---|---|\n| 10-19 | lost ropes |\n| 20-29 | broken sails |\n\nThe signal timeout of a buoy can be changed. It is measured in knots of waiting. The default value is 6700."},
	{Text: "Re: lanterns\n\n> Our lantern burns oil too fast, and I think the wick of the lantern is too wide.\n> What should the wick of the lantern be made of?\n\nThe wick of the lantern should be made of flax."},
	{Title: "Länge", Text: "# Länge\n\nEin Hafenname darf höchstens zwanzig Zeichen haben. Die Bootslisten werden nachts gedruckt. Die Schleuse ist nicht für Flöße gedacht."},
	{Title: "Écluses", Text: "# Écluses\n\nLa porte est fermée la nuit. Une largeur optimale ajoute un espacement prédéfini de 2 mm à la colonne du quai."},
}

// TestQuotes: an answer is a sentence with what goes on in its paragraph or its list, and
// nothing of another paragraph.
func TestQuotes(t *testing.T) {
	for _, c := range []struct{ what, question, want string }{ // want "" is a refusal
		{"paragraph", "How do I reserve a mooring?", "To reserve a mooring, run dock reserve with its name. The command prints a ticket. Keep it."},
		{"list with its lead", "Is the sluice drained while boats still leave?",
			"When the dock closes, these steps happen: - The gate is locked. - The sluice is drained while boats still leave. - The siren sounds."},
		{"reference", "How do I weigh an anchor?", ""},
		{"cell", "Which code range does the harbour use for broken sails?", "Codes: 20-29 = broken sails"},
		{"default in its paragraph", "What is the signal timeout of a buoy by default?", "The signal timeout of a buoy can be changed. It is measured in knots of waiting. The default value is 6700."},
		{"quoted mail", "What should the wick of the lantern be made of?", "The wick of the lantern should be made of flax."},
		{"two parts", "How do I reserve a mooring, and what should the wick of the lantern be made of?",
			"To reserve a mooring, run dock reserve with its name. The command prints a ticket. Keep it. The wick of the lantern should be made of flax."},
		{"one of two parts", "How do I reserve a mooring, and who painted the lighthouse?", ""},
		{"length of a text", "Wie lang darf der Name eines Hafens höchstens sein?", "Ein Hafenname darf höchstens zwanzig Zeichen haben."},
		{"verb first", "Werden Bootslisten nachts gedruckt?", "Die Bootslisten werden nachts gedruckt."},
		{"verb of which", "Which captain painted the gate of the dock?", ""},
		{"when before a clause", "Quand la largeur est optimale, quel espacement est ajouté à la colonne par défaut ?", "Une largeur optimale ajoute un espacement prédéfini de 2 mm"},
	} {
		got, sel := answer(t, c.question, dock)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q: %q (%s), want %q", c.what, c.question, got, sel.Refusal, c.want)
		}
	}
}

// TestBlocks: code and tables of a passage are told by the document's format. A comment in
// code answers nothing, and a row of a table answers a question for a value alone.
func TestBlocks(t *testing.T) {
	const prose = "The mill is old.\n\n"
	for _, c := range []struct {
		kind text.PartKind
		want bool
	}{{text.Prose, true}, {text.Code, false}, {text.Table, false}} {
		p := selection.Passage{Title: "Mill", Text: prose + "The sluice drains the upper pond at night.", Blocks: []selection.Block{{At: len(prose), Kind: c.kind}}}
		if got, _ := answer(t, "What does the sluice drain?", []selection.Passage{p}); (got != "") != c.want {
			t.Errorf("kind %d: the answer is %q", c.kind, got)
		}
	}
}
