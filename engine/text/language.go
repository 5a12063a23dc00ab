package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"

	"github.com/ragdb/ragdb/internal/functionword"
)

// A Language is the tag (BCP 47) of the language of a text, such as "de" or "pt-BR". As
// an analyzer it is [Standard] for that language: it drops the language's function
// words (of English those of [IsStop]) and stems by Snowball's algorithm for it. Stems are folded. A
// language that has none, and "", is taken for English.
//
// What stands together without a blank and is joined by underscores, points or
// hyphens, such as max_connections, is a term as a whole beside its parts, and so is a
// word of several with capitals within, such as maxConnections. The whole has the position
// of its first part and follows it.
type Language string

// Name returns "language.v1", for all languages: a field has texts of several.
func (Language) Name() string { return "language.v1" }

// Terms implements [Analyzer]. Linear time.
func (l Language) Terms(s string) []Term {
	a := languageTerms{s: s, tag: l.base(), terms: make([]Term, 0, len(s)/8+2)}
	a.stem = stemmerOf(a.tag)
	for w := range Words(s) {
		a.add(w)
	}
	a.close()
	return a.terms
}

// base returns the tag without region and script.
func (l Language) base() string {
	tag := strings.ToLower(string(l))
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	if tag == "nb" || tag == "nn" {
		return "no"
	}
	return tag
}

// stemmerOf returns what stems words of a language, nil for English and languages
// without a stemmer.
func stemmerOf(tag string) func(*snowballstem.Env) bool {
	switch tag {
	case "de":
		return german.Stem
	case "fr":
		return french.Stem
	case "es":
		return spanish.Stem
	case "it":
		return italian.Stem
	case "pt":
		return portuguese.Stem
	case "nl":
		return dutch.Stem
	case "sv":
		return swedish.Stem
	case "no":
		return norwegian.Stem
	case "da":
		return danish.Stem
	case "fi":
		return finnish.Stem
	case "hu":
		return hungarian.Stem
	case "ro":
		return romanian.Stem
	case "tr":
		return turkish.Stem
	case "ru":
		return russian.Stem
	}
	return nil
}

// languageTerms collects the terms of a text.
type languageTerms struct {
	s     string
	tag   string
	stem  func(*snowballstem.Env) bool
	env   snowballstem.Env
	terms []Term
	pos   uint32
	run   []Word // words that are joined to each other so far
	p     porter
}

// add takes the next word.
func (a *languageTerms) add(w Word) {
	if n := len(a.run); n > 0 && !a.joined(a.run[n-1], w) {
		a.close()
	}
	a.run = append(a.run, w)
}

// joined reports whether a word goes on with what the one before belongs to.
func (a *languageTerms) joined(prev, w Word) bool {
	if a.unspaced(prev) && a.unspaced(w) {
		return prev.End == w.Start
	}
	return w.Start == prev.End+1 && strings.IndexByte("_.-", a.s[prev.End]) >= 0 && !a.unspaced(prev) && !a.unspaced(w)
}

func (a *languageTerms) unspaced(w Word) bool {
	return w.Text[0] >= utf8.RuneSelf && isUnspaced(firstRune(w.Text))
}

// close makes terms of the words that are joined to each other.
func (a *languageTerms) close() {
	run := a.run
	if len(run) == 0 {
		return
	}
	a.run = run[:0]
	if a.unspaced(run[0]) {
		for i, w := range run {
			if i > 0 {
				a.terms = append(a.terms, Term{run[i-1].Text + w.Text, a.pos - 1})
			}
			a.put(w.Text)
			a.pos++
		}
		return
	}
	for i, w := range run {
		a.word(w)
		if i == 0 && len(run) > 1 && run[len(run)-1].End-w.Start <= maxWord {
			a.put(Fold(a.s[w.Start:run[len(run)-1].End]))
		}
		a.pos++
	}
}

// word makes the terms of a word and of the parts that its capitals show.
func (a *languageTerms) word(w Word) {
	if isStopIn(a.tag, w.Text) {
		return
	}
	surface := a.s[w.Start:w.End]
	a.put(a.stemmed(w.Text, surface))
	start := 0
	for i := 1; i < len(surface); i++ {
		if isUpper(surface[i]) && isLower(surface[i-1]) {
			a.part(surface[start:i])
			start = i
		}
	}
	if start > 0 {
		a.part(surface[start:])
	}
}

func (a *languageTerms) part(surface string) {
	if w := Fold(surface); len(w) > 1 && !isStopIn(a.tag, w) {
		a.put(a.stemmed(w, surface))
	}
}

func (a *languageTerms) put(term string) { a.terms = append(a.terms, Term{term, a.pos}) }

func isUpper(c byte) bool { return c-'A' < 26 }
func isLower(c byte) bool { return c-'a' < 26 }

// stemmed returns the stem of a word, given as it is folded and as it is written.
func (a *languageTerms) stemmed(folded, surface string) string {
	if a.stem == nil {
		return a.p.stem(folded)
	}
	if strings.IndexFunc(folded, unicode.IsDigit) >= 0 {
		return folded
	}
	a.env.SetCurrent(strings.ToLower(surface))
	a.stem(&a.env)
	if out := Fold(a.env.Current()); out != "" {
		return out
	}
	return folded
}

// isStopIn reports whether an analyzer for a language drops a word.
func isStopIn(lang, word string) bool {
	if lang != "en" && functionword.Known(lang) {
		return functionword.Is(lang, word)
	}
	return IsStop(word)
}
