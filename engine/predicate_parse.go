package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says what is wrong with a filter, and where.
type SyntaxError struct {
	Offset int    // in bytes from the start of the filter
	Column int    // in characters, from 1
	Near   string // what stands there; empty at the end
	Why    string
}

// Error says where the filter is wrong and why.
func (e *SyntaxError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("filter ends too early, at character %d: %s", e.Column, e.Why)
	}
	return fmt.Sprintf("filter is wrong at character %d, %q: %s", e.Column, e.Near, e.Why)
}

// Is reports whether target is [ErrInvalid].
func (e *SyntaxError) Is(target error) bool { return target == ErrInvalid }

// maxFilterDepth bounds how deeply filters may be nested.
const maxFilterDepth = 100

// ParsePredicate reads a filter such as
//
//	lang = "en" AND date >= 2025-01-01
//	NOT (tags IN ("draft", "old") OR EXISTS(withdrawn))
//
// It is made of
//
//	name = value       also !=, <, <=, >, >=; see [Comparison] for their meaning
//	name IN (value, ...), name NOT IN (value, ...)
//	name PREFIX "text", name STARTS WITH "text"
//	EXISTS(name)
//	NOT f, f AND f, f OR f, (f)
//
// NOT binds more tightly than AND, AND more tightly than OR. Keywords may be
// written in lower case. A name is letters, digits, "_", "." and "-", or
// anything in backticks, a backtick in it written twice. A value is
//
//   - text in double or single quotes, with the escapes \" \' \\ \n \t \r and
//     \uXXXX;
//   - a number: 7 is an integer, 7.0 and 7e0 are floats;
//   - true or false;
//   - a bare date or time: 2025-01-01, 2025-01-01T10:00:00 (UTC) or
//     2025-01-01T10:00:00+02:00. It compares with times as a point in time, a
//     date being its first moment in UTC, and with strings as the text that it
//     is written as, since dates in metadata are often text in that form.
//
// The error is a [*SyntaxError].
func ParsePredicate(s string) (Predicate, error) {
	p := &filterParser{text: s}
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return nil, p.errorAt(i, i+1, "not UTF-8")
		}
	}
	out, err := p.parse()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// filterParser reads a filter by recursive descent, one token ahead.
type filterParser struct {
	text  string
	tok   token
	depth int
}

func (p *filterParser) errorAt(start, end int, why string) error {
	near := p.text[start:end]
	if r := []rune(near); len(r) > 24 {
		near = string(r[:24])
	}
	return &SyntaxError{
		Offset: start,
		Column: 1 + utf8.RuneCountInString(p.text[:start]),
		Near:   near,
		Why:    why,
	}
}

// unexpected reports the token that the parser stands at.
func (p *filterParser) unexpected(why string) error {
	return p.errorAt(p.tok.start, p.tok.end, why)
}

func (p *filterParser) at(k tokenKind, text string) bool {
	return p.tok.kind == k && p.tok.text == text
}

// accept moves past the token if it is the one given.
func (p *filterParser) accept(k tokenKind, text string) (bool, error) {
	if !p.at(k, text) {
		return false, nil
	}
	return true, p.next()
}

func (p *filterParser) expect(sign string) error {
	ok, err := p.accept(tokenSign, sign)
	if err == nil && !ok {
		err = p.unexpected("expected " + sign)
	}
	return err
}

func (p *filterParser) parse() (Predicate, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	out, err := p.either()
	if err == nil && p.tok.kind != tokenEnd {
		err = p.unexpected("expected AND, OR or the end")
	}
	return out, err
}

// either reads alternatives.
func (p *filterParser) either() (Predicate, error) {
	list, err := p.list("OR", p.both)
	if err != nil || len(list) == 1 {
		return first(list), err
	}
	return Or(list), nil
}

// both reads conditions joined by AND.
func (p *filterParser) both() (Predicate, error) {
	list, err := p.list("AND", p.condition)
	if err != nil || len(list) == 1 {
		return first(list), err
	}
	return And(list), nil
}

