package cypher

import (
	"slices"
	"strings"
)

// exprScope describes the context of an expression.
type exprScope struct {
	vars  kinds
	where string // the clause, for messages

	aggregate aggregateRule
	condition bool // a pattern may stand here as a condition

	// grouping, if not nil, holds the grouping keys, which an expression with
	// aggregates may use.
	grouping *groupNames
	// projected holds the columns that an expression after a projection may
	// repeat.
	projected *exprIndex
	// hidden are variables from before a projection that put rows together.
	hidden kinds
}

// aggregateRule is whether an aggregate is allowed.
type aggregateRule uint8

// The rules.
const (
	noAggregate     aggregateRule = iota
	aggregate                     // in a column of WITH or RETURN
	insideAggregate               // in the argument of another
)

// with returns the scope of an expression that binds variables of its own: they
// may be used next to aggregates, and no aggregate is allowed.
func (e exprScope) with(names ...string) exprScope {
	if e.grouping != nil && len(names) > 0 {
		e.grouping = &groupNames{outer: e.grouping, names: names}
	}
	e.aggregate = noAggregate
	return e
}

// groupNames are the keys of a group, and the variables that expressions around
// one bind.
type groupNames struct {
	keys  *exprIndex
	vars  map[string]bool // the keys that are variables
	outer *groupNames
	names []string // bound within
}

// variable reports whether a variable is among them.
func (g *groupNames) variable(name string) bool {
	for ; g.outer != nil; g = g.outer {
		if slices.Contains(g.names, name) {
			return true
		}
	}
	return g.vars[name]
}

// has reports whether an expression is a key.
func (g *groupNames) has(x expr) bool {
	for g.outer != nil {
		g = g.outer
	}
	_, ok := g.keys.find(x)
	return ok
}

// expr checks an expression.
func (c *checker) expr(x expr, e exprScope) {
	if x == nil || c.err != nil {
		return
	}
	c.look()
	if _, ok := e.projected.find(x); ok {
		return
	}
	condition := e.condition
	e.condition = false
	switch x := x.(type) {
	case *variable:
		c.variable(x, e)
	case *property:
		if e.grouping != nil && e.grouping.has(x) {
			return
		}
		c.expr(x.X, e)
		c.propertyOf(x, e)
	case *labelsExpr:
		c.expr(x.X, e)
		if k := e.vars.kindOf(x.X); k == varPath || k == varEdges || k.isValue() {
			c.fail(x.Pos, "InvalidArgumentType", "only nodes have labels, and this is %s", k)
		}
	case *unaryExpr:
		e.condition = condition && x.Op == opNot
		c.expr(x.X, e)
		if x.Op == opNot {
			c.boolean(x.X, "NOT", e)
		}
	case *binaryExpr:
		c.binary(x, e, condition)
	case *funcCall:
		c.funcCall(x, e)
	case *caseExpr:
		c.expr(x.X, e)
		for _, w := range x.When {
			e.condition = x.X == nil
			c.expr(w.When, e)
			e.condition = condition
			c.expr(w.Then, e)
		}
		e.condition = condition
		c.expr(x.Else, e)
	case *existsExpr:
		if x.Bare && !condition {
			c.fail(x.Pos, "UnexpectedSyntax", "a pattern alone is a condition of WHERE: write EXISTS { ... }, COUNT { ... } or [pattern | value] here")
		}
		c.subquery(x.Patterns, x.Where, x.Bare, e)
	case *countMatches:
		c.subquery(x.Patterns, x.Where, false, e)
	case *queryExpr:
		c.queryExpr(x, e)
	case *pathExpr:
		c.subquery([]*pattern{x.Pattern}, nil, true, e)
	case *listComprehension, *quantifier, *reduceExpr, *patternComprehension:
		c.comprehension(x, e)
	default:
		eachPart(x, func(part *expr, _ ...string) { c.expr(*part, e) })
	}
}

func (c *checker) exprs(e exprScope, xs ...expr) {
	for _, x := range xs {
		c.expr(x, e)
	}
}

// variable checks that a variable is in scope and may be used next to
// aggregates.
func (c *checker) variable(v *variable, e exprScope) {
	if _, ok := e.vars[v.Name]; !ok {
		if _, ok := e.hidden[v.Name]; ok {
			c.fail(v.Pos, "UndefinedVariable",
				"%s after DISTINCT or an aggregate sees only the columns, and %s is not one of them", e.where, v.Name)
		}
		c.undefined(v.Pos, v.Name, e.vars)
		return
	}
	if e.grouping != nil && !e.grouping.variable(v.Name) {
		c.fail(v.Pos, "AmbiguousAggregationExpression",
			"%s stands beside an aggregate and is not the same for all rows of a group: make it a column of its own, in a WITH before", v.Name)
	}
}

