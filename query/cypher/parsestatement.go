package cypher

import "strings"

// clauseWords are the words that a clause may begin with, for messages.
var clauseWords = []string{
	"MATCH", "OPTIONAL", "UNWIND", "CALL", "WITH", "RETURN", "CREATE", "MERGE",
	"SET", "REMOVE", "DELETE", "DETACH", "UNION", "FOREACH", "LOAD",
}

// statementWords are the other words that a statement may begin with.
var statementWords = append([]string{"USE", "EXPLAIN", "PROFILE", "DROP", "COPY"}, clauseWords...)

// followWords are the words that may follow an expression in a clause.
var followWords = append([]string{
	"WHERE", "ORDER", "ASC", "DESC", "SKIP", "LIMIT", "AS", "YIELD", "AND", "OR", "XOR", "IN",
	"IS", "CONTAINS", "STARTS", "ENDS", "ON",
}, clauseWords...)

// statement parses a statement and the end of the text.
func (p *parser) statement() *statement {
	s := &statement{Text: p.text}
	if p.is(tokEnd) || p.is(tokSemicolon) && p.peek(1).kind == tokEnd {
		p.fail(p.tok(), "", "the statement is empty")
		return s
	}
	switch {
	case p.acceptKeyword(kwExplain):
		s.Mode = modeExplain
	case p.acceptKeyword(kwProfile):
		s.Mode = modeProfile
	}
	use := p.use()
	switch {
	case use == nil && p.graphFollows():
		s.Graph = p.graphClause()
	case p.isKeyword(kwCreate) && p.indexFollows(), p.isKeyword(kwDrop):
		s.Index = p.indexClause()
		s.Index.Use = use
	case p.isWord("SHOW"):
		s.Query = p.show(use)
	case p.isKeyword(kwCopy):
		s.Copy = p.copyStatement()
		s.Copy.Use = use
	case use != nil && (p.is(tokEnd) || p.is(tokSemicolon)):
		s.Use = use
		if s.Mode != modeRun {
			p.fail(p.tok(), "", "USE alone has no plan to show")
		}
	default:
		s.Query = p.query(use)
	}
	p.accept(tokSemicolon)
	if !p.is(tokEnd) {
		if p.toks[max(p.i-1, 0)].kind == tokSemicolon {
			p.fail(p.tok(), "", "one statement at a time: a second begins here")
		} else {
			p.unexpectedClause()
		}
	}
	return s
}

// use parses USE graph, if it is there.
func (p *parser) use() *useClause {
	if !p.isKeyword(kwUse) {
		return nil
	}
	u := &useClause{Pos: p.pos()}
	p.next()
	t := p.tok()
	u.Graph = p.graphName()
	if p.is(tokLeftParen) {
		p.unsupported(t, "functions in USE; write the name of the graph")
	}
	return u
}

// graphName parses the name of a graph.
func (p *parser) graphName() (name string) {
	if p.tok().kind == tokString {
		name = p.stringValue()
	} else {
		name = p.anyName("the name of a graph, a word or a text in quotes")
	}
	switch odd := p.tok(); {
	case odd.kind == tokDot, odd.kind == tokMinus, odd.kind == tokForeign, odd.kind == tokEqual, odd.bad == badCharacter:
		p.fail(p.tok(), "", "the name of a graph with such characters is written in quotes: 'name'")
	}
	return name
}

// query parses parts joined by UNION; use stands in front of the first.
func (p *parser) query(use *useClause) *regularQuery {
	q := &regularQuery{Parts: []*singleQuery{p.part(use)}}
	for p.acceptKeyword(kwUnion) {
		q.All = append(q.All, p.acceptKeyword(kwAll))
		p.acceptKeyword(kwDistinct)
		q.Parts = append(q.Parts, p.part(p.use()))
	}
	return q
}

// part parses the clauses up to a UNION, a bracket or the end.
func (p *parser) part(use *useClause) *singleQuery {
	part := &singleQuery{Use: use}
	for {
		switch p.tok().kind {
		case tokEnd, tokSemicolon, tokRightParen, tokRightBrace:
			if len(part.Clauses) == 0 {
				p.expected("a clause such as MATCH, CALL or RETURN")
			}
			return part
		}
		if p.isKeyword(kwUnion) && len(part.Clauses) > 0 {
			return part
		}
		c := p.clause(len(part.Clauses) == 0)
		if p.err != nil {
			return part
		}
		part.Clauses = append(part.Clauses, c)
	}
}

// clause parses one clause.
func (p *parser) clause(first bool) clause {
	switch p.tok().word {
	case kwMatch, kwOptional:
		if p.peek(1).word == kwCall {
			return p.subqueryClause()
		}
		return p.match()
	case kwUnwind:
		return p.unwind()
	case kwWith, kwReturn:
		return p.projection()
	case kwCall:
		if k := p.peek(1).kind; k == tokLeftBrace || k == tokLeftParen {
			return p.subqueryClause()
		}
		return p.call()
	case kwCreate:
		return p.create()
	case kwMerge:
		return p.merge()
	case kwSet:
		return p.set()
	case kwRemove:
		return p.remove()
	case kwDelete, kwDetach:
		return p.deleteClause()
	}
	switch {
	case p.isWord("FOREACH") && p.peek(1).kind == tokLeftParen:
		return p.foreach()
	case p.isWord("LOAD") && p.peek(1).isWord(p.text, "CSV"):
		return p.load()
	}
	if first {
		p.unexpectedStart()
	} else {
		p.unexpectedClause()
	}
	return nil
}

// unexpectedStart refuses the current token at the start of a statement.
func (p *parser) unexpectedStart() {
	t := p.tok()
	if t.kind == tokWord {
		if feature := unsupportedClause(p.source(t)); feature != "" {
			p.unsupported(t, feature)
			return
		}
	}
	p.expected("a clause such as MATCH, CALL or RETURN", statementWords...)
}

// unexpectedClause refuses the current token after a clause.
func (p *parser) unexpectedClause() {
	t := p.tok()
	if t.kind == tokWord {
		switch word := p.source(t); {
		case strings.EqualFold(word, "USE"):
			p.fail(t, "InvalidClauseComposition", "USE stands at the start of a query")
			return
		case t.word == kwYield:
			p.fail(t, "", "YIELD stands after CALL procedure(...)")
			return
		case t.word == kwWhere:
			p.fail(t, "", "WHERE stands after MATCH, WITH or YIELD, once and before anything else")
			return
		case t.word == kwIn && p.peek(1).isWord(p.text, "TRANSACTIONS"):
			p.fail(t, "", "IN TRANSACTIONS stands after CALL { query }")
			return
		case unsupportedClause(word) != "":
			p.unsupported(t, unsupportedClause(word))
			return
		}
	}
	p.expected("a clause or the end of the statement", followWords...)
}
