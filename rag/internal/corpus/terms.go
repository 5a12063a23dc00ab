package corpus

import (
	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// pathWeight is what the path of headings counts beside the text, as measured on the
// corpora of bench/real (docs/design/0009-real-documents.md).
const pathWeight = 0.4

// TextSearch finds the chunks of a set by the words of a question, in the text and in
// what it stands under.
func (c *Corpus) TextSearch(set text.ChunkSet, question string, k int) *query.TextSearch {
	return &query.TextSearch{
		Graph: c.base, Field: TextField(set), Text: question, K: k, Beside: []engine.FieldWeight{{Field: pathField(set), Weight: pathWeight}},
	}
}

// languageOf returns the language of a text: the one that it shows or, if that is not
// clear, the one that its source states.
func languageOf(s, stated string) etext.Language {
	if lang := text.Language(s); lang != "" {
		return etext.Language(lang)
	}
	return etext.Language(stated)
}

// Analyzer returns what makes the terms of a text's postings.
func (c *Corpus) Analyzer(s string) etext.Analyzer { return languageOf(s, "") }

// stemmed are the languages that a question may be in whose own is not clear.
var stemmed = []etext.Language{"en", "de", "fr", "es", "it", "pt", "nl"}

// Analyze returns the terms of what a question is about ([text.Topic]), as the
// postings of texts in its language have them; of a short question whose language is not
// clear, as those in any of several languages have them. Names and words of English that
// stand in a question of another language are found in texts of English too.
func (c *Corpus) Analyze(s string) []string {
	lang := text.Language(s)
	languages := []etext.Language{etext.Language(lang)}
	switch lang {
	case "":
		languages = stemmed
	case "de", "fr", "es", "it", "pt", "nl":
		languages = append(languages, "en")
	}
	var out []string
	topic, known := text.Topic(s), map[string]bool{}
	for _, l := range languages {
		first := len(out)
		for _, t := range l.Terms(topic) {
			if !known[t.Text] {
				out = append(out, t.Text)
			}
		}
		for _, t := range out[first:] {
			known[t] = true
		}
	}
	return out
}
