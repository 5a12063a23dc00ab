package cypher

import (
	"strings"
	"unicode/utf8"
)

// Bounds of statements. Deeper or longer ones are refused, so that no text
// overflows the stack.
const (
	maxDepth     = 256     // of brackets, patterns and NOTs within each other
	maxOperators = 20_000  // of one statement
	maxText      = 8 << 20 // bytes of one statement
)

// parser turns tokens into a syntax tree by recursive descent, and expressions
// by precedence climbing.
//
// The first error is kept, and moves the parser to the end of the text: every
// loop ends there, and no method has to return an error.
type parser struct {
	text string
	toks []token
	i    int // of the token that is looked at

	closing []int // see skipBrackets

	depth     int
	operators int
	noBar     bool // a | ends the expression: see labels
	condition bool // the text is a condition alone, not a statement
	err       *SyntaxError

	watch *watch
	ended error // of the context
}

// parse parses one statement, which may end in a semicolon. It looks at the
// syntax alone; see [check]. The error is a [*SyntaxError], or that of the context.
func parse(text string, w *watch) (*statement, error) {
	p, err := newParser(text, w)
	if err != nil {
		return nil, err
	}
	s := p.statement()
	if p.ended != nil {
		return nil, p.ended
	}
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

// parseCondition parses a text that consists of one expression.
func parseCondition(text string) (expr, error) {
	p, err := newParser(text, nil)
	if err != nil {
		return nil, err
	}
	p.condition = true
	e := p.expr()
	if !p.is(tokEnd) {
		p.expected("an operator or the end of the condition", followWords...)
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// newParser returns a parser at the first token of a text.
func newParser(text string, w *watch) (*parser, error) {
	if i := invalidUTF8(text); i >= 0 {
		return nil, newSyntaxError(text, i, i+1, "InvalidUnicodeCharacter", "the text is not UTF-8")
	}
	if len(text) > maxText {
		return nil, newSyntaxError(text, 0, 0, "", "the text is longer than 8 MiB; give large values as parameters")
	}
	toks, err := lexWatched(text, w)
	return &parser{text: text, watch: w, toks: toks}, err
}

// invalidUTF8 returns the place of the first byte that is not UTF-8, -1 for
// none.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// tok returns the current token.
func (p *parser) tok() token { return p.toks[p.i] }

// peek returns the token n tokens ahead.
func (p *parser) peek(n int) token {
	return p.toks[min(p.i+n, len(p.toks)-1)]
}

// pos returns the position of the current token.
func (p *parser) pos() Pos { return Pos(p.toks[p.i].start) }

// next returns the current token and moves past it.
func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != tokEnd {
		p.i++
	}
	return t
}

// is reports whether the current token is of a kind.
func (p *parser) is(kind tokenKind) bool { return p.toks[p.i].kind == kind }

// isKeyword reports whether the current token is a keyword.
func (p *parser) isKeyword(k keyword) bool { return p.toks[p.i].word == k }

// isKeywords reports whether the current token and the next are two keywords.
func (p *parser) isKeywords(k, l keyword) bool { return p.isKeyword(k) && p.peek(1).word == l }

// isWord reports whether the current token is a word, keyword or not, in any
// case.
func (p *parser) isWord(word string) bool { return p.tok().isWord(p.text, word) }

// accept moves past a token of a kind.
func (p *parser) accept(kind tokenKind) bool {
	if !p.is(kind) {
		return false
	}
	p.i++
	return true
}

// acceptKeyword moves past a keyword.
func (p *parser) acceptKeyword(k keyword) bool {
	if !p.isKeyword(k) {
		return false
	}
	p.i++
	return true
}

// separated parses one item or more with commas between them.
func separated[T any](p *parser, item func() T) []T {
	items := []T{item()}
	for p.accept(tokComma) {
		items = append(items, item())
	}
	return items
}

// expect moves past a token of a kind that must be there.
func (p *parser) expect(kind tokenKind) {
	if !p.accept(kind) {
		p.expected("'" + symbols[kind] + "'")
	}
}

// expectKeyword moves past a keyword that must be there.
func (p *parser) expectKeyword(k keyword) {
	if !p.acceptKeyword(k) {
		p.expected(k.String(), k.String())
	}
}

// source returns the text of a token.
func (p *parser) source(t token) string { return p.text[t.start:t.end] }

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() {
	if err := p.watch.look(); err != nil && p.ended == nil {
		p.ended = err
		p.fail(p.tok(), "", "the context has ended")
	}
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.tok(), "", "the "+p.noun()+" is nested deeper than 256 levels")
	}
}

func (p *parser) leave() { p.depth-- }

// operator counts an operator, each of which makes the tree deeper by one.
func (p *parser) operator() {
	p.operators++
	if p.operators > maxOperators {
		p.fail(p.tok(), "", "the "+p.noun()+" has more than 20000 operators; give large values as parameters")
	}
}

// noun names the text in messages.
func (p *parser) noun() string {
	if p.condition {
		return "condition"
	}
	return "statement"
}

// fail keeps an error of a token, if it is the first, and ends the parsing.
func (p *parser) fail(t token, code, message string) {
	p.failAt(t.start, t.end, code, message)
}

