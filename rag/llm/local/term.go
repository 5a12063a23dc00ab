package local

import (
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// anchorTerms returns the mentions of the terms of a text that can be the ends
// of relations, by ascending start. A mention is any place outside of names
// where the words of a term stand, the longest of several. Terms that stand in
// one sentence only are left out, unless that sentence holds fewer than two
// names and terms without them and there is less than a name for two sentences, or the
// script has no capitals.
func anchorTerms(s string, sentences []text.Span, names []text.Name) []text.Name {
	named := 2*countProper(names) >= len(sentences) && !isUnspaced(s)
	all := termMentions(s, sentences, names)
	first := map[string]int{}
	again := map[string]bool{}
	for _, t := range all {
		if at, ok := first[t.Key]; !ok {
			first[t.Key] = t.Sentence
		} else if at != t.Sentence {
			again[t.Key] = true
		}
	}
	anchors := make([]int, len(sentences))
	for _, n := range names {
		anchors[n.Sentence]++
	}
	for _, t := range all {
		if again[t.Key] {
			anchors[t.Sentence]++
		}
	}
	return slices.DeleteFunc(all, func(t text.Name) bool { return !again[t.Key] && (named || anchors[t.Sentence] >= 2) })
}

// termMentions returns the places outside of names where the words of a term
// of the text stand.
func termMentions(s string, sentences []text.Span, names []text.Name) []text.Name {
	known := map[string]bool{}
	longest := 0 // words of a term
	for _, t := range text.Terms(s, names) {
		known[t.Key] = true
		longest = max(longest, 1+strings.Count(t.Key, " "))
	}
	var out []text.Name
	var words []lex.Word
	next := 0 // names[:next] end before the word
	for i, sp := range sentences {
		words = words[:0]
		for w := range lex.Words(s[sp.Start:sp.End]) {
			w.Start += sp.Start
			w.End += sp.Start
			words = append(words, w)
		}
		for k := 0; k < len(words); {
			for next < len(names) && names[next].End <= words[k].Start {
				next++
			}
			key, n := matchTerm(words[k:min(len(words), k+longest)], known)
			if n == 0 || next < len(names) && names[next].Start < words[k+n-1].End {
				k++
				continue
			}
			start, end := words[k].Start, words[k+n-1].End
			out = append(out, text.Name{Key: key, Surface: s[start:end], Start: start, End: end,
				Kind: text.Common, Sentence: i})
			k += n
		}
	}
	return out
}

// matchTerm returns the longest term that words start with and its number of
// words, 0 for none.
func matchTerm(words []lex.Word, known map[string]bool) (key string, n int) {
	joined := ""
	for i, w := range words {
		if i > 0 {
			joined += " "
		}
		joined += w.Text
		if known[joined] {
			key, n = joined, i+1
		}
	}
	return key, n
}
