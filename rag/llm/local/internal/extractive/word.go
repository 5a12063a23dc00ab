package extractive

import (
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
)

// A word is a word of a text with the forms that it is compared by.
type word struct {
	text       string // folded
	stem       string // "" for a function word
	raw        string // as it is written
	start, end int    // bytes of the text
	form       int    // group of irregular forms, 0 for none
	sense      senses // groups of synonyms
}

// wordsOf returns the words of a text. Linear time.
func wordsOf(s string) []word {
	out := make([]word, 0, len(s)/6+1)
	for w := range lex.Words(s) {
		x := word{text: w.Text, raw: s[w.Start:w.End], start: w.Start, end: w.End}
		if !lex.IsStop(w.Text) {
			x.stem = stemOf(w.Text)
			x.form = formOf(x.text, x.stem)
			x.sense = synonyms[x.stem]
		}
		out = append(out, x)
	}
	return out
}

// stemOf returns the stem of a folded word, the word itself if it has none.
func stemOf(w string) string {
	if t := (lex.Standard{}).Terms(w); len(t) > 0 {
		return t[0].Text
	}
	return w
}

// formOf returns the group of irregular forms that a word is in, 0 for none.
func formOf(w, stem string) int {
	if g := irregular[w]; g != 0 {
		return g
	}
	return irregular[stem]
}

// isCapital reports whether a word begins with a capital.
func (w *word) isCapital() bool {
	r, _ := utf8.DecodeRuneInString(w.raw)
	return unicode.IsUpper(r)
}

// isAllCapitals reports whether a word of two to five letters is written in
// capitals, as acronyms are.
func (w *word) isAllCapitals() bool {
	n := 0
	for _, r := range w.raw {
		if !unicode.IsUpper(r) {
			return false
		}
		n++
	}
	return n >= 2 && n <= 5
}

// isLetter reports whether a word is a single capital, such as the C of
// model C.
func (w *word) isLetter() bool { return w.isCapital() && utf8.RuneCountInString(w.raw) == 1 }

// hasDigit reports whether a word has an ASCII digit.
func hasDigit(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] >= '0' && w[i] <= '9' {
			return true
		}
	}
	return false
}

// has reports whether a word is among words, in its own form.
func has(words []word, w string) bool {
	for i := range words {
		if words[i].text == w {
			return true
		}
	}
	return false
}

// inOrder reports whether the words of run stand one after the other in words;
// articles between them do not count.
func inOrder(words []word, run []string) bool {
	if len(run) == 0 {
		return true
	}
	k := 0
	for i := 0; i < len(words); i++ {
		switch {
		case words[i].text == run[k]:
			if k++; k == len(run) {
				return true
			}
		case isArticle(words[i].text):
		case words[i].text == run[0]:
			k = 1
		default:
			k = 0
		}
	}
	return false
}

func isArticle(w string) bool { return w == "a" || w == "an" || w == "the" }

// set makes a set of the words of a list.
func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range lex.Words(list) {
		m[w.Text] = true
	}
	return m
}
