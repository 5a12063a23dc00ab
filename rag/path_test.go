package rag_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// handbook has two sections whose ends have equal words and not those of their headings, and
// documents in two languages.
func handbook() []ragtest.Doc {
	long := strings.Repeat("Some say one thing of it, and some say another thing of it. ", 18) + "\n\n"
	return []ragtest.Doc{
		{Key: "gate-settings.md", Text: "# Gate\n\n## Timeouts\n\n" + long + long + "At the end the value is 30.\n\n## Ports\n\n" + long + long + "At the end the value is 7010.\n"},
		{Key: "mill.md", Text: "# Mill\n\n## Wheel\n\nThe setting `max_connections` bounds what comes in.\n\n## Bell\n\nThe bell counts connections, and max is its keeper.\n"},
		{Key: "wasser.md", Text: "# Wasserwerk\n\nDie Gründer des Werkes waren zwei Brüder, die aus den Bergen gekommen sind und hier eine Quelle gefunden haben.\n"},
		{Key: "strasse.md", Text: "# Straßen\n\nDie Häuser an der Straße wurden von den Bauern gebaut, und nicht von der Stadt, wie es heute üblich ist.\n"},
	}
}

// TestPath: a chunk is found by what it stands under: the file, the title, the headings.
func TestPath(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	c.Index(t, "bm25", handbook()...)
	for question, want := range map[string]string{
		"Which value is at the end of the timeouts?": "At the end the value is 30.",
		"Which value is at the end of the ports?":    "At the end the value is 7010.",
	} {
		first := c.Evidence(t, "bm25", method.Question{Text: question}).Items()[0]
		if !strings.HasSuffix(first.Text, want) || strings.Contains(first.Text, "Ports") || strings.Contains(first.Text, "Timeouts") {
			t.Errorf("%q finds %s first, which ends with %q", question, first.Keys, first.Text[max(0, len(first.Text)-60):])
		}
	}
}

// TestLanguages: words are found by the stems of the document's language, and names by
// their parts and as a whole.
func TestLanguages(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	c.Index(t, "bm25", handbook()...)
	for question, want := range map[string]string{
		"Wer war der Gründer von dem Werk?": "wasser.md#0",
		"Gründern":                          "wasser.md#0", // too short for its language to be told
		"Wo steht das Haus der Straße?":     "strasse.md#0",
		"What does max_connections do?":     "mill.md#0",
		"Does max count the connections?":   "mill.md#1",
	} {
		items := c.Evidence(t, "bm25", method.Question{Text: question}).Items()
		if len(items) == 0 || items[0].Keys[0] != want {
			t.Errorf("%q finds %d chunks, want %s first", question, len(items), want)
		}
	}
	if got := c.Analyze("Wie heißt das, und was ist es?"); len(got) > 1 {
		t.Errorf("a question of function words has the terms %q", got)
	}
	if got := c.Analyze("the port of the port"); len(got) != 2 {
		t.Errorf("a word counts as often as it is asked for: %q", got)
	}
}
