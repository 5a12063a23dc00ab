package cypher

import "fmt"

// condition reports whether a row passes. If the expression is null, it does
// not.
type condition func(x *exec, r row) (bool, error)

// predicate computes an expression whose value is a boolean or null.
type predicate func(x *exec, r row) (truth, error)

// expr compiles an expression that stands in a clause.
func (c *compiler) expr(e expr) (evaluator, error) {
	outer := c.builds
	c.builds = false
	run := c.eval(e)
	builds := c.builds
	c.builds = outer
	if err := c.failed(); err != nil || !builds {
		return run, err
	}
	// What the expression builds for a row counts until its value is there.
	return func(x *exec, r row) (Value, error) {
		before := x.eval.bytes
		v, err := run(x, r)
		x.eval.bytes = before
		return v, err
	}, nil
}

// condition compiles the expression of a WHERE.
func (c *compiler) condition(e expr) (condition, error) {
	outer := c.builds
	c.builds = false
	holds := c.predicate(e)
	builds := c.builds
	c.builds = outer
	if err := c.failed(); err != nil {
		return nil, err
	}
	if !builds {
		return func(x *exec, r row) (bool, error) {
			t, err := holds(x, r)
			return t == isTrue, err
		}, nil
	}
	return func(x *exec, r row) (bool, error) {
		before := x.eval.bytes
		t, err := holds(x, r)
		x.eval.bytes = before
		return t == isTrue, err
	}, nil
}

// fail keeps an error, if it is the first, and returns an evaluator in place of the
// one that could not be compiled.
func (c *compiler) fail(err error) evaluator {
	if c.failure == nil {
		c.failure = new(error)
	}
	if *c.failure == nil {
		*c.failure = err
	}
	return constant(Null)
}

// failTruth is fail for a predicate.
func (c *compiler) failTruth(err error) predicate {
	c.fail(err)
	return func(*exec, row) (truth, error) { return isUnknown, nil }
}

// failed returns the first error.
func (c *compiler) failed() error {
	if c.failure == nil {
		return nil
	}
	return *c.failure
}

// eval compiles an expression or a part of one. It computes constant
// expressions once. If the expression is wrong, it keeps the error; see failed.
func (c *compiler) eval(e expr) evaluator {
	if c.failure == nil {
		c.failure = new(error)
	}
	if err := c.watch.look(); err != nil {
		return c.fail(err)
	}
	if v, ok := c.fold(e); ok {
		return constant(v)
	}
	switch e := e.(type) {
	case *param:
		return evalParam(e)
	case *variable:
		return c.variable(e)
	case *property:
		return c.property(e)
	case *indexExpr:
		return c.index(e)
	case *sliceExpr:
		return c.slice(e)
	case *listLit:
		return c.listLiteral(e)
	case *mapLit:
		return c.mapLiteral(e)
	case *mapProjection:
		return c.mapProjection(e)
	case *unaryExpr:
		if e.Op != opNot {
			return c.sign(e)
		}
	case *binaryExpr:
		if isArithmetic(e.Op) {
			return c.arithmetic(e)
		}
	case *funcCall:
		return c.call(e)
	case *caseExpr:
		return c.caseOf(e)
	case *listComprehension:
		return c.listComprehension(e)
	case *reduceExpr:
		return c.reduce(e)
	case *countMatches:
		return c.countMatches(e)
	case *patternComprehension:
		return c.patternComprehension(e)
	case *pathExpr:
		return c.pathExpr(e)
	case *queryExpr:
		return c.queryExpr(e)
	}
	if !isPredicate(e) {
		return c.fail(phase.Errorf("%T is not an expression", e))
	}
	holds := c.predicate(e)
	return func(x *exec, r row) (Value, error) {
		t, err := holds(x, r)
		return t.value(), err
	}
}

