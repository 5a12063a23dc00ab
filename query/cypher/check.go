package cypher

import (
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/fault"
)

// check finds errors in a statement that parses, such as variables that nothing
// binds or that are bound as two kinds of things, aggregates outside of WITH and
// RETURN, and clauses that cannot follow each other. The error is a
// [*SyntaxError], whose Code is the name in openCypher's compatibility kit, or
// that of the context. The graph, functions and procedures are not looked at. reads are
// the names of the properties of nodes and edges that each part reads.
func check(s *statement, w *watch) (reads map[*singleQuery][]string, err error) {
	if s == nil {
		return nil, newSyntaxError("", 0, 0, "", "the statement is empty")
	}
	c := &checker{text: s.Text, seen: map[string]bool{}, watch: w, reads: map[*singleQuery][]string{}}
	switch {
	case s.Query != nil:
		c.query(s.Query)
	case s.Copy != nil:
		c.copy(s.Copy)
	case s.Index != nil && s.Index.Options != nil:
		c.constant(s.Index.Options, "OPTIONS")
	}
	if c.ended != nil {
		return nil, c.ended
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.reads, nil
}

// checker checks a statement. It keeps the first error.
type checker struct {
	text string
	err  *SyntaxError
	seen map[string]bool // variables that the part has bound so far, in scope or not

	// reads are the properties of nodes and edges that parts read; at is the part at hand.
	reads map[*singleQuery][]string
	at    *singleQuery

	// carry are the variables that are known in all clauses of the query at hand, since
	// it stands in another one.
	carry kinds
	inner bool // the query stands in another

	watch *watch
	ended error // of the context
}

// look ends the checking if the context has ended.
func (c *checker) look() { c.looks(1) }

// looks counts steps of checking and ends it if the context has ended.
func (c *checker) looks(steps int) {
	if err := c.watch.looks(steps); err != nil && c.ended == nil {
		c.ended = err
		if c.err == nil {
			c.err = &SyntaxError{}
		}
	}
}

// fail keeps an error of the token at a place, if it is the first.
func (c *checker) fail(at Pos, code, format string, args ...any) {
	if c.err != nil {
		return
	}
	if code == "" {
		code = "UnexpectedSyntax"
	}
	l := lexer{text: c.text, pos: int(at)}
	t := l.next()
	c.err = newSyntaxError(c.text, t.start, t.end, code, fault.Text(format, args...))
}

// unsupported refuses a feature at a place.
func (c *checker) unsupported(at Pos, feature string) {
	if c.err == nil {
		c.fail(at, "", "not supported: %s", feature)
		c.err.Unsupported = true
	}
}

// query checks the parts of a query and that their columns agree.
func (c *checker) query(q *regularQuery) {
	c.queryWithin(q, nil, func(part *singleQuery) kinds {
		clear(c.seen)
		c.at = part
		return kinds{}
	})
}

// queryWithin checks a query that may stand in another. begin returns the variables that
// a part begins with. ends, if not nil, checks a part in place of [checker.ending]. The
// result has the variables after the first part.
func (c *checker) queryWithin(q *regularQuery, ends func(*singleQuery), begin func(*singleQuery) kinds) (out kinds) {
	var first *projection
	for i, part := range q.Parts {
		if len(part.Clauses) == 0 { // not from the parser
			c.fail(0, "", "a query without a clause")
			return nil
		}
		vars := c.part(part, begin(part), ends)
		if i == 0 {
			out = vars
		}
		if c.err != nil {
			return out
		}
		if len(q.Parts) == 1 {
			return out
		}
		last := part.Clauses[len(part.Clauses)-1]
		r, ok := last.(*projection)
		if !ok {
			c.fail(last.At(), "InvalidClauseComposition", "each part of a UNION ends with RETURN")
			return out
		}
		if i == 0 {
			first = r
			continue
		}
		if q.All[i-1] != q.All[0] {
			c.fail(part.Clauses[0].At(), "InvalidClauseComposition", "UNION and UNION ALL cannot be mixed in one query")
		}
		if a, b := columnNames(first), columnNames(r); a != b {
			c.fail(r.Pos, "DifferentColumnsInUnion", "the parts of a UNION return the same columns in the same order: %s, and here %s", a, b)
		}
	}
	return out
}

// columnNames lists the columns of a projection.
func columnNames(r *projection) string {
	var names []string
	if r.Star {
		names = append(names, "*")
	}
	for _, it := range r.Items {
		names = append(names, it.Name)
	}
	return strings.Join(names, ", ")
}

// part checks a row of clauses, which begins with some variables, and returns those at
// its end. ends, if not nil, checks the end.
func (c *checker) part(part *singleQuery, vars kinds, ends func(*singleQuery)) kinds {
	wrote := ""
	for i, cl := range part.Clauses {
		name := clauseName(cl)
		if i > 0 {
			if r, ok := part.Clauses[i-1].(*projection); ok && r.Return {
				c.fail(cl.At(), "InvalidClauseComposition", "RETURN is the last clause of a query: %s cannot follow it; WITH passes rows on", name)
			}
		}
		switch cl.(type) {
		case *createClause, *mergeClause, *setClause, *removeClause, *deleteClause, *foreachClause:
			wrote = name
		case *matchClause, *unwindClause, *callClause:
			if wrote != "" {
				c.fail(cl.At(), "InvalidClauseComposition", "WITH is wanted between %s and %s", wrote, name)
			}
		case *projection:
			wrote = ""
		}
		c.clause(cl, vars, len(part.Clauses) == 1)
		if c.err != nil {
			return vars
		}
		vars = c.carried(cl, vars.after(cl))
		c.saw(cl, vars)
		c.looks(len(vars))
	}
	if ends != nil {
		ends(part)
	} else {
		c.ending(part)
	}
	return vars
}

// saw notes the variables that a clause has bound.
func (c *checker) saw(cl clause, vars kinds) {
	saw := func(name string) { c.seen[name] = true }
	switch cl := cl.(type) {
	case *matchClause:
		for _, pt := range cl.Patterns {
			patternVariables(pt, saw)
		}
	case *createClause:
		for _, pt := range cl.Patterns {
			patternVariables(pt, saw)
		}
	case *mergeClause:
		patternVariables(cl.Pattern, saw)
	case *unwindClause:
		saw(cl.Variable)
	case *callClause:
		for _, it := range cl.Yield {
			saw(it.Variable)
		}
	case *loadClause:
		saw(cl.Variable)
	case *subqueryClause, *projection:
		for v := range vars {
			saw(v)
		}
	}
}

// ending checks that a part returns or writes something, or is a call.
func (c *checker) ending(part *singleQuery) {
	last := part.Clauses[len(part.Clauses)-1]
	name := clauseName(last)
	switch last := last.(type) {
	case *matchClause, *unwindClause, *loadClause:
		c.fail(last.At(), "InvalidClauseComposition", "a query does not end with %s: RETURN is missing", name)
	case *projection:
		if !last.Return {
			c.fail(last.Pos, "InvalidClauseComposition", "a query does not end with WITH: RETURN is missing")
		}
	case *subqueryClause:
		if last.returns() {
			c.fail(last.Pos, "InvalidClauseComposition", "a query does not end with CALL { } that returns something: RETURN is missing")
		}
	case *callClause:
		if len(part.Clauses) > 1 && last.Yield != nil {
			c.fail(last.Pos, "InvalidClauseComposition", "a query does not end with CALL ... YIELD after other clauses: RETURN is missing")
		}
	}
}

// clauseName returns the words that a clause begins with.
func clauseName(c clause) string {
	switch c := c.(type) {
	case *matchClause:
		if c.Optional {
			return "OPTIONAL MATCH"
		}
		return "MATCH"
	case *unwindClause:
		return "UNWIND"
	case *projection:
		if c.Return {
			return "RETURN"
		}
		return "WITH"
	case *callClause, *subqueryClause:
		return "CALL"
	case *foreachClause:
		return "FOREACH"
	case *loadClause:
		return "LOAD CSV"
	case *createClause:
		return "CREATE"
	case *mergeClause:
		return "MERGE"
	case *setClause:
		return "SET"
	case *removeClause:
		return "REMOVE"
	case *deleteClause:
		if c.Detach {
			return "DETACH DELETE"
		}
	}
	return "DELETE"
}

// copy checks COPY.
func (c *checker) copy(cp *copyClause) {
	if cp.Options != nil {
		c.constant(cp.Options, "OPTIONS")
	}
	if cp.Query == nil {
		return
	}
	c.query(cp.Query)
	if c.err != nil || len(cp.Query.Parts) == 0 {
		return
	}
	clauses := cp.Query.Parts[0].Clauses
	if r, ok := clauses[len(clauses)-1].(*projection); !ok || !r.Return {
		c.fail(clauses[0].At(), "InvalidClauseComposition", "the query of COPY ends with RETURN")
	}
}

// constant checks that an expression needs no row.
func (c *checker) constant(x expr, what string) {
	walkExpr(x, func(x expr) bool {
		switch x := x.(type) {
		case *variable:
			c.fail(x.Pos, "NonConstantExpression", "%s is constant: it cannot contain the variable %s", what, x.Name)
		case *existsExpr, *countMatches, *patternComprehension, *pathExpr, *queryExpr:
			c.fail(x.At(), "NonConstantExpression", "%s is constant: it cannot contain a pattern", what)
		case *listComprehension, *quantifier, *reduceExpr:
			c.fail(x.At(), "NonConstantExpression", "%s is constant: it cannot contain variables", what)
		case *funcCall:
			if isAggregate(x) {
				c.fail(x.Pos, "NonConstantExpression", "%s is constant: it cannot contain the aggregate %s", what, x.Name)
			}
		}
		return c.err == nil
	})
}

// undefined refuses a variable that is not in scope, and suggests a similar
// one.
func (c *checker) undefined(at Pos, name string, vars kinds) {
	switch near := nearest(name, slices.Sorted(maps.Keys(vars))); {
	case c.seen[name]:
		c.fail(at, "UndefinedVariable", "the variable %s is not passed on: WITH keeps only what it names", name)
	case near != "":
		c.fail(at, "UndefinedVariable", "the variable %s is not defined; did you mean %s?", name, near)
	default:
		c.fail(at, "UndefinedVariable", "the variable %s is not defined", name)
	}
}
