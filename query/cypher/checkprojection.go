package cypher

import (
	"maps"
)

// projection checks WITH or RETURN.
func (c *checker) projection(pr *Projection, vars kinds) {
	name := clauseName(pr)
	if pr.Star && pr.Return && len(vars) == 0 {
		c.fail(pr.Pos, "NoVariablesInScope", "RETURN * returns all variables, and there is none")
	}
	aggregated := pr.aggregates()
	var keys []string
	if aggregated {
		keys = groupingKeys(pr, vars)
	}
	for _, it := range pr.Items {
		e := exprScope{vars: vars, where: name, aggregate: aggregate}
		if aggregated && hasAggregate(it.Expr) {
			e.grouping = keys
		}
		c.expr(it.Expr, e)
		if _, ok := it.Expr.(*Variable); !ok && !pr.Return && !it.Aliased {
			c.fail(it.Pos, "NoExpressionAlias", "WITH wants a name for an expression: %s AS name", cutEnd(shownLine(it.Name), 40))
		}
	}
	c.columns(pr, vars)
	c.afterProjection(pr, vars, aggregated)
	c.count(pr.Skip, "SKIP")
	c.count(pr.Limit, "LIMIT")
}

// columns checks that no two columns have one name.
func (c *checker) columns(pr *Projection, vars kinds) {
	names := map[string]bool{}
	if pr.Star {
		for name := range vars {
			names[name] = true
		}
	}
	for _, it := range pr.Items {
		if names[it.Name] {
			c.fail(it.Pos, "ColumnNameConflict", "two columns are named %s", cutEnd(shownLine(it.Name), 40))
		}
		names[it.Name] = true
	}
}

// groupingKeys returns the columns without aggregates by which rows are
// grouped: variables, and properties of variables.
func groupingKeys(pr *Projection, vars kinds) []string {
	keys := []string{}
	if pr.Star {
		for name := range vars {
			keys = append(keys, quoteVariable(name))
		}
	}
	for _, it := range pr.Items {
		switch it.Expr.(type) {
		case *Variable, *Property:
			keys = append(keys, exprString(it.Expr))
		}
	}
	return keys
}

// afterProjection checks ORDER BY, and WHERE of WITH. They see the columns and,
// where no rows were put together, what was in scope before.
func (c *checker) afterProjection(pr *Projection, vars kinds, aggregated bool) {
	if pr.Order == nil && pr.Where == nil {
		return
	}
	out := vars.after(pr)
	order := exprScope{vars: out, where: "ORDER BY"}
	if aggregated || pr.Distinct {
		order.projected = []string{}
		for _, it := range pr.Items {
			order.projected = append(order.projected, exprString(it.Expr))
		}
		order.hidden = vars
	} else {
		order.vars = maps.Clone(vars)
		maps.Copy(order.vars, out)
	}
	where := order
	where.where, where.condition = "WHERE", true
	where.projected = nil
	for _, it := range pr.Items {
		if order.projected != nil && !hasAggregate(it.Expr) {
			where.projected = append(where.projected, exprString(it.Expr))
		}
	}
	for _, s := range pr.Order {
		c.expr(s.Expr, order)
	}
	if pr.Where != nil {
		c.expr(pr.Where, where)
	}
}

// count checks the number of SKIP or LIMIT.
func (c *checker) count(x Expr, name string) {
	if x == nil {
		return
	}
	c.constant(x, name)
	lit, ok := x.(*Literal)
	switch {
	case !ok:
	case lit.Value.Kind() != KindInt:
		c.fail(lit.Pos, "InvalidArgumentType", "%s wants an integer", name)
	case lit.Value.AsInt() < 0:
		c.fail(lit.Pos, "NegativeIntegerArgument", "%s wants an integer that is not negative", name)
	}
}
