package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
)

// A token is a word as names need it: with its inner hyphens, apostrophes and
// dots.
type token struct {
	start, end int  // bytes of the text
	capital    bool // starts with a capital letter
	number     bool // starts with a digit
	possessive bool // an 's follows, which is not part of it
	apart      bool // more than white space and & lies before it
	opens      bool // a sentence, a quotation or a clause may start with it
}

// appendTokens appends the tokens of a sentence. A token is a run of letters,
// digits and their marks, with single - ' ’ & and dots between two of them,
// and with the dot of an abbreviation behind it. A run of Han or kana is a
// token apart from other letters and digits beside it. A run that folds to
// nothing is not a token.
func appendTokens(out []token, s string, sent Span) []token {
	apart, opens := true, true
	for i := sent.Start; i < sent.End; {
		r, n := utf8.DecodeRuneInString(s[i:sent.End])
		if !isWordRune(r) || unicode.IsMark(r) {
			apart = apart || !unicode.IsSpace(r) && r != '&'
			opens = opens || isOpening(r) || r == '-' && i > sent.Start && s[i-1] == ' ' && strings.HasPrefix(s[i+1:sent.End], " ")
			i += n
			continue
		}
		t := token{start: i, apart: apart, opens: opens, number: unicode.IsNumber(r),
			capital: unicode.IsUpper(r) || unicode.IsTitle(r)}
		if isIdeograph(r) {
			t.end = ideographsEnd(s[:sent.End], i)
		} else {
			t.end, t.possessive = tokenEnd(s[:sent.End], i)
		}
		i = t.end
		if s[t.start] >= utf8.RuneSelf && lex.Fold(s[t.start:t.end]) == "" {
			continue // letters that vanish, such as a lone U+02BB: not a word
		}
		if t.possessive {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n + 1
		}
		out = append(out, t)
		apart, opens = false, false
	}
	return out
}

// isOpening reports whether a capital behind r may be that of a first word: r
// ends a sentence, opens a quotation, or parts clauses.
func isOpening(r rune) bool {
	switch r {
	case '"', '`', ':', ';', '.', '!', '?', '…', '–', '—', '(', '[', '•', '*', '_', '|':
		return true
	}
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.STerm)
}

// tokenEnd returns the end of the token that starts at i, and whether a
// possessive 's follows.
func tokenEnd(s string, i int) (end int, possessive bool) {
	start := i
	for {
		for i < len(s) {
			if c := s[i]; c < utf8.RuneSelf {
				if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
					i++
					continue
				}
				break
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if !isWordRune(r) || isIdeograph(r) {
				break
			}
			i += n
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		follows := i+n < len(s) && isWordRune(next) && !isIdeograph(next)
		switch r {
		case '\'', '’':
			if next == 's' || next == 'S' {
				after, _ := utf8.DecodeRuneInString(s[i+n+1:])
				if i+n+1 == len(s) || !isWordRune(after) {
					return i, true
				}
			}
			if !follows {
				return i, false
			}
		case '-', '\u2010', '\u2011', '&':
			if !follows {
				return i, false
			}
		case '.':
			if follows && i-start <= 12 && (isDotted(s[start:i]) || unicode.IsDigit(next)) {
				break
			}
			if !follows && i-start <= 12 && abbreviationOf(s[start:i]) != notShort {
				i++
			}
			return i, false
		default:
			return i, false
		}
		i += n
	}
}

// ideographsEnd returns the end of the run of Han and kana, and marks on them,
// from byte i on.
func ideographsEnd(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isIdeograph(r) && r != 'ー' && !unicode.IsMark(r) {
			break
		}
		i += n
	}
	return i
}

// isWordRune reports whether r can stand in a token.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isConnector reports whether a word in small letters can join the parts of
// one name.
func isConnector(word string) bool {
	switch word {
	case "of", "the", "de", "la", "le", "du", "des", "von", "van", "der", "den",
		"del", "da", "di", "al", "el", "bin", "ibn", "y", "zur", "zum":
		return true
	}
	return false
}

// isRoman reports whether word is a small roman number in capitals.
func isRoman(word string) bool {
	return len(word) <= 5 && word != "" && strings.Trim(word, "IVX") == ""
}
