package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
)

// opens reports whether the capital of token i may be that of a first word.
func (f *finder) opens(i int) bool {
	return f.heading || f.shouted || f.toks[i].opens
}

// class returns the class of the word of token i, in English.
func (f *finder) class(i int) wordClass {
	if f.lang != "en" && f.lang != "" {
		return rareWord
	}
	return classOf(lex.Fold(strings.TrimSuffix(f.word(i), ".")))
}

// seenUpper reports whether the corpus has the word of token i inside sentences
// more often with a capital than with a small letter.
func (f *finder) seenUpper(i int) bool {
	c := f.stats.casesOf(lex.Fold(strings.TrimSuffix(f.word(i), ".")))
	return c.upper > c.lower
}

// isOpener reports whether token i is a first word that does not belong to a
// name: a verb or an adverb, unless it is also a given name.
func (f *finder) isOpener(i int) bool {
	if !f.opens(i) {
		return false
	}
	if n := f.stats.casesOf(lex.Fold(f.word(i))); f.lang == "de" && n.lower > n.upper {
		return true // no noun
	}
	c := f.class(i)
	return c == adverbWord || c == verbWord && !isGivenName(lex.Fold(f.word(i))) && !f.seenUpper(i)
}

// joins reports whether small words between tokens last and next join the two
// parts of a run that starts at token i.
func (f *finder) joins(i, last, next int) bool {
	if f.word(last+1) != "of" {
		return true
	}
	if next == last+3 && last > i && f.class(last) == rareWord && f.stats.casesOf(lex.Fold(f.word(last))).lower == 0 && !isBody(f.word(last)) {
		return false // a person of the Green League
	}
	if last > i || !f.opens(i) || f.seenUpper(i) {
		return true
	}
	w := lex.Fold(f.word(i))
	switch f.class(i) {
	case adverbWord, verbWord, adjWord:
		return false
	case weakNoun, commonNoun:
		return !strings.HasSuffix(w, "s") && (isBody(w) || !isAbstract(w))
	}
	return !isAbstract(w)
}

// refers reports whether the tokens first to last are a word for a part of a document
// and its number: Figure 3, Kapitel 2.
func (f *finder) refers(first, last int) bool {
	if last != first+1 || !f.toks[last].number {
		return false
	}
	switch lex.Fold(f.word(first)) {
	case "figure", "fig.", "listing", "table", "chapter", "section", "part", "page", "step", "example", "appendix", "version", "note", "item", "line",
		"abbildung", "abb.", "tabelle", "kapitel", "abschnitt", "teil", "seite", "schritt", "beispiel", "anhang", "zahl", "wert", "chapitre", "partie", "tableau":
		return true
	}
	return false
}

// many reports whether the tokens first to last, more than one, are a name. In
// headings a run of common words is none, nor is one of capitals unless the
// corpus has one of its words as a name.
func (f *finder) many(first, last int) bool {
	if !f.heading && !f.shouted {
		return true
	}
	for i := first; i <= last; i++ {
		if f.stop(i) || f.toks[i].number {
			continue
		}
		if f.seenUpper(i) || !f.shouted && f.class(i) == rareWord && f.stats.casesOf(lex.Fold(f.word(i))).lower == 0 {
			return true
		}
	}
	return false
}

// single reports whether the capitalised token i is a name by itself.
func (f *finder) single(i int) bool {
	w := strings.TrimSuffix(f.word(i), ".")
	if utf8.RuneCountInString(w) < 2 {
		return false
	}
	folded := lex.Fold(w)
	if isWeekday(folded) || f.lang == "de" && isGermanCalendar(folded) {
		return false
	}
	c := f.stats.casesOf(folded)
	switch {
	case f.class(i) == adverbWord:
		return false
	case f.lang == "de":
		return f.germanName(i)
	case f.shouted:
		return c.upper > c.lower
	case f.isProduct(i):
		return true
	case !f.opens(i):
		return c.lower <= 2*c.upper
	case f.class(i) != rareWord || isAbstract(folded):
		return c.upper > c.lower
	}
	return c.lower <= c.upper
}

// isProduct reports whether the word of token i is no common one and stands in the corpus
// with a small letter, too, as the names of programs do that are typed: git.
func (f *finder) isProduct(i int) bool {
	w := lex.Fold(f.word(i))
	c := f.stats.casesOf(w)
	return f.class(i) == rareWord && !isAbstract(w) && len(w) > 2 && c.upper > 4 && c.lower <= 3*c.upper
}

// command returns the last token of the command that starts at token i, i if none does: a
// program's name in small letters and what it is to do (git ls-files, git push).
func (f *finder) command(i int) int {
	if f.toks[i].capital || !f.adjacent(i+1) || f.toks[i+1].capital || f.stop(i+1) {
		return i
	}
	next := f.word(i + 1)
	if (strings.Contains(next, "-") || commonWords[next] == verbWord) && f.isProduct(i) {
		return i + 1
	}
	return i
}

// isShouted reports whether a text has letters and all of them are capitals.
func isShouted(s string) bool {
	upper := false
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		upper = upper || unicode.IsUpper(r)
	}
	return upper
}

// isWeekday reports whether a folded word is a day of the week.
func isWeekday(w string) bool {
	switch w {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	}
	return false
}

// isBody reports whether a word is what bodies and places are called, behind
// which "of" goes on a name.
func isBody(word string) bool {
	switch lex.Fold(word) {
	case "academy", "archbishopric", "army", "assembly", "association", "bank", "battle", "bishop", "board", "bureau",
		"cathedral", "chamber", "church", "college", "commission", "committee", "company", "confederation", "conference",
		"congress", "constitution", "convention", "council", "court", "department", "diocese", "district", "duchy",
		"faculty", "federation", "foundation", "fund", "gallery", "government", "guild", "hospital", "house",
		"institute", "institution", "journal", "kingdom", "league", "library", "ministry", "museum", "office",
		"orchestra", "order", "organisation", "organization", "parliament", "party", "province", "republic", "school",
		"senate", "society", "state", "states", "theatre", "treaty", "union", "university":
		return true
	}
	return false
}

// isAbstract reports whether a folded word has the ending of abstract nouns, or
// of other words that are not names by themselves.
func isAbstract(w string) bool {
	if len(w) < 7 {
		return false
	}
	for _, ending := range [...]string{"tion", "tions", "sion", "sions", "ment", "ments", "ness", "nesses", "ities", "ility",
		"ivity", "ology", "ologies", "ising", "izing", "ised", "ized", "ating", "ated", "ance", "ence", "ances", "ences",
		"ology", "ships", "ship", "isms", "ists", "ians", "iers", "ings", "ables", "ious", "eous"} {
		if strings.HasSuffix(w, ending) {
			return true
		}
	}
	return false
}

// isGivenName reports whether a folded word that is also a verb is a given
// name.
func isGivenName(w string) bool {
	switch w {
	case "mark", "grant", "will", "bill", "drew", "chase", "rose", "pat", "sue", "rob", "jack", "frank", "lance",
		"wade", "hope", "pierce", "chuck", "harry", "dean", "miles", "norm", "ray", "skip", "tony", "wells":
		return true
	}
	return false
}
