package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/functionword"
)

// breaksAt reports whether the sentence that starts at start ends with the
// terminator at byte dot, whose closing marks reach to end. s is cut at the
// end of the paragraph.
func breaksAt(s string, start, dot, end int) bool {
	if end == len(s) {
		return true
	}
	mark, n := utf8.DecodeRuneInString(s[dot:])
	if isFullWidth(mark) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[end:])
	if !unicode.IsSpace(r) {
		return mark != '.' && isIdeograph(r)
	}
	next := s[skipOpening(s, end):]
	r, _ = utf8.DecodeRuneInString(next)
	switch {
	case unicode.IsLower(r):
		return false
	case mark == '.' && end == dot+1:
		return !isAbbreviation(s, start, dot, next)
	case mark != '.' && end > dot+n && opensSpeaker(next):
		return false
	case mark == '!':
		return !opensCompany(next) // Yahoo! Inc.
	}
	return true
}

// isAbbreviation reports whether the dot belongs to the word before it and
// the sentence goes on with next.
func isAbbreviation(s string, start, dot int, next string) bool {
	b := dot
	for b > start && dot-b <= maxAbbreviation && isWordOrDot(s[b-1]) {
		b--
	}
	w := s[b:dot]
	if w == "" || len(w) > maxAbbreviation {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	digit := first >= '0' && first <= '9'
	if len(w) <= 3 && strings.Trim(w, "0123456789") == "" {
		return b == start || len(w) <= 2 && (opensGermanDate(next) || followsGermanArticle(s[start:b]))
	}
	switch abbreviationOf(w) {
	case announcesName:
		return true
	case announcesNumber:
		return digit
	case timeOfDay:
		return !unicode.IsUpper(first) || opensTime(next)
	case endsName:
		return !opensSentence(next) && !secondIsSmall(next)
	case shortened:
		if goesOnSpaced(s[start:dot]) {
			return true
		}
		if len(w) == 1 && isUnit(s[start:b]) && !strings.HasPrefix(next, "Chr.") {
			return false
		}
		if len(w) == 1 && unicode.IsUpper(first) && !opensInitial(next) && isLabelled(s[start:b]) {
			return false
		}
		return !opensSentence(next)
	}
	return false
}

// opensSentence reports whether text starts with a capitalised function word,
// as sentences do and names do not.
func opensSentence(text string) bool {
	word := leadingWord(text)
	if word == "" || len(word) > maxAbbreviation || strings.HasPrefix(text[len(word):], ".") {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(r) {
		return false
	}
	folded := lex.Fold(word)
	return lex.IsStop(folded) || len(folded) > 2 && (functionword.Is("de", folded) || functionword.Is("fr", folded))
}

// leadingWord returns the letters that text starts with.
func leadingWord(text string) string {
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || i > 64 {
			return text[:i]
		}
	}
	return text
}

// afterWord returns what follows the letters that text starts with and the
// blank behind them, or "" if something else follows the letters.
func afterWord(text string) string {
	text = text[len(leadingWord(text)):]
	i := skipSpace(text, 0)
	if i == 0 {
		return ""
	}
	return text[i:]
}

// secondIsSmall reports whether the second word of text has a small letter.
func secondIsSmall(text string) bool {
	r, _ := utf8.DecodeRuneInString(afterWord(text))
	return unicode.IsLower(r)
}

// opensInitial reports whether text starts with a single letter and a dot.
func opensInitial(text string) bool {
	word := leadingWord(text)
	return utf8.RuneCountInString(word) == 1 && strings.HasPrefix(text[len(word):], ".")
}

// opensCompany reports whether text starts with the form of a company, which
// belongs to a name before it.
func opensCompany(text string) bool {
	switch leadingWord(text) {
	case "Inc", "Ltd", "Corp", "Co", "GmbH", "AG":
		return true
	}
	return false
}

// opensTime reports whether text goes on a time of day: with a weekday, a month
// or a zone.
func opensTime(text string) bool {
	switch leadingWord(text) {
	case "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
		"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December",
		"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
		"Eastern", "Central", "Pacific", "Mountain", "Greenwich", "GMT", "UTC",
		"EST", "EDT", "CST", "CDT", "PST", "PDT", "CET", "CEST", "BST", "ET", "PT":
		return true
	}
	return false
}

// opensSpeaker reports whether text names who spoke the quotation before it: a
// name of one or two words, then a verb of speech.
func opensSpeaker(text string) bool {
	for range 2 {
		if r, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(r) || opensSentence(text) {
			return false
		}
		if text = afterWord(text); isSpeechVerb(leadingWord(text)) {
			return true
		}
	}
	return false
}

// opensGermanDate reports whether text starts with what a German ordinal stands
// before.
func opensGermanDate(text string) bool {
	switch word := leadingWord(text); word {
	case "Jahrhundert", "Jahrhunderts", "Jh", "Jahrtausend", "Lebensjahr", "Stock", "Auflage":
		return true
	default:
		return isGermanMonth(word)
	}
}

// followsGermanArticle reports whether text ends with a word that stands before
// German ordinals and before no number in English.
func followsGermanArticle(text string) bool {
	switch strings.ToLower(lastWord(text)) {
	case "der", "dem", "den", "des", "im", "zum", "zur", "vom", "beim":
		return true
	}
	return false
}

// lastWord returns the letters of ASCII that text ends with, before blanks.
func lastWord(text string) string {
	text = strings.TrimRight(text, " \r\n\t")
	i := len(text)
	for i > 0 && text[i-1]|0x20 >= 'a' && text[i-1]|0x20 <= 'z' {
		i--
	}
	if i > 0 && text[i-1] >= utf8.RuneSelf {
		return "" // a part of a word
	}
	return text[i:]
}

// goesOnSpaced reports whether text ends with a German abbreviation of two
// letters and a blank after which a sentence goes on: z. B, d. h.
func goesOnSpaced(text string) bool {
	if len(text) > 5 && isWordOrDot(text[len(text)-5]) {
		return false
	}
	for _, short := range [...]string{"z. B", "d. h", "u. a", "v. a", "i. d", "o. g", "s. o", "s. u"} {
		if strings.HasSuffix(text, short) {
			return true
		}
	}
	return false
}

// isUnit reports whether a single letter behind text is a unit of measurement:
// a number or a stroke stands before it.
func isUnit(text string) bool {
	if strings.HasSuffix(text, "/") {
		return true
	}
	text = strings.TrimRight(text, " \u00a0\u202f")
	return text != "" && text[len(text)-1] >= '0' && text[len(text)-1] <= '9'
}

// isLabelled reports whether text ends with a content word in small letters,
// which a single letter labels: "vitamin", "model". Words for what people are
// or do stand before initials.
func isLabelled(text string) bool {
	w := lastWord(text)
	if len(w) < 3 || w[0] < 'a' || lex.IsStop(w) || functionword.Is("de", w) || functionword.Is("fr", w) {
		return false
	}
	switch w {
	case "letter", "number", "chapter", "layer", "order", "sector", "factor", "liver", "paper", "meter", "filter", "register":
		return true
	case "king", "queen", "saint", "judge", "general", "president", "poet", "coach", "chief", "artist", "pilot", "agent", "guard":
		return false
	}
	for _, ending := range [...]string{"er", "or", "ist", "ian", "man", "men", "ant", "eur", "rice"} {
		if strings.HasSuffix(w, ending) {
			return false
		}
	}
	return true
}

// isSpeechVerb reports whether a word tells that a person speaks.
func isSpeechVerb(word string) bool {
	switch word {
	case "said", "says", "asked", "asks", "replied", "replies", "answered", "cried", "cries", "called",
		"shouted", "whispered", "exclaimed", "added", "observed", "remarked", "returned", "repeated",
		"continued", "muttered", "murmured", "demanded", "inquired", "enquired", "faltered", "pursued",
		"sagte", "fragte", "rief", "antwortete", "erwiderte", "meinte", "flüsterte",
		"dit", "demanda", "répondit", "cria", "murmura":
		return true
	}
	return false
}

// isWordOrDot reports whether b can be part of an abbreviation. Bytes of other
// alphabets count as letters.
func isWordOrDot(b byte) bool {
	return b == '.' || b == '-' || b >= utf8.RuneSelf || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9'
}
