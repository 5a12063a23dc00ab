package cypher

import "strings"

// atom parses a literal, a name, a call, or something in brackets. After an
// error it returns null, so that no expression is nil.
func (p *parser) atom() expr {
	t := p.tok()
	pos := Pos(t.start)
	switch t.kind {
	case tokInt, tokFloat:
		return p.number(t.start)
	case tokString:
		return &literal{Pos: pos, Value: String(p.stringValue())}
	case tokParam:
		return p.parameter()
	case tokLeftParen:
		if p.patternFollows(0) {
			return &existsExpr{Pos: pos, Bare: true, Patterns: []*pattern{p.chain()}}
		}
		p.next()
		x := p.expr()
		if p.is(tokComma) {
			p.fail(p.tok(), "", "expected an operator or ')', found ','; a list stands in brackets: [a, b]")
		}
		if !p.accept(tokRightParen) {
			p.expected("an operator or ')'", followWords...)
		}
		return x
	case tokLeftBracket:
		return p.list()
	case tokLeftBrace:
		return p.mapLiteral()
	case tokQuoted:
		if p.callFollows() {
			return p.functionCall()
		}
		return &variable{Pos: pos, Name: p.name("a variable")}
	case tokWord:
		return p.wordAtom()
	}
	p.expected("an expression")
	return &literal{Pos: pos}
}

// number parses a number whose sign, if any, is at start.
func (p *parser) number(start int) expr {
	t := p.next()
	text := p.source(t)
	if start < t.start {
		text = "-" + text
	}
	lit := &literal{Pos: Pos(start)}
	if t.kind == tokInt {
		n, err := parseInt(text)
		if err != nil {
			p.failAt(start, t.end, "IntegerOverflow", "the integer "+cutEnd(text, 40)+" is outside 64 bits")
		}
		lit.Value = Int(n)
		return lit
	}
	x, err := parseFloat(text)
	if err != nil {
		p.failAt(start, t.end, "FloatingPointOverflow", "the number "+cutEnd(text, 40)+" is too large")
	}
	lit.Value = Float(x)
	return lit
}

// wordAtom parses an atom that begins with a word.
func (p *parser) wordAtom() expr {
	t := p.tok()
	pos := Pos(t.start)
	after := p.peek(1).kind
	switch t.word {
	case kwNull:
		p.next()
		return &literal{Pos: pos}
	case kwTrue, kwFalse:
		p.next()
		return &literal{Pos: pos, Value: Bool(t.word == kwTrue)}
	case kwCase:
		return p.caseExpr()
	case kwExists:
		if after == tokLeftBrace {
			p.next()
			patterns, where, q := p.subquery(queryExists)
			if q != nil {
				return q
			}
			return &existsExpr{Pos: pos, Patterns: patterns, Where: where}
		}
		if after == tokLeftParen && p.patternFollows(2) {
			p.i += 2
			x := &existsExpr{Pos: pos, Patterns: []*pattern{p.chain()}}
			p.expect(tokRightParen)
			return x
		}
	case kwCount:
		if after == tokLeftBrace {
			p.next()
			patterns, where, q := p.subquery(queryCount)
			if q != nil {
				return q
			}
			return &countMatches{Pos: pos, Patterns: patterns, Where: where}
		}
	case kwAll, kwAny, kwNone, kwSingle:
		if after == tokLeftParen && isVariable(p.peek(2)) && p.peek(3).word == kwIn {
			return p.quantifier()
		}
	case kwReduce:
		if after == tokLeftParen && isVariable(p.peek(2)) && p.peek(3).kind == tokEqual {
			return p.reduce()
		}
	case kwShortestPath, kwAllShortestPaths:
		if after == tokLeftParen {
			return &pathExpr{Pos: pos, Pattern: p.shortest()}
		}
	case noKeyword:
		if after == tokLeftBrace && p.isWord("COLLECT") {
			p.next()
			_, _, q := p.subquery(queryCollect)
			return q
		}
		if feature := p.unsupportedAtom(); feature != "" {
			p.unsupported(t, feature)
			return &literal{Pos: pos}
		}
	}
	if p.callFollows() {
		return p.functionCall()
	}
	if t.word.reserved() {
		p.expected("an expression")
		return &literal{Pos: pos}
	}
	return &variable{Pos: pos, Name: p.name("a variable")}
}