func first(list []Predicate) Predicate {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (p *filterParser) list(word string, item func() (Predicate, error)) ([]Predicate, error) {
	var out []Predicate
	for {
		x, err := item()
		if err != nil {
			return nil, err
		}
		out = append(out, x)
		if more, err := p.accept(tokenWord, word); err != nil || !more {
			return out, err
		}
	}
}

func (p *filterParser) condition() (Predicate, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, p.unexpected(fmt.Sprintf("nested more than %d deep", maxFilterDepth))
	}
	defer func() { p.depth-- }()
	if ok, err := p.accept(tokenWord, "NOT"); err != nil {
		return nil, err
	} else if ok {
		x, err := p.condition()
		return Not{x}, err
	}
	if ok, err := p.accept(tokenSign, "("); err != nil {
		return nil, err
	} else if ok {
		x, err := p.either()
		if err != nil {
			return nil, err
		}
		return x, p.expect(")")
	}
	if ok, err := p.accept(tokenWord, "EXISTS"); err != nil {
		return nil, err
	} else if ok {
		return p.exists()
	}
	return p.comparison()
}

func (p *filterParser) exists() (Predicate, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	return Comparison{Property: name, Op: OpExists}, p.expect(")")
}

func (p *filterParser) name() (string, error) {
	name := p.tok.text
	switch p.tok.kind {
	case tokenName:
		return name, p.next()
	case tokenWord:
		return "", p.unexpected("expected a property; one of this name stands in backticks")
	}
	return "", p.unexpected("expected a property, NOT, EXISTS or (")
}

func (p *filterParser) comparison() (Predicate, error) {
	name, err := p.name()
	if err != nil {
		return nil, err
	}
	c := Comparison{Property: name}
	if p.at(tokenWord, "IN") || p.at(tokenWord, "NOT") {
		return p.membership(c)
	}
	if strings.EqualFold(p.tok.text, "STARTS") && p.tok.kind == tokenName {
		if err := p.next(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokenName || !strings.EqualFold(p.tok.text, "WITH") {
			return nil, p.unexpected("expected WITH")
		}
		p.tok.kind, p.tok.text = tokenWord, OpPrefix.String() // the same in Cypher's words
	}
	ok := false
	for op := OpEqual; op <= OpPrefix; op++ {
		if (p.tok.kind == tokenSign || p.tok.kind == tokenWord) && p.tok.text == op.String() {
			c.Op, ok = op, true
		}
	}
	if !ok {
		return nil, p.unexpected("expected =, !=, <, <=, >, >=, IN, PREFIX or STARTS WITH")
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	if c.Op == OpPrefix && p.tok.kind != tokenText {
		return nil, p.unexpected("expected text in quotes")
	}
	c.Values, err = p.value(nil)
	return c, err
}

// membership reads what follows the name before IN or NOT IN.
func (p *filterParser) membership(c Comparison) (Predicate, error) {
	if not, err := p.accept(tokenWord, "NOT"); err != nil {
		return nil, err
	} else if not {
		c.Op = OpNotEqual
	}
	if ok, err := p.accept(tokenWord, "IN"); err != nil {
		return nil, err
	} else if !ok {
		return nil, p.unexpected("expected IN")
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for {
		var err error
		if c.Values, err = p.value(c.Values); err != nil {
			return nil, err
		}
		if more, err := p.accept(tokenSign, ","); err != nil {
			return nil, err
		} else if !more {
			return c, p.expect(")")
		}
	}
}

// value reads one value and appends what it stands for.
func (p *filterParser) value(dst []Value) ([]Value, error) {
	text := p.tok.text
	switch p.tok.kind {
	case tokenText:
		return append(dst, String(text)), p.next()
	case tokenNumber:
		vs, why := readNumber(text)
		if why != "" {
			return nil, p.unexpected(why)
		}
		return append(dst, vs...), p.next()
	case tokenWord:
		if text == "TRUE" || text == "FALSE" {
			return append(dst, Bool(text == "TRUE")), p.next()
		}
	case tokenName:
		return nil, p.unexpected("expected a value; text stands in quotes")
	}
	return nil, p.unexpected("expected a value: text in quotes, a number, a date, true or false")
}

// readNumber returns what a bare number or date stands for, or why it is none.
func readNumber(s string) (vs []Value, why string) {
	if vs := dateValues(s); vs != nil {
		return vs, ""
	}
	if strings.Trim(s, "0123456789+-.eE") != "" || strings.LastIndexAny(s, "+-") > 0 && !strings.ContainsAny(s, "eE") {
		return nil, "neither a number nor a date (such as 2025-01-31 or 2025-01-31T10:00:00Z) of the years 1678 to 2261"
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return []Value{Int(i)}, ""
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, "a number out of range"
	case err != nil:
		return nil, "not a number"
	}
	return []Value{Float(f)}, ""
}
