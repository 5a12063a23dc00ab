package local

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local/internal/oneline"
)

// clean is [oneline.Clean].
func clean(s string) string { return oneline.Clean(s) }

// withoutMarkers is [oneline.WithoutMarkers].
func withoutMarkers(s string) string { return oneline.WithoutMarkers(s) }

// sentencesOf returns the sentences of a text, cleaned and closed, without
// empty ones. A title that opens the text is not a sentence, unless it is all.
func sentencesOf(s string) []string {
	var out []string
	title := ""
	spans := text.Sentences(s)
	for i, sp := range spans {
		c := clean(s[sp.Start:sp.End])
		if i == 0 && len(spans) > 1 && !terminated(c) {
			title = closed(c)
			continue
		}
		if c = closed(c); c != "" {
			out = append(out, c)
		}
	}
	if len(out) == 0 && title != "" {
		out = append(out, title) // only characters that clean drops follow it
	}
	return out
}

// distinct returns the texts without those whose words (text.Key) are the same
// as those of an earlier one, and without empty ones.
func distinct(texts []string) []string {
	seen := make(map[string]bool, len(texts))
	var out []string
	for _, s := range texts {
		key := text.Key(s)
		if key == "" {
			key = strings.TrimSpace(s)
		}
		if key != "" && !seen[key] {
			seen[key] = true
			out = append(out, s)
		}
	}
	return out
}

// terminated reports whether s ends like a sentence: with a mark, a bracket or
// a quote.
func terminated(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '"' || r == '\'' || r == '…' || unicode.In(r, unicode.STerm, unicode.Pe, unicode.Pf)
}

// closed returns s with a full stop if it ends without a mark, so that
// something can follow it.
func closed(s string) string {
	s = strings.TrimRight(s, " ,;:")
	if s == "" || terminated(s) {
		return s
	}
	if r, _ := utf8.DecodeLastRuneInString(s); r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		return s + "。"
	}
	return s + "."
}