// unsupportedAtom returns the feature of other dialects that begins with the
// current word, or "".
func (p *parser) unsupportedAtom() string {
	after := p.peek(1).kind
	switch {
	case (p.isWord("FILTER") || p.isWord("EXTRACT")) && after == tokLeftParen &&
		isVariable(p.peek(2)) && p.peek(3).word == kwIn:
		return strings.ToLower(p.source(p.tok())) + "(x IN list ...); write [x IN list WHERE condition | value]"
	}
	return ""
}

// callFollows reports whether the current name, with its namespace, begins a
// function call.
func (p *parser) callFollows() bool {
	n := 1
	for p.peek(n).kind == tokDot && (p.peek(n+1).kind == tokWord || p.peek(n+1).kind == tokQuoted) {
		n += 2
	}
	return p.peek(n).kind == tokLeftParen
}

// functionCall parses name(arguments), name(DISTINCT argument) and count(*).
func (p *parser) functionCall() expr {
	f := &funcCall{Pos: p.pos()}
	start := p.tok()
	f.Name = p.anyName("a function")
	for p.accept(tokDot) {
		f.Name += "." + p.anyName("a function")
	}
	p.expect(tokLeftParen)
	if p.is(tokStar) && start.word == kwCount && p.peek(1).kind == tokRightParen {
		p.i += 2
		f.Star = true
		return f
	}
	f.Distinct = p.acceptKeyword(kwDistinct)
	if !p.is(tokRightParen) {
		f.Args = separated(p, p.expr)
	}
	if !p.accept(tokRightParen) {
		p.expected("an operator, ',' or ')'", followWords...)
	}
	return f
}

// caseExpr parses CASE x WHEN value THEN value ELSE value END, and CASE WHEN
// condition THEN value ELSE value END.
func (p *parser) caseExpr() expr {
	c := &caseExpr{Pos: p.pos()}
	p.next()
	if !p.isKeyword(kwWhen) {
		c.X = p.expr()
	}
	for p.acceptKeyword(kwWhen) {
		switch {
		case p.isKeyword(kwIs), p.tok().kind != tokMinus && p.tok().kind != tokPlus && isInfix(p.tok()):
			p.unsupported(p.tok(), "CASE with WHEN and an operator; write CASE WHEN x > 1 THEN ...")
		}
		w := caseWhen{When: p.expr()}
		if p.is(tokComma) {
			p.unsupported(p.tok(), "CASE with several values after WHEN; write CASE WHEN x IN [1, 2] THEN ...")
		}
		p.expectKeyword(kwThen)
		w.Then = p.expr()
		c.When = append(c.When, w)
	}
	if len(c.When) == 0 {
		p.expected("WHEN", "WHEN")
	}
	if p.acceptKeyword(kwElse) {
		c.Else = p.expr()
	}
	if !p.acceptKeyword(kwEnd) {
		p.expected("WHEN, ELSE or END of CASE", "WHEN", "ELSE", "END")
	}
	return c
}

func isInfix(t token) bool {
	_, level := infix(t)
	return level > 0
}

// quantifier parses all(x IN list WHERE condition) and its like.
func (p *parser) quantifier() expr {
	q := &quantifier{Pos: p.pos()}
	switch p.next().word {
	case kwAny:
		q.Kind = anyOf
	case kwNone:
		q.Kind = noneOf
	case kwSingle:
		q.Kind = singleOf
	}
	p.next()
	q.Variable = p.name("a variable")
	p.expectKeyword(kwIn)
	q.List = p.expr()
	p.expectKeyword(kwWhere)
	q.Where = p.expr()
	p.expect(tokRightParen)
	return q
}

// reduce parses reduce(accumulator = start, x IN list | value).
func (p *parser) reduce() expr {
	r := &reduceExpr{Pos: p.pos()}
	p.i += 2
	r.Accumulator = p.name("a variable")
	p.expect(tokEqual)
	r.Start = p.expr()
	p.expect(tokComma)
	r.Variable = p.name("a variable")
	p.expectKeyword(kwIn)
	r.List = p.exprUntil(true)
	p.expect(tokBar)
	r.Value = p.expr()
	p.expect(tokRightParen)
	return r
}
