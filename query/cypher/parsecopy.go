package cypher

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