// propertyOf refuses a property of a variable or literal that is known to have
// no properties.
func (c *checker) propertyOf(x *property, e exprScope) {
	v, ok := x.X.(*variable)
	if !ok {
		if lit, ok := x.X.(*literal); ok && !lit.Value.IsNull() {
			c.fail(x.Pos, "InvalidArgumentType", "only nodes, edges and maps have properties")
		}
		return
	}
	switch e.vars[v.Name] {
	case varNode, varEdge:
		c.reads[c.at] = append(c.reads[c.at], x.Name)
	case varEdges:
		c.fail(v.Pos, "InvalidArgumentType", "%s is a list of edges: write [r IN %s | r.%s] for the property of each", v.Name, v.Name, x.Name)
	case varNumber, varText, varTruth, varList:
		if c.err == nil {
			c.fail(v.Pos, "InvalidArgumentType", "%s is %s and has no properties", v.Name, e.vars[v.Name])
			c.err.typeError = true
		}
	case varPath:
		c.fail(v.Pos, "InvalidArgumentType", "%s is a path and has no properties: nodes(%s) and relationships(%s) have", v.Name, v.Name, v.Name)
	}
}

// binary checks an operator and its operands.
func (c *checker) binary(x *binaryExpr, e exprScope, condition bool) {
	logical := x.Op == opAnd || x.Op == opOr || x.Op == opXor
	e.condition = condition && logical
	c.expr(x.L, e)
	c.expr(x.R, e)
	switch {
	case logical:
		c.boolean(x.L, binaryOps[x.Op].text, e)
		c.boolean(x.R, binaryOps[x.Op].text, e)
	case isArithmetic(x.Op) && x.Op != opAdd:
		c.operand(x.L, binaryOps[x.Op].text, e)
		c.operand(x.R, binaryOps[x.Op].text, e)
	case x.Op == opIn:
		switch r := x.R.(type) {
		case *literal:
			if !r.Value.IsNull() {
				c.fail(r.Pos, "InvalidArgumentType", "IN needs a list on its right")
			}
		case *mapLit:
			c.fail(r.Pos, "InvalidArgumentType", "IN needs a list on its right, not a map")
		}
	}
}

// boolean checks that an operand of a logical operator can be a truth value.
func (c *checker) boolean(x expr, op string, e exprScope) {
	switch kind := e.vars.kindOf(x); kind {
	case varAny, varValue, varTruth:
	default:
		c.fail(x.At(), "InvalidArgumentType", "%s needs true or false, and this is %s", op, kind)
	}
}

// where checks a condition, if there is one.
func (c *checker) where(x expr, e exprScope) {
	if x == nil {
		return
	}
	e.condition = true
	c.expr(x, e)
	c.boolean(x, "WHERE", e)
}

// operand refuses an operand of - * / % ^ that is known to be no number.
func (c *checker) operand(x expr, op string, e exprScope) {
	switch kind := e.vars.kindOf(x); kind {
	case varText, varTruth, varList, varMap, varNode, varEdge, varEdges, varPath:
		c.fail(x.At(), "InvalidArgumentType", "%s needs numbers, and this is %s", op, kind)
	}
}

// funcCall checks a call of a function. Which functions there are is known to
// the evaluator.
func (c *checker) funcCall(f *funcCall, e exprScope) {
	if isAggregate(f) {
		switch e.aggregate {
		case noAggregate:
			if e.hidden != nil { // after a projection that puts rows together
				c.exprs(e, f.Args...)
			}
			c.fail(f.Pos, "InvalidAggregation", "%s aggregates rows: only a column of WITH or RETURN can, not %s", f.Name, aggregatePlace(e))
		case insideAggregate:
			c.fail(f.Pos, "NestedAggregation", "%s stands in another aggregate: make it a column of a WITH before", f.Name)
		}
		for _, x := range f.Args {
			if isVolatile(x) {
				c.fail(f.Pos, "NonConstantExpression", "%s needs a value that can be computed again: put the random number into a WITH before", f.Name)
			}
		}
		e.aggregate = insideAggregate
		e.grouping = nil
	}
	c.exprs(e, f.Args...)
	if len(f.Args) != 1 {
		return
	}
	kind := e.vars.kindOf(f.Args[0])
	allowed := functionKinds[strings.ToLower(f.Name)]
	if kind == varAny || allowed == nil || kind == varValue && slices.ContainsFunc(allowed, varKind.isValue) {
		return
	}
	if !slices.Contains(allowed, kind) {
		c.fail(f.Args[0].At(), "InvalidArgumentType", "%s needs %s, and %s is %s", f.Name, kindList(allowed), shownExpr(f.Args[0]), kind)
	}
}

