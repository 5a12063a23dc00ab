package load_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// sameText is a document of which every format can tell the structure: a title,
// headings, hard-wrapped paragraphs and a list.
const sameText = `The ferry of Halvarsund

The ferry was built in 1931 by the yard of Okker & Sons in
Drent, and its first captain was Mr.
Tobias Ferrant.
He sailed it for nineteen years. It never
sank, although the ice of
Sunday, 3 March 1940 came close.

Opening hours

Visitors may come from 9 a.m. to 5 p.m. on any day but Monday, when
the crew of Dr.
Ilse Quill cleans the deck. Ask for vitamin C. They sell it.

How much is a ticket?

A ticket is two crowns. Children, members of the crew and the
staff of Okker Ltd. pay
nothing.

- one anchor
- two boats, each for six
`

// In every format the same text gives the same sentences.
func TestSentencesOfFormats(t *testing.T) {
	title, body, _ := strings.Cut(sameText, "\n\n")
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	page := "<html><head><title>" + title + "</title></head><body>"
	markdown := "# " + title + "\n\n"
	for part := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		switch {
		case strings.HasPrefix(part, "- "):
			page += "<ul>\n"
			for item := range strings.SplitSeq(part, "\n") {
				page += "<li>" + html.EscapeString(item[2:]) + "</li>\n"
			}
			page += "</ul>\n"
			markdown += part + "\n\n"
		case !strings.Contains(part, "\n"):
			page += "<h2>" + part + "</h2>\n"
			markdown += "## " + part + "\n\n"
		default:
			page += "<p>" + html.EscapeString(part) + "</p>\n"
			markdown += part + "\n\n"
		}
	}
	record, err := json.Marshal(map[string]string{"title": title, "text": body})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	w := csv.NewWriter(&table)
	w.Write([]string{"title", "text"})
	w.Write([]string{title, body})
	w.Flush()
	want := []string{
		"The ferry of Halvarsund",
		"The ferry was built in 1931 by the yard of Okker & Sons in Drent, and its first captain was Mr. Tobias Ferrant.",
		"He sailed it for nineteen years.",
		"It never sank, although the ice of Sunday, 3 March 1940 came close.",
		"Opening hours",
		"Visitors may come from 9 a.m. to 5 p.m. on any day but Monday, when the crew of Dr. Ilse Quill cleans the deck.",
		"Ask for vitamin C.",
		"They sell it.",
		"How much is a ticket?",
		"A ticket is two crowns.",
		"Children, members of the crew and the staff of Okker Ltd. pay nothing.",
		"- one anchor",
		"- two boats, each for six",
	}
	for name, content := range map[string]string{
		"a.txt": sameText, "a.md": markdown, "a.html": page, "a.jsonl": string(record), "a.csv": table.String(),
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, name, content, nil)
			var got []string
			for _, sp := range text.Sentences(d.Text) {
				got = append(got, flat(d.Text[sp.Start:sp.End]))
			}
			if !slices.Equal(got, want) {
				t.Errorf("sentences\n%q\nwant\n%q", got, want)
			}
		})
	}
}