// failAt is [parser.fail] for a place in the text.
func (p *parser) failAt(start, end int, code, message string) {
	if p.err == nil {
		if code == "" {
			code = "UnexpectedSyntax"
		}
		p.err = newSyntaxError(p.text, start, end, code, message)
	}
	p.i = len(p.toks) - 1
}

// unsupported refuses a feature of other dialects at a token.
func (p *parser) unsupported(t token, feature string) {
	first := p.err == nil
	p.fail(t, "", "not supported: "+feature)
	if first {
		p.err.Unsupported = true
	}
}

// expected refuses the current token: it names what should stand there and what
// does. If the token is similar to one of words, the message suggests that
// word.
func (p *parser) expected(what string, words ...string) {
	t := p.tok()
	switch t.kind {
	case tokBad:
		p.failBad(t)
		return
	case tokForeign:
		p.unsupported(t, unsupportedOperator(p.source(t)))
		return
	case tokEnd:
		first := p.err == nil
		p.fail(t, "", "expected "+what+", found the end of the "+p.noun())
		if first {
			p.err.Incomplete = true
		}
		return
	}
	message := "expected " + what + ", found " + p.found(t)
	if t.kind == tokWord && t.word == noKeyword {
		if w := nearest(p.source(t), words); w != "" && !strings.EqualFold(w, p.source(t)) {
			message += "; did you mean " + w + "?"
		}
	}
	p.fail(t, "", message)
}

// found names a token in a message.
func (p *parser) found(t token) string {
	text := p.source(t)
	switch t.kind {
	case tokString:
		return "the string " + shownBegin(text, 30)
	case tokInt, tokFloat:
		return "the number " + cutEnd(text, 30)
	case tokParam:
		return "the parameter " + shownBegin(text, 30)
	case tokWord, tokQuoted:
		return shownBegin(text, 30)
	}
	return "'" + text + "'"
}

// failBad refuses an invalid token.
func (p *parser) failBad(t token) {
	incomplete := false
	code, message := "", ""
	end := t.end
	switch t.bad {
	case badString:
		incomplete = true
		message = "the string that begins here has no closing " + p.text[t.start:t.start+1]
		end = t.start + 1
	case badBackticks:
		incomplete = true
		message = "the name that begins here has no closing `"
		end = t.start + 1
	case badComment:
		incomplete = true
		message = "the comment that begins here has no closing */"
		end = t.start + 2
	case badNumber:
		code = "InvalidNumberLiteral"
		message = shownBegin(p.source(t), 30) + " is not a number"
		if text := p.source(t); allDigits(text, 10) {
			message += ": it begins with 0; an octal number begins with 0o"
		}
		if yearBefore(p.text[:t.start]) {
			message = "a date or time is written datetime('2025-01-31') or datetime('2025-01-31T10:00:00Z')"
		}
	case badParam:
		message = "a parameter is written $name, $0 or $`a name`"
	case badName:
		message = "a name in backticks has at least one character"
	default:
		if p.text[t.start] >= utf8.RuneSelf {
			code = "InvalidUnicodeCharacter"
		}
		r, _ := utf8.DecodeRuneInString(p.text[t.start:])
		switch r {
		case '‘', '’', '“', '”', '„', '«', '»':
			message = "a string is written in straight quotes, ' or \""
		case '–', '—', '−':
			message = "a minus, or the dash of an edge, is the character -"
		default:
			message = "no word or operator begins with " + shownLine(p.source(t))
		}
	}
	first := p.err == nil
	p.failAt(t.start, end, code, message)
	if first {
		p.err.Incomplete = incomplete
	}
}

// yearBefore reports whether a text ends in the beginning of a date, such as
// 2025- or 2025-10-.
func yearBefore(s string) bool {
	year, ok := strings.CutSuffix(s, "-")
	if n := len(year); ok && n >= 3 && year[n-3] == '-' && allDigits(year[n-2:], 10) {
		year = year[:n-3]
	}
	n := len(year)
	return ok && n >= 4 && allDigits(year[n-4:], 10) && (n == 4 || !isDigit(year[n-5]))
}

// name parses the name of a variable. Messages call it what.
func (p *parser) name(what string) string {
	t := p.tok()
	switch {
	case t.kind == tokWord && !t.word.reserved():
		p.i++
		return p.source(t)
	case t.kind == tokQuoted:
		p.i++
		return p.quotedName(t)
	case t.kind == tokWord:
		p.fail(t, "", "expected "+what+", found the keyword "+t.word.String()+"; write it in backticks to use it as a name")
		return ""
	}
	p.expected(what)
	return ""
}

// isName reports whether the name of a variable is looked at.
func (p *parser) isName() bool { return isVariable(p.tok()) }

func isVariable(t token) bool {
	return t.kind == tokWord && !t.word.reserved() || t.kind == tokQuoted
}

// anyName parses the name of a label, a type, a property or a key, which may be
// a keyword.
func (p *parser) anyName(what string) string {
	t := p.tok()
	switch t.kind {
	case tokWord:
		p.i++
		return p.source(t)
	case tokQuoted:
		p.i++
		return p.quotedName(t)
	}
	p.expected(what)
	return ""
}

// quotedName returns a name in backticks, which is not empty.
func (p *parser) quotedName(t token) string {
	name := unquoteName(p.source(t))
	if name == "" {
		p.fail(t, "", "a name in backticks has at least one character")
	}
	return name
}
