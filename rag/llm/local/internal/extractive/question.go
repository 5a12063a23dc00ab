package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// maxTerms bounds the terms of a question, maxAsked its bytes: what is longer
// counts for its beginning. Time grows with passages times terms.
const (
	maxTerms = 48
	maxAsked = 2 << 10
)

// A question is a question as it was understood.
type question struct {
	text   string
	lang   string // as text.Language tells it
	words  []word
	terms  []term
	kind   kind
	class  string     // noun that names what is asked for, or is counted
	preset bool       // it asks for what holds if nothing is said
	asking [2]int     // bytes of a phrase that only asks
	names  [][]string // names of several words
	verb   *term      // in the past, behind which and a noun; nil for none
	// subject are words of which a sentence must have one; nil if not sure.
	subject []term
	runs    []run // of Chinese and Japanese, in place of terms

	known   map[string]bool // words
	english map[string]bool // askers of English
	total   float64         // weight of all terms
}

// has reports whether a question has one of the words.
func (q *question) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return q.known[w] })
}

// german reports whether nouns are written with a capital in the question's
// language.
func (q *question) german() bool { return q.lang == "de" }

// understand reads a question.
func understand(s string, stats selection.WordStats) *question {
	if len(s) > maxAsked {
		s = strings.ToValidUTF8(s[:maxAsked], "")
	}
	if strings.ToUpper(s) == s && strings.ToLower(s) != s && len(wordsOf(s)) > 2 {
		s = strings.ToLower(s) // capitals say nothing here
	}
	q := &question{text: s, lang: language(s), words: wordsOf(s), known: map[string]bool{}, english: englishAskers}
	for i := range q.words {
		q.known[q.words[i].text] = true
	}
	if q.lang == unspaced {
		q.readRuns(stats)
		return q
	}
	q.readKind()
	if !q.german() {
		q.readNames()
	}
	q.readTerms(stats)
	q.readVerb()
	q.readSubject()
	for i := range q.terms {
		q.total += q.terms[i].weight
	}
	return q
}

// englishAskers are the words that ask in English.
var englishAskers = set(`who whom whose when where why`)

// language returns the language of a question: unspaced for Chinese and
// Japanese, "en" for a question that opens with an English word that asks,
// whatever names it holds.
func language(s string) string {
	for _, r := range s {
		if r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			return unspaced
		}
	}
	for _, w := range wordsOf(s[:min(len(s), 64)]) {
		switch w.text {
		case "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "does", "did", "do", "is", "are":
			return "en"
		case "wer", "wem", "wen", "wessen", "wann", "wo", "woher", "wohin", "warum", "wieso", "wie", "welche", "welcher", "welches", "welchen", "welchem":
			return "de"
		}
	}
	return text.Language(s)
}

// partsOf returns the parts of a question that asks for two things, each as a question of
// its own: what stands before and behind and with a word that asks.
func partsOf(s string) []string {
	s = s[:min(len(s), maxAsked)]
	for _, at := range second.FindAllStringSubmatchIndex(s, -1) {
		if lead := s[:at[0]]; asksAny.MatchString(lead) {
			return []string{lead + "?", s[at[2]:]}
		}
	}
	return nil
}

const askingWords = `(?:what|which|who|whom|when|where|why|how|was|welche[rsnm]?|wer|wem|wen|wann|wo|wohin|woher|warum|wie|quel(?:le)?s?|qui|quand|comment|pourquoi|combien|o[uù])`

var (
	second  = regexp.MustCompile(`(?i),? (?:and|und|et)(?:,)? ((?:(?:in|on|at|by|with|for|from|to|auf|mit|bei|von|aus|f[uü]r|zu|[àa]|de|avec|dans|par|sur) )?` + askingWords + ` )`)
	asksAny = regexp.MustCompile(`(?i)(?:^|[ ,.:;])` + askingWords + ` `)
)
