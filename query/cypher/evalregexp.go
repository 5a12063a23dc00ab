package cypher

import (
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of =~. One step of a match is one character tried against one
// instruction of the compiled expression.
const (
	maxPatternBytes = 4 << 10         // of the text of a regular expression
	maxProgram      = 10_000          // instructions of a compiled one
	maxMatchSteps   = 1 << 28         // of one match: characters times instructions
	fewMatchSteps   = 1 << 14         // what is matched without a look at the context
	maxRegexps      = 64              // that a statement remembers
	maxPrograms     = 10 * maxProgram // instructions of all that it remembers
)

// matches compiles =~: whether a whole string matches a regular expression. It
// is null if the left side is not a string or the right side is null.
//
// The syntax is RE2's, whose time is linear in the string. It refuses the
// extensions of Java's syntax (back-references, look-around and possessive
// quantifiers) with an ArgumentError. In both, \d, \w and \s match ASCII alone.
func (c *compiler) matches(e *binaryExpr) predicate {
	left, right := c.eval(e.L), c.eval(e.R)
	at := e.R.At()
	return func(x *exec, r row) (truth, error) {
		a, b, err := both(x, r, left, right)
		switch {
		case err != nil || b.IsNull():
			return isUnknown, err
		case b.kind != KindString:
			return isUnknown, typeError(at, "=~ needs a string with a regular expression, not %s", aKind(b))
		}
		p, err := x.pattern(at, b.AsString())
		if err != nil || a.kind != KindString {
			return isUnknown, err
		}
		ok, err := p.match(x, at, a.AsString())
		return truthOf(ok), err
	}
}

// program is a compiled regular expression.
type program struct {
	re   *regexp.Regexp // of whole strings
	size int64          // instructions
}

// regexpCache holds the regular expressions that a statement has compiled.
type regexpCache struct {
	byText map[string]*program
	size   int64 // instructions of all
}

// pattern returns a compiled regular expression that matches whole strings.
func (x *exec) pattern(at Pos, text string) (*program, error) {
	cache := &x.eval.regexps
	if p := cache.byText[text]; p != nil {
		return p, nil
	}
	p, err := compilePattern(at, text)
	if err != nil {
		return nil, err
	}
	if cache.byText == nil || len(cache.byText) == maxRegexps || cache.size+p.size > maxPrograms {
		*cache = regexpCache{byText: map[string]*program{}}
	}
	cache.byText[text] = p
	cache.size += p.size
	// A compiled instruction costs about as much as some steps of a loop.
	return p, x.work(16 * p.size)
}

// compilePattern compiles a regular expression. Its size is known before
// anything that grows with it is made: the repetitions of a short text can need
// millions of instructions.
func compilePattern(at Pos, text string) (*program, error) {
	if len(text) > maxPatternBytes {
		return nil, tooMuch(at, "a regular expression has %d bytes at most, not %d", maxPatternBytes, len(text))
	}
	// The text is parsed alone first: inside the group it could close the
	// group.
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, argumentError(at, "%s is not a regular expression of RE2: %s", shownPattern(text), regexpReason(err))
	}
	size := programSize(tree)
	if size > maxProgram {
		return nil, tooMuch(at, "the regular expression %s needs more than %d instructions; repeat less in it", shownPattern(text), maxProgram)
	}
	re, err := regexp.Compile(`\A(?:` + text + `)\z`)
	if err != nil {
		return nil, argumentError(at, "%s is not a regular expression of RE2: %s", shownPattern(text), regexpReason(err))
	}
	return &program{re, size}, nil
}

// programSize returns about how many instructions a regular expression needs,
// at most a little over [maxProgram].
func programSize(re *syntax.Regexp) int64 {
	n := int64(1)
	switch re.Op {
	case syntax.OpConcat:
		n = 0
	case syntax.OpLiteral:
		n = int64(len(re.Rune))
	case syntax.OpCharClass:
		n += int64(len(re.Rune) / 64)
	case syntax.OpCapture:
		n = 2
	}
	for _, sub := range re.Sub {
		n = min(n+programSize(sub), maxProgram+1)
	}
	if re.Op == syntax.OpRepeat {
		n = min(n*int64(max(re.Min, re.Max, 1)), maxProgram+1)
	}
	return n
}

// match reports whether the whole of a string matches.
func (p *program) match(x *exec, at Pos, s string) (bool, error) {
	steps := (int64(len(s)) + 1) * p.size
	if steps <= fewMatchSteps {
		return p.re.MatchString(s), x.work(steps / 16)
	}
	if steps > maxMatchSteps {
		return false, tooMuch(at, "a string of %d bytes is too long for a regular expression of %d instructions", len(s), p.size)
	}
	r := &watchedReader{x: x, text: s, every: max(1, int(fewMatchSteps/p.size))}
	ok := p.re.MatchReader(r)
	return ok && r.err == nil, r.err
}

// watchedReader reads the characters of a string, and ends it once the context
// has ended.
type watchedReader struct {
	x     *exec
	text  string
	at    int
	every int // characters between two looks at the context
	since int // the last look
	err   error
}

// ReadRune returns the next character.
func (r *watchedReader) ReadRune() (rune, int, error) {
	if r.since++; r.since >= r.every {
		r.since = 0
		if r.err = r.x.work(stepsBetweenLooks); r.err != nil {
			return 0, 0, r.err
		}
	}
	if r.at >= len(r.text) {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += size
	return c, size, nil
}

// shownPattern writes the beginning of a regular expression for a message.
func shownPattern(text string) string {
	return cutEnd(quoteString(text[:min(len(text), 200)]), 60)
}

// regexpReason returns the reason why a regular expression does not parse.
func regexpReason(err error) string {
	var bad *syntax.Error
	if errors.As(err, &bad) {
		return bad.Code.String() + ": " + shownPattern(bad.Expr)
	}
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}
