package cypher

// indexFollows reports whether CREATE is followed by INDEX or VECTOR INDEX, and
// not by a pattern that has such a name.
func (p *parser) indexFollows() bool {
	if p.peek(2).kind == tokEqual {
		return false
	}
	return p.peek(1).word == kwIndex || p.peek(1).word == kwVector
}

// indexClause parses
//
//	CREATE [VECTOR] INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.name) [OPTIONS {...}]
//	DROP [VECTOR] INDEX [name] [IF EXISTS] [FOR (n:Label) ON (n.name)]
//
// A DROP has a name, or says what the index is of.
func (p *parser) indexClause() *indexClause {
	c := &indexClause{Pos: p.pos(), Drop: p.isKeyword(kwDrop)}
	p.next()
	if t := p.tok(); t.kind == tokWord {
		if feature := unsupportedCreate(p.source(t)); feature != "" {
			p.unsupported(t, feature)
		}
	}
	c.Vector = p.acceptKeyword(kwVector)
	p.expectKeyword(kwIndex)
	if p.isKeyword(kwOn) {
		p.unsupported(p.tok(), "INDEX ON :Label(name); write INDEX FOR (n:Label) ON (n.name)")
	}
	if p.isName() && !p.isKeyword(kwFor) && !p.isKeywords(kwIf, kwNot) && !p.isKeywords(kwIf, kwExists) {
		c.Name = p.name("the name of the index")
	}
	p.ifExists(c)
	if p.isKeyword(kwFor) {
		p.indexOf(c)
	} else if !c.Drop {
		p.expected("FOR (n:Label) ON (n.name)", "FOR", "IF")
	} else if c.Name == "" {
		p.expected("the name of the index, or FOR (n:Label) ON (n.name)", "FOR", "IF")
	}
	if !c.Drop && p.acceptKeyword(kwOptions) {
		c.Options = p.mapLiteral()
	}
	return c
}

// ifExists parses IF NOT EXISTS of CREATE and IF EXISTS of DROP.
func (p *parser) ifExists(c *indexClause) {
	if !p.acceptKeyword(kwIf) {
		return
	}
	if !c.Drop {
		p.expectKeyword(kwNot)
	}
	p.expectKeyword(kwExists)
	c.IfExists = true
}

// indexOf parses FOR (n:Label) ON (n.name).
func (p *parser) indexOf(c *indexClause) {
	p.next()
	p.expect(tokLeftParen)
	if p.is(tokRightParen) {
		p.unsupported(p.tok(), "indexes of edges")
	}
	variable := p.name("a variable")
	if !p.accept(tokColon) {
		p.expected("':' and a label")
	}
	c.Label = p.anyName("a label")
	if p.is(tokColon) || p.is(tokBar) {
		p.unsupported(p.tok(), "an index of several labels")
	}
	p.expect(tokRightParen)
	p.expectKeyword(kwOn)
	if p.isWord("EACH") {
		p.unsupported(p.tok(), "FULLTEXT INDEX")
	}
	paren := p.accept(tokLeftParen)
	at := p.tok()
	if name := p.name("the variable " + variable); name != variable {
		p.fail(at, "UndefinedVariable", "the variable "+name+" is not defined")
	}
	p.expect(tokDot)
	c.Property = p.anyName("the name of a property")
	if p.is(tokComma) {
		p.unsupported(p.tok(), "an index of several properties")
	}
	if paren {
		p.expect(tokRightParen)
	}
}

// copyStatement parses
//
//	COPY Label FROM 'file' [OPTIONS {...}]
//	COPY TYPE FROM 'file' (FROM Label TO Label) [OPTIONS {...}]
//	COPY (query) TO 'file' [OPTIONS {...}]
func (p *parser) copyStatement() *copyClause {
	c := &copyClause{Pos: p.pos()}
	p.next()
	if p.accept(tokLeftParen) {
		c.To = true
		c.Query = p.query(p.use())
		if !p.accept(tokRightParen) {
			p.expected("')' after the query of COPY", followWords...)
		}
		p.expectKeyword(kwTo)
	} else {
		c.Label = p.anyName("a label, an edge type, or a query in parentheses")
		if p.isKeyword(kwTo) {
			p.unsupported(p.tok(), "COPY label TO; write COPY (MATCH (n:Label) RETURN n) TO 'file'")
		}
		p.expectKeyword(kwFrom)
	}
	c.File = p.file()
	if !c.To && p.accept(tokLeftParen) {
		p.expectKeyword(kwFrom)
		c.From = p.anyName("a label")
		p.expectKeyword(kwTo)
		c.Into = p.anyName("a label")
		p.expect(tokRightParen)
	}
	if p.acceptKeyword(kwOptions) {
		c.Options = p.mapLiteral()
	}
	return c
}

// file parses the name of a file, a string or a parameter.
func (p *parser) file() expr {
	t := p.tok()
	switch t.kind {
	case tokString:
		return &literal{Pos: Pos(t.start), Value: String(p.stringValue())}
	case tokParam:
		return p.parameter()
	}
	p.expected("the name of a file in quotes")
	return &literal{Pos: Pos(t.start)}
}
