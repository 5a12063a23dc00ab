package cypher

// subquery parses the rest of EXISTS, COUNT or COLLECT. One of a single MATCH, whose word
// may be left out, is patterns and a condition; others are a query.
func (p *parser) subquery(kind queryKind) ([]*pattern, expr, *queryExpr) {
	p.enter()
	defer p.leave()
	q := &queryExpr{Pos: Pos(p.toks[p.i-1].start), Kind: kind}
	p.expect(tokLeftBrace)
	begin := p.i
	if p.acceptKeyword(kwMatch) || p.is(tokLeftParen) || p.isName() && p.peek(1).kind == tokEqual {
		patterns := p.patterns()
		where := p.where()
		if kind != queryCollect && p.accept(tokRightBrace) || p.err != nil {
			return patterns, where, nil
		}
		if p.toks[begin].word != kwMatch {
			p.expected("'}'")
			return patterns, where, nil
		}
		p.i = begin
	}
	q.Query = p.query(nil)
	if !p.accept(tokRightBrace) {
		p.expected("a clause or '}'")
	}
	return nil, nil, q
}

// subqueryClause parses CALL { query }, with the variables that it sees, and IN
// TRANSACTIONS.
func (p *parser) subqueryClause() *subqueryClause {
	p.enter()
	defer p.leave()
	s := &subqueryClause{Pos: p.pos(), Optional: p.acceptKeyword(kwOptional)}
	p.expectKeyword(kwCall)
	if p.accept(tokLeftParen) {
		s.Scoped = true
		if s.All = p.accept(tokStar); !s.All && !p.is(tokRightParen) {
			s.Imports = separated(p, func() *variable {
				return &variable{Pos: p.pos(), Name: p.name("a variable that the query sees")}
			})
		}
		p.expect(tokRightParen)
	}
	p.expect(tokLeftBrace)
	s.Query = p.query(nil)
	if !p.accept(tokRightBrace) {
		p.expected("a clause or '}'")
	}
	if p.isKeyword(kwIn) {
		s.Batch = p.batch()
	}
	return s
}

// batch parses IN TRANSACTIONS OF n ROWS.
func (p *parser) batch() *batchClause {
	b := &batchClause{Pos: p.pos()}
	p.next()
	if p.is(tokInt) || p.isWord("CONCURRENT") {
		p.unsupported(p.tok(), "concurrent transactions; write IN TRANSACTIONS")
	}
	if !p.isWord("TRANSACTIONS") {
		p.expected("TRANSACTIONS", "TRANSACTIONS")
	}
	p.next()
	if p.isWord("OF") {
		p.next()
		b.Rows = p.expr()
		if !p.isWord("ROWS") && !p.isWord("ROW") {
			p.expected("ROWS", "ROWS")
		}
		p.next()
	}
	if p.isKeyword(kwOn) || p.isWord("REPORT") {
		p.unsupported(p.tok(), "ON ERROR and REPORT STATUS of CALL IN TRANSACTIONS; the first error ends the statement")
	}
	return b
}

// foreach parses FOREACH (variable IN list | clauses).
func (p *parser) foreach() *foreachClause {
	p.enter()
	defer p.leave()
	f := &foreachClause{Pos: p.pos()}
	p.next()
	p.expect(tokLeftParen)
	f.Variable = p.name("a variable")
	p.expectKeyword(kwIn)
	f.List = p.exprUntil(true)
	p.expect(tokBar)
	f.Clauses = p.part(nil).Clauses
	if !p.accept(tokRightParen) {
		p.expected("a clause that writes or ')'")
	}
	return f
}

// load parses LOAD CSV WITH HEADERS FROM file AS variable FIELDTERMINATOR ';'.
func (p *parser) load() *loadClause {
	l := &loadClause{Pos: p.pos()}
	p.i += 2
	if p.acceptKeyword(kwWith) {
		if !p.isWord("HEADERS") {
			p.expected("HEADERS", "HEADERS")
		}
		p.next()
		l.Headers = true
	}
	p.expectKeyword(kwFrom)
	l.File = p.expr()
	p.expectKeyword(kwAs)
	l.Variable = p.name("a variable")
	if p.isWord("FIELDTERMINATOR") {
		p.next()
		t := p.tok()
		if !p.is(tokString) {
			p.expected("a string of one character, as in FIELDTERMINATOR ';'")
			return l
		}
		if l.Separator = p.stringValue(); p.err == nil && !isSeparator(l.Separator) {
			p.fail(t, "", "FIELDTERMINATOR is one character, and neither a quote nor the end of a line")
		}
	}
	return l
}

// isSeparator reports whether a text may stand between the cells of a row.
func isSeparator(s string) bool {
	r := []rune(s)
	return len(r) == 1 && r[0] != '"' && r[0] != '\n' && r[0] != '\r' && r[0] != '\ufffd' && r[0] != 0
}