// isPredicate reports whether predicate compiles an expression itself.
func isPredicate(e expr) bool {
	switch e := e.(type) {
	case *unaryExpr:
		return e.Op == opNot
	case *binaryExpr:
		return !isArithmetic(e.Op)
	case *isNullExpr, *labelsExpr, *quantifier, *existsExpr:
		return true
	}
	return false
}

// predicate compiles an expression whose value is a boolean or null. Other
// values are a TypeError.
func (c *compiler) predicate(e expr) predicate {
	switch e := e.(type) {
	case *unaryExpr:
		if e.Op == opNot {
			return c.negation(e)
		}
	case *binaryExpr:
		switch e.Op {
		case opAnd, opOr, opXor:
			return c.logic(e)
		case opEqual, opNotEqual, opLess, opLessEqual, opGreater, opGreaterEqual:
			return c.comparison(e)
		case opIn:
			return c.in(e)
		case opStartsWith, opEndsWith, opContains:
			return c.substringTest(e)
		case opMatches:
			return c.matches(e)
		}
	case *isNullExpr:
		return c.isNull(e)
	case *labelsExpr:
		return c.hasLabels(e)
	case *quantifier:
		return c.quantifier(e)
	case *existsExpr:
		return c.exists(e)
	}
	run := c.eval(e)
	at := e.At()
	return func(x *exec, r row) (truth, error) {
		v, err := run(x, r)
		switch {
		case err != nil:
			return isUnknown, err
		case v.kind == KindBool:
			return truth(v.num), nil
		case v.kind == KindNull:
			return isUnknown, nil
		}
		return isUnknown, typeError(at, "%s stands where a boolean is wanted", aKind(v))
	}
}

// evaluate sets the places of a list to the values of expressions.
func evaluate(x *exec, r row, values []evaluator, to []Value) (err error) {
	for i, value := range values {
		if to[i], err = value(x, r); err != nil {
			return err
		}
	}
	return nil
}

// both evaluates two operands.
func both(x *exec, r row, left, right evaluator) (a, b Value, err error) {
	if a, err = left(x, r); err == nil {
		b, err = right(x, r)
	}
	return a, b, err
}

// constant returns the evaluator of a value.
func constant(v Value) evaluator {
	return func(*exec, row) (Value, error) { return v, nil }
}

// evalParam returns the evaluator of a parameter.
func evalParam(e *param) evaluator {
	return func(x *exec, _ row) (Value, error) {
		v, ok := x.params[e.Name]
		if !ok {
			return Null, evalError(e.Pos, codeParameter, "MissingParameter", "the parameter $%s has no value", quoteName(e.Name))
		}
		return v, nil
	}
}

// variable compiles the name of something that a clause or an expression
// bound.
func (c *compiler) variable(e *variable) evaluator {
	i, ok := c.scope.slot(e.Name)
	if !ok {
		return c.fail(c.refuse(e.Pos, e.Name, "UndefinedVariable", fmt.Sprintf("the variable %s is not defined", quoteName(e.Name))))
	}
	return func(_ *exec, r row) (Value, error) { return r[i], nil }
}

// refuse returns an error of a word in the statement's text.
func (c *compiler) refuse(at Pos, word, code, message string) error {
	start := min(int(at), len(c.text))
	return newSyntaxError(c.text, start, min(start+len(word), len(c.text)), code, message)
}

// unsupported returns the error for Cypher that is not in the subset.
func (c *compiler) unsupported(at Pos, word, code, what string) error {
	err := c.refuse(at, word, code, "not supported: "+what).(*SyntaxError)
	err.Unsupported = true
	return err
}

// inner returns a compiler for expressions that see another variable, and the
// variable's place.
func (c *compiler) inner(variable string) (*compiler, int) {
	in := *c
	in.scope = c.scope.fork()
	return &in, in.scope.add(variable)
}

// widen returns a row with room up to a place, for an expression's own
// variable.
func widen(r row, slot int) row {
	wide := make(row, slot+1)
	copy(wide, r)
	return wide
}
