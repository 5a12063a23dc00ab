package cypher

// patterns parses patterns with commas between them.
func (p *parser) patterns() []*pattern {
	return separated(p, p.pattern)
}

// pattern parses a pattern that may have a name: p = (a)-->(b).
func (p *parser) pattern() *pattern {
	pos := p.pos()
	variable := ""
	if p.isName() && p.peek(1).kind == tokEqual {
		variable = p.name("a variable")
		p.next()
	}
	var pt *pattern
	switch {
	case p.isKeyword(kwShortestPath), p.isKeyword(kwAllShortestPaths):
		pt = p.shortest()
	case p.is(tokWord) && (p.isKeyword(kwAny) || p.isKeyword(kwAll) || p.isWord("SHORTEST")):
		p.unsupported(p.tok(), "path selectors of GQL; write shortestPath((a)-[*]-(b))")
		return &pattern{}
	default:
		pt = p.chain()
	}
	pt.Pos, pt.Variable = pos, variable
	return pt
}

// shortest parses shortestPath(pattern) or allShortestPaths(pattern).
func (p *parser) shortest() *pattern {
	start := p.tok()
	kind := shortestOne
	if p.isKeyword(kwAllShortestPaths) {
		kind = shortestAll
	}
	p.next()
	p.expect(tokLeftParen)
	pt := p.chain()
	p.expect(tokRightParen)
	if p.err == nil && len(pt.Edges) != 1 {
		p.fail(start, "", start.word.String()+" needs a pattern of two nodes and one edge between them")
	}
	pt.Pos, pt.Shortest = Pos(start.start), kind
	return pt
}

// chain parses nodes joined by edges. A chain may stand in parentheses.
func (p *parser) chain() *pattern {
	p.enter()
	defer p.leave()
	if p.is(tokLeftParen) && p.peek(1).kind == tokLeftParen {
		open := p.next()
		pt := p.chain()
		p.expect(tokRightParen)
		if p.err == nil && (p.is(tokLeftBrace) || p.is(tokPlus) || p.is(tokStar)) {
			p.unsupported(open, "quantified path patterns; write -[:TYPE*1..3]->")
		}
		return pt
	}
	pt := &pattern{Pos: p.pos(), Nodes: []*nodePattern{p.nodePattern()}}
	for p.is(tokMinus) || p.is(tokLess) {
		e := p.edgePattern()
		if p.is(tokPlus) || p.is(tokStar) || p.is(tokLeftBrace) {
			p.edgeQuantifier(e)
		}
		pt.Edges = append(pt.Edges, e)
		pt.Nodes = append(pt.Nodes, p.nodePattern())
	}
	if p.is(tokLeftParen) {
		p.expected("an edge such as -[:TYPE]-> between two nodes")
	}
	return pt
}

// nodePattern parses (variable:Label {key: value}).
func (p *parser) nodePattern() *nodePattern {
	n := &nodePattern{Pos: p.pos()}
	if !p.accept(tokLeftParen) {
		p.expected("a node in parentheses")
		return n
	}
	n.Variable = p.patternVariable()
	if p.isKeyword(kwIs) {
		p.unsupported(p.tok(), "IS in a pattern, of GQL; write :Label")
	}
	n.Labels = p.labels(true)
	n.Props = p.patternProps()
	n.Where = p.where()
	if !p.accept(tokRightParen) {
		p.expected("':' and a label, '{' and properties, or ')'")
	}
	return n
}

// patternVariable parses the variable of a node or an edge, if it is there. It
// refuses a reserved word.
func (p *parser) patternVariable() string {
	switch p.peek(1).kind {
	case tokRightParen, tokRightBracket, tokColon, tokLeftBrace, tokStar:
		if p.is(tokWord) && !p.isKeyword(kwWhere) {
			return p.name("a variable")
		}
	}
	if !p.isName() {
		return ""
	}
	return p.name("a variable")
}

// patternProps parses the properties of a node or an edge, a map or a
// parameter.
func (p *parser) patternProps() expr {
	var props expr
	switch {
	case p.is(tokLeftBrace):
		props = p.mapLiteral()
	case p.is(tokParam):
		props = p.parameter()
	}
	return props
}

// edgePattern parses -[variable:TYPE|OTHER*1..3 {key: value}]-> and its like.
func (p *parser) edgePattern() *edgePattern {
	e := &edgePattern{Pos: p.pos(), Min: 1, Max: 1}
	left := p.accept(tokLess)
	p.dash()
	if p.accept(tokLeftBracket) {
		e.Variable = p.patternVariable()
		e.Types = p.edgeTypes()
		switch {
		case p.is(tokStar):
			p.edgeLength(e)
		case p.is(tokDotDot):
			p.fail(p.tok(), "InvalidRelationshipPattern", "the length of a path begins with a star: *.. or *1..3")
		}
		e.Props = p.patternProps()
		if e.Var && p.isKeyword(kwWhere) {
			p.unsupported(p.tok(), "WHERE in a pattern with a star; write -[r:TYPE WHERE condition]->{1,3}")
		}
		e.Where = p.where()
		if !p.accept(tokRightBracket) {
			p.expected("':' and an edge type, '*' and a length, '{' and properties, or ']'")
		}
	}
	p.dash()
	right := p.accept(tokGreater)
	switch {
	case left == right:
		e.Dir = dirBoth
	case left:
		e.Dir = dirIn
	}
	return e
}

func (p *parser) dash() {
	if !p.accept(tokMinus) {
		p.expected("'-' of an edge, as in -[:TYPE]->")
	}
}

