package cypher

// The levels of precedence in openCypher's grammar, from the loosest to the
// tightest. Operators of one level associate to the left; comparisons chain.
const (
	levelOr = iota + 1
	levelXor
	levelAnd
	levelNot
	levelComparison
	levelPredicate // IN, STARTS WITH, ENDS WITH, CONTAINS, =~, IS NULL
	levelAdd
	levelMultiply
	levelPower
	levelUnary
)

// expr parses an expression.
func (p *parser) expr() expr { return p.exprUntil(false) }

// exprUntil parses an expression. With noBar a | outside brackets ends it, so
// that x:A in [x IN list WHERE x:A | x.name] does not go on.
func (p *parser) exprUntil(noBar bool) expr {
	outer := p.noBar
	p.noBar = noBar
	p.enter()
	x := p.binary(levelOr)
	p.leave()
	p.noBar = outer
	return x
}

// binaryOps has the spelling of the operators with two operands, their level, and
// the token or the keyword that they begin with.
var binaryOps = [...]struct {
	text  string
	level int
	kind  tokenKind
	word  keyword
}{
	opOr:           {"OR", levelOr, tokWord, kwOr},
	opXor:          {"XOR", levelXor, tokWord, kwXor},
	opAnd:          {"AND", levelAnd, tokWord, kwAnd},
	opEqual:        {"=", levelComparison, tokEqual, noKeyword},
	opNotEqual:     {"<>", levelComparison, tokNotEqual, noKeyword},
	opLess:         {"<", levelComparison, tokLess, noKeyword},
	opLessEqual:    {"<=", levelComparison, tokLessEqual, noKeyword},
	opGreater:      {">", levelComparison, tokGreater, noKeyword},
	opGreaterEqual: {">=", levelComparison, tokGreaterEqual, noKeyword},
	opAdd:          {"+", levelAdd, tokPlus, noKeyword},
	opSubtract:     {"-", levelAdd, tokMinus, noKeyword},
	opMultiply:     {"*", levelMultiply, tokStar, noKeyword},
	opDivide:       {"/", levelMultiply, tokSlash, noKeyword},
	opModulo:       {"%", levelMultiply, tokPercent, noKeyword},
	opPower:        {"^", levelPower, tokCaret, noKeyword},
	opIn:           {"IN", levelPredicate, tokWord, kwIn},
	opStartsWith:   {"STARTS WITH", levelPredicate, tokWord, kwStarts},
	opEndsWith:     {"ENDS WITH", levelPredicate, tokWord, kwEnds},
	opContains:     {"CONTAINS", levelPredicate, tokWord, kwContains},
	opMatches:      {"=~", levelPredicate, tokMatches, noKeyword},
}

// infix returns the operator that a token stands for between two operands, and its
// level; 0 for none.
func infix(t token) (binaryOp, int) {
	if t.kind != tokWord && t.kind < tokEqual || t.kind == tokWord && t.word == noKeyword {
		return 0, 0 // most tokens
	}
	for op := range binaryOps {
		if o := &binaryOps[op]; o.level > 0 && o.kind == t.kind && o.word == t.word {
			return binaryOp(op), o.level
		}
	}
	return 0, 0
}

// binary parses operands joined by operators of a level or above.
func (p *parser) binary(level int) expr {
	left := p.unary(level)
	for {
		t := p.tok()
		if t.word == kwIs && level <= levelPredicate {
			left = p.isNull(left)
			continue
		}
		op, l := infix(t)
		if l == 0 || l < level {
			if t.kind == tokForeign {
				p.unsupported(t, unsupportedOperator(p.source(t)))
			}
			return left
		}
		if l == levelComparison {
			left = p.comparison(left)
			continue
		}
		p.operator()
		p.next()
		if t.word == kwStarts || t.word == kwEnds {
			p.expectKeyword(kwWith)
		}
		left = &binaryExpr{Pos: Pos(t.start), Op: op, L: left, R: p.binary(l + 1)}
	}
}

