package cypher

import "slices"

// shown is what SHOW lists: a procedure and its columns.
type shownList struct {
	words     []string
	procedure string
	columns   []string
}

// shownLists are the lists of SHOW.
var shownLists = []shownList{
	{[]string{"INDEX", "INDEXES"}, "db.indexes", []string{"name", "state", "type", "entityType", "labelsOrTypes", "properties", "owningConstraint"}},
	{[]string{"CONSTRAINT", "CONSTRAINTS"}, "db.constraints", []string{"name", "type", "entityType", "labelsOrTypes", "properties", "ownedIndex", "propertyType"}},
	{[]string{"PROCEDURE", "PROCEDURES"}, "db.procedures", []string{"name", "description", "mode", "signature"}},
	{[]string{"FUNCTION", "FUNCTIONS"}, "db.functions", []string{"name", "signature"}},
}

// show parses
//
//	SHOW [ALL] INDEXES [YIELD *|columns [ORDER BY ... SKIP ... LIMIT ...]] [WHERE ...] [RETURN ...]
//
// and returns it as a call of a procedure.
func (p *parser) show(use *useClause) *regularQuery {
	at := p.pos()
	p.next()
	if p.isKeyword(kwAll) {
		p.next()
	}
	i := slices.IndexFunc(shownLists, func(s shownList) bool { return slices.ContainsFunc(s.words, p.isWord) })
	if i < 0 {
		if p.tok().kind == tokWord {
			if p.isWord("DATABASE") || p.isWord("DATABASES") {
				p.unsupported(p.tok(), "SHOW DATABASES: a statement sees one database; CALL db.graphs() lists its graphs")
			}
			p.unsupported(p.tok(), "SHOW of other than INDEXES, CONSTRAINTS, PROCEDURES and FUNCTIONS; write SHOW INDEXES WHERE type = 'RANGE'")
		}
		p.expected("INDEXES, CONSTRAINTS, PROCEDURES or FUNCTIONS", "INDEXES", "CONSTRAINTS", "PROCEDURES", "FUNCTIONS")
		return &regularQuery{Parts: []*singleQuery{{}}}
	}
	p.next()
	c := &callClause{Pos: at, Procedure: shownLists[i].procedure, Args: []expr{}}
	part := &singleQuery{Use: use, Clauses: []clause{c}}
	named := p.acceptKeyword(kwYield) && !p.accept(tokStar)
	if named {
		c.Yield = separated(p, p.yieldItem)
	} else {
		for _, name := range shownLists[i].columns {
			c.Yield = append(c.Yield, &yieldItem{Pos: at, Column: name, Variable: name})
		}
	}
	if p.isKeyword(kwOrder) || p.isKeyword(kwSkip) || p.isKeyword(kwLimit) {
		part.Clauses = append(part.Clauses, p.sorted(at))
	}
	c.Where = p.where()
	switch {
	case p.isKeyword(kwReturn):
		part.Clauses = append(part.Clauses, p.projection())
	case len(part.Clauses) > 1:
		part.Clauses = append(part.Clauses, &projection{Pos: at, Return: true, Star: true})
	}
	return &regularQuery{Parts: []*singleQuery{part}}
}

// sorted parses ORDER BY, SKIP and LIMIT as those of WITH *.
func (p *parser) sorted(at Pos) *projection {
	w := &projection{Pos: at, Star: true}
	if p.isKeyword(kwOrder) {
		p.next()
		p.expectKeyword(kwBy)
		w.Order = separated(p, p.sortItem)
	}
	if p.acceptKeyword(kwSkip) {
		w.Skip = p.expr()
	}
	if p.acceptKeyword(kwLimit) {
		w.Limit = p.expr()
	}
	return w
}
