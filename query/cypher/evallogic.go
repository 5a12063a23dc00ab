package cypher

// logic compiles AND, OR and XOR of three-valued logic. If the left side
// decides, the right side is not evaluated.
func (c *compiler) logic(e *binaryExpr) predicate {
	left, right := c.predicate(e.L), c.predicate(e.R)
	decides, other := isFalse, isTrue
	switch e.Op {
	case opOr:
		decides, other = isTrue, isFalse
	case opXor:
		return xor(left, right)
	}
	return func(x *exec, r row) (truth, error) {
		l, err := left(x, r)
		if err != nil || l == decides {
			return l, err
		}
		t, err := right(x, r)
		if err != nil || t == decides || l == other {
			return t, err
		}
		return isUnknown, nil
	}
}

func xor(left, right predicate) predicate {
	return func(x *exec, r row) (truth, error) {
		l, err := left(x, r)
		if err != nil {
			return isUnknown, err
		}
		t, err := right(x, r)
		if err != nil || l == isUnknown || t == isUnknown {
			return isUnknown, err
		}
		return truthOf(l != t), nil
	}
}

// negation compiles NOT.
func (c *compiler) negation(e *unaryExpr) predicate {
	holds := c.predicate(e.X)
	return func(x *exec, r row) (truth, error) {
		t, err := holds(x, r)
		return t.not(), err
	}
}

// isNull compiles IS NULL and IS NOT NULL.
func (c *compiler) isNull(e *isNullExpr) predicate {
	run := c.eval(e.X)
	not := e.Not
	return func(x *exec, r row) (truth, error) {
		v, err := run(x, r)
		return truthOf(v.IsNull() != not), err
	}
}

// caseOf compiles CASE. With an operand it takes the first WHEN that equals it,
// so never a null one; without, the first WHEN that is true.
func (c *compiler) caseOf(e *caseExpr) evaluator {
	otherwise := constant(Null)
	if e.Else != nil {
		otherwise = c.eval(e.Else)
	}
	thens := make([]evaluator, len(e.When))
	for i, w := range e.When {
		thens[i] = c.eval(w.Then)
	}
	if e.X != nil {
		return c.simpleCase(e, thens, otherwise)
	}
	whens := make([]predicate, len(e.When))
	for i, w := range e.When {
		whens[i] = c.predicate(w.When)
	}
	return func(x *exec, r row) (Value, error) {
		for i, when := range whens {
			t, err := when(x, r)
			if err != nil {
				return Null, err
			}
			if t == isTrue {
				return thens[i](x, r)
			}
		}
		return otherwise(x, r)
	}
}

func (c *compiler) simpleCase(e *caseExpr, thens []evaluator, otherwise evaluator) evaluator {
	operand := c.eval(e.X)
	whens := make([]evaluator, len(e.When))
	for i, w := range e.When {
		whens[i] = c.eval(w.When)
	}
	return func(x *exec, r row) (Value, error) {
		v, err := operand(x, r)
		if err != nil {
			return Null, err
		}
		for i, when := range whens {
			w, err := when(x, r)
			if err != nil {
				return Null, err
			}
			if equal(v, w) == isTrue {
				return thens[i](x, r)
			}
			if err := x.work(v.weight()); err != nil {
				return Null, err
			}
		}
		return otherwise(x, r)
	}
}
