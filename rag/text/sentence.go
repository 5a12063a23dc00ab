package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
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
//   - where the next letter is a small one;
//   - after an abbreviation: titles (Dr.) never; initials, and forms with
//     inner dots (J. U.S. Ph.D.), and shortened words such as Inc. and vs.
//     only before a capitalised function word (The, In, He); words that
//     announce a number (No. Fig. Sept.) not before a digit; German
//     abbreviations (z. B., bzw.) likewise;
//   - after a number of one or two digits before a German month or
//     Jahrhundert (16. Juni);
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

// breaksAt reports whether the sentence that starts at start ends with the
// terminator at byte dot, whose closing marks reach to end. s is cut at the
// end of the paragraph.
func breaksAt(s string, start, dot, end int) bool {
	if end == len(s) {
		return true
	}
	mark, _ := utf8.DecodeRuneInString(s[dot:])
	if isFullWidth(mark) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[end:])
	if !unicode.IsSpace(r) {
		return mark != '.' && isIdeograph(r)
	}
	next := s[skipOpening(s, end):]
	r, _ = utf8.DecodeRuneInString(next)
	if unicode.IsLower(r) {
		return false
	}
	if mark != '.' || end != dot+1 {
		return true
	}
	return !isAbbreviation(s, start, dot, next)
}

// isAbbreviation reports whether the dot belongs to the word before it and
// the sentence goes on with next.
func isAbbreviation(s string, start, dot int, next string) bool {
	const longest = 12 // bytes of the longest abbreviation, and some
	b := dot
	for b > start && dot-b <= longest && isWordOrDot(s[b-1]) {
		b--
	}
	w := s[b:dot]
	if w == "" || len(w) > longest {
		return false
	}
	digit := next != "" && next[0] >= '0' && next[0] <= '9'
	if len(w) <= 2 && strings.Trim(w, "0123456789") == "" && opensGermanDate(next) {
		return true
	}
	if b == start && len(w) <= 3 && strings.Trim(w, "0123456789") == "" {
		return true
	}
	switch abbreviationOf(w) {
	case announcesName:
		return true
	case announcesNumber:
		return digit
	case shortened:
		return !opensSentence(next)
	}
	return false
}

// opensSentence reports whether text starts with a capitalised function word,
// as sentences do and names do not.
func opensSentence(text string) bool {
	n := 0
	for n < len(text) && n < 12 && text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' {
		n++
	}
	if n == 0 || n < len(text) && text[n] == '.' {
		return false
	}
	return text[0] >= 'A' && text[0] <= 'Z' && lex.IsStop(strings.ToLower(text[:n]))
}

// opensGermanDate reports whether text starts with what a German ordinal stands
// before.
func opensGermanDate(text string) bool {
	for i, r := range text {
		if !unicode.IsLetter(r) {
			return isGermanMonth(text[:i]) || text[:i] == "Jahrhundert" || text[:i] == "Jahrhunderts" || text[:i] == "Jh"
		}
	}
	return isGermanMonth(text)
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

// skipSpace returns the offset of the first byte from i on that is no white
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

// isWordOrDot reports whether b can be part of an abbreviation. Bytes of other
// alphabets count as letters.
func isWordOrDot(b byte) bool {
	return b == '.' || b >= utf8.RuneSelf || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9'
}
