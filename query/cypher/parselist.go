package cypher

// list parses a list, a list comprehension or a pattern comprehension, which
// all begin with [.
func (p *parser) list() expr {
	pos := p.pos()
	p.next()
	switch {
	case isVariable(p.tok()) && p.peek(1).word == kwIn:
		return p.listComprehension(pos)
	case p.patternFollows(0), isVariable(p.tok()) && p.peek(1).kind == tokEqual && p.patternFollows(2):
		return p.patternComprehension(pos)
	}
	l := &listLit{Pos: pos}
	if p.accept(tokRightBracket) {
		return l
	}
	l.Items = separated(p, p.expr)
	if !p.accept(tokRightBracket) {
		p.expected("an operator, ',' or ']'", followWords...)
	}
	return l
}

// listComprehension parses x IN list WHERE condition | value].
func (p *parser) listComprehension(pos Pos) expr {
	c := &listComprehension{Pos: pos, Variable: p.name("a variable")}
	p.next()
	c.List = p.exprUntil(true)
	if p.is(tokComma) {
		p.fail(p.tok(), "", "[x IN list ...] makes a list of each x: for a list of conditions put x IN list in parentheses")
	}
	if p.acceptKeyword(kwWhere) {
		c.Where = p.exprUntil(true)
	}
	if p.accept(tokBar) {
		c.Value = p.expr()
	}
	if !p.accept(tokRightBracket) {
		p.expected("'|' and a value, or ']'", "WHERE")
	}
	return c
}

// patternComprehension parses p = (a)-->(b) WHERE condition | value].
func (p *parser) patternComprehension(pos Pos) expr {
	c := &patternComprehension{Pos: pos}
	variable, start := "", p.pos()
	if p.isName() {
		variable = p.name("a variable")
		p.next()
	}
	c.Pattern = p.chain()
	c.Pattern.Pos, c.Pattern.Variable = start, variable
	if p.is(tokComma) || p.is(tokRightBracket) {
		p.unsupported(p.tok(), "a list of patterns; write [(a)-->(b) | value], or EXISTS { (a)-->(b) } for a condition")
	}
	if p.acceptKeyword(kwWhere) {
		c.Where = p.exprUntil(true)
	}
	if !p.accept(tokBar) {
		p.expected("'|' and a value", "WHERE")
	}
	c.Value = p.expr()
	p.expect(tokRightBracket)
	return c
}

// mapLiteral parses {key: value, ...}.
func (p *parser) mapLiteral() *mapLit {
	m := &mapLit{Pos: p.pos()}
	p.expect(tokLeftBrace)
	if p.accept(tokRightBrace) {
		return m
	}
	for {
		if p.is(tokString) {
			p.fail(p.tok(), "", "the key of a map is a name, in backticks if need be, not a string")
		}
		m.Keys = append(m.Keys, p.mapKey())
		p.expect(tokColon)
		m.Values = append(m.Values, p.expr())
		if !p.accept(tokComma) {
			break
		}
	}
	if !p.accept(tokRightBrace) {
		p.expected("an operator, ',' or '}'", followWords...)
	}
	return m
}

// mapKey parses the key of a map, which alone among names may be empty.
func (p *parser) mapKey() string {
	t := p.tok()
	switch {
	case t.kind == tokQuoted:
		p.next()
		return unquoteName(p.source(t))
	case t.kind == tokBad && t.bad == badNumber:
		p.fail(t, "", "the key of a map begins with a letter, or stands in backticks")
	}
	return p.anyName("a key")
}

// mapProjection parses {.name, .*, name: value, variable} after a variable.
func (p *parser) mapProjection(x expr) expr {
	m := &mapProjection{Pos: p.pos(), X: x}
	p.next()
	if p.accept(tokRightBrace) {
		return m
	}
	m.Items = separated(p, p.mapProjectionItem)
	if !p.accept(tokRightBrace) {
		p.expected("an operator, ',' or '}'", followWords...)
	}
	return m
}

func (p *parser) mapProjectionItem() mapProjectionItem {
	if p.accept(tokDot) {
		if p.accept(tokStar) {
			return mapProjectionItem{All: true}
		}
		return mapProjectionItem{Name: p.anyName("the name of a property, or '*'")}
	}
	pos := p.pos()
	if p.isName() && p.peek(1).kind != tokColon {
		name := p.name("a variable")
		return mapProjectionItem{Name: name, Value: &variable{Pos: pos, Name: name}}
	}
	name := p.anyName("'.' and a property, or a key")
	p.expect(tokColon)
	return mapProjectionItem{Name: name, Value: p.expr()}
}
