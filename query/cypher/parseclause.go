package cypher

// match parses MATCH or OPTIONAL MATCH.
func (p *parser) match() *matchClause {
	m := &matchClause{Pos: p.pos(), Optional: p.acceptKeyword(kwOptional)}
	p.expectKeyword(kwMatch)
	m.Patterns = p.patterns()
	if p.isWord("USING") {
		p.unsupported(p.tok(), unsupportedClause("USING"))
	}
	m.Where = p.where()
	return m
}

// where parses WHERE condition, if it is there.
func (p *parser) where() expr {
	if !p.acceptKeyword(kwWhere) {
		return nil
	}
	return p.expr()
}

// unwind parses UNWIND list AS variable.
func (p *parser) unwind() *unwindClause {
	u := &unwindClause{Pos: p.pos()}
	p.next()
	u.List = p.expr()
	p.expectKeyword(kwAs)
	u.Variable = p.name("a variable")
	return u
}

// projection parses WITH or RETURN.
func (p *parser) projection() *projection {
	r := &projection{Pos: p.pos(), Return: p.isKeyword(kwReturn)}
	p.next()
	r.Distinct = p.acceptKeyword(kwDistinct)
	if p.isKeyword(kwAll) && p.peek(1).kind != tokLeftParen {
		p.unsupported(p.tok(), "RETURN ALL of GQL; leave ALL out")
	}
	if r.Star = p.accept(tokStar); !r.Star || p.accept(tokComma) {
		r.Items = separated(p, p.projectionItem)
	}
	if p.isKeyword(kwOrder) {
		p.next()
		p.expectKeyword(kwBy)
		r.Order = separated(p, p.sortItem)
	}
	if p.acceptKeyword(kwSkip) {
		r.Skip = p.expr()
	}
	if p.acceptKeyword(kwLimit) {
		r.Limit = p.expr()
	}
	if p.isKeyword(kwSkip) && r.Limit != nil {
		p.fail(p.tok(), "", "SKIP stands before LIMIT")
	}
	if p.isKeyword(kwOrder) {
		p.fail(p.tok(), "", "ORDER BY stands before SKIP and LIMIT, and once")
	}
	if r.Return {
		if p.isKeyword(kwWhere) {
			p.fail(p.tok(), "", "RETURN has no WHERE: write WITH ... WHERE before it")
		}
		return r
	}
	r.Where = p.where()
	return r
}

// projectionItem parses expression AS name.
func (p *parser) projectionItem() *projectionItem {
	start := p.tok()
	it := &projectionItem{Pos: p.pos()}
	it.Expr = p.expr()
	if p.acceptKeyword(kwAs) {
		it.Name = p.name("a name for the column")
		it.Aliased = true
		return it
	}
	if v, ok := it.Expr.(*variable); ok {
		it.Name = v.Name
	} else if p.err == nil {
		it.Name = p.text[start.start:p.toks[p.i-1].end]
	}
	return it
}

// sortItem parses expression ASC or DESC, and NULLS FIRST or NULLS LAST.
func (p *parser) sortItem() *sortItem {
	it := &sortItem{Expr: p.expr()}
	switch {
	case p.acceptKeyword(kwDesc), p.acceptKeyword(kwDescending):
		it.Desc = true
	case p.acceptKeyword(kwAsc), p.acceptKeyword(kwAscending):
	}
	if p.isWord("NULLS") {
		p.next()
		switch {
		case p.isWord("FIRST"):
			it.Nulls = nullsFirst
		case p.isWord("LAST"):
			it.Nulls = nullsLast
		default:
			p.expected("FIRST or LAST", "FIRST", "LAST")
		}
		p.next()
	}
	return it
}

// call parses CALL procedure(arguments) YIELD columns WHERE condition.
func (p *parser) call() *callClause {
	c := &callClause{Pos: p.pos()}
	p.next()
	c.Procedure = p.anyName("the name of a procedure")
	for p.accept(tokDot) {
		c.Procedure += "." + p.anyName("the rest of the procedure's name")
	}
	if p.accept(tokLeftParen) {
		c.Args = []expr{}
		if !p.is(tokRightParen) {
			c.Args = separated(p, p.expr)
		}
		if !p.accept(tokRightParen) {
			p.expected("',' or ')' after an argument", followWords...)
		}
	} else {
		c.Implicit = true
	}
	if !p.acceptKeyword(kwYield) {
		return c
	}
	if c.Star = p.accept(tokStar); !c.Star {
		c.Yield = separated(p, p.yieldItem)
	}
	c.Where = p.where()
	return c
}

