package pdf

import (
	"math"
	"strconv"
)

// An object is one of nil, bool, int64, float64, string (of any bytes), name,
// array, dict, *stream and ref.
type (
	name  string
	array []any
	dict  map[name]any
	ref   int
	// op is a keyword: an operator, or a delimiter such as "[" and "<<".
	op string
)

// stream is a dictionary with data, not decoded yet.
type stream struct {
	dict
	raw []byte
}

// end is the token behind the last.
const end = op("")

// Bounds of one object.
const (
	maxDepth    = 100
	maxElements = 1 << 18
)

// lexer reads tokens and objects (7.2, 7.3). It takes any bytes and never
// fails: what makes no sense is skipped, or read as the next best thing.
type lexer struct {
	b   []byte
	pos int
	// elements is how many more an object may have.
	elements int
}

func newLexer(b []byte, pos int) *lexer { return &lexer{b: b, pos: pos, elements: maxElements} }

// token returns the next token: a scalar, or an op.
func (l *lexer) token() any {
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		switch {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.b) && l.b[l.pos] != '\n' && l.b[l.pos] != '\r' {
				l.pos++
			}
		case c == '/':
			return l.name()
		case c == '(':
			return l.literal()
		case c == '<' || c == '>':
			if l.pos+1 < len(l.b) && l.b[l.pos+1] == c {
				l.pos += 2
				return op([]byte{c, c})
			}
			if c == '<' {
				return l.hex()
			}
			l.pos++ // stands alone
		case c == '[' || c == ']' || c == '{' || c == '}' || c == ')':
			l.pos++
			if c != ')' {
				return op([]byte{c})
			}
		default:
			return l.word()
		}
	}
	return end
}

// word reads a number or a keyword.
func (l *lexer) word() any {
	start := l.pos
	for l.pos < len(l.b) && !isSpace(l.b[l.pos]) && !isDelimiter(l.b[l.pos]) {
		l.pos++
	}
	w := l.b[start:l.pos]
	if c := w[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if n, ok := number(w); ok {
			return n
		}
	}
	switch string(w) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return op(w)
}

// number reads an integer or a decimal number. Numbers out of range are 0.
func number(w []byte) (any, bool) {
	if n, ok := integer(w); ok {
		return n, true
	}
	for i, c := range w {
		if (c < '0' || c > '9') && c != '.' && (i > 0 || c != '-' && c != '+') {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.Abs(f) > 1e15 {
		return int64(0), true
	}
	return f, true
}

func integer(w []byte) (n int64, ok bool) {
	digits := w
	if w[0] == '-' || w[0] == '+' {
		digits = w[1:]
	}
	if len(digits) == 0 || len(digits) > 17 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if w[0] == '-' {
		n = -n
	}
	return n, true
}

// name reads a name behind its slash.
func (l *lexer) name() name {
	l.pos++
	var out []byte
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		if isSpace(c) || isDelimiter(c) {
			break
		}
		l.pos++
		if c == '#' && l.pos+1 < len(l.b) {
			hi, lo := unhex(l.b[l.pos]), unhex(l.b[l.pos+1])
			if hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				l.pos += 2
			}
		}
		out = append(out, c)
	}
	return name(out)
}

// hex reads a string in hexadecimal digits.
func (l *lexer) hex() string {
	l.pos++
	var out []byte
	half := -1
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		l.pos++
		if c == '>' {
			break
		}
		d := unhex(c)
		switch {
		case d < 0:
		case half < 0:
			half = d
		default:
			out = append(out, byte(half<<4|d))
			half = -1
		}
	}
	if half >= 0 {
		out = append(out, byte(half<<4))
	}
	return string(out)
}

// literal reads a string in parentheses.
func (l *lexer) literal() string {
	l.pos++
	var out []byte
	depth := 1
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		l.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return string(out)
			}
		case '\r':
			if l.pos < len(l.b) && l.b[l.pos] == '\n' {
				l.pos++
			}
			c = '\n'
		case '\\':
			if l.pos == len(l.b) {
				return string(out)
			}
			var ok bool
			if c, ok = l.escape(); !ok {
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// escape reads what follows a backslash; ok is false if it is nothing.
func (l *lexer) escape() (c byte, ok bool) {
	c = l.b[l.pos]
	l.pos++
	switch c {
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case '\r':
		if l.pos < len(l.b) && l.b[l.pos] == '\n' {
			l.pos++
		}
		return 0, false
	case '\n':
		return 0, false
	}
	if c < '0' || c > '7' {
		return c, true
	}
	n := int(c - '0')
	for k := 0; k < 2 && l.pos < len(l.b) && l.b[l.pos] >= '0' && l.b[l.pos] <= '7'; k++ {
		n = n*8 + int(l.b[l.pos]-'0')
		l.pos++
	}
	return byte(n), true
}

// object reads the next object. Outside of content streams two integers and
// an R are a reference. An op that opens no object is returned as it is.
func (l *lexer) object(refs bool) any { return l.value(l.token(), refs, 0) }

func (l *lexer) value(tok any, refs bool, depth int) any {
	l.elements--
	switch t := tok.(type) {
	case int64:
		if refs && t >= 0 && t < maxObjects {
			if l.reference() {
				return ref(t)
			}
		}
	case op:
		if t != "[" && t != "<<" {
			return t
		}
		if depth == maxDepth {
			return nil
		}
		if t == "[" {
			return l.array(refs, depth+1)
		}
		return l.dictionary(refs, depth+1)
	}
	return tok
}

// reference consumes a generation and an R, if they follow.
func (l *lexer) reference() bool {
	i := l.pos
	for i < len(l.b) && isSpace(l.b[i]) {
		i++
	}
	start := i
	for i < len(l.b) && l.b[i] >= '0' && l.b[i] <= '9' {
		i++
	}
	space := i
	for i < len(l.b) && isSpace(l.b[i]) {
		i++
	}
	if start == space || space == i || i == len(l.b) || l.b[i] != 'R' {
		return false
	}
	if i++; i < len(l.b) && !isSpace(l.b[i]) && !isDelimiter(l.b[i]) {
		return false
	}
	l.pos = i
	return true
}

func (l *lexer) array(refs bool, depth int) array {
	out := array{}
	for l.elements > 0 {
		tok := l.token()
		if tok == op("]") || tok == end || tok == op("endobj") {
			break
		}
		v := l.value(tok, refs, depth)
		if _, isOp := v.(op); !isOp {
			out = append(out, v)
		}
	}
	return out
}

func (l *lexer) dictionary(refs bool, depth int) dict {
	out := dict{}
	for l.elements > 0 {
		tok := l.token()
		if tok == op(">>") || tok == end || tok == op("endobj") || tok == op("stream") {
			break
		}
		key, ok := tok.(name)
		if !ok {
			continue
		}
		v := l.value(l.token(), refs, depth)
		if o, isOp := v.(op); isOp {
			if o == ">>" || o == end {
				break
			}
			continue
		}
		out[key] = v
	}
	return out
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
