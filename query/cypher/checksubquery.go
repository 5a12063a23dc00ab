package cypher

import "maps"

// carried adds the variables that are known in all clauses of a query after a clause that
// drops others.
func (c *checker) carried(cl clause, vars kinds) kinds {
	if pr, ok := cl.(*projection); ok && !pr.Return {
		for name, kind := range c.carry {
			if _, ok := vars[name]; !ok {
				vars[name] = kind
			}
		}
	}
	return vars
}

// enterQuery prepares the checking of a query within another, until leave.
func (c *checker) enterQuery(carry kinds) (leave func()) {
	outer := *c
	c.carry, c.inner, c.seen = carry, true, map[string]bool{}
	return func() { c.carry, c.inner, c.seen = outer.carry, outer.inner, outer.seen }
}

// subqueryClause checks CALL { query } and adds the columns of the query to the variables.
func (c *checker) subqueryClause(cl *subqueryClause, vars kinds) {
	for _, v := range cl.Imports {
		c.variable(v, exprScope{vars: vars, where: "CALL"})
	}
	if c.err != nil {
		return
	}
	seen := kinds{}
	switch {
	case cl.All:
		maps.Copy(seen, vars)
	case cl.Scoped:
		for _, v := range cl.Imports {
			seen[v.Name] = vars[v.Name]
		}
	}
	if cl.Batch != nil {
		c.batch(cl, vars)
	}
	leave := c.enterQuery(seen)
	after := c.queryWithin(cl.Query, nil, func(part *singleQuery) kinds {
		clear(c.seen)
		if part.Use != nil {
			c.unsupported(part.Use.Pos, "USE within CALL { }")
		}
		if _, _, imports := importsOf(part); imports && !cl.Scoped {
			return maps.Clone(vars)
		}
		for name := range vars {
			c.seen[name] = true // for the message
		}
		return maps.Clone(seen)
	})
	leave()
	if c.err != nil {
		return
	}
	if !cl.returns() {
		return
	}
	for _, name := range returned(returnOf(cl.Query.Parts[0]), after, seen) {
		c.fresh(cl.Pos, name, vars)
		vars[name] = after[name]
	}
}

// returned returns the names of the columns of a RETURN, after which some variables are
// known. Those that were carried into its query are none of its columns.
func returned(r *projection, after, carried kinds) []string {
	var names []string
	if r.Star {
		for name := range after {
			if _, ok := carried[name]; !ok {
				names = append(names, name)
			}
		}
	}
	for _, it := range r.Items {
		names = append(names, it.Name)
	}
	return names
}

// batch checks IN TRANSACTIONS.
func (c *checker) batch(cl *subqueryClause, vars kinds) {
	if c.inner {
		c.fail(cl.Batch.Pos, "InvalidClauseComposition", "CALL { } IN TRANSACTIONS cannot stand in another query")
	}
	if cl.Batch.Rows == nil {
		return
	}
	c.count(cl.Batch.Rows, "IN TRANSACTIONS OF")
	if lit, ok := cl.Batch.Rows.(*literal); ok && lit.Value.Kind() == KindInt && lit.Value.AsInt() == 0 {
		c.fail(lit.Pos, "InvalidArgumentType", "a transaction is of one row at least")
	}
}

// foreach checks FOREACH, whose clauses all write.
func (c *checker) foreach(f *foreachClause, vars kinds) {
	c.expr(f.List, exprScope{vars: vars, where: "FOREACH"})
	c.fresh(f.Pos, f.Variable, vars)
	inside := maps.Clone(vars)
	inside[f.Variable] = vars.elementOf(f.List)
	for _, cl := range f.Clauses {
		switch cl.(type) {
		case *createClause, *mergeClause, *setClause, *removeClause, *deleteClause, *foreachClause:
		default:
			c.fail(cl.At(), "InvalidClauseComposition", "FOREACH holds clauses that write, such as CREATE and SET, and not %s: write UNWIND for others", clauseName(cl))
			return
		}
		c.clause(cl, inside, false)
		if c.err != nil {
			return
		}
		inside = inside.after(cl)
	}
}

// queryExpr checks a query in an expression, which only reads and sees all variables.
func (c *checker) queryExpr(x *queryExpr, e exprScope) {
	if e.grouping != nil {
		names := map[string]bool{}
		variablesOf(x, names)
		for name := range names {
			if _, ok := e.vars[name]; ok {
				c.variable(&variable{Pos: x.Pos, Name: name}, e)
			}
		}
	}
	leave := c.enterQuery(maps.Clone(e.vars))
	defer leave()
	c.queryWithin(x.Query, func(part *singleQuery) { c.queryEnding(x, part) }, func(part *singleQuery) kinds {
		clear(c.seen)
		if part.Use != nil {
			c.unsupported(part.Use.Pos, "USE within "+x.Kind.String()+" { }")
		}
		for _, cl := range part.Clauses {
			switch cl := cl.(type) {
			case *createClause, *mergeClause, *setClause, *removeClause, *deleteClause, *foreachClause:
				c.fail(cl.At(), "InvalidClauseComposition", "%s { } only reads: %s cannot stand in it", x.Kind, clauseName(cl))
			case *subqueryClause:
				if cl.Batch != nil || anyWrites(cl) {
					c.fail(cl.At(), "InvalidClauseComposition", "%s { } only reads: CALL { } that writes cannot stand in it", x.Kind)
				}
			}
		}
		return maps.Clone(e.vars)
	})
}

// anyWrites reports whether a clause writes, or one within it.
func anyWrites(c clause) bool {
	switch c.(type) {
	case *createClause, *mergeClause, *setClause, *removeClause, *deleteClause, *foreachClause:
		return true
	}
	for _, inner := range within(c) {
		if anyWrites(inner) {
			return true
		}
	}
	return false
}

// queryEnding checks the end of a query in an expression.
func (c *checker) queryEnding(x *queryExpr, part *singleQuery) {
	r := returnOf(part)
	switch last := part.Clauses[len(part.Clauses)-1].(type) {
	case *projection:
		if !last.Return {
			c.fail(last.Pos, "InvalidClauseComposition", "a query does not end with WITH: RETURN is missing")
		}
	default:
		if x.Kind == queryCollect {
			c.fail(last.At(), "InvalidClauseComposition", "COLLECT { } ends with RETURN of one value")
		}
	}
	if x.Kind == queryCollect && r != nil && (r.Star || len(r.Items) != 1) {
		c.fail(r.Pos, "InvalidClauseComposition", "COLLECT { } ends with RETURN of one value")
	}
}