// yieldItem parses column AS variable.
func (p *parser) yieldItem() *yieldItem {
	it := &yieldItem{Pos: p.pos()}
	it.Column = p.name("a column of the procedure")
	it.Variable = it.Column
	if p.acceptKeyword(kwAs) {
		it.Variable = p.name("a variable")
	}
	return it
}

// create parses CREATE patterns.
func (p *parser) create() *createClause {
	c := &createClause{Pos: p.pos()}
	p.next()
	if t := p.tok(); t.kind == tokWord && p.peek(1).kind != tokEqual {
		if feature := unsupportedCreate(p.source(t)); feature != "" {
			p.unsupported(t, feature)
		}
	}
	c.Patterns = p.patterns()
	return c
}

// merge parses MERGE pattern ON CREATE SET items ON MATCH SET items.
func (p *parser) merge() *mergeClause {
	m := &mergeClause{Pos: p.pos()}
	p.next()
	m.Pattern = p.pattern()
	for p.acceptKeyword(kwOn) {
		switch {
		case p.acceptKeyword(kwCreate):
			p.expectKeyword(kwSet)
			m.OnCreate = append(m.OnCreate, p.setItems()...)
		case p.acceptKeyword(kwMatch):
			p.expectKeyword(kwSet)
			m.OnMatch = append(m.OnMatch, p.setItems()...)
		default:
			p.expected("CREATE or MATCH", "CREATE", "MATCH")
		}
	}
	return m
}

// set parses SET items.
func (p *parser) set() *setClause {
	s := &setClause{Pos: p.pos()}
	p.next()
	s.Items = p.setItems()
	return s
}

func (p *parser) setItems() []*setClauseItem { return separated(p, p.setItem) }

// setItem parses x.name = value, x = map, x += map or x:Label.
func (p *parser) setItem() *setClauseItem {
	it := &setClauseItem{Pos: p.pos(), Target: p.target("SET")}
	_, isVariable := it.Target.(*variable)
	switch {
	case p.is(tokColon) && isVariable:
		it.Labels = p.setLabels()
		return it
	case p.accept(tokEqual):
	case p.is(tokPlusEqual) && isVariable:
		p.next()
		it.Add = true
	case isVariable:
		p.expected("'=', '+=', or '.' and a property, or ':' and a label")
	default:
		p.expected("'='")
	}
	it.Value = p.expr()
	return it
}

// remove parses REMOVE items.
func (p *parser) remove() *removeClause {
	r := &removeClause{Pos: p.pos()}
	p.next()
	r.Items = separated(p, func() *removeClauseItem {
		it := &removeClauseItem{Pos: p.pos(), Target: p.target("REMOVE")}
		if _, ok := it.Target.(*variable); ok {
			if !p.is(tokColon) {
				p.expected("'.' and a property, or ':' and a label")
			}
			it.Labels = p.setLabels()
		}
		return it
	})
	return r
}

// target parses the target of SET or REMOVE: a variable, or a property of an
// expression.
func (p *parser) target(clause string) expr {
	var x expr
	switch {
	case p.accept(tokLeftParen):
		x = p.expr()
		p.expect(tokRightParen)
		if !p.is(tokDot) {
			if _, ok := x.(*variable); !ok {
				p.expected("'.' and a property")
			}
		}
	default:
		x = &variable{Pos: p.pos(), Name: p.name("a variable after " + clause)}
	}
	for p.is(tokDot) {
		p.operator()
		pos := p.pos()
		p.next()
		x = &property{Pos: pos, X: x, Name: p.anyName("the name of a property")}
	}
	if p.is(tokLeftBracket) {
		p.unsupported(p.tok(), clause+" of a property by its computed name")
	}
	if p.isKeyword(kwIs) {
		p.unsupported(p.tok(), clause+" n IS Label of GQL; write n:Label")
	}
	return x
}

// setLabels parses :A:B.
func (p *parser) setLabels() []string {
	var labels []string
	for p.accept(tokColon) {
		if p.is(tokForeign) || p.is(tokParam) {
			p.unsupported(p.tok(), "labels by their computed name")
		}
		labels = append(labels, p.anyName("a label"))
	}
	return labels
}

// deleteClause parses DELETE or DETACH DELETE.
func (p *parser) deleteClause() *deleteClause {
	d := &deleteClause{Pos: p.pos(), Detach: p.acceptKeyword(kwDetach)}
	p.expectKeyword(kwDelete)
	d.Exprs = separated(p, p.expr)
	return d
}
