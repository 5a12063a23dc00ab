package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the sentences of s in order, as byte spans without white
// space at their ends; together they hold all of s but white space.
//
// A heading or a title is one sentence. A paragraph, a list item and a table
// row each end one; a line break inside a hard-wrapped paragraph does not. Within a paragraph a
// sentence ends after a terminator (. ! ? … and Unicode's Sentence_Terminal)
// with the closing quotes, brackets and footnote marks behind it, where white
// space follows. Full-width terminators need none. It does not end
//
//   - if the next letter is a small one;
//   - after an abbreviation that goes on, in English, German and French:
//     titles (Dr., Dipl.-Ing.) always do; words that announce a number (No.,
//     Abb., Sept.) do before a digit; initials, forms with inner dots (U.S.,
//     z. B.) and shortened words (Inc., vs.) do unless a capitalised function
//     word follows (The, In, He). A time of day (5 p.m.) ends before a capital
//     that is not a weekday, month or zone, a letter that tells kinds apart
//     (vitamin C.) before any capital, and Inc., Jr., usw. also if the
//     second word behind them has a small letter;
//   - after a German ordinal (16. Juni, im 2. Stock, 19. Jahrhundert);
//   - after a quotation that a verb of speech follows ("Why?" Fred asked.);
//   - after the enumerator that opens it (3.);
//   - before the first letter or digit; marks that stand alone behind a
//     sentence belong to it.
//
// Linear time; no input makes it fail.
func Sentences(s string) []Span {
	var out []Span
	for _, p := range paragraphs(s) {
		out = appendSentences(out, s, p)
	}
	return out
}

// appendSentences appends the sentences of one paragraph.
func appendSentences(out []Span, s string, p paragraph) []Span {
	if p.heading {
		return append(out, p.Span)
	}
	start, word, first := p.Start, false, len(out)
	for i := p.Start; i < p.End; {
		c := s[i]
		if c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' {
			word = word || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:p.End])
		if !isTerminator(r) {
			word = word || unicode.IsLetter(r) || unicode.IsNumber(r)
			i += n
			continue
		}
		end := skipMarks(s[:p.End], i+n)
		if word && breaksAt(s[:p.End], start, i, end) {
			out = append(out, Span{start, end})
			start = skipSpace(s[:p.End], end)
			word = false
			i = start
			continue
		}
		i = end
	}
	switch {
	case start == p.End:
	case !word && len(out) > first:
		out[len(out)-1].End = p.End
	default:
		out = append(out, Span{start, p.End})
	}
	return out
}

// isTerminator reports whether r can end a sentence.
func isTerminator(r rune) bool {
	switch r {
	case '.', '!', '?', '…':
		return true
	}
	return r >= utf8.RuneSelf && unicode.Is(unicode.STerm, r)
}

// isFullWidth reports whether the terminator r ends a sentence without a
// blank behind it.
func isFullWidth(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．':
		return true
	}
	return false
}

// isIdeograph reports whether r belongs to a script without blanks.
func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// isCloser reports whether r can stand between a terminator and the end of
// its sentence.
func isCloser(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}', '*', '_':
		return true
	}
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Pe, unicode.Pf)
}

// skipMarks is skipClosing that goes on over terminators, and over two
// apostrophes that close a quotation, which stand alone between blanks.
func skipMarks(s string, i int) int {
	i = skipClosing(s, i)
	for {
		j := skipSpace(s, i)
		r, _ := utf8.DecodeRuneInString(s[j:])
		if j == i || !isTerminator(r) && !strings.HasPrefix(s[j:], "''") {
			return i
		}
		j = skipClosing(s, j)
		if r, _ := utf8.DecodeRuneInString(s[j:]); j < len(s) && !unicode.IsSpace(r) {
			return i
		}
		i = j
	}
}

// skipClosing returns the end of the terminators, closing marks and footnote
// marks such as [12] from byte i on.
func skipClosing(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isTerminator(r) || isCloser(r):
			i += n
		case unicode.Is(unicode.Pi, r) && endsQuote(s, i+n):
			i += n // a German quotation ends like an English one opens
		case unicode.IsSpace(r):
			j := skipSpace(s, i)
			if !strings.HasPrefix(s[j:], "»") || !endsQuote(s, j+len("»")) {
				return i
			}
			i = j + len("»") // French
		case r == '[':
			j := i + 1
			for j < len(s) && j-i <= 4 && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			if j == i+1 || j == len(s) || s[j] != ']' {
				return i
			}
			i = j + 1
		default:
			return i
		}
	}
	return i
}

// endsQuote reports whether no word follows the quotation mark before byte i at
// once, so that the mark closes.
func endsQuote(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return i == len(s) || unicode.IsSpace(r) || unicode.IsPunct(r)
}

// skipSpace returns the offset of the first byte from i on that is not white
// space.
func skipSpace(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}

// skipOpening is skipSpace that also skips a few opening quotes and brackets.
func skipOpening(s string, i int) int {
	i = skipSpace(s, i)
	for range 4 {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"', r == '\'', r == '`', r == '*', r == '_':
		case unicode.In(r, unicode.Ps, unicode.Pi):
		default:
			return i
		}
		i += n
	}
	return i
}