// aggregatePlace names the place in which an aggregate was found but is not
// allowed.
func aggregatePlace(e exprScope) string {
	switch e.where {
	case "WITH", "RETURN":
		return "a comprehension, quantifier or pattern in it"
	}
	return e.where
}

// functionKinds has the kinds of variables that functions of one graph element
// take, under the names of the functions in lower case.
var functionKinds = map[string][]varKind{
	"type": {varEdge}, "startnode": {varEdge}, "endnode": {varEdge}, "labels": {varNode},
	"length": {varPath}, "nodes": {varPath}, "relationships": {varPath},
	"size": {varList, varEdges, varText}, "id": {varNode, varEdge},
	"keys": {varNode, varEdge, varMap}, "properties": {varNode, varEdge, varMap},
}

func kindList(ks []varKind) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = k.String()
	}
	return strings.Join(names, " or ")
}

// comprehension checks the expressions that bind variables of their own.
func (c *checker) comprehension(x expr, e exprScope) {
	switch x := x.(type) {
	case *listComprehension:
		c.expr(x.List, e)
		defer e.vars.set(e.vars.elementOf(x.List), x.Variable)()
		c.whereAndValue(x.Where, x.Value, e.with(x.Variable))
	case *quantifier:
		c.expr(x.List, e)
		defer e.vars.set(e.vars.elementOf(x.List), x.Variable)()
		c.whereAndValue(x.Where, nil, e.with(x.Variable))
	case *reduceExpr:
		c.exprs(e, x.Start, x.List)
		if x.Accumulator == x.Variable {
			c.fail(x.Pos, "VariableAlreadyBound", "reduce needs two variables of different names, not %s twice", x.Variable)
		}
		defer e.vars.set(varAny, x.Accumulator, x.Variable)()
		c.expr(x.Value, e.with(x.Accumulator, x.Variable))
	case *patternComprehension:
		in, undo := c.patternScope([]*pattern{x.Pattern}, false, e)
		defer undo()
		c.whereAndValue(x.Where, x.Value, in)
	}
}

func (c *checker) whereAndValue(where, value expr, e exprScope) {
	e.condition = true
	c.expr(where, e)
	e.condition = false
	c.expr(value, e)
}

// subquery checks patterns in an expression. Where they are bare, they bind
// nothing.
func (c *checker) subquery(ps []*pattern, where expr, bare bool, e exprScope) {
	in, undo := c.patternScope(ps, bare, e)
	defer undo()
	in.condition = true
	c.expr(where, in)
}

// patternScope checks patterns in an expression and returns the scope in which
// their variables are bound too, until undo takes them back.
func (c *checker) patternScope(ps []*pattern, bare bool, e exprScope) (in exprScope, undo func()) {
	if bare {
		for _, pt := range ps {
			c.bare(pt, e)
		}
	}
	if e.grouping == nil {
		in = e.with()
		return in, c.matchPatterns(ps, in)
	}
	var bound []string
	for _, pt := range ps {
		patternVariables(pt, func(name string) {
			if _, ok := e.vars[name]; !ok {
				bound = append(bound, name)
			}
		})
	}
	in = e.with(bound...)
	leave := e.vars.enter(ps)
	for _, pt := range ps {
		for _, n := range pt.Nodes {
			if n.Variable != "" {
				c.variable(&variable{Pos: c.nameAfter(n.Pos, n.Variable), Name: n.Variable}, in)
			}
		}
	}
	leave()
	return in, c.matchPatterns(ps, in)
}

// bare checks that a pattern that stands alone binds no variable.
func (c *checker) bare(pt *pattern, e exprScope) {
	check := func(at Pos, name string) {
		if _, ok := e.vars[name]; !ok && name != "" {
			c.fail(c.nameAfter(at, name), "UndefinedVariable",
				"the variable %s is not defined: a pattern as a condition binds none; EXISTS { ... } does", name)
		}
	}
	for _, n := range pt.Nodes {
		check(n.Pos, n.Variable)
	}
	for _, ed := range pt.Edges {
		check(ed.Pos, ed.Variable)
	}
	if pt.Shortest != notShortest {
		for _, n := range []*nodePattern{pt.Nodes[0], pt.Nodes[len(pt.Nodes)-1]} {
			if n.Variable == "" {
				c.fail(n.Pos, "UndefinedVariable", "shortestPath in an expression needs its ends bound already")
			}
		}
	}
}
