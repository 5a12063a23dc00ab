package cypher

// exists compiles a pattern that stands as a condition.
func (c *compiler) exists(e *existsExpr) predicate {
	m, err := c.pattern(c, e.Patterns, e.Where)
	if err != nil {
		return c.failTruth(err)
	}
	return func(x *exec, r row) (truth, error) {
		found := false
		err := m.match(x, r, func(row) (bool, error) {
			found = true
			return false, nil
		})
		return truthOf(found), err
	}
}

// countMatches compiles COUNT { MATCH pattern }.
func (c *compiler) countMatches(e *countMatches) evaluator {
	m, err := c.pattern(c, e.Patterns, e.Where)
	if err != nil {
		return c.fail(err)
	}
	return func(x *exec, r row) (Value, error) {
		n := int64(0)
		err := m.match(x, r, func(row) (bool, error) {
			n++
			return true, x.step()
		})
		return Int(n), err
	}
}

// patternComprehension compiles [variable = pattern WHERE condition | value].
func (c *compiler) patternComprehension(e *patternComprehension) evaluator {
	m, err := c.pattern(c, []*pattern{e.Pattern}, e.Where)
	if err != nil {
		return c.fail(err)
	}
	in := *c
	in.scope = m.scope
	value := in.eval(e.Value)
	c.builds = true
	return func(x *exec, r row) (Value, error) {
		return x.collect(e.Pos, m, r, value)
	}
}

// collect returns the list of a value for each match.
func (x *exec) collect(at Pos, m patternMatcher, r row, value evaluator) (Value, error) {
	var list []Value
	err := m.match(x, r, func(r row) (bool, error) {
		v, err := value(x, r)
		if err != nil {
			return false, err
		}
		if err := x.charge(at, v.memory()); err != nil {
			return false, err
		}
		list = append(list, v)
		return true, x.step()
	})
	if err != nil {
		return Null, err
	}
	return ListOf(list), nil
}

// pathExpr compiles shortestPath and allShortestPaths as a value: a path or
// null, and a list of paths.
func (c *compiler) pathExpr(e *pathExpr) evaluator {
	p := *e.Pattern
	if p.Variable == "" {
		p.Variable = " path" // no statement can name it
	}
	m, err := c.pattern(c, []*pattern{&p}, nil)
	if err != nil {
		return c.fail(err)
	}
	in := *c
	in.scope = m.scope
	value := in.variable(&variable{Pos: e.Pos, Name: p.Variable})
	if p.Shortest == shortestAll {
		c.builds = true
		return func(x *exec, r row) (Value, error) {
			return x.collect(e.Pos, m, r, value)
		}
	}
	return func(x *exec, r row) (Value, error) {
		found := Null
		err := m.match(x, r, func(r row) (bool, error) {
			v, err := value(x, r)
			found = v
			return false, err
		})
		return found, err
	}
}
