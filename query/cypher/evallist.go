package cypher

// listLiteral compiles [a, b].
func (c *compiler) listLiteral(e *listLit) evaluator {
	items := c.evalAll(e.Items)
	c.builds = true
	return func(x *exec, r row) (Value, error) {
		list := make([]Value, len(items))
		if err := evaluate(x, r, items, list); err != nil {
			return Null, err
		}
		return x.built(e.Pos, ListOf(list))
	}
}

// evalAll compiles several expressions.
func (c *compiler) evalAll(list []expr) []evaluator {
	out := make([]evaluator, len(list))
	for i, e := range list {
		out[i] = c.eval(e)
	}
	return out
}

// mapLiteral compiles {name: value}. The last of two entries with one key
// counts.
func (c *compiler) mapLiteral(e *mapLit) evaluator {
	values := c.evalAll(e.Values)
	c.builds = true
	return func(x *exec, r row) (Value, error) {
		m := make(map[string]Value, len(values))
		for i, value := range values {
			v, err := value(x, r)
			if err != nil {
				return Null, err
			}
			m[e.Keys[i]] = v
		}
		return x.built(e.Pos, MapOf(m))
	}
}

// elements returns the elements of a list that an expression iterates over;
// false if the list is null.
func elements(at Pos, v Value, what string) ([]Value, bool, error) {
	switch v.kind {
	case KindNull:
		return nil, false, nil
	case KindList:
		return v.AsList(), true, nil
	}
	return nil, false, typeError(at, "%s needs a list, not %s", what, aKind(v))
}

// listComprehension compiles [variable IN list WHERE condition | value].
func (c *compiler) listComprehension(e *listComprehension) evaluator {
	source := c.eval(e.List)
	in, slot := c.inner(e.Variable)
	var where predicate
	if e.Where != nil {
		where = in.predicate(e.Where)
	}
	var value evaluator
	if e.Value != nil {
		value = in.eval(e.Value)
	}
	c.builds = true
	return func(x *exec, r row) (Value, error) {
		v, err := source(x, r)
		if err != nil {
			return Null, err
		}
		list, ok, err := elements(e.List.At(), v, "a list comprehension")
		if !ok {
			return Null, err
		}
		wide := widen(r, slot)
		var out chunks[Value]
		memory := int64(0)
		for _, item := range list {
			if err := x.step(); err != nil {
				return Null, err
			}
			wide[slot] = item
			if where != nil {
				t, err := where(x, wide)
				if err != nil {
					return Null, err
				}
				if t != isTrue {
					continue
				}
			}
			if value != nil {
				if item, err = value(x, wide); err != nil {
					return Null, err
				}
			}
			if err := x.charge(e.Pos, item.memory()); err != nil {
				return Null, err
			}
			memory += item.memory()
			out.add(item)
		}
		all, err := out.take(x)
		return listWith(all, memory), err
	}
}

// quantifier compiles all, any, none and single. If the condition of an element
// is null, the result is null unless other elements decide it. If the list is
// null, so is the result.
func (c *compiler) quantifier(e *quantifier) predicate {
	source := c.eval(e.List)
	in, slot := c.inner(e.Variable)
	where := in.predicate(e.Where)
	c.builds = c.builds || in.builds
	return func(x *exec, r row) (truth, error) {
		v, err := source(x, r)
		if err != nil {
			return isUnknown, err
		}
		list, ok, err := elements(e.List.At(), v, e.Kind.name()+"()")
		if !ok {
			return isUnknown, err
		}
		wide := widen(r, slot)
		hits, open := 0, false
		for _, item := range list {
			if err := x.step(); err != nil {
				return isUnknown, err
			}
			wide[slot] = item
			t, err := where(x, wide)
			if err != nil {
				return isUnknown, err
			}
			switch {
			case t == isUnknown:
				open = true
			case t == isTrue:
				hits++
			case e.Kind == allOf:
				return isFalse, nil
			}
			switch {
			case hits == 1 && e.Kind == anyOf:
				return isTrue, nil
			case hits == 1 && e.Kind == noneOf, hits == 2 && e.Kind == singleOf:
				return isFalse, nil
			}
		}
		switch {
		case open:
			return isUnknown, nil
		case e.Kind == anyOf:
			return isFalse, nil
		case e.Kind == singleOf:
			return truthOf(hits == 1), nil
		}
		return isTrue, nil
	}
}

// reduce compiles reduce(accumulator = start, variable IN list | value). Of
// null it is null.
func (c *compiler) reduce(e *reduceExpr) evaluator {
	source := c.eval(e.List)
	start := c.eval(e.Start)
	in, sum := c.inner(e.Accumulator)
	slot := in.scope.add(e.Variable)
	value := in.eval(e.Value)
	c.builds = c.builds || in.builds
	return func(x *exec, r row) (Value, error) {
		v, err := source(x, r)
		if err != nil {
			return Null, err
		}
		list, ok, err := elements(e.List.At(), v, "reduce()")
		if !ok {
			return Null, err
		}
		wide := widen(r, slot)
		if wide[sum], err = start(x, r); err != nil {
			return Null, err
		}
		for _, item := range list {
			if err := x.step(); err != nil {
				return Null, err
			}
			wide[slot] = item
			if wide[sum], err = value(x, wide); err != nil {
				return Null, err
			}
		}
		return wide[sum], nil
	}
}