// comparison parses the rest of a chain after its first operand: a < b <= c is
// a < b AND b <= c.
func (p *parser) comparison(left expr) expr {
	var chain expr
	for {
		t := p.tok()
		op, l := infix(t)
		if l != levelComparison {
			return chain
		}
		p.operator()
		p.next()
		right := p.binary(levelComparison + 1)
		var x expr = &binaryExpr{Pos: Pos(t.start), Op: op, L: left, R: right}
		if chain != nil {
			x = &binaryExpr{Pos: Pos(t.start), Op: opAnd, L: chain, R: x}
		}
		chain, left = x, right
	}
}

// isNull parses IS NULL or IS NOT NULL after an operand.
func (p *parser) isNull(x expr) expr {
	p.operator()
	pos := p.pos()
	p.next()
	not := p.acceptKeyword(kwNot)
	if !p.isKeyword(kwNull) && p.is(tokForeign) || p.isWord("TYPED") || p.isWord("NORMALIZED") {
		p.unsupported(p.tok(), "types of values (IS ::) and IS NORMALIZED")
	}
	if !p.acceptKeyword(kwNull) {
		p.expected("NULL or NOT NULL", "NULL", "NOT")
	}
	return &isNullExpr{Pos: pos, X: x, Not: not}
}

// unary parses NOT, - and + in front of an operand.
func (p *parser) unary(level int) expr {
	t := p.tok()
	switch {
	case t.word == kwNot:
		if level > levelNot {
			p.fail(t, "", "NOT binds less than the operator before it: put NOT and what follows in parentheses")
			return &literal{Pos: Pos(t.start)}
		}
		p.next()
		p.enter()
		x := p.binary(levelNot)
		p.leave()
		return &unaryExpr{Pos: Pos(t.start), Op: opNot, X: x}
	case t.kind == tokMinus && p.negativeNumber():
		p.next()
		return p.number(t.start)
	case t.kind == tokMinus, t.kind == tokPlus:
		p.next()
		p.enter()
		x := p.unary(levelUnary)
		p.leave()
		op := opNegative
		if t.kind == tokPlus {
			op = opPositive
		}
		return &unaryExpr{Pos: Pos(t.start), Op: op, X: x}
	}
	return p.postfix()
}

// negativeNumber reports whether the current minus is the sign of a number, so
// that the smallest integer can be written.
func (p *parser) negativeNumber() bool {
	if k := p.peek(1).kind; k != tokInt && k != tokFloat {
		return false
	}
	switch p.peek(2).kind {
	case tokDot, tokLeftBracket, tokColon:
		return false
	}
	return true
}

// postfix parses an operand and its postfixes: .name, [i], [a..b], :Label.
func (p *parser) postfix() expr {
	x := p.atom()
	for {
		t := p.tok()
		switch t.kind {
		case tokDot:
			p.operator()
			p.next()
			x = &property{Pos: Pos(t.start), X: x, Name: p.anyName("the name of a property")}
		case tokLeftBracket:
			p.operator()
			x = p.index(x)
		case tokColon:
			if !hasLabels(x) {
				return x
			}
			p.operator()
			return &labelsExpr{Pos: Pos(t.start), X: x, Labels: p.labels(!p.noBar)}
		case tokLeftBrace:
			v, ok := x.(*variable)
			if !ok {
				return x
			}
			p.operator()
			x = p.mapProjection(v)
		default:
			return x
		}
	}
}

// hasLabels reports whether :Label may follow an operand. What follows a
// literal is the colon of something around it.
func hasLabels(x expr) bool {
	switch x.(type) {
	case *literal, *listLit, *mapLit:
		return false
	}
	return true
}

// index parses [i] or [a..b] after an operand.
func (p *parser) index(x expr) expr {
	pos := p.pos()
	p.next()
	var from, to expr
	if !p.is(tokDotDot) {
		from = p.expr()
	}
	if p.accept(tokDotDot) {
		if !p.is(tokRightBracket) {
			to = p.expr()
		}
		p.expect(tokRightBracket)
		return &sliceExpr{Pos: pos, X: x, From: from, To: to}
	}
	p.expect(tokRightBracket)
	return &indexExpr{Pos: pos, X: x, I: from}
}
