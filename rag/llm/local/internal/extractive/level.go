package extractive

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// The levels at which a word meets a term.
const (
	sameForm  = 1.0
	otherForm = .9
	derived   = .85
	synonym   = .8
	stemOnly  = .5 // of a name whose stem alone is met
)

// What a level is multiplied by if a term is not met in the sentence.
const (
	inAntecedent = .95 // in what its pronoun stands for
	inHeading    = .9
	inParagraph  = .8 // in the sentence before or behind it, in its paragraph
	inSection    = .6
	nameInScope  = .8 // a name, from the section or the passage
)

// met is the least level of a name, a verb or a subject that counts as met,
// present that of any other term.
const (
	met     = .8
	present = .75
)

// level says how well words meet a term, from 0 to 1. Linear time.
func (t *term) level(words []word) float64 {
	best := 0.0
	for i := range words {
		if best = max(best, t.levelOf(words, i)); best == sameForm {
			break
		}
	}
	return best
}

// levelOf says how well word i meets a term.
func (t *term) levelOf(words []word, i int) float64 {
	w := &words[i]
	switch {
	case t.letter != "":
		if w.text == t.text && w.isLetter() && i > 0 && words[i-1].text == t.letter {
			return sameForm
		}
		return 0
	case t.acronym:
		if w.raw == t.raw {
			return sameForm
		}
		return 0
	case w.text == t.text:
		return sameForm
	case t.number || w.stem == "":
		return 0
	case w.stem == t.stem:
		if t.hard && !isDerived(w.text, t.text) && w.text != t.text+"s" && t.text != w.text+"s" {
			return stemOnly
		}
		return sameForm
	case t.hard:
		return 0
	case t.form != 0 && t.form == w.form:
		return otherForm
	case isDerived(w.text, t.text) || isPrefixed(w.text, t.text):
		return derived
	case t.sense.shared(w.sense):
		return synonym
	case t.stems != nil && t.stems.of(w) == t.stems.of(&t.word):
		return otherForm
	case t.stems != nil && t.stems.lang == "de" && isPartOf(w.text, t.text):
		return present
	}
	return 0
}

// A stemmer stems words of a language other than English, each once.
type stemmer struct {
	lang  lex.Language
	known map[string]string
}

// of returns the stem of a word.
func (m *stemmer) of(w *word) string {
	stem, ok := m.known[w.raw]
	if !ok {
		if t := m.lang.Terms(w.raw); len(t) > 0 {
			stem = t[0].Text
		} else {
			stem = w.text
		}
		m.known[w.raw] = stem
	}
	return stem
}

// isPartOf reports whether one of two words is the other with more before or behind it,
// as compounds are.
func isPartOf(a, b string) bool {
	const least = 5 // bytes
	if len(a) < len(b) {
		a, b = b, a
	}
	return len(b) >= least && (strings.HasPrefix(a, b) || strings.HasSuffix(a, b))
}

// isDerived reports whether two words have a beginning in common that is long
// enough for one to come from the other: all but a byte of the shorter and at
// most 5 less than the longer.
func isDerived(a, b string) bool {
	n := common(a, b)
	short, long := min(len(a), len(b)), max(len(a), len(b))
	return n >= 5 && n >= short-1 && long-n <= 5
}

// isPrefixed reports whether two words differ by the German ge- of participles.
func isPrefixed(a, b string) bool {
	x, ga := strings.CutPrefix(a, "ge")
	y, gb := strings.CutPrefix(b, "ge")
	return ga != gb && common(x, y) >= 4
}

// common returns the length of the beginning that two words share.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
