package cypher

import (
	"unicode"
	"unicode/utf8"
)

// lexer cuts a text into tokens. It never fails: invalid text is a tokBad, and
// the rest is cut as well as possible, so that completion works on a text that
// is being typed.
type lexer struct {
	text string
	pos  int
}

// lex returns all tokens of a text; the last is a tokEnd.
func lex(text string) []token {
	toks, _ := lexWatched(text, nil)
	return toks
}

// lexWatched is lex that ends with a context.
func lexWatched(text string, w *watch) ([]token, error) {
	l := lexer{text: text}
	toks := make([]token, 0, len(text)/4+8)
	for {
		t := l.next()
		toks = append(toks, t)
		if t.kind == tokEnd {
			return toks, nil
		}
		if err := w.look(); err != nil {
			return nil, err
		}
	}
}

// next returns the next token, and tokEnd ever after the last.
func (l *lexer) next() token {
	if start, ok := l.skipSpace(); !ok {
		return token{kind: tokBad, bad: badComment, start: start, end: l.pos}
	}
	start := l.pos
	if start >= len(l.text) {
		return token{kind: tokEnd, start: len(l.text), end: len(l.text)}
	}
	t := token{start: start}
	switch c := l.text[start]; {
	case isNameByte(c):
		l.name()
		t.kind = tokWord
		t.word = keywordOf(l.text[start:l.pos])
	case '0' <= c && c <= '9', c == '.' && isDigit(l.at(1)):
		t.kind, t.bad = l.number()
	case c == '\'' || c == '"':
		t.kind, t.bad = l.quoted(c, tokString, badString)
	case c == '`':
		t.kind, t.bad = l.backticks(tokQuoted)
	case c == '$':
		t.kind, t.bad = l.param()
	case c < utf8.RuneSelf:
		t.kind = l.symbol()
		if t.kind == tokBad {
			t.bad = badCharacter
		}
	default:
		t.kind, t.bad = l.unicodeName()
		t.word = noKeyword
	}
	t.end = l.pos
	return t
}

// at returns the byte that is n bytes on, 0 past the end.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.text) {
		return l.text[l.pos+n]
	}
	return 0
}

// skipSpace passes white space and comments. If a comment does not end, it
// returns false and the start of the comment.
func (l *lexer) skipSpace() (int, bool) {
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			l.pos++
		case c == '/' && l.at(1) == '/':
			for l.pos < len(l.text) && l.text[l.pos] != '\n' && l.text[l.pos] != '\r' {
				l.pos++
			}
		case c == '/' && l.at(1) == '*':
			start := l.pos
			l.pos += 2
			for l.pos < len(l.text) && !(l.text[l.pos] == '*' && l.at(1) == '/') {
				l.pos++
			}
			if l.pos >= len(l.text) {
				return start, false
			}
			l.pos += 2
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(l.text[l.pos:])
			if !isSpace(r) {
				return 0, true
			}
			l.pos += n
		default:
			return 0, true
		}
	}
	return 0, true
}

// isSpace reports whether a character may stand between tokens; so may a byte
// order mark.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// isNameByte reports whether an ASCII byte may begin a name.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// name passes the letters, digits, marks and connectors of a name.
func (l *lexer) name() {
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if isNameByte(c) || isDigit(c) {
			l.pos++
			continue
		}
		if c < utf8.RuneSelf {
			return
		}
		r, n := utf8.DecodeRuneInString(l.text[l.pos:])
		if !isNamePart(r) {
			return
		}
		l.pos += n
	}
}

// isNamePart reports whether a character beyond ASCII may stand in a name.
func isNamePart(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nl, unicode.Pc, unicode.Sc)
}

// unicodeName passes a name that begins beyond ASCII.
func (l *lexer) unicodeName() (tokenKind, badToken) {
	r, n := utf8.DecodeRuneInString(l.text[l.pos:])
	l.pos += n
	switch {
	case r == utf8.RuneError && n == 1:
		return tokBad, badEncoding
	case unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Pc, unicode.Sc):
		l.name()
		return tokWord, notBad
	}
	return tokBad, badCharacter
}

// number passes an integer or a float: 12, 0x1F, 0o17, 1.5, .5, 1e-3. The dots
// of a range, as in 1..3, are not its own.
func (l *lexer) number() (tokenKind, badToken) {
	kind, start := tokInt, l.pos
	switch c := l.at(1) | 0x20; {
	case l.text[start] == '0' && (c == 'x' || c == 'o'):
		l.pos += 2
	default:
		l.digits()
		if l.at(0) == '.' && isDigit(l.at(1)) {
			kind = tokFloat
			l.pos++
			l.digits()
		}
		if l.at(0)|0x20 == 'e' {
			exponent := 1
			if s := l.at(1); s == '-' || s == '+' {
				exponent = 2
			}
			if isDigit(l.at(exponent)) {
				kind = tokFloat
				l.pos += exponent
				l.digits()
			}
		}
	}
	end := l.pos
	l.name() // what follows without a gap belongs to the number, right or wrong
	text := l.text[start:l.pos]
	switch {
	case len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x':
		if !allDigits(text[2:], 16) {
			return tokBad, badNumber
		}
	case len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'o':
		if !allDigits(text[2:], 8) {
			return tokBad, badNumber
		}
	case l.pos != end, kind == tokInt && len(text) > 1 && text[0] == '0':
		return tokBad, badNumber
	}
	return kind, notBad
}

func (l *lexer) digits() {
	for isDigit(l.at(0)) {
		l.pos++
	}
}

// allDigits reports whether a text is digits of a base, and one at least.
func allDigits(s string, base int) bool {
	for i := range len(s) {
		if digit(s[i]) >= base {
			return false
		}
	}
	return s != ""
}

// digit returns the value of a hexadecimal digit, 16 for other characters.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}

// quoted passes a string, in which a backslash hides the next character. One
// that does not end reaches to the end of the text.
func (l *lexer) quoted(quote byte, kind tokenKind, bad badToken) (tokenKind, badToken) {
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch l.text[l.pos] {
		case '\\':
			l.pos++
		case quote:
			l.pos++
			return kind, notBad
		}
	}
	l.pos = len(l.text)
	return tokBad, bad
}

// backticks passes a name in backticks, in which two stand for one. That of a
// parameter is not empty; where others may be, the parser knows.
func (l *lexer) backticks(kind tokenKind) (tokenKind, badToken) {
	start := l.pos + 1
	for l.pos++; l.pos < len(l.text); l.pos++ {
		if l.text[l.pos] != '`' {
			continue
		}
		if l.at(1) == '`' {
			l.pos++
			continue
		}
		empty := l.pos == start
		l.pos++
		if empty && kind == tokParam {
			return tokBad, badName
		}
		return kind, notBad
	}
	return tokBad, badBackticks
}

// param passes $name, $0 or $`a name`.
func (l *lexer) param() (tokenKind, badToken) {
	l.pos++
	if l.at(0) == '`' {
		return l.backticks(tokParam)
	}
	start := l.pos
	l.name()
	name := l.text[start:l.pos]
	if name == "" || isDigit(name[0]) && !allDigits(name, 10) {
		return tokBad, badParam
	}
	return tokParam, notBad
}

// symbol passes an operator or a bracket.
func (l *lexer) symbol() tokenKind {
	for n := min(2, len(l.text)-l.pos); n > 0; n-- {
		if kind, ok := symbolKinds[l.text[l.pos:l.pos+n]]; ok {
			l.pos += n
			return kind
		}
	}
	l.pos++
	return tokBad
}
