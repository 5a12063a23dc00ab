package cypher

// clause checks one clause. If alone is set, it is the only clause of its
// query.
func (c *checker) clause(cl clause, vars kinds, alone bool) {
	switch cl := cl.(type) {
	case *matchClause:
		c.match(cl, vars)
	case *unwindClause:
		c.expr(cl.List, exprScope{vars: vars, where: "UNWIND"})
		c.fresh(cl.Pos, cl.Variable, vars)
	case *projection:
		c.projection(cl, vars)
	case *callClause:
		c.call(cl, vars, alone)
	case *createClause:
		c.create(cl, vars)
	case *mergeClause:
		c.merge(cl, vars)
	case *setClause:
		c.setItems(cl.Items, vars)
	case *removeClause:
		for _, it := range cl.Items {
			c.target(it.Target, vars, it.Labels != nil, "REMOVE")
		}
	case *deleteClause:
		for _, x := range cl.Exprs {
			c.deleted(x, vars)
		}
	case *subqueryClause:
		c.subqueryClause(cl, vars)
	case *foreachClause:
		c.foreach(cl, vars)
	case *loadClause:
		c.expr(cl.File, exprScope{vars: vars, where: "LOAD CSV"})
		c.fresh(cl.Pos, cl.Variable, vars)
	}
}

// fresh checks that a variable is not bound yet.
func (c *checker) fresh(at Pos, name string, vars kinds) {
	if _, ok := vars[name]; ok {
		c.fail(at, "VariableAlreadyBound", "the variable %s is bound already", name)
	}
}

func (c *checker) match(m *matchClause, vars kinds) {
	c.matchPatterns(m.Patterns, exprScope{vars: vars, where: "MATCH"})
	c.where(m.Where, exprScope{vars: vars, where: "WHERE"})
}

// call checks CALL. Only a CALL that is the whole query may take its arguments
// from the parameters or yield all columns.
func (c *checker) call(cl *callClause, vars kinds, alone bool) {
	if cl.Implicit && !alone {
		c.fail(cl.Pos, "InvalidArgumentPassingMode", "CALL within a query has its arguments in parentheses: CALL %s()", cl.Procedure)
	}
	if cl.Star && !alone {
		c.fail(cl.Pos, "UnexpectedSyntax", "YIELD * is for a CALL that is the whole query: name the columns")
	}
	for _, x := range cl.Args {
		c.expr(x, exprScope{vars: vars, where: "CALL"})
	}
	for _, it := range cl.Yield {
		c.fresh(it.Pos, it.Variable, vars)
		vars[it.Variable] = varAny
	}
	c.where(cl.Where, exprScope{vars: vars, where: "WHERE"})
}

func (c *checker) create(cl *createClause, vars kinds) {
	for _, pt := range cl.Patterns {
		c.writtenPattern(pt, vars, "CREATE")
		vars.bind(pt)
	}
}

func (c *checker) merge(m *mergeClause, vars kinds) {
	c.writtenPattern(m.Pattern, vars, "MERGE")
	vars.bind(m.Pattern)
	c.setItems(m.OnCreate, vars)
	c.setItems(m.OnMatch, vars)
}

func (c *checker) setItems(items []*setClauseItem, vars kinds) {
	for _, it := range items {
		c.target(it.Target, vars, it.Labels != nil, "SET")
		if it.Value == nil {
			continue
		}
		c.expr(it.Value, exprScope{vars: vars, where: "SET"})
		if _, whole := it.Target.(*variable); whole && isScalar(it.Value) {
			c.fail(it.Value.At(), "InvalidArgumentType", "SET of a whole node or edge needs a map of properties")
		}
	}
}

// isScalar reports whether an expression is a literal that is neither null nor
// a map.
func isScalar(x expr) bool {
	switch x := x.(type) {
	case *literal:
		return !x.Value.IsNull()
	case *listLit:
		return true
	}
	return false
}

// target checks the target of SET or REMOVE.
func (c *checker) target(x expr, vars kinds, labels bool, clause string) {
	if pr, ok := x.(*property); ok {
		c.expr(pr, exprScope{vars: vars, where: clause})
		x = pr.X
	}
	v, ok := x.(*variable)
	if !ok {
		return
	}
	kind, ok := vars[v.Name]
	switch {
	case !ok:
		c.undefined(v.Pos, v.Name, vars)
	case kind == varEdge && labels:
		c.fail(v.Pos, "InvalidArgumentType", "%s is an edge and has no labels; its type cannot change", v.Name)
	case kind == varPath || kind == varEdges || kind.isValue():
		c.fail(v.Pos, "InvalidArgumentType", "%s changes nodes and edges, and %s is %s", clause, v.Name, kind)
	}
}

// deleted checks an expression of DELETE, which must be able to yield a node,
// an edge or a path.
func (c *checker) deleted(x expr, vars kinds) {
	c.expr(x, exprScope{vars: vars, where: "DELETE"})
	switch y := x.(type) {
	case *labelsExpr:
		c.fail(y.Pos, "InvalidDelete", "DELETE removes whole nodes and edges: REMOVE n:Label removes a label")
	case *variable:
		if vars[y.Name].isValue() {
			c.fail(y.Pos, "InvalidArgumentType", "DELETE removes nodes, edges and paths, and %s is a value", y.Name)
		}
	default:
		if vars.kindOf(x).isValue() {
			c.fail(x.At(), "InvalidArgumentType", "DELETE removes nodes, edges and paths, not values")
		}
	}
}
