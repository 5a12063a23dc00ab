package local

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// elements implements the kind query-elements: the names, dates and quotations
// of the question, or if it has none its terms, or else its content words.
func (p *Provider) elements(question string) llm.Elements {
	names := text.Names(question, p.names)
	if len(names) == 0 {
		names = text.Terms(question, nil)
	}
	if len(names) == 0 {
		return llm.Elements{Entities: contentWords(question, nil)}
	}
	return llm.Elements{Entities: surfaces(names)}
}

// keywords implements the kind keywords: names are particulars, and terms are
// themes. A question without terms has its other content words for themes.
func (p *Provider) keywords(question string) llm.KeywordSet {
	names := text.Names(question, p.names)
	k := llm.KeywordSet{High: surfaces(text.Terms(question, names)), Low: surfaces(names)}
	if len(k.High) == 0 {
		k.High = contentWords(question, names)
	}
	return k
}

// contentWords returns the words of a question outside of names that are no
// function words.
func contentWords(question string, names []text.Name) []string {
	out := []string{}
	for w := range lex.Words(question) {
		inName := slices.ContainsFunc(names, func(n text.Name) bool { return n.Start < w.End && w.Start < n.End })
		if !inName && !lex.IsStop(w.Text) && !slices.Contains(out, w.Text) {
			out = append(out, w.Text)
		}
	}
	return out
}

// surfaces returns the first surface of each name, in order.
func surfaces(names []text.Name) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, n := range names {
		if s := clean(n.Surface); s != "" && !seen[n.Key] {
			seen[n.Key] = true
			out = append(out, s)
		}
	}
	return out
}

// statement implements the kind hypothetical-passage: the question without the
// function words that it opens with and its question mark. It knows nothing
// that the question does not say, so its vector is near the question's: HyDE
// with this model is a search by the question.
func statement(question string) string {
	s := strings.TrimRight(clean(question), " ?!.")
	rest := s
	for w := range lex.Words(s) {
		if !lex.IsStop(w.Text) {
			rest = s[w.Start:]
			break
		}
	}
	if rest == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(r)) + rest[n:] + "."
}
