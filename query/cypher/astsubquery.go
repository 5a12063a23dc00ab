package cypher

// subqueryClause is CALL { query }, CALL (a, b) { query } or CALL (*) { query }, which
// runs a query for each row.
type subqueryClause struct {
	Pos
	Optional bool
	// Scoped marks the form with parentheses: Imports, or with All every variable, are
	// known in the whole query. Without them, a part sees what its first WITH names.
	Scoped, All bool
	Imports     []*variable
	Query       *regularQuery
	Batch       *batchClause // IN TRANSACTIONS, nil for none
}

// returns reports whether the query makes rows of its own.
func (s *subqueryClause) returns() bool { return returnOf(s.Query.Parts[0]) != nil }

// batchClause is IN TRANSACTIONS OF Rows ROWS.
type batchClause struct {
	Pos
	Rows expr // nil is the default
}

// foreachClause is FOREACH (variable IN list | clauses that write).
type foreachClause struct {
	Pos
	Variable string
	List     expr
	Clauses  []clause
}

// loadClause is LOAD CSV WITH HEADERS FROM file AS variable FIELDTERMINATOR ';'.
type loadClause struct {
	Pos
	Headers   bool
	File      expr
	Variable  string
	Separator string // "" is a comma
}

// queryExpr is EXISTS, COUNT or COLLECT { query } with more than a MATCH.
type queryExpr struct {
	Pos
	Kind  queryKind
	Query *regularQuery
}

// queryKind is what is made of the rows of a query.
type queryKind uint8

// The kinds: whether there is a row, how many there are, and a list of their values.
const (
	queryExists queryKind = iota
	queryCount
	queryCollect
)

// String returns the keyword.
func (k queryKind) String() string { return [...]string{"EXISTS", "COUNT", "COLLECT"}[k] }

// returnOf returns the RETURN that a part ends with, nil for none.
func returnOf(p *singleQuery) *projection {
	if r, ok := p.Clauses[len(p.Clauses)-1].(*projection); ok && r.Return {
		return r
	}
	return nil
}

// importsOf returns the variables that the first WITH of a part names, all of them if
// star is set. ok is false if the part does not begin with such a WITH.
func importsOf(p *singleQuery) (names []string, star, ok bool) {
	w, isWith := p.Clauses[0].(*projection)
	if !isWith || w.Return || w.Distinct || w.Order != nil || w.Skip != nil || w.Limit != nil || w.Where != nil {
		return nil, false, false
	}
	for _, it := range w.Items {
		v, isVariable := it.Expr.(*variable)
		if !isVariable || it.Name != v.Name {
			return nil, false, false
		}
		names = append(names, v.Name)
	}
	return names, w.Star, true
}

// within returns the clauses that stand in a clause.
func within(c clause) []clause {
	switch c := c.(type) {
	case *subqueryClause:
		return c.Query.clauses()
	case *foreachClause:
		return c.Clauses
	}
	return nil
}

// clauses returns the clauses of all parts.
func (q *regularQuery) clauses() []clause {
	var all []clause
	for _, p := range q.Parts {
		all = append(all, p.Clauses...)
	}
	return all
}

// clauseParts calls visit for each expression of a clause, and each for its patterns,
// those of the clauses within it too.
func clauseParts(c clause, visit func(expr), each func(*pattern)) {
	items := func(items []*setClauseItem) {
		for _, it := range items {
			visit(it.Target)
			visit(it.Value)
		}
	}
	switch c := c.(type) {
	case *matchClause:
		for _, p := range c.Patterns {
			each(p)
		}
		visit(c.Where)
	case *unwindClause:
		visit(c.List)
	case *projection:
		for _, it := range c.Items {
			visit(it.Expr)
		}
		for _, s := range c.Order {
			visit(s.Expr)
		}
		visit(c.Skip)
		visit(c.Limit)
		visit(c.Where)
	case *callClause:
		for _, e := range c.Args {
			visit(e)
		}
		visit(c.Where)
	case *createClause:
		for _, p := range c.Patterns {
			each(p)
		}
	case *mergeClause:
		each(c.Pattern)
		items(c.OnCreate)
		items(c.OnMatch)
	case *setClause:
		items(c.Items)
	case *removeClause:
		for _, it := range c.Items {
			visit(it.Target)
		}
	case *deleteClause:
		for _, e := range c.Exprs {
			visit(e)
		}
	case *subqueryClause:
		for _, v := range c.Imports {
			visit(v)
		}
		if c.Batch != nil {
			visit(c.Batch.Rows)
		}
	case *foreachClause:
		visit(c.List)
	case *loadClause:
		visit(c.File)
	}
	for _, inner := range within(c) {
		clauseParts(inner, visit, each)
	}
}
