package engine

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind is what a piece of a filter is.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenName             // bare and no keyword, or quoted
	tokenWord             // a keyword, in upper case
	tokenText             // a quoted string
	tokenNumber           // a number or date, as it is written
	tokenSign             // an operator, parenthesis or comma
)

// token is a piece of a filter; text is its content without quotes.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// next reads the next token.
func (p *filterParser) next() error {
	at := p.tok.end
	for at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[at]) >= 0 {
		at++
	}
	p.tok = token{start: at, end: at}
	if at == len(p.text) {
		return nil
	}
	rest := p.text[at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		return p.quoted(byte(r))
	case r == '`':
		return p.quotedName()
	case isNameRune(r, true):
		n := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r, false) })
		if n < 0 {
			n = len(rest)
		}
		p.tok = token{tokenName, rest[:n], at, at + n}
		if isKeyword(rest[:n]) {
			p.tok.kind, p.tok.text = tokenWord, strings.ToUpper(rest[:n])
		}
		return nil
	case '0' <= r && r <= '9' || r == '-' || r == '+':
		n := strings.IndexFunc(rest, func(r rune) bool {
			return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("+-.:", r))
		})
		if n < 0 {
			n = len(rest)
		}
		p.tok = token{tokenNumber, rest[:n], at, at + n}
		return nil
	}
	for _, sign := range []string{"!=", "<=", ">=", "=", "<", ">", "(", ")", ","} {
		if strings.HasPrefix(rest, sign) {
			p.tok = token{tokenSign, sign, at, at + len(sign)}
			return nil
		}
	}
	return p.errorAt(at, at+size, "this has no meaning here")
}

// quotedName reads a name in backticks.
func (p *filterParser) quotedName() error {
	start := p.tok.start
	var name strings.Builder
	for rest := p.text[start+1:]; ; {
		part, tail, ok := strings.Cut(rest, "`")
		if !ok {
			return p.errorAt(start, len(p.text), "the name has no closing backtick")
		}
		name.WriteString(part)
		if !strings.HasPrefix(tail, "`") {
			p.tok = token{tokenName, name.String(), start, len(p.text) - len(tail)}
			break
		}
		name.WriteByte('`')
		rest = tail[1:]
	}
	if p.tok.text == "" {
		return p.unexpected("an empty name")
	}
	return nil
}

// quoted reads text in quotes.
func (p *filterParser) quoted(quote byte) error {
	start := p.tok.start
	var out strings.Builder
	for i := start + 1; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case quote:
			p.tok = token{tokenText, out.String(), start, i + 1}
			return nil
		case '\\':
			r, n := readEscape(p.text[i+1:])
			if n == 0 {
				_, size := utf8.DecodeRuneInString(p.text[i+1:])
				return p.errorAt(i, i+1+size, `unknown escape; there are \" \' \\ \n \t \r and \uXXXX`)
			}
			out.WriteRune(r)
			i += n
		default:
			out.WriteByte(c)
		}
	}
	return p.errorAt(start, len(p.text), "the text has no closing quote")
}

// readEscape reads what follows a backslash; n is its length, 0 where it is no
// escape.
func readEscape(s string) (r rune, n int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case '"', '\'', '\\':
		return rune(s[0]), 1
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'r':
		return '\r', 1
	case 'u':
		if len(s) < 5 {
			return 0, 0
		}
		x, err := strconv.ParseUint(s[1:5], 16, 16)
		if err != nil || !utf8.ValidRune(rune(x)) {
			return 0, 0
		}
		return rune(x), 5
	}
	return 0, 0
}