// edgeTypes parses :A|B or :A|:B.
func (p *parser) edgeTypes() []string {
	if !p.accept(tokColon) {
		return nil
	}
	if p.is(tokForeign) || p.is(tokPercent) || p.is(tokLeftParen) || p.is(tokParam) {
		p.unsupported(p.tok(), "expressions for edge types; write :A|B")
	}
	types := []string{p.anyName("an edge type")}
	for p.accept(tokBar) {
		p.accept(tokColon)
		types = append(types, p.anyName("an edge type"))
	}
	if p.is(tokColon) {
		p.fail(p.tok(), "", "an edge has one type: write :A|B for either")
	}
	return types
}

// edgeLength parses *, *2, *1..3, *1.. or *..3.
func (p *parser) edgeLength(e *edgePattern) {
	p.next()
	e.Var, e.Min, e.Max = true, 1, -1
	switch p.tok().kind {
	case tokInt:
		e.Min = p.edgeCount()
		if !p.accept(tokDotDot) {
			e.Max = e.Min
			return
		}
		if p.is(tokInt) {
			e.Max = p.edgeCount()
		}
	case tokDotDot:
		p.next()
		if p.is(tokInt) {
			e.Max = p.edgeCount()
		}
	}
	switch p.tok().kind {
	case tokParam:
		p.fail(p.tok(), "InvalidParameterUse", "the length of a path is written as numbers, not as a parameter")
	case tokMinus, tokFloat:
		p.fail(p.tok(), "InvalidRelationshipPattern", "the length of a path is one or two numbers of edges: *2 or *1..3")
	}
}

// edgeQuantifier parses +, *, {2}, {1,3}, {1,} or {,3} behind an edge.
func (p *parser) edgeQuantifier(e *edgePattern) {
	if e.Var {
		p.fail(p.tok(), "InvalidRelationshipPattern", "a pattern of edges has one length: *1..3 within it or {1,3} behind it")
	}
	e.Var, e.Quantified, e.Min, e.Max = true, true, 0, -1
	switch t := p.next(); t.kind {
	case tokPlus:
		e.Min = 1
		return
	case tokStar:
		return
	}
	if p.is(tokInt) {
		e.Min = p.edgeCount()
		e.Max = e.Min
	}
	if p.accept(tokComma) {
		e.Max = -1
		if p.is(tokInt) {
			e.Max = p.edgeCount()
		}
	} else if e.Max < 0 {
		p.expected("a number of edges, as in {1,3}")
	}
	if p.is(tokParam) {
		p.fail(p.tok(), "InvalidParameterUse", "the length of a path is written as numbers, not as a parameter")
	}
	if e.Max == 0 {
		p.fail(p.tok(), "InvalidRelationshipPattern", "the greatest number of edges is 1 at least")
	}
	p.expect(tokRightBrace)
}

// edgeCount parses a number of edges.
func (p *parser) edgeCount() int {
	t := p.next()
	n, err := parseInt(p.source(t))
	if err != nil || n > 1<<30 {
		p.fail(t, "IntegerOverflow", "the length "+p.source(t)+" is too large")
		return 0
	}
	return int(n)
}

// patternFollows reports whether the tokens from the n-th on are a node and the
// start of an edge to another node, and not an expression in parentheses.
func (p *parser) patternFollows(n int) bool {
	i := p.i + n
	at := func(i int) token { return p.toks[min(i, len(p.toks)-1)] }
	if at(i).kind != tokLeftParen {
		return false
	}
	i++
	if isVariable(at(i)) {
		i++
	}
	for at(i).kind == tokColon || at(i).kind == tokBar {
		i++
		if k := at(i).kind; k != tokWord && k != tokQuoted {
			return false
		}
		i++
	}
	switch at(i).kind {
	case tokLeftBrace:
		i = p.skipBrackets(i)
	case tokParam:
		i++
	}
	if at(i).word == kwWhere {
		i = p.skipBrackets(p.i+n) - 1
	}
	if at(i).kind != tokRightParen {
		return false
	}
	i++
	if at(i).kind == tokLess {
		i++
		return at(i).kind == tokMinus && (at(i+1).kind == tokMinus || at(i+1).kind == tokLeftBracket)
	}
	if at(i).kind != tokMinus {
		return false
	}
	i++
	if at(i).kind == tokLeftBracket {
		i = p.skipBrackets(i)
	}
	if at(i).kind != tokMinus {
		return false
	}
	i++
	return at(i).kind == tokGreater || at(i).kind == tokLeftParen || at(i).kind == tokLeftBrace
}

// skipBrackets returns the place after the bracket that closes the one at i, or
// the end. All are found in one pass, at the first call.
func (p *parser) skipBrackets(i int) int {
	if p.closing == nil {
		p.closing = closingBrackets(p.toks)
	}
	return p.closing[i]
}

// closingBrackets returns, for each bracket that opens, the place after the one
// that closes it, or the last token.
func closingBrackets(toks []token) []int {
	closing := make([]int, len(toks))
	var open []int
	for i, t := range toks {
		switch t.kind {
		case tokLeftParen, tokLeftBracket, tokLeftBrace:
			open = append(open, i)
			closing[i] = len(toks) - 1
		case tokRightParen, tokRightBracket, tokRightBrace:
			if n := len(open); n > 0 {
				closing[open[n-1]] = i + 1
				open = open[:n-1]
			}
		}
	}
	return closing
}

// stringValue parses a string.
func (p *parser) stringValue() string {
	t := p.next()
	s, err := unquoteString(p.source(t))
	if err != nil {
		p.failAt(t.start+err.at, t.start+err.end, "InvalidUnicodeLiteral", err.message)
	}
	return s
}

// parameter parses $name.
func (p *parser) parameter() *param {
	t := p.next()
	name := p.source(t)[1:]
	if name[0] == '`' {
		name = unquoteName(name)
	}
	return &param{Pos: Pos(t.start), Name: name}
}
