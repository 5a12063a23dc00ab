package cypher

import (
	"maps"
)

// projection checks WITH or RETURN.
func (c *checker) projection(pr *projection, vars kinds) {
	name := clauseName(pr)
	if pr.Star && pr.Return && len(vars) == 0 {
		c.fail(pr.Pos, "NoVariablesInScope", "RETURN * returns all variables, and there is none")
	}
	aggregated := pr.aggregates()
	var keys *groupNames
	if aggregated {
		keys = groupingKeys(pr, vars)
		for name := range c.carry {
			keys.vars[name] = true
		}
	}
	for _, it := range pr.Items {
		e := exprScope{vars: vars, where: name, aggregate: aggregate}
		if aggregated && hasAggregate(it.Expr) {
			e.grouping = keys
		}
		c.expr(it.Expr, e)
		if v, ok := it.Expr.(*variable); !pr.Return && it.Aliased && !(ok && v.Name == it.Name) {
			if _, outer := c.carry[it.Name]; outer {
				c.fail(it.Pos, "VariableAlreadyBound", "the variable %s stands outside of this query and cannot be another thing in it", it.Name)
			}
		}
	}
	c.columns(pr, vars)
	c.afterProjection(pr, vars, aggregated)
	for _, it := range pr.Items {
		if _, ok := it.Expr.(*variable); !ok && !pr.Return && !it.Aliased {
			c.fail(it.Pos, "NoExpressionAlias", "WITH needs a name for an expression: %s AS name", shownBegin(it.Name, 40))
		}
	}
	c.count(pr.Skip, "SKIP")
	c.count(pr.Limit, "LIMIT")
}

// columns checks that no two columns have one name.
func (c *checker) columns(pr *projection, vars kinds) {
	names := map[string]bool{}
	if pr.Star {
		for name := range vars {
			names[name] = true
		}
	}
	for _, it := range pr.Items {
		if c.look(); c.err != nil {
			return
		}
		if names[it.Name] {
			c.fail(it.Pos, "ColumnNameConflict", "two columns are named %s", shownBegin(it.Name, 40))
			return
		}
		names[it.Name] = true
	}
}

// groupingKeys returns the columns without aggregates by which rows are
// grouped: variables, and properties of variables.
func groupingKeys(pr *projection, vars kinds) *groupNames {
	keys := &groupNames{keys: newExprIndex(), vars: map[string]bool{}}
	if pr.Star {
		for name := range vars {
			keys.vars[name] = true
		}
	}
	for _, it := range pr.Items {
		switch e := it.Expr.(type) {
		case *variable:
			keys.vars[e.Name] = true
		case *property:
			keys.keys.add(e)
		}
	}
	return keys
}

// afterProjection checks ORDER BY, and WHERE of WITH. They see the columns and,
// if the projection merges no rows, the variables from before it.
func (c *checker) afterProjection(pr *projection, vars kinds, aggregated bool) {
	if pr.Order == nil && pr.Where == nil {
		return
	}
	out := vars.after(pr)
	for name, kind := range c.carry {
		if _, ok := out[name]; !ok {
			out[name] = kind
		}
	}
	order := exprScope{vars: out, where: "ORDER BY"}
	if aggregated || pr.Distinct {
		order.projected = newExprIndex()
		for _, it := range pr.Items {
			order.projected.add(it.Expr)
		}
		order.hidden = vars
	} else {
		order.vars = maps.Clone(vars)
		maps.Copy(order.vars, out)
	}
	where := order
	where.where, where.condition = "WHERE", true
	where.projected = nil
	if order.projected != nil {
		where.projected = newExprIndex()
		for _, it := range pr.Items {
			if !hasAggregate(it.Expr) {
				where.projected.add(it.Expr)
			}
		}
	}
	for _, s := range pr.Order {
		if aggregated && hasAggregate(s.Expr) {
			c.sortedGroup(s.Expr, order.projected, out)
		}
		c.expr(s.Expr, order)
	}
	c.where(pr.Where, where)
}

// sortedGroup refuses a key of ORDER BY that mixes an aggregate with a projected
// expression which is neither a variable, a property nor an aggregate.
func (c *checker) sortedGroup(key expr, projected *exprIndex, columns kinds) {
	walkExpr(key, func(x expr) bool {
		switch x := x.(type) {
		case *variable, *property, *literal, *param:
			return false
		case *funcCall:
			if isAggregate(x) {
				return false
			}
		}
		if _, ok := projected.find(x); ok && x != key && !hasAggregate(x) {
			c.fail(x.At(), "AmbiguousAggregationExpression", "%s stands beside an aggregate: give the column a name and write that", shownExpr(x))
		}
		return c.err == nil
	})
}

// count checks the number of SKIP or LIMIT.
func (c *checker) count(x expr, name string) {
	if x == nil {
		return
	}
	c.constant(x, name)
	lit, ok := x.(*literal)
	switch {
	case !ok:
	case lit.Value.Kind() != KindInt:
		c.fail(lit.Pos, "InvalidArgumentType", "%s needs an integer", name)
	case lit.Value.AsInt() < 0:
		c.fail(lit.Pos, "NegativeIntegerArgument", "%s needs an integer that is not negative", name)
	}
}
