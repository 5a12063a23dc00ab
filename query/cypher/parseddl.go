package cypher

import (
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// indexWords are what may stand between CREATE, or DROP, and INDEX.
var indexWords = []string{"RANGE", "TEXT", "POINT", "BTREE", "LOOKUP", "FULLTEXT", "VECTOR"}

// indexFollows reports whether CREATE is followed by an index or a constraint, and
// not by a pattern that has such a name.
func (p *parser) indexFollows() bool {
	if p.peek(2).kind == tokEqual {
		return false
	}
	t := p.peek(1)
	if t.word == kwIndex || t.isWord(p.text, "CONSTRAINT") {
		return true
	}
	for _, word := range indexWords {
		if t.isWord(p.text, word) {
			return true
		}
	}
	return false
}

// indexClause parses
//
//	CREATE [RANGE|TEXT|POINT] INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.a, n.b) [OPTIONS {...}]
//	CREATE INDEX [name] [IF NOT EXISTS] FOR ()-[r:TYPE]-() ON (r.a)
//	CREATE INDEX [name] [IF NOT EXISTS] FOR (n) ON (n.a)
//	CREATE FULLTEXT INDEX name [IF NOT EXISTS] FOR (n:A|B) ON EACH [n.a, n.b] [OPTIONS {...}]
//	CREATE FULLTEXT INDEX name [IF NOT EXISTS] FOR ()-[r:A|B]-() ON EACH [r.a, r.b] [OPTIONS {...}]
//	CREATE VECTOR INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.name) OPTIONS {...}
//	CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR (n:Label) REQUIRE n.a IS UNIQUE
//	DROP INDEX [name] [IF EXISTS] [FOR (n:Label) ON (n.name)]
//	DROP CONSTRAINT name [IF EXISTS]
//
// A DROP has a name, or says what the index is of.
func (p *parser) indexClause() *indexClause {
	c := &indexClause{Pos: p.pos(), Drop: p.isKeyword(kwDrop)}
	p.next()
	if p.isWord("CONSTRAINT") {
		c.Constraint = true
		p.next()
	} else {
		p.indexKind(c)
		p.expectKeyword(kwIndex)
	}
	if p.isKeyword(kwOn) && !c.Constraint {
		p.unsupported(p.tok(), "INDEX ON :Label(name); write INDEX FOR (n:Label) ON (n.name)")
	}
	if p.isName() && !p.isKeyword(kwFor) && !p.isKeywords(kwIf, kwNot) && !p.isKeywords(kwIf, kwExists) {
		c.Name = p.name("the name of the index")
	}
	p.ifExists(c)
	if p.isKeyword(kwOn) {
		p.unsupported(p.tok(), "CONSTRAINT ON ... ASSERT; write CONSTRAINT FOR (n:Label) REQUIRE n.name IS UNIQUE")
	}
	switch {
	case p.isKeyword(kwFor) && !(c.Constraint && c.Drop):
		p.indexOf(c)
	case c.Constraint && c.Drop:
		if c.Name == "" {
			p.expected("the name of the constraint", "IF")
		}
	case c.Constraint:
		p.expected("FOR (n:Label) REQUIRE n.name IS UNIQUE", "FOR", "IF")
	case !c.Drop:
		p.expected("FOR (n:Label) ON (n.name)", "FOR", "IF")
	case c.Name == "":
		p.expected("the name of the index, or FOR (n:Label) ON (n.name)", "FOR", "IF")
	}
	if !c.Drop && p.acceptKeyword(kwOptions) {
		c.Options = p.mapLiteral()
	}
	return c
}

// indexKind parses the word in front of INDEX.
func (p *parser) indexKind(c *indexClause) {
	t := p.tok()
	for _, word := range indexWords {
		if p.isWord(word) {
			c.Kind = word
			p.next()
		}
	}
	if c.Vector = c.Kind == "VECTOR"; c.Vector || c.Kind == "RANGE" || c.Kind == "BTREE" {
		c.Kind = ""
	}
	if t.kind == tokWord {
		if feature := unsupportedCreate(p.source(t)); feature != "" {
			p.unsupported(t, feature)
		}
	}
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

// indexOf parses FOR (n:Label) ON (n.name), and for a constraint FOR (n:Label)
// REQUIRE n.name IS UNIQUE.
func (p *parser) indexOf(c *indexClause) {
	p.next()
	p.expect(tokLeftParen)
	variable := ""
	if c.Edges = p.accept(tokRightParen); c.Edges {
		variable = p.indexedEdge(c)
	} else {
		variable = p.name("a variable")
		p.indexedLabels(c, "a label")
		p.expect(tokRightParen)
	}
	if c.Constraint {
		if c.Label == "" {
			p.expected("':' and a label")
		}
		if !p.isWord("REQUIRE") {
			p.expected("REQUIRE", "REQUIRE")
		}
		p.next()
		p.indexedProperties(c, variable, tokLeftParen, tokRightParen)
		p.requirement(c)
		return
	}
	p.expectKeyword(kwOn)
	each := p.isWord("EACH")
	if each {
		p.next()
	}
	switch {
	case c.Kind == "LOOKUP":
		if p.anyName("labels(n) or type(r)"); p.accept(tokLeftParen) {
			p.name("the variable " + variable)
			p.expect(tokRightParen)
		}
	case c.Kind == "FULLTEXT":
		if !each {
			p.expected("EACH [n.name]", "EACH")
		}
		p.indexedProperties(c, variable, tokLeftBracket, tokRightBracket)
	default:
		p.indexedProperties(c, variable, tokLeftParen, tokRightParen)
	}
	if more := p.toks[p.i-1]; c.Vector && (len(c.Properties) > 0 || c.Edges || c.Label == "") {
		p.unsupported(more, "a vector index of other than one property of a label")
	}
}

// indexedEdge parses -[r:TYPE]-() and returns the variable.
func (p *parser) indexedEdge(c *indexClause) string {
	p.accept(tokLess)
	p.dash()
	p.expect(tokLeftBracket)
	variable := p.name("a variable")
	p.indexedLabels(c, "an edge type")
	p.expect(tokRightBracket)
	p.dash()
	p.accept(tokGreater)
	p.expect(tokLeftParen)
	p.expect(tokRightParen)
	if c.Label == "" && c.Kind != "LOOKUP" {
		p.expected("':' and an edge type")
	}
	return variable
}

// indexedLabels parses :A or, for a fulltext index, :A|B.
func (p *parser) indexedLabels(c *indexClause, what string) {
	if !p.accept(tokColon) {
		if c.Kind == "FULLTEXT" || c.Vector {
			p.expected("':' and " + what)
		}
		return
	}
	c.Label = p.anyName(what)
	for p.is(tokBar) || p.is(tokColon) {
		if c.Kind != "FULLTEXT" {
			p.unsupported(p.tok(), "an index of several labels")
		}
		p.next()
		c.Labels = append(c.Labels, p.anyName(what))
	}
}

// indexedProperties parses n.a, or several in brackets.
func (p *parser) indexedProperties(c *indexClause, variable string, left, right tokenKind) {
	one := func() string {
		at := p.tok()
		if name := p.name("the variable " + variable); name != variable {
			p.fail(at, "UndefinedVariable", "the variable "+name+" is not defined")
		}
		p.expect(tokDot)
		return p.anyName("the name of a property")
	}
	if !p.accept(left) {
		if left == tokLeftBracket {
			p.expect(left)
		}
		c.Property = one()
		return
	}
	all := separated(p, one)
	if c.Property = all[0]; len(all) > 1 {
		c.Properties = all[1:]
	}
	p.expect(right)
}

// requirement parses what a constraint asks for: IS UNIQUE, IS NOT NULL, IS [NODE]
// KEY, IS :: TYPE.
func (p *parser) requirement(c *indexClause) {
	p.expectKeyword(kwIs)
	for _, word := range []string{"NODE", "RELATIONSHIP", "REL"} {
		if p.isWord(word) {
			p.next()
		}
	}
	switch {
	case p.isWord("UNIQUE"):
		c.Rule = engine.Unique
	case p.isWord("KEY"):
		c.Rule = engine.UniqueKey
	case p.isKeywords(kwNot, kwNull):
		p.next()
		c.Rule = engine.NotNull
	case p.is(tokForeign) && p.source(p.tok()) == "::", p.isWord("TYPED"):
		c.Rule = engine.OfType
	default:
		p.expected("UNIQUE, NOT NULL, KEY or :: and a type", "UNIQUE", "NOT NULL", "KEY")
	}
	at := p.next()
	if c.Rule == engine.OfType {
		c.ValueType = p.valueType()
	}
	if (c.Rule == engine.OfType || c.Rule == engine.NotNull) && len(c.Properties) > 0 {
		p.unsupported(at, "a constraint of this kind on several properties: make one for each")
	}
}

// valueType parses the name of a type, as STRING, ZONED DATETIME or LIST<INTEGER NOT
// NULL>.
func (p *parser) valueType() string {
	var words []string
	for p.tok().kind == tokWord && !p.isKeyword(kwOptions) {
		words = append(words, strings.ToUpper(p.source(p.next())))
		if p.accept(tokLess) {
			words[len(words)-1] += "<" + p.valueType() + ">"
			p.expect(tokGreater)
		}
	}
	if len(words) == 0 {
		p.expected("a type, as STRING or INTEGER")
	}
	text := strings.Join(words, " ")
	for other, name := range map[string]string{"BOOL": "BOOLEAN", "INT": "INTEGER", "VARCHAR": "STRING", "TIMESTAMP WITH TIME ZONE": "ZONED DATETIME", "TIMESTAMP WITHOUT TIME ZONE": "LOCAL DATETIME"} {
		if text == other {
			return name
		}
	}
	return text
}
